/** Copies of groups: the owner makes one with its topics and members, and others cannot. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const panel = (/** @type {Person} */ { page }) =>
  page.getByRole("complementary", { name: "Details", exact: true });
const form = (/** @type {Person} */ { page }) =>
  page.getByRole("dialog", { name: "Copy this group", exact: true });
const copyButton = (/** @type {Person} */ person) =>
  panel(person).getByRole("button", { name: "Copy this group…", exact: true });

/** The names of the groups and topics in the list, in alphabetical order. */
const names = (/** @type {Person} */ { page }) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".groups > li")]
      .map((row) => row.querySelector(".group-name bdi")?.textContent ?? "")
      .sort(),
  );

/** Ana, who owns a group with Ben and a topic. */
async function withGroup(/** @type {import("node:test").TestContext} */ t, how = {}) {
  const world = await World.start(t);
  const [ana, ben] = [await world.person("Ana", how), await world.person("Ben", how)];
  const group = await ana.hasGroup("Climbers", ben);
  await ana.call("POST", `/v3/groups/${group.id}/subgroups`, { topic: "Ropes" });
  for (const one of [ana, ben]) await becomes(() => names(one), ["Climbers", "Ropes"]);
  return { world, ana, ben, group };
}

test("the owner copies a group with its settings, topics and members", async (t) => {
  const { ana, ben, group } = await withGroup(t);
  await ana.call("POST", `/v3/groups/${group.id}/update`, { group_type: "closed" });
  await ana.says(group, "rope at six");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await copyButton(ana).click();
  await form(ana).getByRole("checkbox", { name: "Topics: 1" }).waitFor();
  await becomes(() => form(ana).getByRole("checkbox", { name: "Settings" }).isChecked(), true);
  await becomes(() => violations(ana), [], "the window that copies a group");
  await form(ana).getByLabel("Name", { exact: true }).fill("");
  await form(ana).getByRole("button", { name: "Copy", exact: true }).click();
  await form(ana).getByText("Give the group a name.").waitFor();
  await form(ana).getByLabel("Name", { exact: true }).fill("Boulderers");
  await form(ana).getByRole("checkbox", { name: "Members: 1" }).check();
  await form(ana).getByRole("button", { name: "Copy", exact: true }).click();
  await ana.isReading("Boulderers");
  await form(ana).waitFor({ state: "detached" });
  for (const one of [ana, ben])
    await becomes(() => names(one), ["Boulderers", "Climbers", "Ropes", "Ropes"], one.name);
  await becomes(() => ana.line("rope at six").count(), 0);
  const kinds = async () =>
    (await ben.call("GET", "/v3/groups")).map((/** @type {any} */ one) => `${one.name} ${one.type}`).sort();
  await becomes(kinds, ["Boulderers closed", "Climbers closed"]);
  await ana.writes("welcome");
  await ben.opens("Boulderers");
  await ben.reads("welcome");
});

test("a copy takes over only what was chosen", async (t) => {
  const { ana, ben, group } = await withGroup(t);
  await ana.call("POST", `/v3/groups/${group.id}/update`, { group_type: "closed" });
  await ana.opens("Climbers");
  await ana.opensMembers();
  await copyButton(ana).click();
  await form(ana).getByLabel("Name", { exact: true }).fill("Boulderers");
  await form(ana).getByRole("checkbox", { name: "Settings" }).uncheck();
  await form(ana).getByRole("checkbox", { name: "Topics: 1" }).uncheck();
  await form(ana).getByRole("button", { name: "Copy", exact: true }).click();
  await ana.isReading("Boulderers");
  await becomes(() => names(ana), ["Boulderers", "Climbers", "Ropes"]);
  await ana.opensMembers();
  await panel(ana).getByText("1 member", { exact: true }).waitFor();
  await copyButton(ana).click();
  await becomes(() => form(ana).getByRole("checkbox").count(), 1);
  await becomes(
    async () =>
      (await ana.call("GET", "/v3/groups")).find((/** @type {any} */ one) => one.name === "Boulderers")?.type,
    "private",
  );
  await becomes(() => names(ben), ["Climbers", "Ropes"]);
});

test("plain members cannot copy a group, and an archived one is copied on a phone", async (t) => {
  const { ana, ben, group } = await withGroup(t, { phone: true });
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await ben.opens("Climbers");
  await ben.opensMembers();
  await panel(ben).getByRole("button", { name: "Leave group", exact: true }).waitFor();
  await becomes(() => copyButton(ben).count(), 0);
  await ana.call("POST", `/v3/groups/${group.id}/archive`);
  await ana.page.getByRole("link", { name: /^Archived/ }).click();
  await ana.page
    .getByRole("main")
    .getByRole("link", { name: /^Climbers/ })
    .click();
  await ana.isReading("Climbers");
  await ana.opensMembers();
  await copyButton(ana).click();
  await form(ana).getByRole("checkbox", { name: "Members: 1" }).waitFor();
  await becomes(() => cutOff(ana), []);
  await form(ana).getByLabel("Name", { exact: true }).fill("Climbers 2");
  await form(ana).getByRole("button", { name: "Copy", exact: true }).click();
  await ana.isReading("Climbers 2");
  await ana.composer.waitFor();
});
