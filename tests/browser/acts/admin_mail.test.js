/** The page Mail of the operators: mails that wait or were given up, the retry and the test mail. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { MailServer } from "../mail_server.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const REFUSED = "550 5.1.1 no such mailbox";

const rows = (/** @type {Person} */ { page }) =>
  page.getByRole("region", { name: "Mail", exact: true }).getByRole("listitem");

const fits = (/** @type {Person} */ { page }) =>
  page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

/** Opens the mails from another page for operators, so that they are loaded. */
async function opensMail(/** @type {Person} */ ana) {
  const pages = ana.page.getByRole("navigation", { name: "Administration" });
  await pages.getByRole("link", { name: "People", exact: true }).click();
  await pages.getByRole("link", { name: "Mail", exact: true }).click();
}

/** The numbers of mails that wait and that were given up. */
const counts = async (/** @type {Person} */ ana) => (await ana.call("GET", "/v3/admin/mail")).counts;

test("an admin sends a dead mail again, on a phone", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.startEmpty(t, mails.options);
  const ana = await world.admin("Ana", { phone: true });
  const { page } = ana;
  await page.setViewportSize({ width: 360, height: 640 });
  await ana.visits("/admin");
  await opensMail(ana);
  await ana.sees("The server sends mail from Coterie <chat@example.org>.");
  await becomes(() => counts(ana), { waiting: 0, dead: 0 }, "the mails of the first account");
  await ana.presses("Refresh");
  await ana.sees("There are no such mails.");
  await becomes(() => violations(ana), [], "no mails");

  mails.refuses(REFUSED);
  const ben = await world.visitor("Ben");
  await ben.registers();
  await ben.isConnected();
  await becomes(() => counts(ana), { waiting: 0, dead: 1 }, "the mail to Ben");
  await ana.presses("Refresh");
  const row = rows(ana).filter({ hasText: ben.email });
  await row.getByText("Confirmation of an address").waitFor();
  await row.getByText(/no such mailbox/).waitFor();
  await row.getByText("Failed attempts: 1").waitFor();
  await row.getByRole("link", { name: "Ben" }).waitFor();
  await ana.sees("Waiting: 0 · given up in the last week: 1");
  await becomes(() => fits(ana), true, "the page fits");
  await becomes(() => violations(ana), [], "a dead mail");

  const state = page.getByLabel("State of the mails");
  await state.selectOption("Waiting");
  await ana.sees("There are no such mails.");
  await state.selectOption("Given up");
  await row.waitFor();

  mails.refuses(REFUSED);
  await again(ana, ben.email);
  await becomes(() => counts(ana), { waiting: 0, dead: 1 }, "the second attempt");
  await row.getByText("Failed attempts: 2").waitFor();

  await again(ana, ben.email);
  await becomes(() => counts(ana), { waiting: 0, dead: 0 }, "the third attempt");
  await becomes(() => rows(ana).count(), 0, "the list");
  await ana.sees("There are no such mails.");
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees(/^Mail sent again: Ben/);
  await ana.sees("the provider works again");
});

/** Sends the mail to this address again. */
async function again(/** @type {Person} */ ana, /** @type {string} */ to) {
  const { page } = ana;
  await page.getByRole("button", { name: `Try again: mail to ${to}`, exact: true }).click();
  const form = page.getByRole("dialog", { name: `Send the mail to ${to} again?` });
  await form.getByRole("button", { name: "Send again", exact: true }).click();
  await form.getByText("Enter a reason.").waitFor();
  await becomes(() => violations(ana), [], "the form");
  await form.getByLabel("Reason").fill("the provider works again");
  await form.getByRole("button", { name: "Send again", exact: true }).click();
  await form.waitFor({ state: "detached" });
  await ana.sees(`The mail to ${to} is being sent again.`);
}

test("an admin sends a test mail and reads what the mail server says", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.startEmpty(t, mails.options);
  const ana = await world.admin("Ana");
  const { page } = ana;
  await ana.visits("/admin");
  await opensMail(ana);
  await becomes(() => counts(ana), { waiting: 0, dead: 0 }, "the mails of the first account");
  await ana.presses("Send a test mail");
  const form = page.getByRole("dialog", { name: "Send a test mail" });
  await becomes(() => violations(ana), [], "the form");
  mails.refuses(REFUSED);
  await form.getByRole("button", { name: "Send", exact: true }).click();
  await form
    .getByRole("alert")
    .getByText(/did not accept the mail: .*no such mailbox/)
    .waitFor();
  await form.getByLabel("To (optional)").fill("cem@example.net");
  await form.getByLabel("Reason (optional)").fill("new provider");
  await form.getByRole("button", { name: "Send", exact: true }).click();
  await form.waitFor({ state: "detached" });
  await ana.sees("The mail server accepted the test mail to cem@example.net.");
  let received = "";
  while (!received.includes("cem@example.net")) received = await mails.receives();
  assert.match(received, /^Hello Ana,|^Hello,/);
  await page.getByRole("link", { name: "Audit log", exact: true }).click();
  await ana.sees("new provider");
});

test("a server without mail names the options, and an auditor sends nothing", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.admin("Ana");
  await ana.visits("/admin");
  await opensMail(ana);
  await ana.sees("This server sends no mail. Set the options --smtp-url and --mail-from, and restart it.");
  await ana.sees("There are no such mails.");
  await becomes(() => ana.page.getByRole("button", { name: "Send a test mail" }).count(), 0);
  await becomes(() => violations(ana), [], "no mail");

  const mails = await MailServer.start(t);
  const other = await World.startEmpty(t, mails.options);
  const cleo = await other.admin("Cleo");
  mails.refuses(REFUSED);
  const ben = await other.visitor("Ben");
  await ben.registers();
  await ben.isConnected();
  const { users } = await cleo.call("GET", "/v3/admin/users?q=Ben");
  await cleo.call("POST", `/v3/admin/users/${users[0].id}/role`, { role: "auditor", reason: "they look" });
  await becomes(async () => (await counts(cleo)).dead, 1);
  await ben.visits("/admin");
  await opensMail(ben);
  await rows(ben).filter({ hasText: ben.email }).waitFor();
  await becomes(() => rows(ben).getByRole("button").count(), 0);
  await becomes(() => ben.page.getByRole("button", { name: "Send a test mail" }).count(), 0);
});
