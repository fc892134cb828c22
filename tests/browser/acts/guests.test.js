/** Guests: an admin takes them, an invite makes one, who sees what guests may do, and becomes a member. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("a guest comes by an invite and becomes a member", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.visitor("Ana", { path: "/setup" });
  const { page } = ana;
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  await ana.createsGroup("Climbers");
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("Guests").selectOption("on");
  await page.getByLabel("Who may create an account").selectOption("closed");
  await page.getByLabel("Reason").fill("a course");
  await ana.presses("Save");
  await ana.sees("Saved.");

  await ana.visits("/");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("New invite…");
  const form = page.getByRole("dialog");
  await form.getByLabel("Name (optional)").fill("Course");
  await form.getByLabel("People without an account become guests").check();
  await becomes(() => violations(ana), [], "invite for guests");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  const link = page.getByRole("dialog", { name: "Invite Course" });
  const url = (await link.locator("code").textContent()) ?? "";
  await page.keyboard.press("Escape");
  await link.waitFor({ state: "detached" });

  const gil = await world.visitor("Gil", { path: new URL(url).pathname });
  await gil.sees("You are invited to a group. Log in, or create a guest account to join it.");
  await gil.fills({ "Your name": "Gil", Email: gil.email, Password: gil.password });
  await gil.presses("Create account");
  await gil.isConnected();
  await gil.isReading("Climbers");
  const shown = (/** @type {string} */ name) => gil.page.getByRole("button", { name, exact: true }).count();
  for (const name of ["New group", "Find groups", "Create a group"])
    await becomes(() => shown(name), 0, name);
  await gil.opensMembers();
  for (const name of ["Add people", "New invite…"]) await becomes(() => shown(name), 0, name);
  await gil.page.keyboard.press("Control+k");
  await gil.page.getByRole("combobox").fill("new");
  await gil.page.getByRole("option", { name: "New message" }).waitFor();
  await becomes(() => gil.page.getByRole("option", { name: "New group" }).count(), 0);

  const members = page.getByRole("complementary", { name: "Details" });
  await members.getByText("Guest", { exact: true }).waitFor();
  await members.getByRole("button", { name: "Gil" }).click();
  const card = page.getByRole("dialog", { name: "Gil" });
  await card.getByText("Guest", { exact: true }).waitFor();
  await page.keyboard.press("Escape");

  await ana.visits("/admin");
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("link", { name: "Gil", exact: true }).click();
  await ana.presses("Make a member");
  const asked = page.getByRole("dialog");
  await asked.getByLabel("Reason").fill("hired");
  await asked.getByRole("button", { name: "Make a member" }).click();
  await asked.waitFor({ state: "detached" });
  await becomes(() => page.getByRole("button", { name: "Make a member" }).count(), 0);
  await becomes(() => page.getByText("Guest", { exact: true }).count(), 0);
  await page.getByRole("link", { name: "Audit log" }).click();
  await ana.sees("Guest made a member: Gil");

  await gil.visits("/");
  await gil.page.getByRole("button", { name: "New group" }).first().waitFor();
  assert.equal(await gil.page.title(), "Coterie");
});
