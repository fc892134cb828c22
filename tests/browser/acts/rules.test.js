/**
 * Rules of a group: the owner makes one and tries it, and a member's message waits for approval. Rules of the
 * operators: an admin makes, tries, switches off and deletes one, and a message of another person is refused.
 */

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
  await ana.presses("Switch off the rule Sales");
  await rules.getByText("Off", { exact: true }).waitFor();
  await ana.presses("Delete the rule Sales");
  await ana.confirms("Delete");
  await rules.getByText("Sales").waitFor({ state: "hidden" });
});

test("a rule of an operator refuses a message in a group, made on a phone", async (t) => {
  const world = await World.startEmpty(t);
  const ana = await world.visitor("Ana", { phone: true, path: "/setup" });
  const { page } = ana;
  await ana.fills({ "Your name": "Ana", Email: ana.email, Password: ana.password });
  await ana.presses("Create account");
  await page.getByRole("link", { name: "Skip" }).click();
  await ana.isConnected();
  await page.setViewportSize({ width: 360, height: 640 });
  const [ben, cara] = await world.people("Ben", "Cara");
  await ben.hasGroup("Climbers", cara);
  await ben.opens("Climbers");
  await ana.visits("/admin");
  await page.getByRole("link", { name: "Rules" }).press("Enter");
  await ana.sees("There is no rule yet.");
  await ana.presses("Add a rule…");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Sales");
  await dialog.getByRole("textbox", { name: "Words, one on each line" }).fill("sell*");
  await dialog.getByLabel("Text for the author (optional)").fill("No sales here.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await ana.sees("Enter a reason.");
  await dialog.getByLabel("Reason").fill("many complaints");
  await dialog.getByRole("button", { name: "Save" }).click();
  const rules = page.getByRole("region", { name: "Rules" });
  await rules.getByText("Refuse the message").waitFor();
  await ana.presses("Try a text…");
  await dialog.getByLabel("Text", { exact: true }).fill("Selling ropes");
  await dialog.getByRole("button", { name: "Try", exact: true }).click();
  await ana.sees("Matched by: Sales");
  await page.keyboard.press("Escape");
  await ben.writes("I sell ropes");
  await ben.sees("No sales here.");
  await becomes(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await ana.presses("Switch off the rule Sales");
  await dialog.getByLabel("Reason").fill("for a day");
  await dialog.getByRole("button", { name: "Switch off" }).click();
  await rules.getByText("Off", { exact: true }).waitFor();
  await ana.presses("Delete the rule Sales");
  await dialog.getByLabel("Reason").fill("it went well");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await ana.sees("There is no rule yet.");
  await page.getByRole("link", { name: "Audit log" }).click();
  await ana.sees("Rule deleted");
  await ana.sees("it went well");
});
