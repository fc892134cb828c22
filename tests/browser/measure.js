/**
 * What the client costs, in CPU time of the page and not by a watch: `node measure.js`.
 * First what opening it costs on the line (`first_load.js`), then what messages cost.
 *
 * Prints one line for each figure. Chromium itself counts (`TaskDuration`: everything that
 * the page's main thread does, scripts, layout and paint included), so that a busy machine
 * changes little. `npm run measure -- 5000 30000` names how much is loaded and how much
 * arrives elsewhere; less is quicker, and `--small` takes a minute or two.
 */

import { becomes } from "./eventually.js";
import { firstLoad } from "./first_load.js";
import { World } from "./world.js";

const isSmall = process.argv.includes("--small");
const [loaded = isSmall ? 300 : 5_000, elsewhere = isSmall ? 500 : 30_000] = process.argv
  .slice(2)
  .filter((word) => word !== "--small")
  .map(Number);
const GROUPS = isSmall ? 60 : 1_000;
const MEMBERS = isSmall ? 100 : 5_000;
/** Members who are added by one request. */
const ADDED_AT_ONCE = 100;
/** Writers at the same time, so that filling takes minutes and not hours. */
const WRITERS = 24;
const PER_SECOND = 50;
const SECONDS = isSmall ? 3 : 20;

/** @typedef {import("./person.js").Person} Person */
/** @typedef {{ id: string, name: string }} Group */

/** @type {(() => unknown)[]} */
const ends = [];
const world = await World.start(
  /** @type {any} */ ({ after: (/** @type {() => unknown} */ end) => ends.push(end) }),
  ["--rate-limit", "off"],
);

const say = (/** @type {string} */ what, /** @type {string} */ figure) =>
  console.log(`${what.padEnd(72)} ${figure}`);

/** Does something so many times, some of it at once. */
async function often(/** @type {number} */ times, /** @type {(at: number) => Promise<unknown>} */ run) {
  let next = 0;
  const writer = async () => {
    while (next < times) {
      next += 1;
      const at = next;
      // A connection that the server had closed by then: the same again.
      await run(at).catch(() => run(at));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** A clock of what the page's main thread has done. */
async function clockOf(/** @type {Person} */ person) {
  const session = await person.page.context().newCDPSession(person.page);
  // Of the thread, not of the wall: others may use the same processor.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const now = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  return {
    /** Milliseconds of CPU that something costs the page. */
    async cost(/** @type {() => Promise<unknown>} */ run) {
      const before = await now();
      await run();
      await settles(person);
      const after = await now();
      return {
        task: (after.TaskDuration - before.TaskDuration) * 1000,
        script: (after.ScriptDuration - before.ScriptDuration) * 1000,
      };
    },
  };
}

/**
 * The longest that one task of the page's main thread had the processor while something went
 * on, in milliseconds of CPU: by a clock, other programs on the machine would count too.
 */
async function longestTask(/** @type {Person} */ person, /** @type {() => Promise<unknown>} */ run) {
  const session = await /** @type {import("playwright-core").Browser} */ (
    person.page.context().browser()
  ).newBrowserCDPSession();
  /** @type {any[]} */
  const heard = [];
  session.on("Tracing.dataCollected", ({ value }) => heard.push(...value));
  const traceConfig = { includedCategories: ["toplevel"], excludedCategories: ["*"] };
  await session.send("Tracing.start", { traceConfig, transferMode: "ReportEvents" });
  await run();
  const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await ended;
  const mains = heard.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const places = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = heard.filter(({ name, pid, tid }) => name.endsWith("RunTask") && places.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error("nothing was traced");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/**
 * Nothing is left to do of what an opened page does after it is there: for three seconds in a
 * row, since what is kept on the device is written a second after it came.
 */
async function rests(/** @type {Person} */ person) {
  const clock = await clockOf(person);
  const second = () => clock.cost(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  let all = 0;
  for (let quiet = 0; quiet < 3; ) {
    const { task } = await second();
    all += task;
    quiet = task > 5 ? 0 : quiet + 1;
  }
  return all;
}

/** Two frames on, everything that was to be drawn is drawn. */
const settles = (/** @type {Person} */ person) =>
  person.page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );

/**
 * The page says when the list of conversations shows this; asking it again and again would
 * cost. It listens once this resolves, to what waits for the words.
 */
async function listensFor(/** @type {Person} */ person, /** @type {string} */ text) {
  const heard = await person.page.evaluateHandle((words) => {
    const list = /** @type {Element} */ (document.querySelector(".groups"));
    const isThere = () => list.firstElementChild?.textContent?.includes(words);
    const shown = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        resolve(null);
      });
      observer.observe(list, { childList: true, subtree: true, characterData: true });
      if (isThere()) resolve(null);
    });
    return { shown };
  }, text);
  return async () => {
    await heard.evaluate(({ shown }) => shown);
    await heard.dispose();
  };
}

