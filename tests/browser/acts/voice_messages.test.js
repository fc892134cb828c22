/** Voice messages: recorded, heard, thrown away, kept where they belong. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const time = (/** @type {Person} */ person) => () => person.page.getByRole("timer").textContent();

test("a voice message is recorded, sent and played", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.presses("Record a voice message");
  await ana.page.getByRole("status").getByText("Recording").waitFor();
  await becomes(time(ana), /^0:0[1-9]/);
  await becomes(() => ana.composer.isVisible(), false, "while one speaks there is nothing to write");
  await ana.presses("Send voice message");
  await ana.page.locator(".line.stored .file").waitFor();
  const [{ attachments }] = (await ana.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  await becomes(async () => attachments[0].mime_type, "audio/webm");
  await becomes(async () => String(attachments[0].duration), /^[1-9]\d*$/);
  await ben.page
    .locator(".file")
    .getByText(/^\d:\d\d · /)
    .waitFor();
  await ben.page.getByRole("button", { name: /^Play Voice message/ }).click();
  const place = ben.page.getByRole("slider", { name: /^Position in Voice message/ });
  // Only a sound that was loaded has a length other than the one that the message tells.
  await becomes(() => place.evaluate((node) => Number(node.getAttribute("max")) % 1 !== 0), true);
  await ana.composer.fill("and in writing");
});

test("a recording is thrown away, or waits where it was begun", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Book club");
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.presses("Record a voice message");
  await ana.presses("Discard the recording");
  await ana.composer.waitFor();
  await becomes(() => ana.page.locator(".tray-item").count(), 0);

  await ana.presses("Record a voice message");
  await becomes(time(ana), /^0:0[1-9]/);
  await ana.opens("Book club");
  await ana.composer.waitFor();
  await becomes(() => ana.page.locator(".tray-item").count(), 0, "nothing of it comes here");
  await ana.opens("Climbers");
  await ana.page.getByRole("button", { name: /^Remove Voice message/ }).waitFor();
});

test("a missing microphone shows an error", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error("denied"));
  });
  await ana.presses("Record a voice message");
  await ana.isTold("The microphone cannot be used.");
});
