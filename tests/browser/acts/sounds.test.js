/** The sound of new messages: which of them make one, its settings, and several pages of one browser. */

import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { cutOff } from "../layout.js";
import { World } from "../world.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../person.js").Person} Person */

/** More than the time that lies between two sounds, in milliseconds. */
const NEXT_MS = 3_000;
const HOUR_MS = 3_600_000;
/** Of one sound. */
const TONES = 2;

/** A device for sounds that counts the tones and needs no loudspeaker. */
function countsTones() {
  const page = /** @type {any} */ (globalThis);
  page.tones = 0;
  const level = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
  page.AudioContext = class {
    state = "running";
    currentTime = 0;
    destination = {};
    async resume() {}
    async suspend() {}
    createGain = () => ({ gain: level, connect() {} });
    createOscillator = () => ({
      frequency: { value: 0 },
      connect() {},
      start() {
        page.tones += 1;
      },
      stop() {},
    });
  };
}

const tones = (/** @type {Page} */ page) => () => page.evaluate(() => /** @type {any} */ (globalThis).tones);

/** The id of the message that made the last sound in the browser of a page. */
const sounded = (/** @type {Page} */ page) => () =>
  page.evaluate(() => JSON.parse(localStorage.getItem("coterie.sounded") ?? "{}").id ?? "");

/** Ana, whose device counts tones and whose clock stands still, reads the group "Walls" to its end. */
async function listening(/** @type {import("node:test").TestContext} */ t) {
  const { ana, ben, climbers } = await World.climbing(t);
  const walls = await ana.hasGroup("Walls", ben);
  await ben.says(walls, "hello walls");
  let now = Date.now();
  /** Puts the clock of Ana's pages on. */
  const passes = async (/** @type {number} */ ms) => {
    now += ms;
    await ana.page.clock.setFixedTime(now);
  };
  await passes(0);
  await ana.page.context().addInitScript(countsTones);
  await ana.page.reload();
  await ana.isConnected();
  // A browser plays nothing before something on the page is pressed.
  await ana.opens("Walls");
  await ana.reads("hello walls");
  // The message may have made a sound before its page was loaded again.
  await passes(NEXT_MS);
  return { ana, ben, climbers, walls, passes };
}

test("messages that notify make a sound, and no others", async (t) => {
  const { ana, ben, climbers, walls, passes } = await listening(t);
  const first = await ben.says(climbers, "rope at six");
  await becomes(sounded(ana.page), first.id);
  await becomes(tones(ana.page), TONES);
  let made = 1;
  /** Something happens without a sound: the message after it makes the next one. */
  const isSilent = async (/** @type {() => Promise<unknown>} */ happens) => {
    await passes(NEXT_MS);
    await happens();
    const next = await ben.writesTo(ana, `number ${made}`);
    made += 1;
    await becomes(sounded(ana.page), next.id);
    await becomes(tones(ana.page), made * TONES);
  };
  const shows = (/** @type {string} */ name, /** @type {string} */ text) =>
    ana.inList(name).filter({ hasText: text }).waitFor();
  await isSilent(async () => {
    await ben.says(walls, "chalk?");
    await ana.reads("chalk?");
  });
  await isSilent(async () => {
    await ana.says(climbers, "at seven");
    await shows("Climbers", "at seven");
  });
  await ana.call("POST", `/v3/groups/${climbers.id}/memberships/mute`);
  await ana.inList(/Climbers.*Muted/s).waitFor();
  await isSilent(async () => {
    await ben.says(climbers, "at eight");
    await shows("Climbers", "at eight");
  });
  await ana.call("POST", `/v3/groups/${climbers.id}/memberships/unmute`);
  await ana.inList("Climbers").filter({ hasNotText: "Muted" }).waitFor();
  await passes(NEXT_MS);
  const last = await ben.says(climbers, "at nine");
  await becomes(sounded(ana.page), last.id);
});