/** By how much the page has moved what was in view, since it was opened (web.dev/cls). */
const shifted = (/** @type {Person} */ person) =>
  person.page.evaluate(async () => {
    let all = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries()))
        if (!entry.hadRecentInput) all += entry.value;
    });
    observer.observe({ type: "layout-shift", buffered: true });
    // What was noted before comes with the next frames.
    for (let frames = 0; frames < 10; frames += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    observer.disconnect();
    return all;
  });

let registered = 0;

/** Somebody who is looked at only. @returns {Promise<{ id: string, name: string }>} */
async function newcomer() {
  registered += 1;
  const name = `Member ${registered}`;
  const body = { name, email: `member-${registered}@example.org`, password: "correct horse battery" };
  const { user } = await world.server.call("POST", "/auth/register", { body });
  return { id: user.id, name };
}

const ms = (/** @type {number} */ number) => `${number.toFixed(1)} ms`;
const rows = (/** @type {Person} */ person) =>
  person.page.evaluate(() => document.querySelectorAll(".lines > li").length);

/** No two messages that are measured say the same. */
let measured = 0;

/** Ten messages, one after the other: what each costs. */
async function oneMessage(
  /** @type {Person} */ reader,
  /** @type {Person} */ writer,
  /** @type {Group} */ group,
  /** @type {string} */ what,
) {
  const clock = await clockOf(reader);
  const { task, script } = await clock.cost(async () => {
    for (let i = 0; i < 10; i += 1) {
      measured += 1;
      const words = `measured ${measured}!`;
      const shows = await listensFor(reader, words);
      await writer.says(group, words);
      await shows();
      await settles(reader);
    }
  });
  say(`one message, ${what}`, `${ms(task / 10)} (script ${ms(script / 10)}), ${await rows(reader)} rows`);
}

