/** Invitations of operators: they make accounts, in every mode of registration; links of groups do in one of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const INVITED = "You are invited. Create an account.";
const OVER = "This invitation was used up or has ended. Ask for a new one.";
/** A name that fits no phone. */
const LONG = "climbing".repeat(7);

const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("region", { name: "Invitations", exact: true }).getByRole("listitem");

const hasFocus = (/** @type {import("playwright-core").Locator} */ node) =>
  node.evaluate((one) => one === document.activeElement);

const fits = (/** @type {Person} */ { page }) =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

const sets = (/** @type {Person} */ ana, /** @type {string} */ mode) =>
  ana.call("PUT", "/v3/admin/registration", { mode, reason: "too many strangers" });

/** Makes an invitation elsewhere, and returns the path of its address. */
async function invites(/** @type {Person} */ ana, /** @type {object} */ how = {}) {
  const { invite } = await ana.call("POST", "/v3/admin/invites", { reason: "a course", ...how });
  return new URL(invite.url).pathname;
}

/** Opens the invitations from another page for operators, so that they are loaded. */
async function opensInvitations(/** @type {Person} */ ana) {
  const pages = ana.page.getByRole("navigation", { name: "Administration" });
  await pages.getByRole("link", { name: "People", exact: true }).click();
  await pages.getByRole("link", { name: "Invitations", exact: true }).click();
}

const isCreating = (/** @type {Person} */ { page }) =>
  page.getByRole("heading", { name: "Create your account", exact: true }).waitFor();

/** Fills in the form for a new account, which is shown. */
const fillsIn = (/** @type {Person} */ person) =>
  person.fills({ "Your name": person.name, Email: person.email, Password: person.password });

/** Creates an account with the link that was opened. */
async function creates(/** @type {Person} */ person) {
  await isCreating(person);
  await fillsIn(person);
  await person.presses("Create account");
  await person.isConnected();
}

const isAtHome = (/** @type {Person} */ { page }) =>
  becomes(() => page.evaluate(() => location.pathname), "/", "the address");

/** The page for logging in offers no account. */
async function offersNoAccount(/** @type {Person} */ { page }) {
  await page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
  const offer = page.getByRole("button", { name: "Create an account", exact: true });
  await becomes(() => offer.count(), 0, "the offer of an account");
}

test("an operator invites one person, who creates an account", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  const { page } = ana;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  const mode = page.getByLabel("Who may create an account");
  await becomes(() => mode.isEnabled(), true);
  await mode.selectOption("Who is invited");
  await ana.sees("Operators invite people under Invitations. Links of groups invite people, too.");
  await page.getByLabel("Reason").fill("too many strangers");
  await ana.presses("Save");
  await ana.sees("Saved.");
  await becomes(() => mode.inputValue(), "invite");

  await opensInvitations(ana);
  await ana.sees(/^There are no invitations yet\./);
  await becomes(() => violations(ana), [], "no invitations");
  await ana.presses("New invitation");
  const form = page.getByRole("dialog", { name: "New invitation" });
  await form.getByLabel("Name (optional)").fill("Course");
  await form.getByLabel("How many people may use it").fill("0");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await ana.sees("Enter a number from 1 to 1000.");
  await ana.sees("Enter a reason.");
  await becomes(() => violations(ana), [], "the form");
  await form.getByLabel("How many people may use it").fill("1");
  await form.getByLabel("Ends after").selectOption("30 days");
  await form.getByLabel("Reason").fill("the course of May");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  const shown = page.getByRole("dialog", { name: "Invitation Course" });
  await shown.getByRole("img", { name: "QR code of the link" }).waitFor();
  const url = (await shown.locator("code").textContent()) ?? "";
  assert.match(url, /\/invite\/[^/]+$/);
  await shown.getByRole("button", { name: "Copy link" }).click();
  await shown.getByText("Copied", { exact: true }).waitFor();
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), url);
  await page.keyboard.press("Escape");
  await shown.waitFor({ state: "detached" });
  const row = rows(ana).filter({ hasText: "Course" });
  await row.getByText("Used 0 of 1 times").waitFor();
  await row.getByText("It can be used.").waitFor();
  await row.getByText("Made by Ana").waitFor();
  await becomes(() => violations(ana), [], "the list");

  const path = new URL(url).pathname;
  const ben = await world.visitor("Ben", { path });
  await ben.sees(INVITED);
  await isCreating(ben);
  await becomes(() => violations(ben), [], "the page of an invitation");
  await ben.presses("Log in");
  await ben.presses("Create an account");
  await creates(ben);
  await isAtHome(ben);

  const cleo = await world.visitor("Cleo", { path });
  await cleo.sees(OVER);
  await cleo.sees("You need an invitation to create an account. Ask the operators of this server.");
  await offersNoAccount(cleo);
  await isAtHome(cleo);
  await becomes(() => violations(cleo), [], "the page of an invitation that was used up");
  await cleo.visits("/invite/unknown");
  await cleo.sees("This invitation does not exist. Check the address, or ask for a new one.");
  await offersNoAccount(cleo);

  await opensInvitations(ana);
  await row.getByText("It is used up.").waitFor();
  await row.getByText("Used 1 of 1 times").waitFor();
  await becomes(() => row.getByRole("button").count(), 0);
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees(/^Invitation made/);
  await ana.sees("the course of May");
});

