/** Topics of groups: made, read, muted, folded and removed, by pointer and keys, on wide and narrow screens. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Locator} Locator */

const list = (/** @type {Person} */ { page }) => page.getByRole("navigation", { name: "Conversations" });
const panel = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
  page.getByRole("complementary", { name, exact: true });
const dialog = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
  page.getByRole("dialog", { name, exact: true });
const menu = (/** @type {Person} */ { page }) => page.getByRole("menu", { name: "Conversation actions" });
const fold = (/** @type {Person} */ person) =>
  list(person).getByRole("button", { name: "Topics of Climbers", exact: true });
const hasFocus = (/** @type {Locator} */ node) => node.evaluate((one) => one === document.activeElement);

/** The names in the list, from above. */
const names = (/** @type {Person} */ { page }) =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll(".groups > li")];
    const top = (/** @type {Element} */ row) => row.getBoundingClientRect().top;
    return rows
      .sort((a, b) => top(a) - top(b))
      .map((row) => row.querySelector(".group-name bdi")?.textContent);
  });

/** Makes a topic elsewhere. @returns {Promise<{ id: string, name: string }>} */
async function hasTopic(
  /** @type {Person} */ person,
  /** @type {{ id: string }} */ group,
  /** @type {string} */ name,
  facts = {},
) {
  const made = await person.call("POST", `/v3/groups/${group.id}/subgroups`, { topic: name, ...facts });
  return { id: String(made.id), name };
}

/** Ana, who owns a group, and Ben, who is a member of it; the group has these topics. */
async function withTopics(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {string[]} */ called,
  how = {},
) {
  const world = await World.start(t);
  const [ana, ben] = [await world.person("Ana", how), await world.person("Ben", how)];
  const group = await ana.hasGroup("Climbers", ben);
  /** @type {{ id: string, name: string }[]} */
  const topics = [];
  for (const name of called) topics.push(await hasTopic(ana, group, name));
  for (const one of [ana, ben]) await becomes(() => names(one), ["Climbers", ...called]);
  return { world, ana, ben, group, topics };
}

/** Opens the page with the topics of the open group. */
async function opensTopics(/** @type {Person} */ person) {
  await person.opensMembers();
  await panel(person, "Details").getByRole("link", { name: "Topics", exact: true }).click();
  await panel(person, "Topics").waitFor();
}

test("the owner makes a topic, and both write in it", async (t) => {
  const { ana, ben } = await withTopics(t, []);
  await ana.opens("Climbers");
  await opensTopics(ana);
  await panel(ana, "Topics").getByText("No topics yet.").waitFor();
  await ana.presses("Make a topic");
  const form = dialog(ana, "New topic");
  await form.getByRole("button", { name: "Make a topic", exact: true }).click();
  await form.getByText("Enter a name.").waitFor();
  await ana.fills({ Name: "Ropes", "Description (optional)": "What to buy" });
  await becomes(() => violations(ana), [], "the form of a topic");
  await form.getByRole("button", { name: "Make a topic", exact: true }).click();
  await ana.isReading("Ropes");
  await ana.page.locator(".head-subtitle").getByText("Climbers", { exact: true }).waitFor();
  await ana.writes("sixty metres?");
  await ana.knowsItIsSent("sixty metres?");

  await ben.inList(/^Ropes.*Unread.*1/s).waitFor();
  await becomes(() => names(ben), ["Climbers", "Ropes"]);
  await ben.opens("Ropes");
  await ben.reads("sixty metres?");
  await ben.inList("Ropes").filter({ hasNotText: "Unread" }).waitFor();
  await ben.writes("seventy");
  await ana.reads("seventy");
  await ben.opens("Climbers");
  await ben.sees("Ana created the topic Ropes.");

  await ben.opensMembers();
  await panel(ben, "Details").getByRole("link", { name: "Topics", exact: true }).click();
  await panel(ben, "Topics")
    .getByRole("link", { name: /^Ropes/ })
    .waitFor();
  await becomes(() => ben.page.getByRole("button", { name: "Make a topic", exact: true }).count(), 0);
  await becomes(() => violations(ben), [], "the page of topics");
});

