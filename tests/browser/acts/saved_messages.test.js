/** Saved messages: a person saves them for themselves, finds them on a page, and removes them, on any device. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Locator} Locator */

const GONE = "This message is no longer there.";

/** The row below the conversations. */
const way = (/** @type {Person} */ person) => person.inList(/^Saved messages/);
const title = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("heading", { name: "Saved messages", exact: true });
/** The rows of the page. */
const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("list", { name: "Saved messages" }).getByRole("listitem");
const texts = (/** @type {Person} */ person) => rows(person).locator(".listed-text").allTextContents();
const removes = (/** @type {Locator} */ row) =>
  row.getByRole("button", { name: "Remove from saved", exact: true });
/** The mark of a line. */
const mark = (/** @type {Person} */ person, /** @type {string} */ text) =>
  person.line(text).getByRole("img", { name: "Saved", exact: true });

const hasFocus = (/** @type {Locator} */ node) => node.evaluate((one) => one === document.activeElement);

/** Saves a message on another device, or removes it there. */
const saves = (
  /** @type {Person} */ person,
  /** @type {string} */ conversation,
  /** @type {{ id: string }} */ { id },
  act = "save",
) => person.call("POST", `/v3/conversations/${conversation}/messages/${id}/${act}`);

const chatOf = (/** @type {Person} */ one, /** @type {Person} */ other) =>
  [one.id, other.id].sort((a, b) => Number(a) - Number(b)).join("+");

/** Opens the page from the row below the conversations. */
async function opensSaved(/** @type {Person} */ person) {
  await way(person).click();
  await title(person).waitFor();
}

test("messages of a group and a chat are saved by the menu, listed, opened and removed", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ben.writesTo(ana, "do you climb?");
  await opensSaved(ana);
  await becomes(() => ana.page.title(), "Saved messages · Coterie");
  await ana.sees("No saved messages.");
  await ana.sees("To save a message, open its menu and choose Save message.");
  await becomes(() => violations(ana), [], "the page without messages");

  await ana.opens("Climbers");
  await ana.takes(ana.line("rope at six"), "Save message");
  await mark(ana, "rope at six").waitFor();
  await becomes(() => ana.mayTake(ana.line("rope at six"), "Save message"), false);
  await ana.opens("Ben");
  await ana.takes(ana.line("do you climb?"), "Save message");
  await mark(ana, "do you climb?").waitFor();
  await becomes(() => violations(ana), [], "a conversation with a saved message");
  await ben.opens("Climbers");
  await ben.reads("rope at six");
  await becomes(() => mark(ben, "rope at six").count(), 0, "nobody else sees it");

  await opensSaved(ana);
  await becomes(() => texts(ana), ["do you climb?", "rope at six"]);
  await rows(ana).nth(1).filter({ hasText: "Ben" }).filter({ hasText: "Climbers" }).waitFor();
  await becomes(() => violations(ana), [], "the page with messages");
  await rows(ana).nth(1).getByRole("link").click();
  await ana.isReading("Climbers");
  await mark(ana, "rope at six").waitFor();
  await ana.page.goBack();
  await title(ana).waitFor();
  await removes(rows(ana).nth(0)).click();
  await becomes(() => texts(ana), ["rope at six"]);
  await ana.opens("Ben");
  await becomes(() => mark(ana, "do you climb?").count(), 0);
  await ana.opens("Climbers");
  await ana.takes(ana.line("rope at six"), "Remove from saved");
  await becomes(() => mark(ana, "rope at six").count(), 0);
  await opensSaved(ana);
  await ana.sees("No saved messages.");
});

test("several selected messages are saved together", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (const text of ["one", "two", "three"]) await ben.says(climbers, text);
  await ana.opens("Climbers");
  await ana.takes(ana.line("one"), "Select");
  await ana.line("two").getByRole("checkbox").check();
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await becomes(() => cutOff(ana), []);
  await ana.presses("Save messages");
  for (const text of ["one", "two"]) await mark(ana, text).waitFor();
  await becomes(() => mark(ana, "three").count(), 0);
  const bar = ana.page.getByRole("toolbar", { name: "Selected messages" });
  await bar.waitFor({ state: "detached" });
  await ana.takes(ana.line("one"), "Select");
  await becomes(() => bar.getByRole("button", { name: "Save messages" }).isVisible(), false);
});

