/** Message requests: strangers write first, and the recipient accepts, declines or blocks. */

import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const OTHERS_ASK = "People who share a group with you; others send a request";

/** The field on the account page. */
const senders = (/** @type {Person} */ { page }) => page.getByLabel("Who can write to you");
/** The row above the conversations. */
const way = (/** @type {Person} */ person) => person.inList(/^Message requests/);
const count = (/** @type {Person} */ person) => way(person).locator(".apart-count").textContent();
/** The rows of the page with the requests. */
const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("list", { name: "Message requests" }).getByRole("link");
const title = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("heading", { name: "Message requests", exact: true });
const conversation = (/** @type {Person} */ one, /** @type {Person} */ other) =>
  [one.id, other.id].sort((a, b) => Number(a) - Number(b)).join("+");

const hasFocus = (/** @type {import("playwright-core").Locator} */ node) =>
  node.evaluate((one) => one === document.activeElement);

/** Chooses on another device that strangers send requests. */
const wantsRequests = (/** @type {Person} */ person) =>
  person.call("PUT", "/v3/users/me/settings", { dm_from: "requests" });

/** Opens the request of somebody from the row above the conversations. */
async function opensRequest(/** @type {Person} */ person, /** @type {string} */ name) {
  await way(person).click();
  await title(person).waitFor();
  await rows(person).filter({ hasText: name }).click();
  await person.isReading(name);
}

/** How many messages of its only chat somebody has not read, as the server knows it. */
const unread = async (/** @type {Person} */ person) =>
  (await person.call("GET", "/v3/sync")).chats.map((/** @type {any} */ chat) => chat.unread);

test("the message of a stranger is a request, and nobody learns that it was read until it is accepted", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const ben = await world.person("Ben");
  await ana.page.setViewportSize({ width: 360, height: 640 });
  await ana.visits("/#/account");
  await becomes(() => senders(ana).inputValue(), "everyone", "the default");
  await senders(ana).selectOption(OTHERS_ASK);
  await ana.page.getByRole("region", { name: "Privacy" }).getByText("Saved.").waitFor();
  await ana.page.reload();
  await becomes(() => senders(ana).inputValue(), "requests", "the choice after a reload");
  await becomes(() => violations(ana), [], "the account page with the choice");

  await ana.visits("/#/");
  await ben.writesTo(ana, "do you climb?");
  await becomes(() => count(ana), "1");
  await becomes(() => ana.inList("Ben").count(), 0, "it is in no list but its own");
  await becomes(() => ana.page.title(), "Coterie", "it does not count as unread");
  await becomes(() => cutOff(ana), []);
  await becomes(() => violations(ana), [], "the list of conversations");
  await way(ana).press("Enter");
  await becomes(() => hasFocus(title(ana)), true);
  await becomes(() => ana.page.title(), "Message requests · Coterie");
  await rows(ana).filter({ hasText: "Ben" }).filter({ hasText: "do you climb?" }).waitFor();
  await becomes(() => cutOff(ana), []);
  await becomes(() => violations(ana), [], "the page with the requests");
  await rows(ana).press("Enter");
  await ana.isReading("Ben");
  await ana.reads("do you climb?");
  await ana.sees("Ben wants to write to you. Ben does not see that you have read this until you accept.");
  await becomes(() => ana.composer.isVisible(), false);
  await becomes(() => cutOff(ana), []);
  await becomes(() => violations(ana), [], "the request");

  await ben.opens("Ana");
  await ben.writes("on Sunday?");
  await ana.reads("on Sunday?");
  await becomes(() => unread(ana), [2]);
  await becomes(() => ben.page.locator(".seen").count(), 0);
  await ana.page.reload();
  await ana.reads("on Sunday?");
  await becomes(() => unread(ana), [2]);
  await becomes(() => ben.page.locator(".seen").count(), 0);

  await ana.presses("Accept");
  await ana.composer.waitFor();
  await ben.line("on Sunday?").getByText("Seen").waitFor();
  await ana.writes("at nine");
  await ben.reads("at nine");
  await ana.page.getByRole("link", { name: "Back to all conversations" }).click();
  await ana.inList(/^Ben.*at nine/s).waitFor();
  await becomes(() => way(ana).count(), 0);
  await ana.opens("Ben");
  await ana.composer.waitFor();
});

test("a declined request leaves the list, its sender is refused, and it can still be accepted", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  await wantsRequests(ana);
  await ana.page.reload();
  await ben.writesTo(ana, "buy my ropes");
  await becomes(() => count(ana), "1");
  await cleo.writesTo(ana, "buy my shoes");
  await becomes(() => count(ana), "2");
  await way(ana).click();
  await rows(ana).nth(0).filter({ hasText: "Cleo" }).waitFor();
  await rows(ana).nth(1).filter({ hasText: "Ben" }).waitFor();
  await rows(ana).nth(0).focus();
  await ana.page.keyboard.press("ArrowDown");
  await becomes(() => hasFocus(rows(ana).nth(1)), true);
  await ana.page.keyboard.press("Enter");
  await ana.isReading("Ben");
  await ana.presses("Decline");
  await title(ana).waitFor();
  await becomes(() => rows(ana).count(), 1);
  await becomes(() => count(ana), "1");
  await opensRequest(ana, "Cleo");
  await ana.presses("Decline");
  await ana.sees("No message requests.");
  await becomes(() => violations(ana), [], "the page without requests");
  await becomes(() => way(ana).count(), 0);
  await ana.page.getByRole("link", { name: "Choose who can write to you" }).click();
  await becomes(() => senders(ana).inputValue(), "requests");
  await becomes(() => hasFocus(ana.page.getByRole("heading", { name: "Privacy", exact: true })), true);

  await ben.opens("Ana");
  await ben.writes("cheap ropes");
  await ben.isTold("This user declined your message request.");
  await ben.sees("cheap ropes");
  await ana.visits(`/#/chats/${conversation(ana, ben)}`);
  await ana.sees("You declined the request of Ben. Ben can write to you again once you accept it.");
  await becomes(() => ana.page.getByRole("button", { name: "Decline" }).count(), 0);
  await ana.presses("Accept");
  await becomes(() => hasFocus(ana.composer), true);
  await ben.presses("Try again");
  await ana.hasRead("buy my ropes", "cheap ropes");
  await ana.inList(/^Ben.*cheap ropes/s).waitFor();
});