test("a level of notices counts for the sound", async (t) => {
  const { ana, ben, climbers, passes } = await listening(t);
  await ana.call("PUT", `/v3/conversations/${climbers.id}/notifications`, { level: "mentions" });
  await ben.says(climbers, "anybody?");
  await ana.inList("Climbers").filter({ hasText: "anybody?" }).waitFor();
  const chat = await ben.writesTo(ana, "you?");
  await becomes(sounded(ana.page), chat.id);
  await passes(NEXT_MS);
  const said = await ana.says(climbers, "me");
  const reply = { type: "reply", reply_id: said.id, base_reply_id: said.id };
  const path = `/v3/groups/${climbers.id}/messages`;
  const { message } = await ben.call("POST", path, {
    message: { source_guid: "answer", text: "good", attachments: [reply] },
  });
  await becomes(sounded(ana.page), message.id);
  await becomes(tones(ana.page), 2 * TONES);
});

/** The time of the page's clock after some hours, as a field for times has it. */
const clockIn = (/** @type {Person} */ { page }, /** @type {number} */ ms) =>
  page.evaluate((later) => new Date(Date.now() + later).toTimeString().slice(0, 5), ms);

test("the sound has a switch and quiet hours for this device", async (t) => {
  const { ana, ben, passes } = await listening(t);
  const { page } = ana;
  const first = await ben.writesTo(ana, "awake?");
  await becomes(sounded(page), first.id);
  await ana.visits("/#/account");
  const section = page.getByRole("region", { name: "Notifications" });
  await section.getByRole("button", { name: "Play it" }).click();
  await becomes(tones(page), 2 * TONES);

  const quiet = section.getByRole("checkbox", { name: "Quiet hours" });
  await quiet.focus();
  await page.keyboard.press("Space");
  const from = section.getByLabel("Quiet from");
  const until = section.getByLabel("Quiet until");
  await becomes(() => from.inputValue(), "22:00");
  await becomes(() => until.inputValue(), "07:00");
  const start = await clockIn(ana, -HOUR_MS);
  await from.fill(start);
  await until.fill(start);
  await section.getByText("Choose two different times.").waitFor();
  await becomes(() => until.getAttribute("aria-invalid"), "true");
  await until.fill(await clockIn(ana, HOUR_MS));
  await becomes(() => until.getAttribute("aria-invalid"), null);
  await becomes(() => violations(ana), []);
  await passes(NEXT_MS);
  await ben.writesTo(ana, "asleep?");
  await ana.inList("Ben").filter({ hasText: "asleep?" }).waitFor();
  await passes(2 * HOUR_MS);
  const morning = await ben.writesTo(ana, "good morning");
  await becomes(sounded(page), morning.id);
  await becomes(tones(page), 3 * TONES);

  const sounds = section.getByRole("checkbox", { name: "Sounds" });
  await sounds.uncheck();
  await quiet.waitFor({ state: "hidden" });
  await passes(NEXT_MS);
  await ben.writesTo(ana, "hush");
  await ana.inList("Ben").filter({ hasText: "hush" }).waitFor();
  await sounds.check();
  const loud = await ben.writesTo(ana, "loud");
  await becomes(sounded(page), loud.id);
  await becomes(tones(page), 4 * TONES);

  await page.reload();
  await becomes(() => quiet.isChecked(), true);
  await becomes(() => from.inputValue(), start);
  await page.setViewportSize({ width: 360, height: 640 });
  await becomes(() => cutOff(ana), []);
});

test("several pages of one browser make one sound", async (t) => {
  const { ana, ben, climbers, passes } = await listening(t);
  const second = await ana.page.context().newPage();
  await second.goto(ana.page.url());
  await second.locator(".side").getByText("Connected").waitFor({ state: "attached" });
  await second.getByRole("main").getByRole("heading", { name: "Walls", exact: true }).click();
  const both = async () => (await tones(ana.page)()) + (await tones(second)());
  for (const made of [1, 2]) {
    await passes(NEXT_MS);
    const message = await ben.says(climbers, `rope ${made}`);
    const list = second.getByRole("navigation", { name: "Conversations" });
    const row = list.getByRole("link", { name: /^Climbers/ });
    await row.filter({ hasText: `rope ${made}` }).waitFor();
    await becomes(sounded(second), message.id);
    await becomes(both, made * TONES);
  }
});
