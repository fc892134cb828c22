/** Reports of messages: a member reports one, and the owner resolves it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const reports = (/** @type {Person} */ person) =>
  person.page.getByRole("complementary", { name: "Details" }).getByRole("region", { name: "Reports" });

test("a report reaches the owner, who deletes the message", async (t) => {
  const world = await World.start(t);
  const [ana, ben, cara] = await world.people("Ana", "Ben", "Cara");
  const climbers = await ana.hasGroup("Climbers", ben, cara);
  await ben.says(climbers, "cheap ropes");
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await cara.opens("Climbers");
  await cara.reads("rope at six");
  assert.equal(await cara.mayTake(cara.line("rope at six"), "Report…"), false);
  await cara.takes(cara.line("cheap ropes"), "Report…");
  await cara.page.getByLabel("What is wrong with it?").selectOption("Spam");
  await cara.page.getByLabel("More about it (optional)").fill("third time today");
  await cara.confirms("Report");
  const shown = reports(ana);
  await shown.getByText("cheap ropes").waitFor();
  await shown.getByText("Spam").waitFor();
  await shown.getByText("third time today").waitFor();
  await ana.presses("Resolve the report about Ben");
  await ana.page.getByLabel("What to do").selectOption("Delete the message");
  await ana.confirms("Resolve");
  await shown.waitFor({ state: "hidden" });
  await cara.sees("Ana deleted a message.");
});
