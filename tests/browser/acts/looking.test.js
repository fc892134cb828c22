/** Where the device chooses the colours, and where one reads from right to left. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** How something is drawn, as the browser works it out. */
const drawn = (
  /** @type {Person} */ person,
  /** @type {string} */ selector,
  /** @type {string} */ property,
) =>
  person.page
    .locator(selector)
    .first()
    .evaluate((node, name) => getComputedStyle(node).getPropertyValue(name), property);

test("with the device's own colours, edges say what backgrounds say elsewhere", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.page.emulateMedia({ forcedColors: "active" });
  await ben.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.reads("rope at six");
  await becomes(() => drawn(ana, ".bubble", "border-top-width"), "1px");
  await becomes(() => drawn(ana, ".composer-send", "border-top-style"), "solid");
  await becomes(() => drawn(ana, ".composer-field", "border-top-width"), "1px");
  await becomes(() => drawn(ana, ".group[aria-current]", "outline-style"), "solid");
  await ana.writes("coming");
  await ana.knowsItIsSent("coming");
  await becomes(() => drawn(ana, ".mine .bubble", "border-top-width"), "2px");
});

test("signs that point along the line of reading turn where it runs from right to left", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const send = () => drawn(ana, ".composer .icon-send", "transform");
  await becomes(send, "none");
  await ana.page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  await becomes(send, "matrix(-1, 0, 0, 1, 0, 0)");
});
