/** Groups that their owner archives, and groups that operators freeze, take out of the directory and delete. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const BY_OWNER =
  "The owner has archived this group. You can read it, but not write. The owner can take it out of the archive.";
const BY_ME = "You have archived this group. Everybody can read it, and nobody can write.";

/** The row below the conversations. */
const way = (/** @type {Person} */ person) => person.inList(/^Archived/);
const count = (/** @type {Person} */ person) => way(person).locator(".apart-count").textContent();
/** The rows of the page with the archived groups. */
const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("list", { name: "Archived groups" }).getByRole("link");
const title = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("heading", { name: "Archived groups", exact: true });
const panel = (/** @type {Person} */ { page }) => page.getByRole("complementary", { name: "Details" });
/** A button of the panel. */
const offer = (/** @type {Person} */ person, /** @type {string} */ name) =>
  panel(person).getByRole("button", { name, exact: true });
/** The button in place of the composer. */
const takesOut = (/** @type {Person} */ { page }) =>
  page.getByRole("main").getByRole("button", { name: "Take out of the archive" });

const hasFocus = (/** @type {import("playwright-core").Locator} */ node) =>
  node.evaluate((one) => one === document.activeElement);

const fits = (/** @type {Person} */ { page }) =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

const archives = (/** @type {Person} */ person, /** @type {{ id: string }} */ { id }) =>
  person.call("POST", `/v3/groups/${id}/archive`);

/** Opens an archived group from the row below the conversations. */
async function opensArchived(/** @type {Person} */ person, /** @type {string} */ name) {
  await way(person).click();
  await title(person).waitFor();
  await rows(person).filter({ hasText: name }).click();
  await person.isReading(name);
}

/** Opens one group in the pages for operators, by its name. */
async function administers(/** @type {Person} */ { page }, /** @type {string} */ name) {
  const pages = page.getByRole("navigation", { name: "Administration" });
  await pages.getByRole("link", { name: "Groups", exact: true }).click();
  await page.getByLabel("Search by name or id").fill(name);
  await page.getByRole("main").getByRole("link", { name, exact: true }).click();
  await page.getByRole("main").getByRole("heading", { name, exact: true }).waitFor();
}

