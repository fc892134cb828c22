/** Coming back to a conversation: where one left off, what is new, and what counts as read. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const messages = (/** @type {Person} */ person) =>
  person.page.getByRole("log", { name: "Messages", exact: true });

/** Whether somebody who looks sees this line now. */
const isInView = (/** @type {Person} */ person, /** @type {string} */ text) =>
  person.line(text).evaluate((row) => {
    const view = /** @type {Element} */ (row.closest(".timeline")).getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    return top >= view.top && bottom <= view.bottom;
  });

const unreadOf = async (/** @type {Person} */ person) =>
  (await person.call("GET", "/v3/sync")).groups[0].unread;

/** Two people and a group in which one has read nothing of this many lines. */
async function withUnread(/** @type {import("node:test").TestContext} */ t, /** @type {number} */ count) {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  await ana.opens("Climbers");
  await ana.inList("Climbers").filter({ hasNotText: "Unread" }).waitFor();
  // The server has been told, too, before the page is left.
  while ((await unreadOf(ana)) > 0);
  await ana.visits("/#/");
  await ana.page.reload();
  for (let i = 1; i <= count; i += 1) await ben.says(climbers, `line ${i}`);
  await ana.inList(new RegExp(`Climbers.*Unread: ${count}`, "s")).waitFor();
  return { world, ana, ben, climbers };
}

test("a group opens at the first unread line, and what was not seen stays unread", async (t) => {
  const { ana } = await withUnread(t, 90);
  await ana.opens("Climbers");
  await ana.page.locator(".unread-line").waitFor();
  await ana.page.waitForFunction(() => !document.querySelector(".timeline-seeking"));
  await becomes(() => isInView(ana, "line 1"), true);
  // What stands on the screen is read, what lies below is not.
  let left = 90;
  while (left === 90) left = await unreadOf(ana);
  assert.ok(left > 30, `${left} lines are unread`);
  await messages(ana).press("End");
  await ana.reads("line 90");
  await ana.inList("Climbers").filter({ hasNotText: "Unread" }).waitFor();
  while ((await unreadOf(ana)) > 0);
});

test("few unread lines are all in view, and read", async (t) => {
  const { ana } = await withUnread(t, 3);
  await ana.opens("Climbers");
  await ana.page.locator(".unread-line").waitFor();
  while ((await unreadOf(ana)) > 0);
  await becomes(() => isInView(ana, "line 1"), true);
  await becomes(() => isInView(ana, "line 3"), true);
});

test("a message is marked as unread, on every device", async (t) => {
  const { world, ana, ben, climbers } = await withUnread(t, 3);
  await ana.opens("Climbers");
  while ((await unreadOf(ana)) > 0);
  const phone = await world.visitor("Ana");
  [phone.id, phone.token] = [ana.id, ana.token];
  await phone.isSignedIn();
  await ana.line("line 2").hover();
  await ana.line("line 2").getByRole("button", { name: "More actions" }).click();
  await ana.page.getByRole("menuitem", { name: "Mark as unread" }).click();
  for (const one of [ana, phone]) await one.inList(/Climbers.*Unread: 2/s).waitFor();
  await becomes(() => unreadOf(ana), 2);
  await ana.opens("Climbers");
  await ana.page.locator(".unread-line").waitFor();
  while ((await unreadOf(ana)) > 0);
  await ben.says(climbers, "line 4");
  await ana.reads("line 4");
  await becomes(() => unreadOf(ana), 0);
});

test("another conversation and back: the place is kept", async (t) => {
  const { ana, ben } = await withUnread(t, 90);
  await ben.hasGroup("Book club", ana);
  await ana.opens("Climbers");
  await ana.page.waitForFunction(() => !document.querySelector(".timeline-seeking"));
  await messages(ana).evaluate((node) => {
    node.scrollTop += 700;
  });
  const text = await messages(ana).evaluate((node) => {
    const edge = node.getBoundingClientRect().top;
    const rows = [...node.querySelectorAll(".line")];
    const row = rows.find((it) => it.getBoundingClientRect().top > edge + 100);
    return row?.querySelector(".words")?.textContent ?? "";
  });
  const place = () => ana.line(text).evaluate((row) => row.getBoundingClientRect().top);
  const before = await place();
  await ana.opens("Book club");
  await ana.opens("Climbers");
  assert.ok(Math.abs((await place()) - before) <= 1, text);
});
