/** People react and write with any emoji, found by a word, by its kind, or again. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** The window, with all emoji. */
async function picker(/** @type {Person} */ person) {
  const dialog = person.page.getByRole("dialog");
  await dialog.getByRole("region", { name: "Flags" }).waitFor({ state: "attached" });
  return dialog;
}

/** Takes the one that climbs. */
async function takesClimber(/** @type {import("playwright-core").Locator} */ dialog) {
  await dialog.getByRole("searchbox", { name: "Search emoji" }).fill("climb");
  await dialog.getByRole("button", { name: "person climbing", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

test("a searched emoji reacts and then appears first", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six"), "React");
  const dialog = await picker(ben);
  await takesClimber(dialog);
  await ben.hears("rope at six", "🧗, 1: You");
  await ben.pressesAt(ben.line("rope at six"), "React");
  const recent = (await picker(ben)).getByRole("region", { name: "Recently used" });
  await recent.getByRole("button", { name: "person climbing", exact: true }).waitFor();
  await becomes(() => recent.getByRole("button").count(), 8, "usual ones fill up the row");
});

test("an emoji is put where one writes, by the keyboard alone", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.composer.fill("rope at six");
  await ana.composer.evaluate((/** @type {HTMLTextAreaElement} */ node) => node.setSelectionRange(4, 4));
  await ana.page.getByRole("button", { name: "Add an emoji" }).press("Enter");
  const dialog = await picker(ana);
  await ana.page.keyboard.type("fire");
  await ana.page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await becomes(() => ana.composer.inputValue(), "rope🔥 at six");
  await ana.composer.and(ana.page.locator(":focus")).waitFor();
  await ana.page.getByRole("button", { name: "Add an emoji" }).press("Enter");
  await picker(ana);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"]) await ana.page.keyboard.press(key);
  await dialog.waitFor({ state: "detached" });
  // Below what was used last stand the smileys, from the first.
  await becomes(() => ana.composer.inputValue(), "rope🔥😃 at six");
  await ana.page.keyboard.press("Enter");
  await ana.reads("rope🔥😃 at six");
});

test("without a network the usual ones are there, and all of them once it is back", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const lists = /\/emoji\//;
  await ana.page.route(lists, (route) => route.abort());
  await ana.presses("Add an emoji");
  await ana.sees("The other emoji could not be loaded.");
  await ana.page.getByRole("dialog").getByRole("button", { name: "🔥", exact: true }).click();
  await becomes(() => ana.composer.inputValue(), "🔥");
  await ana.page.unroute(lists);
  await ana.presses("Add an emoji");
  await picker(ana);
});

test("a chosen skin tone applies to reactions and texts", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  await ben.pressesAt(ben.line("rope at six"), "React");
  const dialog = await picker(ben);
  await dialog.getByRole("button", { name: "Skin tone", exact: true }).click();
  await dialog.getByRole("button", { name: "Medium skin tone", exact: true }).click();
  await takesClimber(dialog);
  await ben.hears("rope at six", "🧗🏽, 1: You");
  // This device remembers it; a face has none.
  await ben.page.reload();
  await ben.presses("Add an emoji");
  await picker(ben);
  const tone = dialog.getByRole("button", { name: "Skin tone", exact: true });
  await becomes(() => tone.innerText(), "✋🏽");
  const people = dialog.getByRole("region", { name: "People", exact: true });
  await becomes(() => people.getByRole("button", { name: "woman climbing" }).innerText(), "🧗🏽‍♀️");
  const faces = dialog.getByRole("region", { name: "Smileys and emotions" });
  await becomes(() => faces.getByRole("button", { name: "grinning face", exact: true }).innerText(), "😀");
  await people.getByRole("button", { name: "waving hand", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await becomes(() => ben.composer.inputValue(), "👋🏽");
  // What was chosen before stays as it was when another tone is chosen.
  await ben.presses("Add an emoji");
  await picker(ben);
  await tone.press("Enter");
  await dialog.getByRole("button", { name: "No skin tone", exact: true }).press("Enter");
  await becomes(() => people.getByRole("button", { name: "waving hand", exact: true }).innerText(), "👋");
  const recent = dialog.getByRole("region", { name: "Recently used" });
  await becomes(async () => (await recent.getByRole("button").allInnerTexts()).join(" "), /^👋🏽 🧗🏽 /u);
});