test("the details of a topic show its group and members", async (t) => {
  const { ana, ben } = await withTopics(t, ["Ropes"]);
  await ben.opens("Ropes");
  await ben.opensMembers();
  const details = panel(ben, "Details");
  await details.getByText("2 members").waitFor();
  await details.getByRole("button", { name: "Ana", exact: true }).waitFor();
  for (const name of ["Edit topic", "Remove topic", "Leave group", "Add someone", "Name and description"])
    await becomes(() => details.getByRole("button", { name, exact: true }).count(), 0, name);
  await becomes(() => violations(ben), [], "the details of a topic");
  await details.getByRole("button", { name: "Mute", exact: true }).click();
  await ben.inList(/^Ropes.*Muted/s).waitFor();
  await ben.inList("Climbers").filter({ hasNotText: "Muted" }).waitFor();
  await details.getByRole("button", { name: "Unmute", exact: true }).click();
  await ben.inList("Ropes").filter({ hasNotText: "Muted" }).waitFor();
  await details.getByRole("link", { name: "Topic of Climbers", exact: true }).click();
  await ben.isReading("Climbers");

  await ana.opens("Ropes");
  await ana.opensMembers();
  await panel(ana, "Details").getByRole("button", { name: "Ben", exact: true }).click();
  await ana.presses("Make admin");
  await ana.confirms("Make admin");
  await ben.opens("Ropes");
  await panel(ben, "Details").getByRole("button", { name: "Edit topic", exact: true }).waitFor();
});

test("plain members read an announcement topic", async (t) => {
  const { ana, ben, group } = await withTopics(t, []);
  const news = await hasTopic(ana, group, "News", { group_type: "announcement" });
  await ana.opens("News");
  await ana.writes("closed on Monday");
  await ben.opens("News");
  await ben.reads("closed on Monday");
  await ben.sees("Only the owner and admins can post in this topic.");
  await becomes(() => ben.composer.count(), 0);
  await ana.call("PUT", `/v3/groups/${group.id}/subgroups/${news.id}`, { group_type: "private" });
  await ben.composer.waitFor();
  await ben.writes("thanks");
  await ana.reads("thanks");
});

test("a topic is renamed everywhere, and left when it is removed", async (t) => {
  const { ana, ben } = await withTopics(t, ["Ropes", "Knots"]);
  await ben.opens("Ropes");
  await ana.opens("Climbers");
  await opensTopics(ana);
  await ana.presses("Edit Ropes");
  await dialog(ana, "Edit topic").waitFor();
  await ana.fills({ Name: "Ropes and slings" });
  await ana.presses("Save");
  await ben.isReading("Ropes and slings");
  await becomes(() => names(ben), ["Climbers", "Ropes and slings", "Knots"]);

  await ana.presses("Remove Ropes and slings");
  const question = dialog(ana, "Remove the topic Ropes and slings?");
  await question.getByText("all its messages are deleted").waitFor();
  await becomes(() => hasFocus(question.getByRole("button", { name: "Cancel" })), true);
  await ana.confirms("Remove topic");
  await ben.isReading("Climbers");
  for (const one of [ana, ben]) await becomes(() => names(one), ["Climbers", "Knots"]);
  await ben.sees("Ana removed the topic Ropes and slings.");

  await ben.opens("Knots");
  await ana.inList("Knots").waitFor();
  const { members } = await ana.call("GET", "/v3/groups").then(([one]) => one);
  const { id } = members.find((/** @type {any} */ one) => one.user_id === ben.id);
  const [{ id: group }] = await ana.call("GET", "/v3/groups");
  await ana.call("POST", `/v3/groups/${group}/members/${id}/remove`);
  await ben.sees("Group not found");
  await becomes(() => names(ben), []);
});

test("a folded group shows the sum of what is unread in its topics", async (t) => {
  const { ana, ben, topics } = await withTopics(t, ["Ropes", "Knots"]);
  await ben.says(topics[0], "rope at six");
  await ben.says(topics[1], "bowline");
  await ben.says(topics[1], "clove hitch");
  await ana.inList(/^Ropes.*Unread.*1/s).waitFor();
  await ana.inList(/^Knots.*Unread.*2/s).waitFor();
  await fold(ana).focus();
  await becomes(() => fold(ana).getAttribute("aria-expanded"), "true");
  await ana.page.keyboard.press("Enter");
  await becomes(() => names(ana), ["Climbers"]);
  await becomes(() => hasFocus(fold(ana)), true);
  await becomes(() => fold(ana).getAttribute("aria-expanded"), "false");
  await ana.inList(/^Climbers.*Unread.*3/s).waitFor();
  await becomes(() => violations(ana), [], "a folded group");
  await ana.page.reload();
  await ana.isConnected();
  await ana.inList(/^Climbers.*Unread.*3/s).waitFor();
  await becomes(() => names(ana), ["Climbers"]);

  await fold(ana).click();
  await ana.opens("Knots");
  await ana.reads("clove hitch");
  await fold(ana).click();
  await becomes(() => names(ana), ["Climbers", "Knots"], "the open one stays");
  await ana.inList(/^Climbers.*Unread.*1/s).waitFor();
});

