/** The page "For you": mentions of a person and of everyone, and replies to them, in groups, topics and chats. */

import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Locator} Locator */

/** The row below the conversations. */
const way = (/** @type {Person} */ person) => person.inList(/^For you/);
const title = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("heading", { name: "For you", exact: true });
/** The rows of the page. */
const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("list", { name: "For you" }).getByRole("listitem");
const texts = (/** @type {Person} */ person) => rows(person).locator(".listed-text").allTextContents();
const labels = (/** @type {Person} */ person) => rows(person).locator(".listed-label").allTextContents();
/** The texts of the unread rows. */
const unread = (/** @type {Person} */ person) =>
  rows(person).filter({ hasText: "Unread: " }).locator(".listed-text").allTextContents();
const hasFocus = (/** @type {Locator} */ node) => node.evaluate((one) => one === document.activeElement);

const mentionOf = (/** @type {string} */ id) => ({ type: "mentions", user_ids: [id], loci: [[0, 4]] });
const replyTo = (/** @type {{ id: string }} */ { id }) => ({
  type: "reply",
  reply_id: id,
  base_reply_id: id,
});

/** Posts a message with one attachment. @returns {Promise<{ id: string }>} */
async function posts(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {string} */ text,
  /** @type {object} */ attachment,
) {
  const message = { source_guid: randomUUID(), text, attachments: [attachment] };
  return (await person.call("POST", `/v3/groups/${group.id}/messages`, { message })).message;
}

/** Writes a direct message with one attachment. */
const writes = (
  /** @type {Person} */ person,
  /** @type {Person} */ other,
  /** @type {string} */ text,
  /** @type {object} */ attachment,
) =>
  person.call("POST", "/v3/direct_messages", {
    direct_message: { source_guid: randomUUID(), recipient_id: other.id, text, attachments: [attachment] },
  });

/** Opens the page from the row below the conversations. */
async function opensMentions(/** @type {Person} */ person) {
  await way(person).click();
  await title(person).waitFor();
}

test("mentions and replies of all conversations are counted, listed and opened", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await opensMentions(ana);
  await becomes(() => ana.page.title(), "For you · Coterie");
  await ana.sees("No mentions or replies yet.");
  await becomes(() => violations(ana), [], "the page without messages");
  await ana.visits("/#/");

  const asked = await ana.says(climbers, "who has a rope?");
  const wrote = await ana.writesTo(ben, "on Sunday?");
  const topic = await ana.call("POST", `/v3/groups/${climbers.id}/subgroups`, { topic: "Knots" });
  await posts(ben, climbers, "I have one", replyTo(asked));
  await posts(ben, climbers, "@Ana sixty metres", mentionOf(ana.id));
  await ben.says(climbers, "nobody is meant");
  await posts(ana, topic, "@all my own", mentionOf("all"));
  const pilots = await ben.hasGroup("Pilots", ana);
  await posts(ben, pilots, "@all wings at nine", mentionOf("all"));
  await writes(ben, ana, "yes, on Sunday", replyTo(wrote));
  await posts(ben, { id: String(topic.id) }, "@Ana a bowline", mentionOf(ana.id));
  await ana.inList(/^For you Unread: 5$/).waitFor();
  await becomes(() => violations(ana), [], "the row with its number");

  await opensMentions(ana);
  const all = ["@Ana a bowline", "yes, on Sunday", "@all wings at nine", "@Ana sixty metres", "I have one"];
  await becomes(() => texts(ana), all);
  const why = ["Mentioned you", "Replied to you", "Mentioned everyone", "Mentioned you", "Replied to you"];
  await becomes(() => labels(ana), why);
  await becomes(() => unread(ana), all);
  for (const [at, place] of ["Knots · Climbers", "Ben", "Pilots", "Climbers", "Climbers"].entries())
    await rows(ana).nth(at).filter({ hasText: place }).filter({ hasText: "Ben" }).waitFor();
  await becomes(() => violations(ana), [], "the page with messages");

  await rows(ana).nth(3).getByRole("link").click();
  await ana.isReading("Climbers");
  await ana.reads("@Ana sixty metres");
  await ana.inList(/^For you Unread: 3$/).waitFor();
  await ana.page.goBack();
  await title(ana).waitFor();
  await becomes(() => hasFocus(rows(ana).nth(3).getByRole("link")), true, "the message that was left");
  await becomes(() => unread(ana), all.slice(0, 3));
  await rows(ana).nth(1).getByRole("link").click();
  await ana.isReading("Ben");
  await ana.reads("yes, on Sunday");
  await ana.opens("Pilots");
  await ana.reads("@all wings at nine");
  await ana.opens("Knots");
  await ana.reads("@Ana a bowline");
  await ana.inList(/^For you$/).waitFor();
});

