/** Writing a message: the bar of formatting, the order of pictures, captions, and texts that are too long. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { painted } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** A picture whose size tells which one it is. */
const picture = (/** @type {number} */ width) => ({
  name: `wall-${width}.png`,
  mimeType: "image/png",
  buffer: painted(width, 20, [width, 120, 60]),
});

const order = (/** @type {Person} */ person) => () =>
  person.page.locator(".tray-shown .tray-name").allTextContents();

/** Pictures of these sizes wait in the composer. */
async function adds(/** @type {Person} */ person, /** @type {number[]} */ ...widths) {
  await person.chooses(...widths.map(picture));
  await becomes(
    order(person),
    widths.map((width) => `wall-${width}.png`),
  );
}

test("the bar of formatting stays open once it was switched on", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const bar = ana.page.getByRole("toolbar", { name: "Formatting" });
  await ana.composer.fill("rope at six");
  await ana.presses("Formatting");
  await ana.composer.press("End");
  await bar.waitFor();
  await ana.composer.selectText();
  await bar.getByRole("button", { name: "Bold" }).click();
  await becomes(() => ana.composer.inputValue(), "**rope at six**");
  await becomes(() => violations(ana), []);
  await ana.presses("Formatting");
  await ana.composer.press("End");
  await bar.waitFor({ state: "hidden" });
});

test("pictures are sent with a caption, in the order of the arrow keys", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await adds(ana, 31, 32, 33);
  await becomes(() => ana.composer.getAttribute("placeholder"), "Add a caption");
  const handle = (/** @type {RegExp} */ name) => ana.page.locator(".tray").getByRole("button", { name });
  await handle(/^wall-33\.png, 3 of 3/).press("ArrowLeft");
  await becomes(order(ana), ["wall-31.png", "wall-33.png", "wall-32.png"]);
  await handle(/^wall-33\.png, 2 of 3/)
    .and(ana.page.locator(":focus"))
    .press("ArrowLeft");
  await becomes(order(ana), ["wall-33.png", "wall-31.png", "wall-32.png"]);
  await becomes(() => violations(ana), []);
  await ana.writes("three walls");
  await ana.knowsItIsSent("three walls");
  const [{ attachments }] = (await ana.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  const sizes = attachments.map((/** @type {{ url: string }} */ { url }) => /\/(\d+)x/.exec(url)?.[1]);
  await becomes(async () => sizes, ["33", "31", "32"]);
  await becomes(() => ana.composer.getAttribute("placeholder"), "Message");
});

test("a picture is dragged to another place", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await adds(ana, 31, 32, 33);
  await ana.page.locator(".tray-handle").first().hover();
  await ana.page.mouse.down();
  const last = ana.page.locator(".tray-shown").last();
  await last.hover();
  await becomes(order(ana), ["wall-32.png", "wall-33.png", "wall-31.png"]);
  await ana.page.mouse.up();
  await ana.page.getByRole("button", { name: /^wall-31\.png, 3 of 3/ }).waitFor();
});

test("a text that is too long is sent as a file", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  const text = "rope at six\n".repeat(100);
  await ana.composer.fill(text);
  await ana.sees("This text is too long for a message.");
  await becomes(() => violations(ana), []);
  await ana.presses("Send it as a file");
  await becomes(() => ana.composer.inputValue(), "");
  await ana.page.locator(".tray-ready").waitFor();
  await ana.writes("the plan");
  await ana.knowsItIsSent("the plan");
  const card = ben.page.locator(".file", { hasText: "Message.txt" });
  await becomes(() => card.locator("pre").textContent(), /^rope at six\nrope/);
});

test("pictures and a long text leave room to write on the smallest phones", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await adds(ana, 31, 32, 33);
  await ana.composer.fill("rope at six ".repeat(100));
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await ana.sees("This text is too long for a message.");
  await becomes(() => cutOff(ana), []);
  const isRoom = () =>
    ana.page.locator(".timeline").evaluate((node) => node.getBoundingClientRect().height > 120);
  await becomes(isRoom, true);
});