test("topics are reached by keys, by name and as a place to forward to", async (t) => {
  const { ana, ben, group, topics } = await withTopics(t, ["Ropes", "Knots"]);
  await ana.says(group, "see you at the wall");
  await ana.inList("Climbers").focus();
  await ana.page.keyboard.press("ArrowDown");
  await becomes(() => hasFocus(ana.inList("Ropes")), true);
  await ana.page.keyboard.press("Shift+F10");
  await menu(ana).getByRole("menuitem", { name: "Mute", exact: true }).waitFor();
  await becomes(() => menu(ana).getByRole("menuitem", { name: "Pin", exact: true }).count(), 0);
  await ana.page.keyboard.press("Escape");
  await menu(ana).waitFor({ state: "detached" });
  await ana.inList("Ropes").press("Enter");
  await ana.isReading("Ropes");

  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("knots");
  await ana.page.getByRole("option", { name: /^Knots.*Climbers/s }).waitFor();
  await ana.page.keyboard.press("Enter");
  await ana.isReading("Knots");

  await ana.opens("Climbers");
  await ana.takes(ana.line("see you at the wall"), "Forward…");
  await ana.page.getByRole("combobox", { name: "Forward to" }).fill("ropes");
  await ana.page.getByRole("option", { name: /^Ropes.*Climbers/s }).waitFor();
  await ana.presses("Forward");
  await ben.inList(/^Ropes.*Unread/s).click();
  await ben.reads("see you at the wall");
  const { messages } = await ben.call("GET", `/v3/groups/${topics[0].id}/messages`);
  assert.equal(messages[0].parent_id, group.id);
});

test("topics fit on a narrow screen", async (t) => {
  const { ana, topics } = await withTopics(t, ["Ropes", "Knots"], { phone: true });
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await ana.says(topics[0], "rope at six");
  await ana.inList(/^Ropes.*rope at six/s).waitFor();
  await becomes(() => cutOff(ana), []);
  await ana.opens("Ropes");
  await ana.reads("rope at six");
  await ana.page.getByRole("link", { name: "Back to all conversations", exact: true }).click();
  await becomes(() => hasFocus(ana.inList("Ropes")), true);
  await ana.opens("Climbers");
  await opensTopics(ana);
  await becomes(() => cutOff(ana), []);
  await panel(ana, "Topics")
    .getByRole("link", { name: /^Knots/ })
    .click();
  await ana.isReading("Knots");
});

test("everything of a conversation works in a topic", async (t) => {
  const { ana, ben, topics } = await withTopics(t, ["Ropes", "Knots"]);
  const [ropes] = topics;
  await ben.says(ropes, "rope at six");
  await ana.opens("Ropes");
  await ana.likes("rope at six");
  await ana.hears("rope at six", "❤️, 1: You");
  await ana.takes(ana.line("rope at six"), "Pin");
  await ana.page.getByRole("button", { name: "Pinned messages", exact: true }).click();
  await panel(ana, "Pinned messages")
    .getByRole("link", { name: /rope at six/ })
    .waitFor();
  await panel(ana, "Pinned messages").getByRole("link", { name: "Close details" }).click();

  await ben.call("POST", `/v3/poll/${ropes.id}`, {
    subject: "When?",
    options: [{ title: "at six" }, { title: "at seven" }],
    expiration: Math.floor(Date.now() / 1000) + 3600,
    type: "single",
    visibility: "public",
  });
  await ana.page.locator(".line .poll").getByText("at seven").first().waitFor();

  await ben.opens("Ropes");
  await ben.composer.pressSequentially("sev");
  await ana.page.getByRole("main").getByText("Ben is typing…").waitFor();
  await ben.opens("Knots");
  await ben.inList(/^Ropes.*Draft:.*sev/s).waitFor();

  await becomes(
    async () => (await ana.call("GET", "/v3/search/messages?q=rope").catch(() => null))?.count ?? 0,
    1,
  );
  await ana.presses("Search in this conversation");
  const search = panel(ana, "Search");
  await search.getByRole("searchbox", { name: "Search messages" }).fill("rop");
  await search.getByText("1 result").waitFor();
  await search.getByLabel("In", { exact: true }).selectOption("All conversations");
  await search.getByText("Ropes · Climbers").last().waitFor();

  await ben.opens("Ropes");
  await ben.presses("Notifications");
  await panel(ben, "Notifications").getByText("Mute this topic").waitFor();
  await panel(ben, "Notifications").getByRole("radio", { name: "Nothing" }).check();
  await becomes(
    async () => (await ben.call("GET", `/v3/conversations/${ropes.id}/notifications`)).level,
    "none",
  );
});

