/** Servers die and come back; pages stay open and miss nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { holdWire } from "../wire.js";
import { World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Leaves a sign in the page that a reload would wipe away. */
const marks = (/** @type {Person} */ person) =>
  person.page.evaluate(() => document.documentElement.setAttribute("data-same-page", "yes"));

async function isStillTheSamePage(/** @type {Person} */ person) {
  await becomes(() => person.page.locator("html").getAttribute("data-same-page"), "yes");
}

test("two pages catch up after a kill without a reload", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await marks(ana);
  await marks(ben);
  await ana.writes("rope at six");
  await ben.reads("rope at six");

  await world.server.isKilled();
  await ana.sees("Offline. Reconnecting…");
  await ben.sees("Offline. Reconnecting…");
  await world.server.starts();
  await ben.says(climbers, "said while nobody listened");

  await ana.hasRead("rope at six", "said while nobody listened");
  await ben.hasRead("rope at six", "said while nobody listened");
  await ana.isConnected();
  await ana.writes("and now again");
  await ben.hasRead("rope at six", "said while nobody listened", "and now again");
  await isStillTheSamePage(ana);
  await isStillTheSamePage(ben);
});

test("a message to an absent server is sent when it returns", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ana.opens("Climbers");
  await ben.opens("Climbers");
  await world.server.isKilled();
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await world.server.starts();
  await ben.hasRead("into the dark");
  await ana.knowsItIsSent("into the dark");
  await ana.hasRead("into the dark");
});

test("writing during the retry pause reconnects at once", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ana.opens("Climbers");
  await world.server.isKilled();
  // The page says so after a while: that wait is none of those which never end.
  await ana.sees("Offline. Reconnecting…");
  // From here on it waits for ever before it tries again, while frames and answers have their time.
  await ana.page.evaluate(() => {
    const page = /** @type {any} */ (globalThis);
    const soon = setTimeout;
    page.put_off = 0;
    page.setTimeout = (/** @type {() => void} */ run, ms = 0) => {
      if (ms <= 250 || ms === 10_000) return soon(run, ms);
      page.put_off += 1;
      return 0;
    };
  });
  await ana.page.waitForFunction(() => /** @type {any} */ (globalThis).put_off > 0);
  await world.server.starts();
  await ben.says(climbers, "said while nobody listened");
  await ana.writes("is anybody there?");
  await ana.hasRead("said while nobody listened", "is anybody there?");
  await ana.isConnected();
});

test("a cursor that the server cannot honour leads to a fresh snapshot", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  let refused = false;
  await holdWire(ana, {
    fromPage(frame) {
      if (frame.t !== "hello" || refused) return frame;
      refused = true;
      return { ...frame, after: "~no-such-cursor~" };
    },
  });
  assert.equal(refused, true);
  await ana.opens("Climbers");
  await ben.says(climbers, "rope at six");
  await ana.hasRead("rope at six");
});

test("an event that got lost on the way is asked for", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  let lost = 0;
  await holdWire(ana, {
    fromServer(frame) {
      if (lost > 0 || frame.t !== "ev" || frame.data.text !== "two") return frame;
      lost += 1;
      return null;
    },
  });
  await ana.opens("Climbers");
  for (const text of ["one", "two", "three"]) await ben.says(climbers, text);
  await ana.hasRead("one", "two", "three");
  assert.equal(lost, 1);
});

test("a group that appears while away is there afterwards", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await world.server.isKilled();
  await world.server.starts();
  const climbers = await ben.hasGroup("Climbers", ana);
  await ben.says(climbers, "rope at six");
  await ana.inList(/Climbers.*rope at six/s).waitFor();
  await ana.opens("Climbers");
  await ana.hasRead("rope at six");
});

test("a slow first response shows a loading state", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana", { phone: true });
  const climbers = await ana.hasGroup("Climbers");
  let goesOn = () => {};
  const held = new Promise((resolve) => {
    goesOn = () => resolve(null);
  });
  await ana.page.route(/\/v3\/sync/, async (route) => {
    await held;
    await route.continue();
  });
  // As on a device that has kept nothing.
  await ana.page.evaluate(() =>
    indexedDB.databases().then((all) => all.map(({ name }) => indexedDB.deleteDatabase(name ?? ""))),
  );
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.page.reload({ waitUntil: "commit" });
  await ana.page.getByRole("main").getByText("Loading…").filter({ visible: true }).waitFor();
  goesOn();
  await ana.isReading("Climbers");
});
