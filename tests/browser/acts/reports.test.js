/** Reports: of messages to the owner of a group, and of chats, people and groups to the operators. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
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

/** Fills in the window for a report and sends it. */
async function reportsIt(/** @type {Person} */ person, /** @type {string} */ words) {
  await person.page.getByLabel("What is wrong with it?").selectOption("Harassment or insults");
  await person.sees("The operators of this server read this, and who reported it.");
  await person.page.getByLabel("More about it (optional)").fill(words);
  await person.confirms("Report");
  await person.sees("Reported to the operators of this server.");
}

test("reports of a chat, a person and a group reach the operators, who resolve them", async (t) => {
  const world = await World.startEmpty(t);
  const ada = await world.visitor("Ada", { path: "/setup" });
  await ada.fills({ "Your name": "Ada", Email: ada.email, Password: ada.password });
  await ada.presses("Create account");
  await ada.page.getByRole("link", { name: "Skip" }).click();
  await ada.isConnected();
  const [ana, ben] = [await world.person("Ana"), await world.person("Ben")];
  const climbers = await ana.hasGroup("Climbers", ben);
  await ana.says(climbers, "you fool");
  await ben.opens("Climbers");
  await ben.takes(ben.line("you fool"), "Report…");
  await reportsIt(ben, "in the group");
  await ben.opensMembers();
  await ben.presses("Report Climbers");
  await reportsIt(ben, "all of it");
  await ben.page
    .getByRole("complementary", { name: "Details" })
    .getByRole("button", { name: /^Ana/ })
    .click();
  await ben.presses("Report Ana");
  await reportsIt(ben, "the person");
  await ada.page.setViewportSize({ width: 320, height: 640 });
  await ada.visits("/admin");
  await ada.page.getByRole("link", { name: "Reports" }).click();
  const rows = ada.page.getByRole("region", { name: "Reports" }).getByRole("listitem");
  await becomes(() => rows.count(), 3);
  await becomes(() => ada.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  const message = rows.filter({ hasText: "Message of Ana" });
  await message.getByRole("button", { name: "Read the report about Ana" }).click();
  const dialog = ada.page.getByRole("dialog");
  await dialog.getByText("you fool").waitFor();
  await dialog.getByText("in the group").waitFor();
  await becomes(() => ada.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await dialog.getByLabel("What to do").selectOption("Delete the message");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await ada.sees("Enter a reason.");
  await dialog.getByLabel("Reason").fill("an insult");
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.waitFor({ state: "hidden" });
  await becomes(() => rows.count(), 2);
  await ben.sees("The operators of this server looked at your report.");
  await ben.sees("This message was removed");
  await ada.page.getByLabel("State of the reports").selectOption("Resolved");
  await rows.filter({ hasText: "Message deleted · Ada · an insult" }).waitFor();
});