test("a new member finds the topics, and a line leads to one", async (t) => {
  const { world, ana, ben, group, topics } = await withTopics(t, ["Ropes", "Knots"]);
  const carl = await world.person("Carl");
  await ana.says(topics[0], "rope at six");
  await ana.brings(carl, group);
  await becomes(() => names(carl), ["Climbers", "Ropes", "Knots"]);
  await carl.inList(/^Ropes.*rope at six/s).click();
  await carl.reads("rope at six");
  await ana.says(topics[0], "or at seven");
  await carl.reads("or at seven");
  await carl.opens("Climbers");
  await carl.page.getByRole("link", { name: "Ana created the topic Knots.", exact: true }).click();
  await carl.isReading("Knots");
  await ana.call("DELETE", `/v3/groups/${group.id}/subgroups/${topics[1].id}`);
  await carl.isReading("Climbers");
  await carl.page.getByRole("link", { name: "Ana created the topic Knots.", exact: true }).click();
  await carl.sees("This topic has been removed.");
  await becomes(() => names(ben), ["Climbers", "Ropes"]);
});

test("a page that was cut off learns what happened in topics", async (t) => {
  const { ana, ben, group, topics } = await withTopics(t, ["Ropes"]);
  await ana.opens("Ropes");
  await ana.page.context().setOffline(true);
  await ana.page.locator(".side").getByText("Connected").waitFor({ state: "detached" });
  await ben.says(topics[0], "rope at six");
  const knots = await hasTopic(ana, group, "Knots");
  await ben.says(knots, "bowline");
  await ana.page.context().setOffline(false);
  await ana.reads("rope at six");
  await ana.inList(/^Knots.*bowline.*Unread/s).waitFor();
});

test("the topics of an archived group are read, and leave the archive with it", async (t) => {
  const { ana, ben, group, topics } = await withTopics(t, ["Ropes", "Knots"]);
  await ben.says(topics[0], "rope at six");
  await ana.call("POST", `/v3/groups/${group.id}/archive`);
  await becomes(() => names(ben), []);
  await ben.page.getByRole("link", { name: /^Archived/ }).click();
  const page = ben.page.getByRole("main");
  await page.getByRole("link", { name: /^Ropes.*rope at six/s }).click();
  await ben.isReading("Ropes");
  await ben.sees(/^The owner has archived this group/);
  await becomes(() => ben.composer.count(), 0);

  await ana.page.getByRole("link", { name: /^Archived/ }).click();
  await ana.page
    .getByRole("main")
    .getByRole("link", { name: /^Knots/ })
    .click();
  await ana.presses("Take out of the archive");
  await ana.composer.waitFor();
  await ben.composer.waitFor();
  for (const one of [ana, ben]) await becomes(() => names(one), ["Climbers", "Ropes", "Knots"]);
});

test("a held message of a topic stands in its details", async (t) => {
  const { ana, ben, group } = await withTopics(t, ["Ropes"]);
  const rule = { name: "Chalk", kind: "words", words: ["chalk"], action: "hold", enabled: true };
  await ana.call("POST", `/v3/groups/${group.id}/rules`, rule);
  await ben.opens("Ropes");
  await ben.writes("chalk?");
  await ana.opens("Ropes");
  await ana.opensMembers();
  await panel(ana, "Details").getByText("Waiting for approval").waitFor();
  await panel(ana, "Details")
    .getByRole("button", { name: /^Approve/ })
    .click();
  await ana.reads("chalk?");
});

test("a report of a message in a topic stands in its details", async (t) => {
  const { world, ana, ben, group, topics } = await withTopics(t, ["Ropes"]);
  const cara = await world.person("Cara");
  await ana.brings(cara, group);
  await ben.says(topics[0], "cheap ropes");
  await cara.opens("Ropes");
  await cara.takes(cara.line("cheap ropes"), "Report…");
  await cara.confirms("Report");
  await ana.opens("Ropes");
  await ana.opensMembers();
  const reports = panel(ana, "Details").getByRole("region", { name: "Reports" });
  await reports.getByText("cheap ropes").waitFor();
  await ana.presses("Resolve the report about Ben");
  await ana.page.getByLabel("What to do").selectOption("Delete the message");
  await ana.confirms("Resolve");
  await reports.waitFor({ state: "hidden" });
});

