/** Where the device chooses the colours, where one reads from right to left, and on a phone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { png } from "../paint.js";
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

/** Whether something has more pixels from side to side than these. */
const isWider = async (/** @type {import("playwright-core").Locator} */ what, /** @type {number} */ pixels) =>
  ((await what.boundingBox())?.width ?? 0) > pixels;

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

test("the accent that is chosen colours this device, at once and from then on", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.writes("coming");
  await ana.knowsItIsSent("coming");
  const bubble = () => drawn(ana, ".mine .bubble", "background-color");
  const teal = await bubble();
  await ana.visits("/#/account");
  await ana.page.getByLabel("Accent colour").selectOption("Violet");
  await becomes(() => violations(ana), []);
  await ana.visits("/#/");
  await ana.opens("Climbers");
  await becomes(async () => (await bubble()) === teal, false);
  await becomes(() => violations(ana), []);
});

test("directional icons mirror from right to left", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  const send = () => drawn(ana, ".composer > .composer-send .icon-send", "transform");
  await becomes(send, "none");
  await ana.page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  await becomes(send, "matrix(-1, 0, 0, 1, 0, 0)");
});

test("on a phone words have the room, and what can be done comes by touch", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  await ana.hasGroup("Climbers");
  await ana.opens("Climbers");
  const title = ana.page.getByRole("heading", { name: "Climbers", level: 2 });
  await becomes(() => isWider(title, 120), true, "the head has room for the name");
  const words = "I will drive, three seats are free, and the rope lies in the car";
  await ana.writes(words);
  await ana.knowsItIsSent(words);
  const line = ana.page.locator(".line", { hasText: words });
  await becomes(() => isWider(line.locator(".bubble"), 240), true, "it takes most of 390 pixels");
  const acts = () => drawn(ana, ".line .line-acts", "pointer-events");
  await becomes(acts, "none");
  // What is not to be seen has no colour: with an opacity, each would be a layer of its own.
  const reply = (/** @type {string} */ what) => drawn(ana, '.line-acts [data-control="answer"]', what);
  await becomes(() => reply("opacity"), "1");
  await becomes(() => reply("color"), "rgba(0, 0, 0, 0)");
  await line.getByText(words).tap();
  await becomes(acts, "auto");
  await becomes(async () => (await reply("color")) === "rgba(0, 0, 0, 0)", false);
  await line.getByRole("button", { name: "Reply" }).tap();
  await ana.page.getByRole("button", { name: "Do not reply" }).waitFor();
});

test("while one writes several lines, the end of the conversation stays in view", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.page.setViewportSize({ width: 320, height: 640 });
  for (let at = 1; at <= 15; at += 1) await ben.says(climbers, `line ${at}`);
  await ana.visits(`/#/groups/${climbers.id}`);
  const log = ana.page.getByRole("log", { name: "Messages", exact: true });
  await ana.reads("line 15");
  await log.press("End");
  const belowTheEnd = () =>
    log.evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight));
  await becomes(belowTheEnd, 0);
  const height = () => ana.composer.evaluate((node) => node.clientHeight);
  const oneLine = await height();
  // What is suggested takes one line too, however little room there is.
  assert.ok(oneLine < 50, `${oneLine} pixels`);
  await ana.composer.fill("one\ntwo\nthree");
  await becomes(async () => (await height()) > oneLine + 40, true);
  await becomes(belowTheEnd, 0);
  await ana.composer.press("End");
  await ana.composer.pressSequentially(" and more");
  await becomes(() => ana.composer.inputValue(), "one\ntwo\nthree and more");
  await becomes(belowTheEnd, 0);
});

test("a message of nothing but a picture has its time on the picture", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  const headers = { "X-Access-Token": ben.token };
  const body = new Blob([new Uint8Array(png(300, 200, Buffer.alloc(200 * 901)))], { type: "image/png" });
  const answer = await fetch(`${ana.world.server.url}/pictures`, { method: "POST", headers, body });
  const { url } = (await answer.json()).payload;
  const message = { source_guid: crypto.randomUUID(), text: null, attachments: [{ type: "image", url }] };
  await ben.call("POST", `/v3/groups/${climbers.id}/messages`, { message });
  await ana.opens("Climbers");
  const bubble = ana.page.locator(".bubble", { has: ana.page.locator(".picture") });
  const inside = () =>
    bubble.evaluate((node) => {
      const picture = /** @type {Element} */ (node.querySelector("img")).getBoundingClientRect();
      const time = /** @type {Element} */ (node.querySelector(".meta")).getBoundingClientRect();
      return time.bottom <= picture.bottom && time.right <= picture.right && time.top > picture.top;
    });
  await becomes(inside, true);
});

test("the replied message shows above the field", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ana.page.setViewportSize({ width: 2560, height: 900 });
  await ben.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.pressesAt(ana.line("rope at six"), "Reply");
  await ana.page.getByRole("button", { name: "Do not reply" }).waitFor();
  const sides = (/** @type {string} */ selector) =>
    ana.page.locator(selector).evaluate((node) => {
      const { left, right } = node.getBoundingClientRect();
      return [Math.round(left), Math.round(right)];
    });
  await becomes(() => sides(".reply-bar"), await sides(".composer"));
});

test("each button of a share link says its word in one line", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.call("POST", `/v3/groups/${climbers.id}/update`, { share: true });
  await ana.visits(`/#/groups/${climbers.id}/members`);
  const heights = () =>
    ana.page.locator(".share-row .button").evaluateAll((all) => all.map((node) => node.clientHeight < 50));
  await becomes(heights, [true, true, true]);
});
