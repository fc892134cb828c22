/** A lost password: requesting a link, and setting a new password with it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MailServer } from "../mail_server.js";
import { World } from "../world.js";

test("a lost password is replaced through the link in a mail", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.start(t, mails.options);
  const ana = await world.visitor("Ana");
  await ana.hasAnAccount();
  await ana.page.getByRole("link", { name: "Forgot your password?" }).click();
  await ana.page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  await ana.page.getByRole("button", { name: "Send link" }).click();
  await ana.sees("Enter an email address, like ana@example.org.");
  await ana.page.getByLabel("Email").fill(ana.email);
  await ana.page.getByRole("button", { name: "Send link" }).click();
  await ana.sees("If an account has this address, a mail with a link is on its way.");
  const link = await mails.link("recover");
  await ana.visits(link);
  await ana.page.getByRole("heading", { name: "Set a new password" }).waitFor();
  await ana.page.getByLabel("New password").fill("short");
  await ana.page.getByRole("button", { name: "Set password and log in" }).click();
  await ana.sees("Use at least 8 characters.");
  await ana.page.getByLabel("New password").fill("a better horse battery");
  await ana.page.getByRole("button", { name: "Set password and log in" }).click();
  await ana.isConnected();
  assert.equal(await ana.page.evaluate(() => location.hash), "#/");
  await ana.logsOut();
  await ana.logsIn({ password: "a better horse battery" });
  await ana.isConnected();
});

test("without mail the page names the contact", async (t) => {
  const world = await World.start(t, ["--contact", "admin@example.org"]);
  const ana = await world.visitor("Ana", { path: "/#/recover" });
  await ana.sees("This server sends no mail. Ask for a link: admin@example.org");
  await ana.page.getByRole("link", { name: "Back to log in" }).click();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
});

test("an address of a named domain becomes an account through the link in a mail", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.start(t, [...mails.options, "--registration", "domain:example.org"]);
  // The first mail is the admin's.
  await mails.link("confirm");
  const ana = await world.visitor("Ana");
  await ana.registers({ Email: "ana@example.com" });
  await ana.isTold("Only addresses of certain domains may register.");
  await ana.sees("Only addresses of certain domains may register. A mail confirms yours.");
  await ana.fills({ Email: ana.email });
  await ana.presses("Create account");
  await ana.sees(`A mail is on its way to ${ana.email}.`);
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  const link = await mails.link("confirm");
  await ana.fills({ Password: ana.password });
  await ana.presses("Log in");
  await ana.isTold("Confirm your address first, with the link in the mail.");
  await ana.visits(link);
  await ana.page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
  await ana.presses("Confirm address");
  await ana.page.getByLabel("Password", { exact: true }).fill("not my password");
  await ana.presses("Confirm address");
  await ana.isTold("Wrong password.");
  await ana.page.getByLabel("Password", { exact: true }).fill(ana.password);
  await ana.presses("Confirm address");
  await ana.isConnected();
});
