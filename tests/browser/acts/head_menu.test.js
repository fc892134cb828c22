/** The menu of the tools that do not fit beside the title of a conversation, with the pointer and with keys. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { covered, cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const LABELS = [
  "Search in this conversation",
  "Pinned messages",
  "Gallery",
  "Polls",
  "Events",
  "Notifications",
];

const more = (/** @type {Person} */ { page }) => page.getByRole("button", { name: "More", exact: true });
const menu = (/** @type {Person} */ { page }) => page.getByRole("menu", { name: "More", exact: true });
const items = (/** @type {Person} */ person) => menu(person).getByRole("menuitem");

const focused = (/** @type {Person} */ { page }) =>
  page.evaluate(() => {
    const node = document.activeElement;
    return node?.getAttribute("aria-label") ?? node?.textContent ?? "";
  });

async function inGroup(/** @type {import("node:test").TestContext} */ t, width = 720, height = 700) {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers of the great north wall and its car park", ben);
  await ana.page.setViewportSize({ width, height });
  await ana.visits(`/#/groups/${climbers.id}`);
  await more(ana).waitFor();
  return { ana, ben, climbers };
}

test("the menu has every tool with its label, at each narrow width", async (t) => {
  const { ana } = await inGroup(t);
  for (const [width, height] of [
    [320, 256],
    [320, 640],
    [390, 844],
    [540, 700],
    [720, 450],
  ]) {
    await ana.page.setViewportSize({ width, height });
    await becomes(() => ana.page.getByRole("button", { name: "Polls", exact: true }).count(), 0);
    await more(ana).click();
    await becomes(() => items(ana).allTextContents(), LABELS);
    const { PICTURES } = process.env;
    if (PICTURES) await ana.page.screenshot({ path: `${PICTURES}/menu-${width}x${height}.png` });
    await becomes(() => cutOff(ana), [], `${width}`);
    await becomes(() => violations(ana), [], `${width}`);
    await items(ana).last().click();
    const panel = ana.page.getByRole("complementary", { name: "Notifications", exact: true });
    await panel.getByRole("link", { name: "Close details" }).click();
    await panel.waitFor({ state: "hidden" });
    await becomes(() => focused(ana), "More");
    await becomes(() => covered(ana, ".head"), [], `${width}`);
  }
});

test("a chat has no polls in its menu", async (t) => {
  const { ana, ben } = await inGroup(t);
  await ben.writesTo(ana, "hello");
  await ana.inList(/^Ben/).click();
  await ana.isReading("Ben");
  await more(ana).click();
  await becomes(
    () => items(ana).allTextContents(),
    LABELS.filter((label) => label !== "Polls"),
  );
});

test("keys open the menu, move in it, choose and close it", async (t) => {
  const { ana } = await inGroup(t);
  const { keyboard } = ana.page;
  await more(ana).focus();
  await keyboard.press("Enter");
  await becomes(() => focused(ana), LABELS[0]);
  await becomes(() => more(ana).getAttribute("aria-expanded"), "true");
  for (const [key, label] of [
    ["ArrowDown", "Pinned messages"],
    ["ArrowDown", "Gallery"],
    ["End", "Notifications"],
    ["ArrowDown", "Search in this conversation"],
    ["ArrowUp", "Notifications"],
    ["Home", "Search in this conversation"],
    ["e", "Events"],
    ["p", "Pinned messages"],
    ["p", "Polls"],
  ]) {
    await keyboard.press(key);
    await becomes(() => focused(ana), label, key);
  }
  await keyboard.press("Escape");
  await becomes(() => menu(ana).count(), 0);
  await becomes(() => focused(ana), "More");
  await becomes(() => more(ana).getAttribute("aria-expanded"), "false");
  await keyboard.press("ArrowUp");
  await becomes(() => focused(ana), "Notifications");
  await keyboard.press("Tab");
  await becomes(() => menu(ana).count(), 0);
  await becomes(() => focused(ana), "Details");
  await more(ana).focus();
  await keyboard.press("ArrowDown");
  await becomes(() => focused(ana), LABELS[0]);
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await ana.page.getByRole("complementary", { name: "Pinned messages", exact: true }).waitFor();
});

test("the menu closes on an outside press or a wider window", async (t) => {
  const { ana } = await inGroup(t);
  await more(ana).click();
  await menu(ana).waitFor();
  await ana.composer.click();
  await becomes(() => menu(ana).count(), 0);
  await more(ana).click();
  await menu(ana).waitFor();
  await more(ana).click();
  await becomes(() => menu(ana).count(), 0);
  await more(ana).click();
  await menu(ana).waitFor();
  await ana.page.setViewportSize({ width: 1440, height: 800 });
  await becomes(() => menu(ana).count(), 0);
  await ana.page.getByRole("button", { name: "Polls", exact: true }).waitFor();
});
