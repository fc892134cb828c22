/** How the client feels: motion where something happens, none for those who want none, spacing and type. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** The duration of an animation of what matches, in milliseconds. */
const lasts = (/** @type {Person} */ person, /** @type {string} */ what) =>
  person.page
    .locator(what)
    .last()
    .evaluate((node) => Number.parseFloat(getComputedStyle(node).animationDuration) * 1000);

test("messages and reactions move as they come, and nothing moves for those who want none", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "who brings the rope?");
  await ana.opens("Climbers");
  await ana.reads("who brings the rope?");
  await becomes(() => ana.page.locator(".line-arrives").count(), 0, "nothing moves when it opens");
  await ben.says(climbers, "rope at six");
  await ana.page.locator(".line-arrives", { hasText: "rope at six" }).waitFor();
  await becomes(() => lasts(ana, ".line-arrives .bubble"), 180);
  const [{ id }] = (await ben.call("GET", `/v3/groups/${climbers.id}/messages?limit=1`)).messages;
  await ben.call("POST", `/v3/messages/${climbers.id}/${id}/like`);
  await ana.page.locator(".reaction-given").waitFor();
  await becomes(() => lasts(ana, ".reaction-given .reaction-sign"), 180);
  await ana.page.emulateMedia({ reducedMotion: "reduce" });
  await becomes(() => lasts(ana, ".reaction-given .reaction-sign"), 0);
  await ben.says(climbers, "and tea");
  await ana.page.locator(".line-arrives", { hasText: "and tea" }).waitFor();
  await becomes(() => lasts(ana, ".line-arrives .bubble"), 0);
});

test("compact spacing shows more conversations and messages", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  for (let at = 1; at <= 4; at += 1) await ana.says(climbers, `line ${at}`);
  await ana.opens("Climbers");
  await ana.reads("line 4");
  /** The heights of a conversation in the list and of a message. */
  const heights = () =>
    ana.page.evaluate(() => {
      const height = (/** @type {string} */ what) =>
        document.querySelector(what)?.getBoundingClientRect().height ?? 0;
      return { row: height(".group:not([hidden])"), line: height(".line:not(.first)") };
    });
  const before = await heights();
  await ana.page.evaluate(() => {
    localStorage.setItem("coterie.look", JSON.stringify({ density: "compact" }));
    dispatchEvent(new Event("coterie-look"));
  });
  await becomes(async () => (await heights()).row < 0.8 * before.row, true);
  await becomes(async () => (await heights()).line < 0.85 * before.line, true);
});

test("every control has the font of the page", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.visits("/#/account");
  await ana.page.locator("select").first().waitFor({ state: "attached" });
  const fonts = () =>
    ana.page.evaluate(() => {
      const page = getComputedStyle(document.body).fontFamily;
      const all = [...document.querySelectorAll("button, input, select, textarea, a, h2, h3, p, label")];
      return all.filter((node) => getComputedStyle(node).fontFamily !== page).map((node) => node.className);
    });
  await becomes(fonts, []);
});

test("a window that closes fades, unless less motion is wanted", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.page.evaluate(() => {
    const { dataset } = document.documentElement;
    dataset.faded = "0";
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
      const copies = added.filter((node) => node instanceof Element && node.matches(".leaving"));
      dataset.faded = String(Number(dataset.faded) + copies.length);
    }).observe(document.body, { childList: true });
  });
  const faded = () => ana.page.locator("html").getAttribute("data-faded");
  const opensAndCloses = async () => {
    await ana.page.getByRole("button", { name: "New group" }).first().click();
    await ana.page.getByRole("dialog", { name: "New group" }).waitFor();
    await ana.page.keyboard.press("Escape");
    await ana.page.getByRole("dialog").waitFor({ state: "detached" });
    await becomes(() => ana.page.locator(".leaving").count(), 0);
  };
  await opensAndCloses();
  await becomes(faded, "1");
  await ana.page.emulateMedia({ reducedMotion: "reduce" });
  await opensAndCloses();
  await becomes(faded, "1");
});
