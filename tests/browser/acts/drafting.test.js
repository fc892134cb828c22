/** Drafts: begun in one browser, continued in another. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { PIXEL } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Another browser of the same person, signed in and reading the group. */
async function elsewhere(/** @type {World} */ world, /** @type {Person} */ person) {
  const other = await world.visitor(person.name);
  [other.id, other.token] = [person.id, person.token];
  await other.isSignedIn();
  await other.opens("Climbers");
  return other;
}

/** The field says this, now or soon. */
const holds = (/** @type {Person} */ person, /** @type {string} */ text) =>
  becomes(() => person.composer.inputValue(), text);

/** The server has it, now or soon. */
const isKept = (
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {string | undefined} */ text,
) => becomes(async () => (await person.call("GET", `/v3/drafts/${group.id}`)).draft?.text, text);

const KNOTS = {
  name: "knots.txt",
  mimeType: "text/plain",
  buffer: Buffer.from("a bowline, a figure of eight"),
};

/** What waits beside the field is called this, now or soon, and has arrived. */
const hasBeside = (/** @type {Person} */ person, /** @type {string[]} */ names) =>
  becomes(() => person.page.locator(".tray-ready .tray-name").allInnerTexts(), names);

test("the list shows what is written and not sent, wherever it was written", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ana.hasGroup("Book club");
  await ana.opens("Climbers");
  const laptop = await elsewhere(world, ana);
  await ana.composer.fill("rope at **six**");
  await ana.opens("Book club");
  await ana.inList(/^Climbers.*Draft: rope at six$/s).waitFor();
  await holds(laptop, "rope at **six**");
  await laptop.opens("Book club");
  await laptop.inList(/^Climbers.*Draft: rope at six$/s).waitFor();
  await ben.says(climbers, "who has the rope?");
  await ana.inList(/^Climbers.*Ben: who has the rope\?/s).waitFor();
  await ana.opens("Climbers");
  await ana.composer.fill("");
  await ana.opens("Book club");
  await ana.inList(/^Climbers.*Ben: who has the rope\?$/s).waitFor();
});

test("the browser asks before a file is lost that has not arrived", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const { page } = ana;
  await ana.opens("Climbers");
  /** @type {(() => void) | null} */
  let goesOn = null;
  await page.route(/\/files\?/, (route) => {
    goesOn = () => route.continue();
  });
  const input = page.locator(".composer input[type=file]");
  await input.setInputFiles(KNOTS);
  await becomes(async () => goesOn !== null, true);
  // Browsers ask only about pages that were used.
  await ana.composer.click();
  const asked = page.waitForEvent("dialog");
  const left = page.close({ runBeforeUnload: true });
  const question = await asked;
  await becomes(async () => question.type(), "beforeunload");
  await question.dismiss();
  await left;
  /** @type {any} */ (goesOn)();
  await hasBeside(ana, ["knots.txt"]);
  const attached = async () =>
    (await ana.call("GET", `/v3/drafts/${climbers.id}`)).draft?.attachments?.length;
  await becomes(attached, 1);
  await page.reload();
  await hasBeside(ana, ["knots.txt"]);
});

test("a draft follows to another browser and is gone from there when it is sent", async (t) => {
  const { world, ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  const laptop = await elsewhere(world, ana);
  await ana.composer.fill("rope at");
  await holds(laptop, "rope at");
  await laptop.composer.pressSequentially(" six");
  await laptop.composer.press("Enter");
  await ana.reads("rope at six");
  await holds(ana, "");
  await isKept(ana, climbers, undefined);
});

test("a text in progress is not replaced by another device", async (t) => {
  const { world, ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  const laptop = await elsewhere(world, ana);
  const before = new Date();
  // Neither hears the other: both are written without a line.
  for (const one of [ana, laptop]) await one.page.route("**/v3/drafts/**", (route) => route.abort());
  const tried = [ana, laptop].map((one) => one.page.waitForRequest("**/v3/drafts/**"));
  await ana.composer.fill("from the phone");
  await laptop.composer.fill("from the laptop");
  await Promise.all(tried);
  for (const one of [ana, laptop]) await one.page.unrouteAll({ behavior: "wait" });
  await ana.composer.press("!");
  await isKept(ana, climbers, "from the phone!");
  // However long the rest takes, it is no ten seconds since somebody wrote there.
  await ana.page.clock.setFixedTime(before);
  await laptop.composer.press("?");
  await isKept(ana, climbers, "from the laptop?");
  await holds(ana, "from the phone!");
  await laptop.composer.press("Enter");
  await ana.reads("from the laptop?");
  await holds(ana, "from the phone!");
});

test("an offline draft syncs after reconnect and reload", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.route("**/v3/drafts/**", (route) => route.abort());
  const tried = ana.page.waitForRequest("**/v3/drafts/**");
  await ana.composer.fill("rope at six");
  await tried;
  await ana.page.unrouteAll({ behavior: "wait" });
  await ana.page.reload();
  await ana.isReading("Climbers");
  await isKept(ana, climbers, "rope at six");
  await holds(ana, "rope at six");
});

test("attachments of a draft follow and end with sending", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  const laptop = await elsewhere(world, ana);
  await ana.composer.fill("two ropes");
  await ana.chooses(PIXEL, KNOTS);
  await hasBeside(laptop, ["Picture", "knots.txt"]);
  await holds(laptop, "two ropes");
  // A returning person finds it as well, and continues it.
  await laptop.page.reload();
  await laptop.isReading("Climbers");
  await hasBeside(laptop, ["Picture", "knots.txt"]);
  await laptop.chooses({ ...KNOTS, name: "slings.txt" });
  await hasBeside(ana, ["pixel.png", "knots.txt", "slings.txt"]);
  await laptop.composer.press("Enter");
  await ben.reads("two ropes");
  for (const name of ["knots.txt", "slings.txt"]) await ben.page.getByText(name).waitFor();
  for (const one of [ana, laptop]) await hasBeside(one, []);
  await holds(ana, "");
  await isKept(ana, climbers, undefined);
});
