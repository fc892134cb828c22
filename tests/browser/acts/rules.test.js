/** Rules of a group: the owner makes one and tries it, and a member's message waits for approval. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const section = (/** @type {Person} */ person, /** @type {string} */ name) =>
  person.page.getByRole("complementary", { name: "Details" }).getByRole("region", { name });

test("a rule holds a message until the owner approves it", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.opensMembers();
  await ana.presses("Add a rule…");
  await ana.page.getByLabel("Name", { exact: true }).fill("Sales");
  await ana.page.getByRole("textbox", { name: "Words, one on each line" }).fill("sell*\nauction");
  await ana.page.getByLabel("What happens").selectOption("Hold the message until it is approved");
  await ana.confirms("Save");
  const rules = section(ana, "Rules");
  await rules.getByText("Hold the message until it is approved").waitFor();
  await ana.presses("Try a text…");
  await ana.page.getByLabel("Text", { exact: true }).fill("Selling ropes");
  await ana.page.getByRole("dialog").getByRole("button", { name: "Try", exact: true }).click();
  await ana.sees("Matched by: Sales");
  await ana.page.keyboard.press("Escape");
  await ben.writes("I sell ropes");
  await ben.sees("This message waits for approval.");
  const held = section(ana, "Waiting for approval");
  await held.getByText("I sell ropes").waitFor();
  await ana.presses("Approve the message of Ben");
  await held.waitFor({ state: "hidden" });
  await ana.reads("I sell ropes");
  await ben.page.getByText("This message waits for approval.").waitFor({ state: "hidden" });
  await becomes(async () => (await ben.texts()).filter((text) => text === "I sell ropes"), ["I sell ropes"]);
  await ana.presses("Switch the rule Sales off");
  await rules.getByText("Off", { exact: true }).waitFor();
  await ana.presses("Delete the rule Sales");
  await ana.confirms("Delete");
  await rules.getByText("Sales").waitFor({ state: "hidden" });
});
