/** Invites: a member makes one with an end and a number of uses, a stranger joins or asks with it, and it is ended. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { MailServer } from "../mail_server.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const section = (/** @type {Person} */ person, /** @type {string} */ name) =>
  person.page.getByRole("complementary", { name: "Details" }).getByRole("region", { name, exact: true });

/** Makes an invite in the window, and returns the path of its link, which the next window shows. */
async function makes(
  /** @type {Person} */ person,
  /** @type {{ name: string, uses?: string, approval?: string }} */ { name, uses, approval },
) {
  await person.presses("New invite…");
  const dialog = person.page.getByRole("dialog");
  await dialog.getByLabel("Name (optional)").fill(name);
  if (uses) await dialog.getByLabel("How many people may use it (optional)").fill(uses);
  if (approval) await dialog.getByLabel("Who uses it").selectOption(approval);
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  const link = person.page.getByRole("dialog", { name: `Invite ${name}` });
  await link.getByRole("img", { name: "QR code of the link" }).waitFor();
  const url = (await link.locator("code").textContent()) ?? "";
  await person.page.keyboard.press("Escape");
  await link.waitFor({ state: "detached" });
  return new URL(url).pathname;
}

test("a stranger joins with an invite, which is used up then", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ben.opensMembers();
  const path = await makes(ben, { name: "Poster", uses: "1" });
  const invites = section(ben, "Invites");
  await invites.getByText("Used 0 of 1 times").waitFor();
  for (const width of [320, 1280]) {
    await ben.page.setViewportSize({ width, height: 800 });
    await becomes(() => cutOff(ben), [], `invites at ${width}`);
  }
  await becomes(() => violations(ben), [], "invites");
  const cleo = await world.visitor("Cleo", { path });
  await cleo.sees("Ben invites you.");
  await cleo.sees("2 members");
  const dan = await world.person("Dan");
  await dan.visits(path);
  await dan.confirms("Join the group");
  await becomes(() => dan.page.getByRole("heading", { name: "Climbers" }).count(), 1);
  await invites.getByText("It is used up.").waitFor();
  await ben.presses("End the invite Poster");
  await ben.confirms("End invite");
  await invites.getByText("Poster").waitFor({ state: "hidden" });
});

test("a stranger asks to join with an invite, and the owner approves", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const path = await makes(ana, { name: "Club", approval: "ask" });
  const dan = await world.person("Dan");
  await dan.visits(path);
  await dan.sees("The owner or an admin decides whether you join.");
  await dan.confirms("Ask to join");
  await dan.sees("You asked to join. You are in once the owner or an admin approves.");
  const asked = section(ana, "Requests to join");
  await asked.getByText("Asks to join by an invite").waitFor();
  await ana.presses("Approve Dan");
  await asked.waitFor({ state: "hidden" });
  await dan.opens("Climbers");
  const { members } = await dan.call("GET", `/v3/groups/${climbers.id}`);
  assert.equal(members.length, 2);
});

test("a member invites by email, and copies the links where the server sends no mail", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const invites = section(ana, "Invites");
  const emails = invites.getByLabel("Email addresses");
  await emails.fill("dan@example.net, eve");
  await ana.presses("Invite by email");
  await invites.getByText("eve is not an email address.").waitFor();
  await emails.fill("dan@example.net, eve@example.net");
  await ana.presses("Invite by email");
  await becomes(() => invites.getByText("This server sends no mail.").count(), 2);
  await becomes(() => emails.inputValue(), "");
  await becomes(() => invites.getByText("Used 0 of 1 times").count(), 2);
  for (const width of [320, 1280]) {
    await ana.page.setViewportSize({ width, height: 800 });
    await becomes(() => cutOff(ana), [], `invites at ${width}`);
  }
  await becomes(() => violations(ana), [], "invites by email");
  await ana.presses("Copy the link for dan@example.net");
  await invites.getByText("Copied").waitFor();
  await ana.presses("Show the invite dan@example.net");
  const link = ana.page.getByRole("dialog", { name: "Invite dan@example.net" });
  const url = (await link.locator("code").textContent()) ?? "";
  const dan = await world.person("Dan");
  await dan.visits(new URL(url).pathname);
  await dan.confirms("Join the group");
  await becomes(() => dan.page.getByRole("heading", { name: "Climbers" }).count(), 1);
});

test("a mail brings the link of an invite", async (t) => {
  const mails = await MailServer.start(t);
  const world = await World.start(t, mails.options);
  const ana = await world.person("Ana");
  // The first mail is the operator's.
  await mails.link("confirm");
  const link = await mails.link("confirm");
  await ana.call("POST", `/auth/confirm/${link.split("/").at(-1)}`);
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  const invites = section(ana, "Invites");
  await invites.getByLabel("Email addresses").fill("dan@example.net");
  await ana.presses("Invite by email");
  await invites.getByText("A mail is on its way.").waitFor();
  const text = await mails.receives();
  assert.match(text, /^Hello,\s+Ana invites you to the group Climbers at /);
  const path = /\/join_group\/\S+/.exec(text)?.[0] ?? "";
  const cleo = await world.visitor("Cleo", { path });
  await cleo.sees("Ana invites you.");
});
