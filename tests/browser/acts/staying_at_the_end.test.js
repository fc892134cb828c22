/** The view of a conversation stays at its end until the reader moves it. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** How far the view is from the end, in pixels. */
const left = (/** @type {Person} */ { page }) =>
  page
    .locator(".timeline")
    .evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight));

/** Delays each answer about polls and events by another time, as a slow line does. */
async function slowCards(/** @type {Person} */ { page }) {
  let at = 0;
  await page.route(/\/v3\/(poll|conversations\/[^/]+\/events)/, async (route) => {
    at += 1;
    const response = await route.fetch();
    await page.evaluate(
      (frames) =>
        new Promise((resolve) => {
          const step = () => (frames-- > 0 ? requestAnimationFrame(step) : resolve(null));
          step();
        }),
      (at * 7) % 31,
    );
    await route.fulfill({ response });
  });
}

const poll = (/** @type {Person} */ person, /** @type {string} */ group, /** @type {string} */ subject) =>
  person.call("POST", `/v3/poll/${group}`, {
    subject,
    options: ["north", "south", "west", "roof"].map((title) => ({ title })),
    expiration: Math.floor(Date.now() / 1000) + 3_600,
    type: "single",
    visibility: "public",
  });

const event = (/** @type {Person} */ person, /** @type {string} */ group, /** @type {string} */ name) =>
  person.call("POST", `/v3/conversations/${group}/events/create`, {
    name,
    description: "Bring a rope.",
    start_at: "2100-05-15T09:00:00Z",
    end_at: "2100-05-15T17:00:00Z",
    is_all_day: false,
    timezone: "UTC",
    location: { name: "Car park" },
  });

test("cards that load late do not move the view away from the end", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 40; at += 1) await ana.says(climbers, `line ${at}`);
  for (let at = 1; at <= 3; at += 1) {
    await poll(ana, climbers.id, `Which wall, ${at}?`);
    await event(ana, climbers.id, `Wall ${at}`);
  }
  const book = await ana.hasGroup("Book club", ben);
  await ana.says(book, "chapter one");
  await ana.page.reload();
  await ana.isConnected();
  await slowCards(ana);
  for (let round = 0; round < 6; round += 1) {
    await ana.opens("Climbers");
    await becomes(() => ana.page.locator(".line .card:not(:empty)").count(), 6);
    await becomes(() => left(ana), 0);
    await ana.opens("Book club");
  }
});

test("a new event or poll comes into view at the end", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 40; at += 1) await ana.says(climbers, `line ${at}`);
  await slowCards(ana);
  await ana.opens("Climbers");
  await becomes(() => left(ana), 0);
  await event(ben, climbers.id, "North wall");
  await ana.page.locator(".line .card:not(:empty)").waitFor();
  await becomes(() => left(ana), 0);
  await poll(ben, climbers.id, "Which wall?");
  await becomes(() => ana.page.locator(".line .card:not(:empty)").count(), 2);
  await becomes(() => left(ana), 0);
});

test("content that shrinks and grows between two frames keeps the view at the end", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  for (let at = 1; at <= 40; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await becomes(() => left(ana), 0);
  for (const height of [300, 700]) {
    await ana.page.locator(".timeline").evaluate(async (node, height) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const block = document.createElement("div");
      node.firstElementChild?.append(block);
      for (const grown of [height, 0, height / 2, height]) {
        // Each step sends a scroll event that is handled after the next step.
        block.style.height = `${grown}px`;
        node.scrollTop = node.scrollHeight;
        await frame();
        block.style.height = `${grown + height}px`;
      }
    }, height);
    await becomes(() => left(ana), 0);
  }
});

test("wheel and keys leave the end despite later growth", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  for (let at = 1; at <= 60; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await becomes(() => left(ana), 0);
  const ways = [
    async () => {
      await ana.page.locator(".timeline").hover();
      await ana.page.mouse.wheel(0, -400);
    },
    () => ana.page.locator(".timeline").press("PageUp"),
  ];
  for (const [at, leave] of ways.entries()) {
    await leave();
    await ana.page.getByRole("button", { name: "Jump to the newest message" }).waitFor();
    await ben.says(climbers, `news ${at}`);
    await ana.sees("1 new message");
    await becomes(async () => (await left(ana)) > 100, true);
    await ana.page.getByRole("button", { name: "Jump to the newest message" }).click();
    await becomes(() => left(ana), 0);
  }
});