/** Presses a button of an operator, and gives the reason in its window. */
async function acts(/** @type {Person} */ { page }, /** @type {string} */ act, /** @type {string} */ reason) {
  await page.getByRole("main").getByRole("button", { name: act, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByLabel("Reason").press("Enter");
  await dialog.waitFor({ state: "detached" });
}

test("the owner archives a group, members read it under Archived, and it comes back", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const ben = await world.person("Ben", { phone: true });
  const cleo = await world.person("Cleo");
  await ben.page.setViewportSize({ width: 360, height: 640 });
  const climbers = await ana.hasGroup("Climbers", ben, cleo);
  await ben.says(climbers, "rope at six");
  await cleo.inList(/^Climbers.*rope at six.*Unread/s).waitFor();
  await becomes(() => cleo.page.title(), "(1) Coterie");
  await ben.opens("Climbers");
  await ben.composer.waitFor();
  await ana.opens("Climbers");
  await ana.reads("rope at six");

  await ana.opensMembers();
  await offer(ana, "Archive this group").click();
  await ana.sees("Archive Climbers?");
  await becomes(() => violations(ana), [], "the question");
  await ana.confirms("Archive");
  await ana.sees(BY_ME);
  await ana.sees("Ana archived the group.");
  await becomes(() => ana.composer.isVisible(), false);
  await becomes(() => ana.inList("Climbers").count(), 0);
  await becomes(() => count(ana), "1");
  for (const gone of ["Name and description", "Add someone", "Your name here"])
    await becomes(() => offer(ana, gone).isVisible(), false, gone);
  await offer(ana, "Take out of the archive").waitFor();
  await offer(ana, "Delete group").waitFor();
  const line = ana.line("rope at six");
  await becomes(() => ana.mayTake(line, "Reply"), false);
  await becomes(() => ana.mayTake(line, "Copy text"), true);
  await becomes(() => violations(ana), [], "the archived group of the owner");

  await ben.sees(BY_OWNER);
  await becomes(() => ben.composer.isVisible(), false);
  await becomes(() => takesOut(ben).isVisible(), false);
  await becomes(() => cutOff(ben), []);
  await becomes(() => violations(ben), [], "the archived group of a member");
  await assert.rejects(ben.says(climbers, "hello"), "the server refuses it");
  const listed = async (query = "") => (await ben.call("GET", `/v3/groups${query}`)).length;
  await becomes(listed, 0);
  await becomes(() => listed("?archived=true"), 1);
  await ben.page.getByRole("link", { name: "Back to archived groups" }).click();
  await title(ben).waitFor();
  await becomes(() => hasFocus(rows(ben)), true, "the group that was left");
  await becomes(() => cutOff(ben), []);
  await rows(ben).filter({ hasText: "Climbers" }).click();
  await ben.page.reload();
  await ben.sees(BY_OWNER);

  await becomes(() => count(cleo), "1");
  await becomes(() => cleo.inList("Climbers").count(), 0);
  await becomes(() => cleo.page.title(), "Coterie", "it does not count as unread");
  await way(cleo).press("Enter");
  await becomes(() => hasFocus(title(cleo)), true);
  await becomes(() => cleo.page.title(), "Archived groups · Coterie");
  await becomes(() => violations(cleo), [], "the page with the archived groups");
  await rows(cleo).filter({ hasText: "Climbers" }).press("Enter");
  await cleo.isReading("Climbers");
  await cleo.reads("rope at six");
  await cleo.page.keyboard.press("Control+k");
  await cleo.page.getByRole("combobox", { name: "Go to" }).fill("climb");
  await cleo.page.getByRole("option", { name: "Climbers" }).first().waitFor();
  await cleo.page.keyboard.press("Enter");
  await cleo.isReading("Climbers");
  await cleo.sees(BY_OWNER);

  await takesOut(ana).click();
  await becomes(() => hasFocus(ana.composer), true);
  await ana.sees("Ana took the group out of the archive.");
  await ana.inList("Climbers").waitFor();
  await becomes(() => way(ana).count(), 0);
  await offer(ana, "Name and description").waitFor();
  await ben.composer.waitFor();
  await ben.writes("at seven");
  await ana.reads("at seven");
  await cleo.inList(/^Climbers/).waitFor();
  await cleo.composer.waitFor();
});

test("the new owner of an archived group takes it out of the archive", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await archives(ana, climbers);
  await opensArchived(ana, "Climbers");
  await ana.sees(BY_ME);
  await ana.opensMembers();
  await ana.opensPerson("Ben");
  const dialog = ana.page.getByRole("dialog");
  await becomes(() => dialog.getByRole("button", { name: "Make admin" }).count(), 0);
  await becomes(() => dialog.getByRole("button", { name: "Remove from Climbers" }).count(), 0);
  await dialog.getByRole("button", { name: "Make Ben the owner" }).click();
  await ana.confirms("Hand over");
  await ana.sees(BY_OWNER);
  await becomes(() => takesOut(ana).isVisible(), false);
  await offer(ana, "Leave group").waitFor();

  await opensArchived(ben, "Climbers");
  await ben.sees(BY_ME);
  await takesOut(ben).click();
  await ben.composer.waitFor();
  await ana.composer.waitFor();
  await ben.writes("rope at six");
  await ana.reads("rope at six");
});

test("a group that cannot be taken out of the archive stays there, and the page says so", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await archives(ana, climbers);
  await opensArchived(ana, "Climbers");
  const body = JSON.stringify({ meta: { code: 403, errors: ["not now"] }, response: null });
  const calls = /\/v3\/groups\/\d+\/unarchive$/;
  await ana.page.route(calls, (route) =>
    route.fulfill({ status: 403, contentType: "application/json", body }),
  );
  await takesOut(ana).click();
  await ana.isTold("Nothing was changed. Not now.");
  await ana.page.unroute(calls);
  await takesOut(ana).click();
  await ana.composer.waitFor();
});

