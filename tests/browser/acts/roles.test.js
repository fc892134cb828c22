/** Roles in a group, and what a group's type leaves to members. */

import { test } from "node:test";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const panel = (/** @type {Person} */ person) => person.page.getByRole("complementary", { name: "Details" });

test("the owner makes and unmakes an admin, and the list shows the role", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ben.opensMembers();
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Ben");
  await ana.presses("Make admin");
  await ana.confirms("Make admin");
  await panel(ana).getByText("Admin", { exact: true }).waitFor();
  await ben.sees("Ana made Ben an admin.");
  await ana.presses("Ben");
  await ana.presses("Remove as admin");
  await ana.confirms("Remove as admin");
  await panel(ana).getByText("Admin", { exact: true }).waitFor({ state: "hidden" });
  await ben.sees("Ana removed Ben as an admin.");
});

test("an announcement group says why a member cannot post, and an admin can", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  await ana.page.getByLabel("What members may do").selectOption("announcement");
  await ana.presses("Save");
  await ben.sees("Only the owner and admins can post in this group.");
  await ben.page.getByRole("textbox", { name: /Message/ }).waitFor({ state: "hidden" });
  await ana.presses("Ben");
  await ana.presses("Make admin");
  await ana.confirms("Make admin");
  await ben.page.getByRole("textbox", { name: /Message/ }).waitFor();
});