test("changes on another device show at once", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const rope = await ben.says(climbers, "rope at six");
  const chalk = await ben.says(climbers, "bring chalk");
  await saves(ana, climbers.id, rope);
  await opensSaved(ana);
  await becomes(() => texts(ana), ["rope at six"]);
  await saves(ana, climbers.id, chalk);
  await becomes(() => texts(ana), ["bring chalk", "rope at six"]);
  await ben.call("PUT", `/v3/conversations/${climbers.id}/messages/${chalk.id}`, { text: "bring shoes" });
  await becomes(() => texts(ana), ["bring shoes", "rope at six"]);
  await saves(ana, climbers.id, rope, "unsave");
  await becomes(() => texts(ana), ["bring shoes"]);
  await ana.opens("Climbers");
  await mark(ana, "bring shoes").waitFor();
  await becomes(() => mark(ana, "rope at six").count(), 0);
  await saves(ana, climbers.id, rope);
  await mark(ana, "rope at six").waitFor();
  await ana.page.reload();
  await mark(ana, "rope at six").waitFor();
});

test("a deleted message and one of a left group are removed from the page", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const pilots = await ben.hasGroup("Pilots", ana);
  const rope = await ben.says(climbers, "rope at six");
  const wings = await ben.says(pilots, "wings at nine");
  await saves(ana, climbers.id, rope);
  await saves(ana, pilots.id, wings);
  await opensSaved(ana);
  await becomes(() => texts(ana), ["wings at nine", "rope at six"]);
  await ben.call("DELETE", `/v3/conversations/${climbers.id}/messages/${rope.id}`);
  await becomes(() => rows(ana).filter({ hasText: GONE }).count(), 1);
  await ben.call("POST", `/v3/groups/${pilots.id}/destroy`);
  await becomes(() => rows(ana).filter({ hasText: GONE }).count(), 2);
  await becomes(() => rows(ana).getByRole("link").count(), 0);
  await becomes(() => violations(ana), [], "messages that are no longer there");
  await ana.page.reload();
  await becomes(() => rows(ana).filter({ hasText: GONE }).count(), 2, "as the server lists them");
  await removes(rows(ana).nth(0)).click();
  await becomes(() => rows(ana).count(), 1);
  await removes(rows(ana).nth(0)).click();
  await ana.sees("No saved messages.");
});

test("saved messages are read and removed with the keyboard alone", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (const text of ["one", "two", "three"]) await saves(ana, climbers.id, await ben.says(climbers, text));
  await way(ana).press("Enter");
  await becomes(() => hasFocus(title(ana)), true);
  await becomes(() => texts(ana), ["three", "two", "one"]);
  const link = (/** @type {number} */ at) => rows(ana).nth(at).getByRole("link");
  await ana.page.keyboard.press("Tab");
  await becomes(() => hasFocus(link(0)), true);
  await ana.page.keyboard.press("ArrowDown");
  await becomes(() => hasFocus(link(1)), true);
  await ana.page.keyboard.press("Tab");
  await becomes(() => hasFocus(removes(rows(ana).nth(1))), true);
  await ana.page.keyboard.press("Enter");
  await becomes(() => texts(ana), ["three", "one"]);
  await becomes(() => hasFocus(removes(rows(ana).nth(1))), true, "the row below");
  await ana.page.keyboard.press("ArrowUp");
  await becomes(() => hasFocus(removes(rows(ana).nth(0))), true);
  await link(0).press("Enter");
  await ana.isReading("Climbers");
  await ana.reads("three");
  await ana.page.goBack();
  await becomes(() => hasFocus(link(0)), true, "the message that was left");
});

test("more pages load by the button", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 25; at += 1) await saves(ana, climbers.id, await ben.says(climbers, `line ${at}`));
  await ana.visits("/#/saved");
  await becomes(() => rows(ana).count(), 20);
  await ana.presses("Show more");
  await becomes(() => rows(ana).count(), 25);
  await becomes(() => ana.page.getByRole("button", { name: "Show more" }).count(), 0);
  await rows(ana).nth(24).filter({ hasText: "line 1" }).waitFor();
  await saves(ana, climbers.id, await ben.says(climbers, "line 26"));
  await rows(ana).nth(0).filter({ hasText: "line 26" }).waitFor();
  await becomes(() => rows(ana).count(), 26);
});