test("an operator freezes a group with a reason, unfreezes, unlists and deletes it", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana", { phone: true });
  const { page } = ana;
  await page.setViewportSize({ width: 360, height: 640 });
  const [ben, cleo] = await world.people("Ben", "Cleo");
  const climbers = await ben.hasGroup("Climbers", cleo);
  await ben.opens("Climbers");
  await cleo.opens("Climbers");
  await cleo.writes("buy my ropes");
  await ben.reads("buy my ropes");

  await ana.visits("/admin");
  await administers(ana, "Climbers");
  await becomes(() => fits(ana), true);
  await becomes(() => violations(ana), [], "one group");
  await page.getByRole("button", { name: "Freeze group", exact: true }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Freeze group" }).click();
  await ana.sees("Enter a reason.");
  await dialog.getByLabel("Reason").fill("spam links");
  await dialog.getByLabel("Reason").press("Enter");
  await page.getByRole("button", { name: "Unfreeze group" }).waitFor();
  await ana.sees("Done.");
  await becomes(() => fits(ana), true);

  for (const person of [ben, cleo]) {
    await person.sees("The operators of this server have frozen this group: spam links");
    await person.sees("The operators of this server have frozen the group: spam links");
    await becomes(() => person.composer.isVisible(), false);
    await person.inList("Climbers").waitFor();
  }
  await becomes(() => violations(cleo), [], "the frozen group");
  await assert.rejects(cleo.says(climbers, "and my shoes"), "the server refuses it");
  const line = ben.line("buy my ropes");
  await becomes(() => ben.mayTake(line, "Reply"), false);
  await becomes(() => ben.mayTake(line, "Delete"), true);
  await becomes(() => cleo.mayTake(cleo.line("buy my ropes"), "Delete"), false);
  await ben.opensMembers();
  for (const gone of ["Archive this group", "Delete group", "Name and description"])
    await becomes(() => offer(ben, gone).isVisible(), false, gone);
  await ben.opensPerson("Cleo");
  const about = ben.page.getByRole("dialog");
  await about.getByRole("button", { name: "Remove from Climbers" }).waitFor();
  await becomes(() => about.getByRole("button", { name: "Make admin" }).count(), 0);
  await ben.page.keyboard.press("Escape");
  await about.waitFor({ state: "detached" });

  await page.getByRole("link", { name: "All groups" }).click();
  const entry = page.getByRole("region", { name: "Groups", exact: true }).getByRole("listitem");
  await entry.filter({ hasText: "Frozen: spam links" }).waitFor();
  await becomes(() => fits(ana), true);
  await becomes(() => violations(ana), [], "the list of groups");
  await administers(ana, "Climbers");
  await acts(ana, "Unfreeze group", "they cleaned up");
  await cleo.composer.waitFor();
  await cleo.sees("The operators of this server ended the freeze of the group.");
  await cleo.writes("sorry");
  await ben.reads("sorry");

  await ben.call("POST", `/v3/groups/${climbers.id}/update`, { visibility: "searchable" });
  await administers(ana, "Climbers");
  await acts(ana, "Take out of the directory", "not for everybody");
  await page.getByRole("button", { name: "Take out of the directory" }).waitFor({ state: "detached" });
  await ana.sees("Done.");

  await page.getByRole("button", { name: "Delete group", exact: true }).click();
  await dialog.getByRole("heading", { name: "Delete Climbers?" }).waitFor();
  await dialog.getByLabel("Reason").fill("nobody answers");
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await ana.sees("No groups found.");
  for (const person of [ben, cleo]) {
    await person.sees("Group not found");
    await becomes(() => person.inList("Climbers").count(), 0);
  }
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees(/^Group frozen/);
  await ana.sees("spam links");
  await ana.sees(/^Group deleted/);
  await ana.sees("nobody answers");
});

test("a moderator freezes groups and deletes none, an auditor reads", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  const [ben, cleo] = await world.people("Ben", "Cleo");
  await ana.hasGroup("Climbers");
  const becomesOperator = (/** @type {Person} */ { id }, /** @type {string} */ role) =>
    ana.call("POST", `/v3/admin/users/${id}/role`, { role, reason: "they help" });
  await becomesOperator(ben, "moderator");
  await becomesOperator(cleo, "auditor");
  for (const person of [ben, cleo]) {
    await person.visits("/admin");
    await person.sees(/^Your role/);
    await administers(person, "Climbers");
    await person.page.getByRole("link", { name: "All groups" }).waitFor();
  }
  const button = (/** @type {Person} */ { page }, /** @type {string} */ name) =>
    page.getByRole("main").getByRole("button", { name, exact: true });
  await becomes(() => button(ben, "Delete group").count(), 0);
  await acts(ben, "Freeze group", "spam links");
  await button(ben, "Unfreeze group").waitFor();
  await administers(cleo, "Climbers");
  await cleo.sees("spam links");
  await becomes(() => button(cleo, "Unfreeze group").count(), 0);
});
