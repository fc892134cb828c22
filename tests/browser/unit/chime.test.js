/** Which new messages make a sound, and when. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createChimes, mayChime } from "../../../static/js/notices/chime.js";
import { isQuiet } from "../../../static/js/notices/chime_settings.js";

const minute = (/** @type {number} */ hours, minutes = 0) => hours * 60 + minutes;

test("quiet hours go over midnight, begin with their first minute and end before their last", () => {
  const night = { on: true, quiet: true, from: "22:00", until: "07:00" };
  const quiet = (/** @type {number} */ at, /** @type {object} */ other = {}) =>
    isQuiet({ ...night, ...other }, at);
  for (const at of [minute(22), minute(23, 59), minute(0), minute(6, 59)]) assert.equal(quiet(at), true);
  for (const at of [minute(7), minute(12), minute(21, 59)]) assert.equal(quiet(at), false);
  const noon = { from: "12:00", until: "13:30" };
  for (const at of [minute(12), minute(13, 29)]) assert.equal(quiet(at, noon), true);
  for (const at of [minute(11, 59), minute(13, 30), minute(0)]) assert.equal(quiet(at, noon), false);
  assert.equal(quiet(minute(23), { quiet: false }), false);
  assert.equal(quiet(minute(12), { from: "12:00", until: "12:00" }), false);
  assert.equal(quiet(minute(12), { from: "noon", until: "" }), false);
});

const NOW = new Date(2026, 4, 20, 12);

/** A snapshot with an unread group and an unread chat. */
const snapshot = (/** @type {{ group?: object, chat?: object, blocked?: string[] }} */ facts = {}) =>
  /** @type {any} */ ({
    user: { id: "1" },
    blocked: facts.blocked ?? [],
    conversations: {
      "g:5": { kind: "group", messageN: 3, readN: 2, group: { members: null, ...facts.group } },
      "d:1+2": { kind: "chat", messageN: 3, readN: 2, other: { id: "2" }, ...facts.chat },
    },
  });

const message = (conv = "g:5", /** @type {object} */ facts = {}) => ({
  c: "",
  n: 3,
  conv,
  type: "line.create",
  data: { id: "70", user_id: "2", attachments: [], ...facts },
});

test("a message that is read or of a blocked person makes no sound", () => {
  assert.equal(mayChime(snapshot(), message()), true);
  assert.equal(mayChime(snapshot({ blocked: ["2"] }), message()), false);
  assert.equal(mayChime(snapshot(), message("d:1+2")), true);
  assert.equal(mayChime(snapshot({ chat: { readN: 3 } }), message("d:1+2")), false);
  assert.equal(mayChime(snapshot({ chat: { request: "open" } }), message("d:1+2")), false);
  assert.equal(mayChime(snapshot({ group: { archived_at: 5 } }), message()), false);
  assert.equal(mayChime(snapshot(), message("g:9")), false, "the conversation ended meanwhile");
  assert.equal(mayChime(null, message()), false, "somebody logged out meanwhile");
});

/** Pages of one browser, whose clock and storage they share. */
function browser() {
  const kept = new Map();
  const claimed = new Set();
  const told = { played: 0 };
  let now = NOW.getTime();
  const shared = {
    storage: () => ({
      getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    }),
    claims: async (/** @type {string} */ id) => !claimed.has(id) && !!claimed.add(id),
    now: () => new Date(now),
    pause: async () => {},
    play: async () => {
      told.played += 1;
    },
  };
  const page = () => {
    const state = { get: () => ({ snapshot: snapshot() }) };
    return createChimes(/** @type {any} */ ({ state }), /** @type {any} */ (shared));
  };
  const passes = (/** @type {number} */ ms) => {
    now += ms;
  };
  return { told, page, passes };
}

const numbered = (/** @type {number} */ id) => message("g:5", { id: String(id) });

test("several pages make one sound, and sounds are two seconds apart", async () => {
  const { told, page, passes } = browser();
  const [one, other] = [page(), page()];
  await Promise.all([one.came(numbered(70)), other.came(numbered(70))]);
  assert.equal(told.played, 1);
  await Promise.all([one.came(numbered(71)), other.came(numbered(71))]);
  passes(1_999);
  await other.came(numbered(72));
  assert.equal(told.played, 1);
  passes(1);
  await one.came(numbered(70));
  assert.equal(told.played, 1, "the message that made the last sound makes no other one");
  await one.came(numbered(73));
  assert.equal(told.played, 2);
});
