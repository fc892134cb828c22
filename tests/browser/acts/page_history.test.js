/** The browser's Back: it closes the topmost window, or returns to the earlier place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { PIXEL } from "../paint.js";

import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const dialogs = (/** @type {Person} */ { page }) => page.getByRole("dialog");
const hash = (/** @type {Person} */ { page }) => new URL(page.url()).hash;
const back = (/** @type {Person} */ { page }) => page.evaluate(() => history.back());
const forward = (/** @type {Person} */ { page }) => page.evaluate(() => history.forward());

/** Waits until no window is open. */
const seesNoWindow = (/** @type {Person} */ ana) => becomes(() => dialogs(ana).count(), 0);

/** The depth of the windows in the current entry of the history. */
const depth = (/** @type {Person} */ { page }) => page.evaluate(() => history.state?.windows);

/** What opens each window over an open conversation. @type {[string, (ana: Person) => Promise<unknown>][]} */
const WINDOWS = [
  ["New group", (ana) => ana.page.getByRole("button", { name: "New group" }).first().click()],
  ["New message", (ana) => ana.presses("New message")],
  ["Groups you left", (ana) => ana.presses("Groups you left")],
  ["Find groups", (ana) => ana.presses("Find groups")],
  ["Your picture", (ana) => ana.presses("Your picture")],
  ["Go to", (ana) => ana.page.keyboard.press("Control+k")],
  ["emoji", (ana) => ana.presses("Add an emoji")],
];

test("Back closes each window and stays in the conversation", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.hasLeft("Book club", ben);
  await ana.opens("Climbers");
  const place = hash(ana);
  for (const [name, open] of WINDOWS) {
    await open(ana);
    await dialogs(ana).waitFor();
    await becomes(() => depth(ana), 1);
    await back(ana);
    await seesNoWindow(ana);
    assert.equal(hash(ana), place, name);
    await ana.isReading("Climbers");
  }
});

/** The page of the panel with this name. */
const page = (/** @type {Person} */ ana, /** @type {string} */ name) =>
  ana.page.getByRole("complementary", { name, exact: true });

test("Back closes each page of the panel", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const place = hash(ana);
  for (const name of ["Pinned messages", "Gallery", "Polls", "Events", "Notifications"]) {
    await ana.presses(name);
    await page(ana, name).waitFor();
    await back(ana);
    await page(ana, name).waitFor({ state: "hidden" });
    assert.equal(hash(ana), place, name);
    await ana.isReading("Climbers");
  }
});

test("a page that the details lead to goes back to them", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const place = hash(ana);
  await ana.page.getByRole("heading", { name: "Climbers" }).getByRole("link").click();
  for (const leave of [() => ana.page.keyboard.press("Escape"), () => back(ana)]) {
    await page(ana, "Details").getByRole("link", { name: "Events" }).click();
    await page(ana, "Events").waitFor();
    await leave();
    await page(ana, "Details").waitFor();
  }
  await page(ana, "Details").getByRole("link", { name: "Polls" }).click();
  await page(ana, "Polls").getByRole("link", { name: "Back to the details" }).click();
  await page(ana, "Details").getByRole("link", { name: "Close details" }).click();
  await page(ana, "Details").waitFor({ state: "hidden" });
  assert.equal(hash(ana), place);
});

test("Back closes a picture, and the page stays", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.chooses(PIXEL);
  await ana.page.getByRole("button", { name: "Send" }).click();
  await ana.page.locator(".line.stored a.picture").click();
  await ana.page.locator(".lightbox").waitFor();
  await becomes(() => depth(ana), 1);
  await back(ana);
  await seesNoWindow(ana);
  await ana.isReading("Climbers");
  assert.equal(hash(ana), `#/groups/${climbers.id}`);
});

test("Back closes stacked windows one after the other", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.takes(ana.line("rope at six"), "Select");
  await becomes(() => depth(ana), 1);
  const selection = ana.page.getByRole("toolbar", { name: "Selected messages" });
  await selection.getByRole("button", { name: "Forward…" }).click();
  await becomes(() => depth(ana), 2);
  await back(ana);
  await seesNoWindow(ana);
  await selection.waitFor();
  await back(ana);
  await selection.waitFor({ state: "detached" });
  await ana.isReading("Climbers");
});