test("the sender of a request may write three messages of text", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await wantsRequests(ana);
  await ben.writesTo(ana, "one");
  await ben.opens("Ana");
  const chooser = ben.page.waitForEvent("filechooser");
  await ben.presses("Add a picture or file");
  await (await chooser).setFiles(fileURLToPath(new URL("../pictures/conversation.png", import.meta.url)));
  await ben.page.locator(".tray-ready").waitFor();
  await ben.presses("Send");
  await ben.isTold(/until then you can send text only/);
  await ben.presses("Delete");
  for (const text of ["two", "three"]) {
    await ben.writes(text);
    await ben.knowsItIsSent(text);
  }
  await ben.writes("four");
  await ben.isTold(/until then you can send at most 3 messages/);
  await ben.sees("four");
  await opensRequest(ana, "Ben");
  await ana.hasRead("one", "two", "three");
  await ana.presses("Accept");
  await ana.composer.waitFor();
  await ben.presses("Try again");
  await ana.reads("four");
});

test("the sender of a request is blocked", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await wantsRequests(ana);
  await ben.writesTo(ana, "buy my ropes");
  await opensRequest(ana, "Ben");
  await ana.presses("Block");
  await ana.sees("Ben and you can no longer send each other direct messages.");
  await ana.confirms("Block");
  await ana.sees("You blocked Ben. You cannot send each other messages here.");
  await becomes(() => way(ana).count(), 0);
  await ben.opens("Ana");
  await ben.writes("cheap ropes");
  await ben.isTold("This user has blocked you.");
});

test("a request that another device decides is decided here, too", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cleo] = await world.people("Ana", "Ben", "Cleo");
  await wantsRequests(ana);
  await ben.writesTo(ana, "buy my ropes");
  await cleo.writesTo(ana, "do you climb?");
  await becomes(() => count(ana), "2");
  await opensRequest(ana, "Ben");
  await ana.call("DELETE", `/v3/chats/${ben.id}`);
  await ana.sees("You declined the request of Ben.");
  await becomes(() => count(ana), "1");
  await opensRequest(ana, "Cleo");
  await ana.writesTo(cleo, "I do");
  await ana.composer.waitFor();
  await ana.hasRead("do you climb?", "I do");
  await becomes(() => way(ana).count(), 0);
  await ana.call("POST", `/v3/chats/${ben.id}/approve`);
  await ana.inList(/^Ben.*buy my ropes/s).waitFor();
});

test("a decision that fails says so, and can be made again", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await wantsRequests(ana);
  await ben.writesTo(ana, "do you climb?");
  await opensRequest(ana, "Ben");
  const meta = { code: 403, errors: ["not now"] };
  const body = JSON.stringify({ meta, response: null });
  const decisions = /\/v3\/chats\/\d+(\/approve)?$/;
  await ana.page.route(decisions, (route) =>
    route.fulfill({ status: 403, contentType: "application/json", body }),
  );
  await ana.presses("Accept");
  await ana.isTold("Not now.");
  await ana.presses("Decline");
  await ana.isTold("Not now.");
  await ana.page.unroute(decisions);
  await ana.presses("Accept");
  await ana.composer.waitFor();
});

test("people of a shared group need no request", async (t) => {
  const { ana, ben } = await World.climbing(t);
  await wantsRequests(ana);
  await ben.writesTo(ana, "rope at six");
  await ana.inList(/^Ben.*rope at six.*Unread: 1/s).waitFor();
  await becomes(() => way(ana).count(), 0);
});

test("operators choose who can write to people who chose nothing", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  const [ben, cleo] = await world.people("Ben", "Cleo");
  await ana.visits("/admin");
  await ana.page.getByRole("link", { name: "Settings", exact: true }).click();
  const first = ana.page.getByLabel("Who can write to people first");
  await becomes(() => first.isEnabled(), true);
  await becomes(() => first.inputValue(), "everyone");
  await first.selectOption("People who share a group with them; others send a request");
  await ana.page.getByLabel("Reason").fill("many strangers");
  await ana.presses("Save");
  await ana.sees("Saved.");
  await becomes(() => first.inputValue(), "requests");
  await ben.visits("/#/account");
  await becomes(() => senders(ben).inputValue(), "requests");
  await cleo.writesTo(ben, "do you climb?");
  await becomes(() => count(ben), "1");
  await senders(ben).selectOption("Everybody");
  await ben.page.getByRole("region", { name: "Privacy" }).getByText("Saved.").waitFor();
  await ana.writesTo(ben, "welcome");
  await ben.inList(/^Ana.*welcome/s).waitFor();
});
