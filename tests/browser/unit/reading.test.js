/** What somebody has seen is told to the server, and shown as read here. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createReading } from "../../../static/js/conversation/reading.js";
import { createState } from "../../../static/js/sync/state.js";

const CLIMBERS = "g:1";
const BOOK = "g:2";

/** A group of which the newest message is event 5, and 4 is read. */
const group = (/** @type {string} */ conv) => ({
  conv,
  n: 5,
  messageN: 5,
  readN: 4,
  unread: 1,
  count: 5,
  messages: [{ id: "170000000000000005", user_id: "11" }],
});

function stage(/** @type {any} */ api = {}) {
  /** @type {[string, number][]} */
  const told = [];
  const time = { shown: 0 };
  /** @type {(() => void)[]} */
  const frames = [];
  const conversations = { [CLIMBERS]: group(CLIMBERS), [BOOK]: group(BOOK) };
  const snapshot = { user: { id: "10" }, conversations, blocked: [] };
  const state = createState(/** @type {any} */ ({ snapshot }), (run) => frames.push(run));
  state.onChange(() => {
    time.shown += 1;
  });
  /** @type {any} */
  const push = {
    state: "live",
    read: (/** @type {string} */ conv, /** @type {number} */ n) => told.push([conv, n]),
  };
  const reading = createReading({ api, state, push });
  const unread = (/** @type {string} */ conv) => state.get().snapshot?.conversations[conv].unread;
  const frame = () => {
    for (const run of frames.splice(0)) run();
  };
  return { state, reading, push, told, time, unread, frame };
}

test("messages at the visible end are read when drawn", () => {
  const { state, reading, told, time, unread, frame } = stage();
  reading.follow(CLIMBERS);
  state.touch();
  reading.came(CLIMBERS);
  reading.came(BOOK);
  frame();
  frame();
  assert.deepEqual(told, [[CLIMBERS, 5]]);
  assert.deepEqual([unread(CLIMBERS), unread(BOOK), time.shown], [0, 1, 1]);
});

test("messages on a hidden page stay unread", () => {
  const { reading, push, told, unread } = stage();
  reading.came(CLIMBERS);
  reading.follow(CLIMBERS);
  reading.follow("");
  reading.came(CLIMBERS);
  reading.follow(CLIMBERS);
  push.state = "waiting";
  reading.came(CLIMBERS);
  assert.deepEqual([told, unread(CLIMBERS)], [[], 1]);
});

test("nothing in a message request is marked as read until it is accepted", async () => {
  /** @type {string[]} */
  const asked = [];
  const { state, reading, told, unread } = stage({
    markRead: async (/** @type {string} */ conversation) => asked.push(conversation),
  });
  const become = (/** @type {string | undefined} */ request) =>
    state.update((snapshot) => {
      const changed = { ...snapshot.conversations[CLIMBERS], request };
      return /** @type {any} */ ({ ...snapshot, conversations: { [CLIMBERS]: changed } });
    });
  become("open");
  reading.follow(CLIMBERS);
  reading.came(CLIMBERS);
  reading.all(CLIMBERS);
  reading.upTo(CLIMBERS, "170000000000000005");
  reading.resume();
  become("declined");
  reading.all(CLIMBERS);
  await settled();
  assert.deepEqual([told, asked, unread(CLIMBERS)], [[], [], 1]);
  become(undefined);
  reading.all(CLIMBERS);
  assert.deepEqual([told, unread(CLIMBERS)], [[[CLIMBERS, 5]], 0]);
});

test("read marks are sent after a reconnect", async () => {
  /** @type {string[]} */
  const asked = [];
  let isThere = false;
  const { state, reading, unread } = stage({
    async markRead(/** @type {string} */ conversation, /** @type {string} */ id) {
      asked.push(`${conversation} ${id}`);
      if (!isThere) throw new Error("no answer");
      return { read_n: 5 };
    },
  });
  const newest = "170000000000000005";
  reading.upTo(CLIMBERS, newest);
  await settled();
  assert.deepEqual([asked.length, unread(CLIMBERS)], [1, 1]);
  isThere = true;
  reading.resume();
  await settled();
  assert.deepEqual(asked, [`1 ${newest}`, `1 ${newest}`]);
  assert.deepEqual([unread(CLIMBERS), state.get().snapshot?.conversations[CLIMBERS].readN], [0, 5]);
  reading.resume();
  await settled();
  assert.equal(asked.length, 2, "and is not told twice");
});

/** Lets what was answered be worked on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
