/** Timeouts and bans in a group, from the list of its members. */

import { test } from "node:test";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const panel = (/** @type {Person} */ person) => person.page.getByRole("complementary", { name: "Details" });
const out = (/** @type {Person} */ person) =>
  panel(person).getByRole("region", { name: "Banned and timed out" });
const TOLD = /^An admin timed you out: you can read, but not write, until/;

test("a member who is timed out reads why until the timeout is ended", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Ben");
  await ana.presses("Time out…");
  await ana.confirms("Time out");
  await out(ana).getByText("Ben").waitFor();
  await ben.sees(TOLD);
  await ben.page.getByRole("textbox", { name: /Message/ }).waitFor({ state: "hidden" });
  await ana.presses("End the timeout of Ben");
  await ben.page.getByRole("textbox", { name: /Message/ }).waitFor();
  await out(ana).waitFor({ state: "hidden" });
});

test("a thread says that its reader is timed out", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ana.says(climbers, "rope at six?");
  await ben.opens("Climbers");
  await ben.takes(ben.line("rope at six?"), "Reply in thread");
  const thread = ben.page.getByRole("complementary", { name: "Replies" });
  const field = ben.page.getByRole("textbox", { name: "Write a reply" });
  await field.waitFor();
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Ben");
  await ana.presses("Time out…");
  await ana.confirms("Time out");
  await thread.getByText(TOLD).waitFor();
  await field.waitFor({ state: "hidden" });
  await ana.presses("End the timeout of Ben");
  await field.waitFor();
});

test("a banned person leaves the group, and the ban is lifted in its details", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Ben");
  await ana.presses("Remove and ban…");
  await ana.confirms("Remove and ban");
  await ben.sees("Group not found");
  await out(ana).getByText("Until somebody lifts the ban").waitFor();
  await ana.presses("Lift the ban of Ben");
  await out(ana).waitFor({ state: "hidden" });
});

test("slow mode says how long a member waits", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  await ana.page.getByLabel("Slow mode").selectOption("1 hour");
  await ana.confirms("Save");
  await ben.sees("Ana set slow mode to 1 hour.");
  await ben.writes("rope at six");
  await ben.sees(/^Slow mode: you can post again in (60|59):/);
  await ana.reads("rope at six");
  await ana.writes("no pause for me");
  await ana.writes("and none again");
  await ben.reads("and none again");
  await ana.presses("Name and description");
  await ana.page.getByLabel("Slow mode").selectOption("Off");
  await ana.confirms("Save");
  await ben.page.getByText(/^Slow mode: you can post again/).waitFor({ state: "hidden" });
  await ben.writes("as often as I like");
  await ana.reads("as often as I like");
});

test("the audit log says what an admin did", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ana.call("POST", `/v3/groups/${climbers.id}/update`, { description: "ropes" });
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Audit log");
  await ana.page.getByRole("dialog").getByText("Ana changed the settings of the group.").waitFor();
  await ben.opens("Climbers");
  await ben.opensMembers();
  await ben.page.getByRole("button", { name: "Leave group" }).waitFor();
  await ben.page.getByRole("button", { name: "Audit log" }).waitFor({ state: "hidden" });
});
