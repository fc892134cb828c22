/** Pictures: in messages, of people and of groups. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** A PNG of one pixel. */
const PIXEL = {
  name: "pixel.png",
  mimeType: "image/png",
  buffer: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
};
const DIARY = { name: "diary.png", mimeType: "image/png", buffer: Buffer.from("Dear diary") };

/** Chooses a file as people do: by pressing what opens the chooser. */
async function chooses(/** @type {Person} */ person, /** @type {typeof PIXEL} */ file) {
  const chooser = person.page.waitForEvent("filechooser");
  await person.presses("Add a picture");
  await (await chooser).setFiles(file);
}

/** The picture has come: its pixels are there. */
async function seesPicture(/** @type {Person} */ person, /** @type {string} */ selector) {
  await person.page.waitForFunction((wanted) => {
    const image = /** @type {HTMLImageElement | null} */ (document.querySelector(wanted));
    return Boolean(image?.complete && image.naturalWidth > 0);
  }, selector);
}

test("a picture goes with a message, and opens large", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await chooses(ana, PIXEL);
  await ana.page.getByRole("button", { name: "Remove pixel.png" }).waitFor();
  // Until it has arrived there, the message waits for it.
  await ana.page.locator(".tray-ready").waitFor();
  await ana.writes("the north wall");
  await ana.knowsItIsSent("the north wall");
  await ben.reads("the north wall");
  await seesPicture(ben, ".line .picture img");
  const picture = ben.page.getByRole("link", { name: "Picture from Ana" });
  assert.match((await picture.getAttribute("href")) ?? "", /\/images\/1x1\.png\.[0-9a-f]{32}\.large$/);
  const large = ben.page.waitForEvent("popup");
  await picture.click();
  await (await large).waitForURL(/\.large$/);
  assert.equal(await ana.page.getByRole("button", { name: /^Remove/ }).count(), 0, "nothing waits any more");
});

test("a picture needs no words", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await chooses(ana, PIXEL);
  await ana.page.getByRole("button", { name: "Send", exact: true }).click();
  await ana.page.locator(".line.stored").getByRole("link", { name: "Picture from you" }).waitFor();
  await ana.inList(/You: Picture/).waitFor();
});

test("what is no picture says so, and can be taken out again", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await chooses(ana, DIARY);
  await ana.isTold("This is no JPEG, PNG, GIF or WebP image.");
  await ana.composer.fill("dear diary");
  assert.equal(await ana.page.getByRole("button", { name: "Send", exact: true }).isDisabled(), true);
  await ana.presses("Remove diary.png");
  await ana.writes("dear diary");
  await ana.knowsItIsSent("dear diary");
});

test("people and groups have pictures", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.presses("Your picture");
  await ana.presses("Save picture");
  await ana.sees("Choose a picture.");
  await ana.page.getByLabel("Picture", { exact: true }).setInputFiles(PIXEL);
  await ana.presses("Save picture");
  await seesPicture(ana, ".me-picture img");
  await ben.opensMembers();
  await seesPicture(ben, ".member .avatar img");

  await ben.presses("Group picture");
  await ben.page.getByLabel("Picture", { exact: true }).setInputFiles(PIXEL);
  await ben.presses("Save picture");
  await seesPicture(ana, ".head-avatar img");
  await seesPicture(ben, ".groups .avatar img");
});