const scrollUp = (/** @type {Person} */ person) =>
  person.page.evaluate(async () => {
    const node = /** @type {HTMLElement} */ (document.querySelector(".timeline"));
    while (!document.querySelector(".beginning")) {
      node.scrollTop = 0;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });

const [ana, ben] = await world.people("Ana", "Ben");
const climbers = await ana.hasGroup("Climbers", ben);
const book = await ana.hasGroup("Book club", ben);

await often(50, (at) => ben.says(climbers, `line ${at}`));
for (const [what, figure] of await firstLoad(world, ana.token, climbers.id)) say(what, figure);
await ana.opens("Climbers");
await settles(ana);
await oneMessage(ana, ben, climbers, "50 messages loaded, read at the end");

await often(loaded, (at) => ben.says(climbers, `line ${at} ${"and some words more ".repeat(at % 9)}`));
await ana.page.reload();
await ana.opens("Climbers");
await settles(ana);
// By its address: what moves within half a second of a press counts for nothing.
await ana.page.reload();
await ana.isReading("Climbers");
await settles(ana);
say("layout shift of opening the page at the conversation", (await shifted(ana)).toFixed(4));
await oneMessage(ana, ben, climbers, `${loaded} messages there, read at the end`);
say(
  `the longest task while scrolling up through ${loaded} messages`,
  ms(await longestTask(ana, () => scrollUp(ana))),
);
await ana.page.reload();
await ana.opens("Climbers");
await settles(ana);
{
  const { task } = await (await clockOf(ana)).cost(() => scrollUp(ana));
  say(`scrolling up through ${loaded} messages`, `${ms(task)}, ${await rows(ana)} rows`);
  say(
    "elements of the page then",
    String(await ana.page.evaluate(() => document.querySelectorAll("*").length)),
  );
}
await oneMessage(ana, ben, climbers, `${loaded} messages loaded, read at the top`);
await ana.page.getByRole("log", { name: "Messages", exact: true }).press("End");
await settles(ana);
await oneMessage(ana, ben, climbers, `${loaded} messages loaded, back at the end`);

async function rush() {
  const started = performance.now();
  /** @type {Promise<unknown>[]} */
  const said = [];
  for (let i = 0; i < PER_SECOND * SECONDS; i += 1) {
    const rest = started + (i * 1000) / PER_SECOND - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    said.push(ben.says(climbers, `quick ${i}`));
  }
  await Promise.all(said);
}
{
  // Being traced costs too, so what all cost is measured without it.
  const { task } = await (await clockOf(ana)).cost(rush);
  const longest = await longestTask(ana, rush);
  say(
    `${PER_SECOND} messages a second for ${SECONDS} s`,
    `${ms(task / (PER_SECOND * SECONDS))} each, the longest task ${ms(longest)}`,
  );
}
{
  const { task } = await (await clockOf(ana)).cost(() =>
    often(elsewhere, (at) => ben.says(book, `page ${at}`)),
  );
  say(`${elsewhere} messages arriving elsewhere`, `${ms(task / elsewhere)} each`);
  const opening = await (await clockOf(ana)).cost(() => ana.opens("Book club"));
  say(`opening that group`, `${ms(opening.task)} (script ${ms(opening.script)}), ${await rows(ana)} rows`);
}
{
  await often(GROUPS - 2, (at) => ben.hasGroup(`Group ${at}`, ana));
  await ana.page.reload();
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.isReading("Climbers");
  await settles(ana);
  say(`what ${GROUPS} conversations cost once they are there`, ms(await rests(ana)));
  const listedRows = await ana.page.locator(".groups > li").count();
  say(`rows of ${GROUPS} conversations in the page`, String(listedRows));
  await oneMessage(ana, ben, climbers, `${GROUPS} conversations`);
}
{
  const crowd = await ana.hasGroup("Crowd", ben);
  await often(Math.ceil(MEMBERS / ADDED_AT_ONCE), async () => {
    const members = await Promise.all(
      Array.from({ length: ADDED_AT_ONCE }, async () => {
        const { id, name } = await newcomer();
        return { user_id: id, nickname: name };
      }),
    );
    await ana.call("POST", `/v3/groups/${crowd.id}/members/add`, { members });
  });
  const inGroup = async () => (await ana.call("GET", `/v3/groups/${crowd.id}`)).members.length;
  await becomes(inGroup, MEMBERS + 2);
  await ben.says(crowd, "so many of us");
  await ana.page.reload();
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.isReading("Climbers");
  await settles(ana);
  const clock = await clockOf(ana);
  const opening = await clock.cost(async () => {
    await ana.opens("Crowd");
    await ana.reads("so many of us");
  });
  say(`opening a group of ${MEMBERS} members`, `${ms(opening.task)} (script ${ms(opening.script)})`);
  const listing = await clock.cost(() => ana.opensMembers());
  const listed = await ana.page.locator(".member").count();
  say("their list", `${ms(listing.task)} (script ${ms(listing.script)}), ${listed} rows`);
  await oneMessage(ana, ben, crowd, `${MEMBERS} members listed beside it`);
}
await world.end();
for (const end of ends.reverse()) await Promise.resolve(end()).catch(() => {});