test("a rule spares a topic that the owner chooses", async (t) => {
  const { ana, ben } = await withTopics(t, ["Ropes", "Knots"]);
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Add a rule…");
  const form = dialog(ana, "Add a rule");
  await form.getByLabel("Name", { exact: true }).fill("Sales");
  await form.getByRole("textbox", { name: "Words, one on each line" }).fill("sell*");
  await form.getByLabel("Text for the author (optional)").fill("No sales here.");
  await form
    .getByRole("group", { name: "Does not run in these topics" })
    .getByRole("checkbox", { name: "Ropes", exact: true })
    .check();
  await becomes(() => violations(ana), [], "the form of a rule");
  await ana.confirms("Save");
  const rules = panel(ana, "Details").getByRole("region", { name: "Rules" });
  await rules.getByText("Not in Ropes", { exact: true }).waitFor();
  await ben.opens("Knots");
  await ben.writes("I sell ropes");
  await ben.sees("No sales here.");
  await ben.opens("Ropes");
  await ben.writes("I sell ropes");
  await ben.knowsItIsSent("I sell ropes");

  await ana.presses("Switch off the rule Sales");
  await ana.presses("Switch on the rule Sales");
  await rules.getByText("Not in Ropes", { exact: true }).waitFor();
  await ana.presses("Edit the rule Sales");
  const edited = dialog(ana, "Edit rule");
  await becomes(() => edited.getByRole("checkbox", { name: "Ropes", exact: true }).isChecked(), true);
  await edited.getByRole("checkbox", { name: "Ropes", exact: true }).uncheck();
  await ana.confirms("Save");
  await rules.getByText("Not in Ropes", { exact: true }).waitFor({ state: "detached" });
  await ben.writes("I sell knots");
  await ben.sees("No sales here.");
});

test("held messages of topics are approved in the details of their group", async (t) => {
  const { ana, ben, group } = await withTopics(t, ["Ropes", "Knots"]);
  const rule = { name: "Chalk", kind: "words", words: ["chalk"], action: "hold", enabled: true };
  await ana.call("POST", `/v3/groups/${group.id}/rules`, rule);
  await ben.opens("Climbers");
  await ben.writes("chalk in the group");
  await ben.sees("This message waits for approval.");
  await ben.opens("Ropes");
  await ben.writes("chalk on the rope");
  await ben.sees("This message waits for approval.");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const held = panel(ana, "Details").getByRole("region", { name: "Waiting for approval" });
  const entry = (/** @type {string} */ text) => held.getByRole("listitem").filter({ hasText: text });
  await entry("chalk in the group").filter({ hasNotText: "In the topic" }).waitFor();
  await entry("chalk on the rope").getByText("In the topic Ropes", { exact: true }).waitFor();
  await becomes(() => violations(ana), [], "held messages of topics");
  await ben.opens("Knots");
  await ben.writes("chalk in the knot");
  await entry("chalk in the knot").getByText("In the topic Knots", { exact: true }).waitFor();
  for (const [text, act] of [
    ["chalk on the rope", "Approve"],
    ["chalk in the knot", "Deny"],
    ["chalk in the group", "Approve"],
  ]) {
    await entry(text)
      .getByRole("button", { name: `${act} the message of Ben`, exact: true })
      .click();
    await entry(text).waitFor({ state: "detached" });
  }
  await held.waitFor({ state: "hidden" });
  await ana.reads("chalk in the group");
  await ana.opens("Ropes");
  await ana.reads("chalk on the rope");

  await ben.opens("Climbers");
  await ben.opensMembers();
  await panel(ben, "Details").getByRole("button", { name: "Leave group", exact: true }).waitFor();
  await panel(ben, "Details").getByText("Waiting for approval").waitFor({ state: "hidden" });
});

test("a report in a topic is resolved in the details of its group", async (t) => {
  const { world, ana, ben, group, topics } = await withTopics(t, ["Ropes", "Knots"]);
  const cara = await world.person("Cara");
  await ana.brings(cara, group);
  await ben.says(topics[1], "cheap ropes");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await cara.opens("Knots");
  await cara.takes(cara.line("cheap ropes"), "Report…");
  await cara.confirms("Report");
  const reports = panel(ana, "Details").getByRole("region", { name: "Reports" });
  await reports.getByText("In the topic Knots", { exact: true }).waitFor();
  await ana.presses("Resolve the report about Ben");
  const choices = ana.page.getByLabel("What to do");
  await becomes(
    () => choices.getByRole("option").allTextContents(),
    [
      "Nothing: the message is fine",
      "Delete the message",
      "Time out Ben for an hour",
      "Time out Ben for a day",
      "Pass it on to the operators of this server",
    ],
  );
  await choices.selectOption("Delete the message");
  await ana.confirms("Resolve");
  await reports.waitFor({ state: "hidden" });
  await cara.sees("Ana deleted a message.");
});
