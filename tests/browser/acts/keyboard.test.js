/** The whole way with the keyboard only, and what is said to those who listen. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const focused = (/** @type {Person} */ person) => person.page.locator(":focus");

/** What a screen reader would call the focused element; empty when nothing has the focus. */
const focusedName = (/** @type {Person} */ person) =>
  person.page.evaluate(() => {
    const node = document.activeElement;
    return node === document.body
      ? ""
      : (node?.getAttribute("aria-label") ?? node?.textContent?.trim() ?? "");
  });

/** Presses Tab until the focus is on what has this label; a person would not go on for ever either. */
async function tabsTo(/** @type {Person} */ person, /** @type {string} */ label) {
  for (let presses = 0; presses < 40; presses += 1) {
    await person.page.keyboard.press("Tab");
    const name = await focusedName(person);
    if (name.startsWith(label)) return;
  }
  assert.fail(`Tab never came to ${label}`);
}

async function showsFocus(/** @type {Person} */ person) {
  const style = () => focused(person).evaluate((node) => getComputedStyle(node).outlineStyle);
  await becomes(async () => (await style()) !== "none", true, "one sees where the focus is");
}

test("the main actions work without a mouse", async (t) => {
  const world = await World.start(t);
  const ana = await world.visitor("Ana");
  const { keyboard } = ana.page;
  await tabsTo(ana, "Create an account");
  await showsFocus(ana);
  await keyboard.press("Enter");
  await keyboard.type("Ana");
  await keyboard.press("Tab");
  await keyboard.type(ana.email);
  await keyboard.press("Tab");
  await keyboard.type(ana.password);
  await keyboard.press("Enter");
  await ana.isConnected();

  await tabsTo(ana, "New group");
  await showsFocus(ana);
  await keyboard.press("Enter");
  await ana.page.getByRole("dialog", { name: "New group" }).waitFor();
  await keyboard.type("Climbers");
  await keyboard.press("Enter");
  await ana.isReading("Climbers");
  await ana.page.waitForFunction(() => document.activeElement?.matches("textarea"));
  await keyboard.type("rope at six");
  await keyboard.press("Enter");
  await ana.knowsItIsSent("rope at six");

  await tabsTo(ana, "Details");
  await keyboard.press("Enter");
  await ana.page.waitForFunction(() => document.activeElement?.closest("aside") !== null);
  await tabsTo(ana, "Add someone");
  await keyboard.press("Enter");
  await ana.page.getByRole("dialog", { name: "Add to Climbers" }).waitFor();
  await keyboard.press("Escape");
  await ana.page.getByRole("dialog").waitFor({ state: "detached" });
  await becomes(() => focused(ana).textContent(), "Add someone");
  await keyboard.press("Escape");
  await ana.page.getByRole("complementary").waitFor({ state: "hidden" });
  await becomes(() => focused(ana).getAttribute("aria-label"), "Details");

  await tabsTo(ana, "Log out");
  await keyboard.press("Enter");
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
});

test("the arrow keys walk through the groups", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.hasGroup("Book club");
  await ana.inList("Book club").waitFor();
  await ana.inList("Climbers").waitFor();
  const first = ana.page.getByRole("listitem").first().getByRole("link");
  await first.focus();
  await ana.page.keyboard.press("ArrowDown");
  await becomes(() => first.evaluate((node) => node === document.activeElement), false);
  await ana.page.keyboard.press("ArrowUp");
  await becomes(() => first.evaluate((node) => node === document.activeElement), true);
});

test("the arrow up in an empty field edits one's newest message", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ben.says(climbers, "fine");
  await ana.opens("Climbers");
  await ana.reads("fine");
  await ana.composer.fill("o");
  await ana.composer.press("ArrowUp");
  await becomes(() => ana.page.getByRole("dialog").count(), 0, "what is written has lines of its own");
  await ana.composer.fill("");
  await ana.composer.press("ArrowUp");
  await ana.page.getByRole("dialog", { name: "Edit message" }).waitFor();
  await ana.page.keyboard.type(" sharp");
  await ana.page.keyboard.press("Enter");
  await ana.hasRead("rope at six sharp", "fine");
  await becomes(() => focused(ana).getAttribute("aria-label"), "Message to Climbers");
});

test("the page has landmarks, and new messages are spoken", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club", ben);
  await ben.opens("Climbers");
  for (const landmark of /** @type {const} */ (["main", "navigation"])) {
    await becomes(() => ben.page.getByRole(landmark).count(), 1, landmark);
  }
  const spoken = ben.page.getByRole("log", { name: "New messages" });
  await ana.says(climbers, "rope at six");
  await spoken.getByText("Ana: rope at six", { exact: true }).waitFor({ state: "attached" });
  await ana.says(book, "chapter four");
  await spoken.getByText("In Book club, Ana: chapter four").waitFor({ state: "attached" });
});

test("every control has a name", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.createsGroup("Climbers");
  await ana.opensMembers();
  const nameless = await ana.page.locator("button, a, input, textarea").evaluateAll((nodes) =>
    nodes
      .filter((node) => {
        const label = /** @type {HTMLInputElement} */ (node).labels?.[0]?.textContent;
        return !(node.getAttribute("aria-label") || label || node.textContent?.trim());
      })
      .map((node) => node.outerHTML),
  );
  assert.deepEqual(nameless, []);
});

test("the day of a message shows by pointer, keyboard and touch", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const ben = await world.person("Ben", { phone: true });
  const climbers = await ana.hasGroup("Climbers", ben);
  const { created_at: at } = await ana.says(climbers, "rope at six");
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "full",
    timeStyle: "short",
    timeZone: "Europe/Lisbon",
  });
  const day = format.format(at * 1000);
  await ana.opens("Climbers");
  const time = ana.line("rope at six").locator("time");
  await becomes(() => time.getAttribute("title"), day);
  const shown = (/** @type {import("playwright-core").Locator} */ place) =>
    place.evaluate((node) => getComputedStyle(node, "::after").content);
  await becomes(() => shown(time), "none");

  // Tab goes to what acts; from there the time is beside it.
  await ana.page.getByRole("log", { name: "Messages", exact: true }).focus();
  await ana.page.keyboard.press("Tab");
  await focused(ana)
    .and(ana.page.getByRole("button", { name: "React" }))
    .waitFor();
  await ana.page.keyboard.press("ArrowLeft");
  await focused(ana).and(time).waitFor();
  await becomes(() => shown(time), JSON.stringify(day));
  await ana.page.keyboard.press("ArrowRight");
  await becomes(() => shown(time), "none");

  await ben.opens("Climbers");
  const his = ben.line("rope at six").locator("time");
  await his.tap();
  await becomes(() => shown(his), JSON.stringify(day));
});
