/** The actions of messages: the bar, the menu by pointer, keys and fingers, and the selection of several. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */
/** @typedef {import("playwright-core").Locator} Locator */

const menu = (/** @type {Person} */ { page }) => page.getByRole("menu", { name: "Message actions" });
const action = (/** @type {Person} */ person, /** @type {string} */ name) =>
  menu(person).getByRole("menuitem", { name, exact: true });

/** Whether the bar of a line can be seen. */
const isShown = (/** @type {Locator} */ line) =>
  line
    .getByRole("button", { name: "More actions" })
    .evaluate((node) => getComputedStyle(node).color !== "rgba(0, 0, 0, 0)");

test("the bar shows on the message under the pointer or with the focus", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  for (const text of ["one", "two"]) await ana.says(climbers, text);
  await ana.opens("Climbers");
  await ana.composer.hover();
  await becomes(() => isShown(ana.line("one")), false);
  await ana.line("one").hover();
  await becomes(() => isShown(ana.line("one")), true);
  await becomes(() => isShown(ana.line("two")), false);
  await becomes(() => ana.line("one").locator(".line-acts").getByRole("button").count(), 3);
  await ana.composer.hover();
  await ana.page.getByRole("log", { name: "Messages", exact: true }).focus();
  await ana.page.keyboard.press("Tab");
  await becomes(() => isShown(ana.line("two")), true);
  await becomes(() => isShown(ana.line("one")), false);
});

test("a right-click opens the menu, and Escape and Back close it", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.line("rope at six").locator(".bubble").click({ button: "right" });
  await action(ana, "Reply in thread").waitFor();
  await ana.page.keyboard.press("Escape");
  await menu(ana).waitFor({ state: "detached" });
  await ana.line("rope at six").locator(".bubble").click({ button: "right" });
  await menu(ana).waitFor();
  await becomes(() => ana.page.evaluate(() => history.state.windows), 1);
  await ana.page.goBack();
  await menu(ana).waitFor({ state: "detached" });
  await ana.isReading("Climbers");
});

test("arrows walk through the menu, and letters lead to actions", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  const more = ana.line("rope at six").getByRole("button", { name: "More actions" });
  await more.focus();
  const { keyboard } = ana.page;
  const hasFocus = (/** @type {Locator} */ item) => item.and(ana.page.locator(":focus")).waitFor();
  await keyboard.press("Enter");
  const quick = menu(ana).getByRole("menuitemcheckbox");
  await hasFocus(quick.first());
  await becomes(() => quick.count(), 6);
  await keyboard.press("ArrowRight");
  await hasFocus(quick.nth(1));
  await keyboard.press("ArrowDown");
  await hasFocus(action(ana, "More reactions…"));
  await keyboard.press("ArrowUp");
  await hasFocus(quick.first());
  await keyboard.press("ArrowUp");
  await hasFocus(action(ana, "Delete"));
  await keyboard.press("p");
  await hasFocus(action(ana, "Pin"));
  await keyboard.press("Tab");
  await menu(ana).waitFor({ state: "detached" });
  await hasFocus(more);
});

test("a quick reaction is marked as mine and taken back", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await ben.takes(ben.line("rope at six"), "👍");
  await ana.hears("rope at six", "👍, 1: Ben");
  const mine = (await ben.opensMenu(ben.line("rope at six"))).getByRole("menuitemcheckbox", { name: "👍" });
  await becomes(() => mine.getAttribute("aria-checked"), "true");
  await mine.click();
  await ana.line("rope at six").locator(".reaction").waitFor({ state: "detached" });
});

test("an answer from the menu goes into the thread of its message", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six?");
  await ana.opens("Climbers");
  await ana.takes(ana.line("rope at six?"), "Reply in thread");
  const field = ana.page.getByRole("textbox", { name: "Write a reply" });
  await field.fill("with chalk");
  await field.press("Enter");
  await ana.page.getByRole("button", { name: "1 reply", exact: true }).waitFor();
});

/** Fingers on the page: where they are, at each step. */
async function fingers(/** @type {Person} */ { page }) {
  const devtools = await page.context().newCDPSession(page);
  return (
    /** @type {"touchStart" | "touchMove" | "touchEnd"} */ type,
    /** @type {{ x: number, y: number }[]} */ ...touchPoints
  ) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
}

async function onPhone(/** @type {import("node:test").TestContext} */ t) {
  const world = await World.start(t);
  const ben = await world.person("Ben", { phone: true });
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ana.says(climbers, "rope at six");
  await ben.opens("Climbers");
  const bubble = ben.line("rope at six").locator(".bubble");
  await bubble.waitFor();
  const at = await bubble.evaluate((node) => {
    const { left, top } = node.getBoundingClientRect();
    return { x: left + 20, y: top + 16 };
  });
  return { ana, ben, climbers, bubble, at, touches: await fingers(ben) };
}

test("a long press opens a sheet, which a press beside it closes", async (t) => {
  const { ben, at, touches } = await onPhone(t);
  await touches("touchStart", at);
  await action(ben, "Copy text").waitFor();
  await touches("touchEnd");
  await becomes(() => ben.page.locator(".menu-sheet .menu-message").innerText(), /rope at six/);
  await ben.page.touchscreen.tap(100, 40);
  await menu(ben).waitFor({ state: "detached" });
});

