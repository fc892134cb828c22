/** The sections of the account page, and what leads people on who have no conversation yet. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

const sections = (/** @type {Person} */ { page }) => page.getByRole("navigation", { name: "Sections" });
const current = (/** @type {Person} */ person) => () =>
  sections(person).locator("[aria-current]").allTextContents();

test("a button leads to each section of the account", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.visits("/#/account");
  await becomes(current(ana), ["Profile"]);
  await sections(ana).getByRole("button", { name: "Appearance" }).click();
  await ana.page.getByRole("heading", { name: "Appearance" }).and(ana.page.locator(":focus")).waitFor();
  await becomes(current(ana), ["Appearance"]);
  await becomes(() => violations(ana), []);
  await sections(ana).getByRole("button", { name: "Delete account" }).click();
  await becomes(current(ana), ["Delete account"]);
  // The page ends before this one reaches the upper edge.
  const names = await sections(ana).getByRole("button").allTextContents();
  const before = names[names.length - 2];
  await sections(ana).getByRole("button", { name: before, exact: true }).click();
  await becomes(current(ana), [before]);
  await ana.page.setViewportSize({ width: 320, height: 640 });
  const choice = sections(ana).getByRole("combobox", { name: "Sections" });
  await choice.selectOption("Appearance");
  await becomes(() => choice.inputValue(), "Appearance");
  const isInView = () =>
    ana.page
      .getByRole("heading", { name: "Appearance" })
      .evaluate((node) => node.getBoundingClientRect().top < 300);
  await becomes(isInView, true);
  await becomes(() => violations(ana), []);
});

test("a chosen section stays at its place while sections above it come and grow", async (t) => {
  const { ana } = await World.climbing(t);
  /** @type {() => void} */
  let answers = () => {};
  const held = new Promise((resolve) => {
    answers = () => resolve(undefined);
  });
  await ana.page.route(/\/auth\/tokens$/, async (route) => {
    await held;
    await route.continue();
  });
  await ana.visits("/#/account");
  await sections(ana).getByRole("button", { name: "Appearance" }).click();
  await becomes(current(ana), ["Appearance"]);
  const heading = ana.page.getByRole("heading", { name: "Appearance" });
  const top = () => heading.evaluate((node) => Math.round(node.getBoundingClientRect().top));
  const height = () => ana.page.locator(".account-body").evaluate((node) => node.scrollHeight);
  const [before, short] = [await top(), await height()];
  answers();
  await becomes(async () => (await height()) > short, true);
  await becomes(top, before);
  await becomes(current(ana), ["Appearance"]);
  // A person who scrolls on leaves it.
  await heading.hover();
  await ana.page.mouse.wheel(0, -10_000);
  await becomes(current(ana), ["Profile"]);
});

test("a new account is led to a group and to its profile", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.sees("Do you have an invitation link? Open it in this browser.");
  await becomes(() => violations(ana), []);
  await ana.page.getByRole("link", { name: "Set up your profile" }).click();
  await becomes(() => ana.page.getByLabel("Your name").inputValue(), "Ana");
  await ana.page.setViewportSize({ width: 320, height: 640 });
  await ana.visits("/#/");
  await ana.page.getByRole("button", { name: "Create a group" }).waitFor();
  await becomes(() => cutOff(ana), []);
});
