/** The directory: the owner lists the group, a stranger finds it, asks to join, withdraws, asks again and joins. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

test("a stranger finds a listed group and joins it", async (t) => {
  const world = await World.start(t);
  const [ana, dan] = await world.people("Ana", "Dan");
  await ana.hasGroup("Climbers");

  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Name and description");
  const settings = ana.page.getByRole("dialog");
  await settings.getByLabel("List the group in the directory").check();
  await settings.getByLabel("Approve new members").check();
  await settings.getByRole("button", { name: "Save", exact: true }).click();
  await ana.sees("Ana listed the group in the directory.");

  await dan.presses("Find groups");
  const finder = dan.page.getByRole("dialog", { name: "Find groups" });
  await finder.getByLabel("Name or description").fill("divers");
  await finder.getByText("No groups found.").waitFor();
  await finder.getByLabel("Name or description").fill("CLIMB");
  const asks = finder.getByRole("button", { name: "Ask to join Climbers" });
  await asks.waitFor();
  for (const width of [320, 1280]) {
    await dan.page.setViewportSize({ width, height: 800 });
    await becomes(() => cutOff(dan), [], `directory at ${width}`);
  }
  await becomes(() => violations(dan), [], "directory");
  await asks.click();
  const question = dan.page.getByRole("dialog", { name: "Join this group?" });
  await question.getByText("The owner or an admin decides whether you join.").waitFor();
  await question.getByRole("button", { name: "Ask to join" }).click();
  await dan.sees("You asked to join. You are in once the owner or an admin approves.");

  await dan.presses("Find groups");
  const own = finder.getByRole("list", { name: "Your requests to join" });
  await own.getByRole("button", { name: "Withdraw your request to join Climbers" }).click();
  await becomes(() => own.getByRole("listitem").count(), 0);
  await finder.getByRole("button", { name: "Ask to join Climbers" }).waitFor();
  await finder.getByRole("button", { name: "Close" }).click();

  await ana.presses("Name and description");
  await settings.getByLabel("Approve new members").uncheck();
  await settings.getByRole("button", { name: "Save", exact: true }).click();
  await ana.sees("Ana switched approval of new members off.");
  await dan.presses("Find groups");
  await finder.getByRole("button", { name: "Join Climbers" }).click();
  await question.getByRole("button", { name: "Join the group" }).click();
  await ana.sees("Dan has joined the group.");
  await dan.opens("Climbers");
});