/** Taps twice, 100 ms apart by the times of the touches, however slowly the browser receives them. */
async function tapsTwice(/** @type {Person} */ { page }, /** @type {{ x: number, y: number }} */ at) {
  const devtools = await page.context().newCDPSession(page);
  const began = Date.now() / 1000;
  const steps = /** @type {const} */ (["touchStart", "touchEnd", "touchStart", "touchEnd"]);
  const sent = steps.map((type, step) => {
    const touchPoints = type === "touchStart" ? [at] : [];
    const timestamp = began + step * 0.05;
    return devtools.send("Input.dispatchTouchEvent", { type, touchPoints, timestamp });
  });
  await Promise.all(sent);
}

test("two taps give a heart", async (t) => {
  const { ana, ben, at } = await onPhone(t);
  await ana.opens("Climbers");
  await tapsTwice(ben, at);
  await ana.hears("rope at six", "❤️, 1: Ben");
  await ben.hears("rope at six", "❤️, 1: You");
});

test("a swipe replies, and a short one does not", async (t) => {
  const { ben, at, touches } = await onPhone(t);
  const swipes = async (/** @type {number} */ far) => {
    await touches("touchStart", at);
    for (let by = 8; by <= far; by += 8) await touches("touchMove", { x: at.x + by, y: at.y });
    await touches("touchEnd");
  };
  const given = ben.page.getByRole("button", { name: "Do not reply" });
  await swipes(32);
  await becomes(() => ben.page.locator(".line-swipe").count(), 0);
  await becomes(() => given.count(), 0);
  await swipes(96);
  await given.waitFor();
});

/** The messages from Ben and Ana are selected, both and no other. */
async function selects(/** @type {Person} */ person) {
  await person.takes(person.line("rope at six"), "Select");
  const bar = person.page.getByRole("toolbar", { name: "Selected messages" });
  await bar.getByText("1 selected").waitFor();
  await person.line("and chalk").click();
  await bar.getByText("2 selected").waitFor();
  return bar;
}

test("selected messages are copied with names and times", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.says(climbers, "and chalk");
  await ana.opens("Climbers");
  const bar = await selects(ana);
  const times = await ana.page.locator(".line .meta time").allTextContents();
  await bar.getByRole("button", { name: "Copy", exact: true }).click();
  await ana.page.getByRole("status").filter({ hasText: "Text copied." }).waitFor();
  await bar.waitFor({ state: "detached" });
  await ana.composer.press("ControlOrMeta+V");
  await becomes(
    () => ana.composer.inputValue(),
    `Ben, ${times[0]}: rope at six\nAna, ${times[1]}: and chalk`,
  );
});

test("selected messages are forwarded in their order", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const book = await ana.hasGroup("Book club");
  await ben.says(climbers, "rope at six");
  await ana.says(climbers, "and chalk");
  await ana.opens("Climbers");
  const bar = await selects(ana);
  await bar.getByRole("button", { name: "Forward…" }).click();
  const window = ana.page.getByRole("dialog", { name: "Forward 2 messages" });
  await window.getByRole("option", { name: "Book club" }).click();
  await window.getByRole("button", { name: "Forward", exact: true }).click();
  await bar.waitFor({ state: "detached" });
  await becomes(async () => (await ana.call("GET", `/v3/groups/${book.id}`)).messages.count, 2);
  const texts = async () =>
    (await ana.call("GET", `/v3/groups/${book.id}/messages`)).messages.map(
      (/** @type {{ text: string }} */ { text }) => text,
    );
  await becomes(texts, ["and chalk", "rope at six"]);
});

test("selected messages are deleted if one may delete all of them", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.says(climbers, "and chalk");
  await ben.opens("Climbers");
  const his = await selects(ben);
  await his.getByRole("button", { name: "Copy", exact: true }).waitFor();
  await becomes(() => his.getByRole("button", { name: "Delete" }).count(), 0);
  await ben.page.keyboard.press("Escape");
  await his.waitFor({ state: "detached" });
  await ana.opens("Climbers");
  const hers = await selects(ana);
  await hers.getByRole("button", { name: "Delete" }).click();
  await ana.page.getByRole("dialog", { name: "Delete 2 messages?" }).waitFor();
  await ana.confirms("Delete");
  await hers.waitFor({ state: "detached" });
  await ben.line("This message was deleted").waitFor();
  await ben.line("An admin deleted this message").waitFor();
});

test("the keyboard selects, and another conversation ends the selection", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.hasGroup("Book club", ben);
  for (const text of ["one", "two", "three"]) await ana.says(climbers, text);
  await ana.opens("Climbers");
  await ana.takes(ana.line("three"), "Select");
  const bar = ana.page.getByRole("toolbar", { name: "Selected messages" });
  const box = (/** @type {string} */ text) =>
    ana.page.getByRole("checkbox", { name: `Select: You: ${text}`, exact: true });
  await box("three").and(ana.page.locator(":focus")).waitFor();
  await ana.page.keyboard.press("ArrowUp");
  await ana.page.keyboard.press("Space");
  await bar.getByText("2 selected").waitFor();
  await becomes(() => box("two").isChecked(), true);
  // A message that arrives meanwhile can be selected too.
  await ana.says(climbers, "four");
  await box("four").waitFor();
  await ana.opens("Book club");
  await bar.waitFor({ state: "detached" });
  await ana.opens("Climbers");
  await ana.reads("three");
  await becomes(() => ana.page.locator(".line-check").count(), 0);
  await becomes(() => ana.page.locator(".line-chosen").count(), 0);
});
