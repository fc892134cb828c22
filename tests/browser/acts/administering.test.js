/** The first steps of a new server, and the pages for operators. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { MailServer } from "../mail_server.js";
import { World } from "../world.js";

test("a new server leads to its first admin, group and link", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.visitor("Ana");
  const { page } = ana;
  await page.getByRole("heading", { name: "Set up this server" }).waitFor();
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await ana.fills({ "Name of the place (optional)": "Alpine Club", "First group (optional)": "Climbers" });
  await ana.presses("Save");
  await ana.sees(/Send this link/);
  const link = await page
    .getByRole("main")
    .locator("code", { hasText: /join_group/ })
    .textContent();
  await page.getByRole("link", { name: "Go to the conversations" }).click();
  await ana.sees("Climbers");
  const ben = await world.visitor("Ben", { path: new URL(link ?? "").pathname });
  await ben.sees("Alpine Club");
});

test("an operator disables an account with a reason, on a phone and by keyboard", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.visitor("Ana", { phone: true, path: "/setup" });
  const { page } = ana;
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  const ben = await world.person("Ben");
  await page.setViewportSize({ width: 360, height: 640 });
  await ana.visits("/admin");
  await ana.sees("Your role: Admin");
  await page.getByRole("link", { name: "People" }).press("Enter");
  await page.getByLabel("Search by name, email address or id").fill("BEN");
  await page.getByRole("link", { name: "Ben", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Disable account" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Disable account" }).click();
  await ana.sees("Enter a reason.");
  await dialog.getByLabel("Reason").fill("left the club");
  await dialog.getByLabel("Reason").press("Enter");
  await page.getByRole("button", { name: "Enable account" }).waitFor();
  await ben.page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.getByRole("button", { name: "Enable account" }).press("Enter");
  await dialog.getByLabel("Reason").fill("came back");
  await dialog.getByLabel("Reason").press("Enter");
  await page.getByRole("button", { name: "Disable account" }).waitFor();
  await ben.logsIn();
  await ben.isConnected();
  await ben.visits("/#/account");
  const acts = ben.page.getByRole("region", { name: "Acts of operators" });
  await acts.getByText("Account enabled").waitFor();
  await acts.getByText("left the club").waitFor();
  await page.getByRole("link", { name: "Audit log" }).click();
  await ana.sees("Account disabled: Ben");
  await ana.sees("left the club");
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.equal(await page.title(), "Administration · Coterie");
});

test("an admin makes a token for a directory and ends it, on a phone", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.visitor("Ana", { phone: true, path: "/setup" });
  const { page } = ana;
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  await page.setViewportSize({ width: 320, height: 640 });
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Directory (SCIM)" }).press("Enter");
  await ana.sees("There is no token yet.");
  await ana.presses("Make a token");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Entra ID");
  await dialog.getByLabel("Name").press("Enter");
  await ana.sees("Enter a reason.");
  await dialog.getByLabel("Reason").fill("accounts come from there");
  await dialog.getByLabel("Reason").press("Enter");
  await ana.sees("Copy it now. It will not be shown again.");
  const token = await dialog.locator("code").textContent();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await ana.sees("Made by Ana");
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await ana.sees("The directory has written no group yet.");
  const made = await fetch(`${world.server.url}/scim/v2/Groups`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/scim+json" },
    body: JSON.stringify({ displayName: "Helpdesk" }),
  });
  assert.equal(made.status, 201);
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("link", { name: "Directory (SCIM)" }).click();
  await ana.presses("Change role: Helpdesk");
  await dialog.getByLabel("Role").selectOption("Moderator");
  await dialog.getByLabel("Reason").fill("they look after people");
  await dialog.getByRole("button", { name: "Change role" }).click();
  await ana.sees("0 members · Moderator");
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await ana.presses("End: Entra ID");
  await ana.sees("There is no token yet.");
  await page.getByRole("link", { name: "Audit log" }).click();
  await ana.sees("Token of the directory ended");
});

test("an admin lets addresses of a domain register, on a phone", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.startEmpty(t, mails.options);
  const ana = await world.visitor("Ana", { phone: true, path: "/setup" });
  const { page } = ana;
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  await page.setViewportSize({ width: 360, height: 640 });
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Settings" }).press("Enter");
  const mode = page.getByLabel("Who may create an account");
  await becomes(() => mode.isEnabled(), true);
  await becomes(() => page.getByLabel("Domains whose addresses may register").isVisible(), false);
  await mode.selectOption("Who confirms an address of certain domains");
  await page.getByLabel("Reason").fill("staff only");
  await ana.presses("Save");
  await ana.sees("Enter a domain, like example.org.");
  await page.getByLabel("Domains whose addresses may register").fill("Example.org, chess.example");
  await page.getByLabel("Show the domains").check();
  await ana.presses("Save");
  await ana.sees("Saved.");
  const domains = page.getByLabel("Domains whose addresses may register");
  await becomes(() => domains.inputValue(), "example.org, chess.example");
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  const ben = await world.visitor("Ben");
  await ben.presses("Create an account");
  await ben.sees("Addresses of example.org, chess.example may register. A mail confirms yours.");
});
