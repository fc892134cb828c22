/** What was said in one conversation is said again in another: words, pictures, files. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { PIXEL } from "../paint.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Opens the window from the menu of a line. */
async function asksWhereTo(/** @type {Person} */ who, /** @type {import("playwright-core").Locator} */ line) {
  await who.takes(line, "Forward…");
  const window = who.page.getByRole("dialog", { name: "Forward message" });
  const field = window.getByRole("combobox", { name: "Forward to" });
  await field.and(who.page.locator(":focus")).waitFor();
  return window;
}

const isForwarded = (/** @type {Person} */ who, /** @type {string} */ name) =>
  who.page
    .getByRole("status")
    .filter({ hasText: `Forwarded to ${name}.` })
    .waitFor();

/** Types a part of a name, and chooses what it finds. */
async function choosesByTyping(
  /** @type {import("playwright-core").Locator} */ window,
  /** @type {string} */ typed,
  /** @type {string} */ name,
) {
  const found = window.getByRole("option", { name }).and(window.locator("[aria-selected=true]"));
  await window.page().keyboard.type(typed);
  await found.waitFor();
  await window.page().keyboard.press("Enter");
}

/** The newest message of a group that has some, as the server has it. */
const newest = async (/** @type {Person} */ who, /** @type {{ id: string }} */ group) =>
  (await who.call("GET", `/v3/groups/${group.id}/messages?limit=1`)).messages[0];

test("forwarding works by keyboard and drops mentions", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club");
  await ana.says(book, "the first chapter");
  const asked = await ana.says(climbers, "when?");
  const attachments = [
    { type: "mentions", user_ids: [ana.id], loci: [[0, 4]] },
    { type: "reply", reply_id: asked.id },
  ];
  const message = { source_guid: randomUUID(), text: "@Ana **rope** at six", attachments };
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  await ana.opens("Climbers");
  const line = ana.lines.filter({ hasText: "rope at six" });
  const window = await asksWhereTo(ana, line);
  await choosesByTyping(window, "book", "Book club");
  await isForwarded(ana, "Book club");
  await window.waitFor({ state: "detached" });
  await becomes(async () => (await newest(ana, book)).text, "@Ana **rope** at six");
  assert.deepEqual((await newest(ana, book)).attachments, []);

  await asksWhereTo(ana, line);
  await window.getByRole("option", { name: "Ben Person" }).click();
  await window.getByRole("button", { name: "Forward", exact: true }).click();
  await isForwarded(ana, "Ben");
  await ben.opens("Ana");
  await ben.lines.filter({ hasText: "rope at six" }).waitFor();
});

test("forwarded pictures and files open for the recipients", async (t) => {
  const { ana, ben } = await World.climbing(t);
  const book = await ana.hasGroup("Book club", ben);
  await ana.opens("Climbers");
  await ana.chooses(PIXEL, {
    name: "plan.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("first the rope"),
  });
  await ana.writes("our plan");
  await ana.knowsItIsSent("our plan");
  const window = await asksWhereTo(ana, ana.line("our plan"));
  await window.getByRole("option", { name: "Book club" }).click();
  await window.getByRole("button", { name: "Forward", exact: true }).click();
  await isForwarded(ana, "Book club");
  await ben.opens("Book club");
  await ben.line("our plan").getByRole("button", { name: "Download plan.txt" }).waitFor();
  await ben.line("our plan").getByRole("img").waitFor();
  const { attachments } = await newest(ben, book);
  const file = attachments.find((/** @type {{ type: string }} */ { type }) => type === "file");
  const address = `${ben.world.server.url}/v3/files/${book.id}/${file.file_id}`;
  const answer = await fetch(address, { headers: { "X-Access-Token": ben.token } });
  assert.equal(await answer.text(), "first the rope");
});

test("an unforwardable file is named before the rest is sent", async (t) => {
  const { ana } = await World.climbing(t);
  const book = await ana.hasGroup("Book club");
  await ana.opens("Climbers");
  await ana.chooses({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("first the rope") });
  await ana.writes("our plan");
  await ana.knowsItIsSent("our plan");
  const said = async () => (await ana.call("GET", `/v3/groups/${book.id}`)).messages.count;
  await ana.page.route("**/v3/files/**", (route) => route.abort());
  const window = await asksWhereTo(ana, ana.line("our plan"));
  await choosesByTyping(window, "book", "Book club");
  await window.getByRole("alert").filter({ hasText: "Cannot be forwarded: plan.txt." }).waitFor();
  await becomes(said, 0);
  await ana.page.keyboard.press("Enter");
  await isForwarded(ana, "Book club");
  await becomes(said, 1);
  assert.equal((await newest(ana, book)).text, "our plan");
});

test("a group that comes while the window is open can be chosen, and what was chosen stays so", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "our plan");
  await ana.opens("Climbers");
  const window = await asksWhereTo(ana, ana.line("our plan"));
  const row = window.getByRole("option", { name: "Ben Person" });
  await row.click();
  const book = await ben.hasGroup("Book club", ana);
  await window.getByRole("option", { name: "Book club" }).waitFor();
  await row.and(window.locator("[aria-selected=true]")).waitFor();
  await window.getByRole("option", { name: "Book club" }).click();
  await ana.page.keyboard.press("Enter");
  await isForwarded(ana, "Book club");
  await becomes(async () => (await newest(ana, book))?.text, "our plan");
});

test("a poll stays where it is", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const options = [{ title: "at six" }, { title: "at seven" }];
  const poll = { subject: "When?", options, expiration: 4_102_444_800, type: "single", visibility: "public" };
  await ana.call("POST", `/v3/poll/${climbers.id}`, poll);
  await ana.says(climbers, "please vote");
  await ana.opens("Climbers");
  await becomes(() => ana.mayTake(ana.line("please vote"), "Forward…"), true);
  const asked = ana.lines.filter({ hasText: "When?" });
  await becomes(() => ana.mayTake(asked, "Copy link"), true);
  await becomes(() => ana.mayTake(asked, "Forward…"), false);
});