test("nobody creates an account without an invitation, and the page names the contact", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  await sets(ana, "invite");
  await ana.call("PUT", "/v3/admin/settings", { contact: "ask@example.org", reason: "questions" });
  const ben = await world.visitor("Ben");
  await ben.sees("You need an invitation to create an account. Ask for one: ask@example.org");
  await offersNoAccount(ben);
  await becomes(() => ben.page.getByText("Help: ask@example.org").isVisible(), false);
  await becomes(() => violations(ben), [], "the page for logging in");
});

test("links of a group make accounts in the group where people are invited", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  await sets(ana, "invite");
  const climbers = await ana.call("POST", "/v3/groups", { name: "Climbers", share: true });
  const { invite } = await ana.call("POST", `/v3/groups/${climbers.id}/invites`, { name: "Poster" });
  for (const [name, link] of [
    ["Ben", climbers.share_url],
    ["Cleo", invite.url],
  ]) {
    const person = await world.visitor(name, { path: new URL(link).pathname });
    await person.sees("You are invited to a group. Log in or create an account to join it.");
    await creates(person);
    await person.isReading("Climbers");
    await person.page.getByRole("button", { name: "New group" }).first().waitFor();
  }
});

test("an invitation makes an account at once in other modes, too", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  const path = await invites(ana, { max_uses: 3, expires_in: null });
  for (const [name, mode] of [
    ["Ben", "open"],
    ["Cleo", "closed"],
    ["Dan", "approval"],
  ]) {
    await sets(ana, mode);
    const person = await world.visitor(name, { path });
    await person.sees(INVITED);
    await isCreating(person);
    const about = person.page.getByLabel("Who are you, and why do you want an account?");
    await becomes(() => about.isVisible(), false, mode);
    await creates(person);
    await isAtHome(person);
  }
});

test("an operator ends an invitation, on a phone", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana", { phone: true });
  const { page } = ana;
  await page.setViewportSize({ width: 360, height: 640 });
  await sets(ana, "closed");
  await ana.call("PUT", "/v3/admin/settings", { name: "Chess club", reason: "its name" });
  await invites(ana);
  const path = await invites(ana, { name: LONG, max_uses: 5 });
  await ana.visits(path);
  await ana.isConnected();
  await isAtHome(ana);

  const ben = await world.visitor("Ben", { path });
  await ben.sees("You are invited to Chess club. Create an account.");
  await isCreating(ben);
  await fillsIn(ben);

  await ana.visits("/admin");
  await opensInvitations(ana);
  await becomes(() => rows(ana).count(), 2);
  await rows(ana).filter({ hasText: "Without a name" }).getByText("Used 0 of 1 times").waitFor();
  const row = rows(ana).filter({ hasText: LONG });
  await row.getByText("Used 0 of 5 times").waitFor();
  await becomes(() => fits(ana), true);
  await page.getByRole("button", { name: `End the invitation ${LONG}`, exact: true }).press("Enter");
  await ana.sees("Nobody can create an account with it any more. Existing accounts stay.");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "End invitation", exact: true }).click();
  await ana.sees("Enter a reason.");
  await becomes(() => fits(ana), true);
  await dialog.getByLabel("Reason").fill("the course is over");
  await dialog.getByLabel("Reason").press("Enter");
  await ana.sees(`The invitation ${LONG} was ended.`);
  await row.getByText("An operator ended it.").waitFor();
  await becomes(() => hasFocus(page.getByRole("button", { name: "New invitation", exact: true })), true);
  await becomes(() => violations(ana), [], "the list");

  await ben.presses("Create account");
  await ben.sees(OVER);
  await offersNoAccount(ben);
  await isAtHome(ben);
  const cleo = await world.visitor("Cleo", { path });
  await cleo.sees(OVER);
  await offersNoAccount(cleo);
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees(/^Invitation ended/);
  await ana.sees("the course is over");
});

test("an auditor reads invitations, and makes and ends none", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  const path = await invites(ana, { name: "Course", max_uses: 2 });
  const ben = await world.visitor("Ben", { path });
  await creates(ben);
  const { users } = await ana.call("GET", "/v3/admin/users?q=Ben");
  await ana.call("POST", `/v3/admin/users/${users[0].id}/role`, { role: "auditor", reason: "they look" });
  await ben.visits("/admin");
  await ben.sees("Your role: Auditor");
  await opensInvitations(ben);
  await rows(ben).filter({ hasText: "Used 1 of 2 times" }).waitFor();
  await becomes(() => rows(ben).getByRole("button").count(), 0);
  const make = ben.page.getByRole("button", { name: "New invitation", exact: true });
  await becomes(() => make.count(), 0);
});