test("messages of archived groups, topics and threads are saved, those of requests are not", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.call("POST", `/v3/groups/${climbers.id}/subgroups`, { topic: "Ropes" });
  await ben.opens("Ropes");
  await ben.writes("sixty metres");
  await ben.knowsItIsSent("sixty metres");
  await ana.opens("Ropes");
  await ana.takes(ana.line("sixty metres"), "Save message");
  await mark(ana, "sixty metres").waitFor();
  await opensSaved(ana);
  await rows(ana).filter({ hasText: "Ropes · Climbers" }).filter({ hasText: "sixty metres" }).waitFor();
  await ana.opens("Climbers");
  await ana.takes(ana.line("rope at six"), "Reply in thread");
  const thread = ana.page.getByRole("complementary", { name: "Replies" });
  const began = thread.locator(".line").filter({ hasText: "rope at six" });
  await ana.takes(began, "Save message");
  await began.getByRole("img", { name: "Saved" }).waitFor();
  await mark(ana, "rope at six").waitFor();
  await ana.call("POST", `/v3/groups/${climbers.id}/archive`);
  await ana.sees("You have archived this group.");
  await ana.takes(ana.line("rope at six"), "Remove from saved");
  await becomes(() => mark(ana, "rope at six").count(), 0);
  await ana.takes(ana.line("rope at six"), "Save message");
  await mark(ana, "rope at six").waitFor();

  const cleo = await ana.world.person("Cleo");
  await ana.call("PUT", "/v3/users/me/settings", { dm_from: "requests" });
  await cleo.writesTo(ana, "buy my ropes");
  await ana.visits(`/#/chats/${chatOf(ana, cleo)}`);
  await ana.reads("buy my ropes");
  await becomes(() => ana.mayTake(ana.line("buy my ropes"), "Save message"), false);
});

test("the page fits a phone, and Back leads to the conversations", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const ben = await world.person("Ben");
  await ana.page.setViewportSize({ width: 320, height: 640 });
  const climbers = await ana.hasGroup("Climbers of the whole north face and its valleys", ben);
  const long = "https://example.org/".padEnd(300, "rope");
  await saves(ana, climbers.id, await ben.says(climbers, long));
  await saves(ana, chatOf(ana, ben), await ben.writesTo(ana, "on Sunday?"));
  await opensSaved(ana);
  await becomes(() => rows(ana).count(), 2);
  await becomes(() => cutOff(ana), []);
  await becomes(() => violations(ana), [], "the page on a phone");
  await ana.page.emulateMedia({ colorScheme: "dark" });
  await becomes(() => violations(ana), [], "the dark page on a phone");
  await rows(ana).nth(0).getByRole("link").tap();
  await ana.isReading("Ben");
  await ana.page.goBack();
  await title(ana).waitFor();
  await ana.page.getByRole("link", { name: "Back to all conversations" }).tap();
  await way(ana).waitFor();
  await becomes(() => cutOff(ana), []);
});

test("without a connection, nothing is saved, and the page says so", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await saves(ana, climbers.id, await ben.says(climbers, "rope at six"));
  await ben.says(climbers, "bring chalk");
  await ana.opens("Climbers");
  await mark(ana, "rope at six").waitFor();
  await becomes(() => ana.mayTake(ana.line("bring chalk"), "Save message"), true);
  await ana.page.context().setOffline(true);
  await ana.takes(ana.line("bring chalk"), "Save message");
  await ana.isTold("The server cannot be reached. Check your connection.");
  await becomes(() => mark(ana, "bring chalk").count(), 0);
  await mark(ana, "rope at six").waitFor();
  await ana.page.context().setOffline(false);
  await ana.isConnected();
  await ana.takes(ana.line("bring chalk"), "Save message");
  await mark(ana, "bring chalk").waitFor();
});

test("a page that fails to load says so, and loads again by a button", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await saves(ana, climbers.id, await ben.says(climbers, "rope at six"));
  const calls = /\/v3\/saved_messages/;
  const body = JSON.stringify({ meta: { code: 403, errors: ["not now"] }, response: null });
  await ana.page.route(calls, (route) =>
    route.fulfill({ status: 403, contentType: "application/json", body }),
  );
  await opensSaved(ana);
  await ana.isTold("Not now.");
  await ana.page.unroute(calls);
  await ana.presses("Try again");
  await becomes(() => texts(ana), ["rope at six"]);
});