test("a window that Escape closes leaves no entry behind", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  for (let round = 0; round < 3; round += 1) {
    await ana.presses("New message");
    await becomes(() => depth(ana), 1);
    await ana.page.keyboard.press("Escape");
    await seesNoWindow(ana);
    await becomes(() => depth(ana), 0);
  }
  await back(ana);
  await ana.sees("Good to see you");
});

test("Forward to a closed window shows the conversation below it", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.presses("New message");
  await becomes(() => depth(ana), 1);
  await back(ana);
  await seesNoWindow(ana);
  await forward(ana);
  await becomes(() => depth(ana), 0);
  await seesNoWindow(ana);
  await ana.isReading("Climbers");
});

test("a reload in an open window leads Back out of the conversation", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.presses("New message");
  await becomes(() => depth(ana), 1);
  await ana.page.reload();
  await ana.isReading("Climbers");
  await becomes(() => depth(ana), 0);
  await back(ana);
  await ana.sees("Good to see you");
});

test("a closed panel of members does not open again on Back", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  await ana.opens("Climbers");
  /** @type {(() => Promise<unknown>)[]} */
  const ways = [
    () => ana.page.getByRole("link", { name: "Close details" }).click(),
    () => ana.page.getByRole("link", { name: "Details", exact: true }).click(),
    () => ana.page.keyboard.press("Escape"),
    () => back(ana),
  ];
  for (const close of ways) {
    await ana.opensMembers();
    await close();
    await panel.waitFor({ state: "hidden" });
    assert.equal(hash(ana), `#/groups/${climbers.id}`);
  }
  await back(ana);
  await ana.sees("Good to see you");
});

test("a panel that a link opened closes to its group", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.visits("/health/live");
  await ana.visits(`/#/groups/${climbers.id}/members`);
  await ana.page.getByRole("link", { name: "Close details" }).click();
  await becomes(async () => hash(ana), `#/groups/${climbers.id}`);
  await ana.isReading("Climbers");
});

test("a link in the panel closes it, and Back leads to the panel", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "see https://example.org/topo");
  await ana.opens("Climbers");
  await ana.presses("Gallery");
  const gallery = page(ana, "Gallery");
  await gallery.getByRole("radio", { name: "Links" }).check();
  await gallery.getByRole("link", { name: "Show in conversation" }).click();
  await gallery.waitFor({ state: "hidden" });
  await becomes(async () => hash(ana).includes("/messages/"), true);
  await back(ana);
  await becomes(async () => hash(ana), `#/groups/${climbers.id}/gallery`);
  await gallery.waitFor();
});

test("a link in a window closes it, and Back leads to the place before", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.opensPerson("Ben");
  await dialogs(ana).getByRole("link", { name: "Message Ben" }).click();
  await seesNoWindow(ana);
  await becomes(async () => hash(ana).includes("/chats/"), true);
  await back(ana);
  await becomes(async () => hash(ana), `#/groups/${climbers.id}/details`);
  await seesNoWindow(ana);
});

/** The text of the topmost line that is wholly visible. */
const topLine = (/** @type {Person} */ { page }) =>
  page.locator(".timeline").evaluate((scroller) => {
    const edge = scroller.getBoundingClientRect().top;
    const lines = [...scroller.querySelectorAll(".line")];
    const first = lines.find((line) => line.getBoundingClientRect().top >= edge);
    return first?.querySelector(".words")?.textContent ?? "";
  });

test("Back after a jump to a quoted message returns to the reply", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const meant = await ana.says(climbers, "this one is meant");
  for (let at = 1; at <= 120; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.call("POST", `/v3/groups/${climbers.id}/messages`, {
    message: {
      source_guid: "reply",
      text: "the reply",
      attachments: [{ type: "reply", reply_id: meant.id, base_reply_id: meant.id }],
    },
  });
  for (let at = 121; at <= 150; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await ana.reads("the reply");
  await ana.line("the reply").scrollIntoViewIfNeeded();
  const before = await topLine(ana);
  await ana.line("the reply").locator(".quote").click();
  await ana.line("this one is meant").and(ana.page.locator(":focus")).waitFor();
  await back(ana);
  await ana.reads("the reply");
  await becomes(() => topLine(ana), before);

  // From the end, Back returns to the end, also when messages arrived meanwhile.
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).click();
  await ana.reads("line 150");
  await forward(ana);
  await ana.reads("this one is meant");
  await ben.says(climbers, "line 151");
  await back(ana);
  await ana.reads("line 151");
  await ana.page.getByRole("button", { name: "Jump to the newest message" }).waitFor({ state: "hidden" });
});