test("messages that come while the page is open show at once, and so do edits and deletions", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  await opensMentions(ana);
  await ana.sees("No mentions or replies yet.");
  await posts(ben, climbers, "@Ana rope at six", mentionOf(ana.id));
  await becomes(() => texts(ana), ["@Ana rope at six"]);
  await ana.inList(/^For you Unread: 1$/).waitFor();
  await ana.call("POST", `/v3/groups/${climbers.id}/memberships/mute`);
  const chalk = await posts(ben, climbers, "@all bring chalk", mentionOf("all"));
  await becomes(() => texts(ana), ["@all bring chalk", "@Ana rope at six"]);
  await becomes(() => unread(ana), ["@all bring chalk", "@Ana rope at six"]);
  const path = `/v3/conversations/${climbers.id}/messages/${chalk.id}`;
  await ben.call("PUT", path, { text: "@all bring shoes", attachments: [mentionOf("all")] });
  await becomes(() => texts(ana), ["@all bring shoes", "@Ana rope at six"]);
  await ben.call("DELETE", path);
  await becomes(() => texts(ana), ["@Ana rope at six"]);
  const late = await ben.says(climbers, "@Ana and a helmet");
  await becomes(() => texts(ana), ["@Ana rope at six"]);
  await ben.call("PUT", `/v3/conversations/${climbers.id}/messages/${late.id}`, {
    text: "@Ana and a helmet",
    attachments: [mentionOf(ana.id)],
  });
  await becomes(() => texts(ana), ["@Ana and a helmet", "@Ana rope at six"]);
  await ben.call("POST", `/v3/groups/${climbers.id}/destroy`);
  await ana.sees("No mentions or replies yet.");
});

test("the page is reached and read with the keyboard alone", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (const text of ["@Ana one", "@Ana two"]) await posts(ben, climbers, text, mentionOf(ana.id));
  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("For you");
  await ana.page.getByRole("option", { name: "For you" }).first().waitFor();
  await ana.page.keyboard.press("Enter");
  await becomes(() => hasFocus(title(ana)), true);
  await becomes(() => texts(ana), ["@Ana two", "@Ana one"]);
  const link = (/** @type {number} */ at) => rows(ana).nth(at).getByRole("link");
  await ana.page.keyboard.press("Tab");
  await becomes(() => hasFocus(link(0)), true);
  await ana.page.keyboard.press("ArrowDown");
  await becomes(() => hasFocus(link(1)), true);
  await ana.page.keyboard.press("Enter");
  await ana.isReading("Climbers");
  await ana.reads("@Ana one");
  await ana.page.goBack();
  await becomes(() => hasFocus(link(1)), true);
});

test("more pages load by the button", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 25; at += 1) await posts(ben, climbers, `@Ana line ${at}`, mentionOf(ana.id));
  await ana.visits("/#/mentions");
  await becomes(() => rows(ana).count(), 20);
  await ana.presses("Show more");
  await becomes(() => rows(ana).count(), 25);
  await becomes(() => ana.page.getByRole("button", { name: "Show more" }).count(), 0);
  await rows(ana).nth(24).filter({ hasText: "@Ana line 1" }).waitFor();
  await posts(ben, climbers, "@Ana line 26", mentionOf(ana.id));
  await rows(ana).nth(0).filter({ hasText: "@Ana line 26" }).waitFor();
  await becomes(() => rows(ana).count(), 26);
});

test("the page fits a phone, and Back leads to the conversations", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const ben = await world.person("Ben");
  await ana.page.setViewportSize({ width: 320, height: 640 });
  const climbers = await ben.hasGroup("Climbers of the whole north face and its valleys", ana);
  await posts(ben, climbers, `@Ana ${"https://example.org/".padEnd(300, "rope")}`, mentionOf(ana.id));
  await posts(ben, climbers, "@all on Sunday?", mentionOf("all"));
  await ana.inList(/^For you Unread: 2$/).waitFor();
  await becomes(() => cutOff(ana), []);
  await opensMentions(ana);
  await becomes(() => rows(ana).count(), 2);
  await becomes(() => cutOff(ana), []);
  await becomes(() => violations(ana), [], "the page on a phone");
  await ana.page.emulateMedia({ colorScheme: "dark" });
  await becomes(() => violations(ana), [], "the dark page on a phone");
  await ana.page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"));
  await becomes(() => cutOff(ana), [], "from right to left");
  await ana.page.evaluate(() => document.documentElement.setAttribute("dir", "ltr"));
  await rows(ana).nth(0).getByRole("link").tap();
  await ana.reads("@all on Sunday?");
  await ana.page.goBack();
  await title(ana).waitFor();
  await ana.page.getByRole("link", { name: "Back to all conversations" }).tap();
  await way(ana).waitFor();
  await becomes(() => cutOff(ana), []);
});

test("messages that came without a connection show once it is back", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await posts(ben, climbers, "@Ana rope at six", mentionOf(ana.id));
  await opensMentions(ana);
  await becomes(() => texts(ana), ["@Ana rope at six"]);
  await ana.page.context().setOffline(true);
  await posts(ben, climbers, "@Ana bring chalk", mentionOf(ana.id));
  await ana.page.context().setOffline(false);
  await ana.isConnected();
  await becomes(() => texts(ana), ["@Ana bring chalk", "@Ana rope at six"]);
});

test("a page that fails to load says so, and loads again by a button", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await posts(ben, climbers, "@Ana rope at six", mentionOf(ana.id));
  const calls = /\/v3\/mentions/;
  const body = JSON.stringify({ meta: { code: 403, errors: ["not now"] }, response: null });
  await ana.page.route(calls, (route) =>
    route.fulfill({ status: 403, contentType: "application/json", body }),
  );
  await opensMentions(ana);
  await ana.isTold("Not now.");
  await ana.page.unroute(calls);
  await ana.presses("Try again");
  await becomes(() => texts(ana), ["@Ana rope at six"]);
});
