/** Mails about unread messages: choosing when they come, and the page that turns them off. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { MailServer } from "../mail_server.js";
import { World } from "../world.js";

test("a person chooses when mails about unread messages come", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.start(t, mails.options);
  const ana = await world.visitor("Ana");
  await ana.hasAnAccount();
  await ana.logsIn();
  await ana.isConnected();
  await ana.visits("/#/account");
  const choice = () => ana.page.getByLabel("Mails about unread messages");
  await becomes(() => choice().inputValue(), "missed", "the default");
  await choice().selectOption("Once a week");
  await ana.page.getByRole("region", { name: "Notifications" }).getByText("Saved.").waitFor();
  await ana.page.reload();
  await becomes(() => choice().inputValue(), "weekly", "the choice after a reload");
  await becomes(() => violations(ana), [], "the account page with the choice");
});

test("the page that turns mails off tells when its link is unknown", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana", { path: "/#/unsubscribe/AAAA" });
  await ana.page.getByRole("heading", { name: "Mails about unread messages" }).waitFor();
  await becomes(() => violations(ana), [], "the page that turns mails off");
  await ana.page.getByRole("button", { name: "Turn these mails off" }).click();
  await ana.sees("This link belongs to another address. Turn the mails off in your account.");
});
