/** What somebody has seen is told to the server, and shown as read here. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createReading } from "../../../static/js/reading.js";
import { createState } from "../../../static/js/state.js";

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

function stage() {
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
  const reading = createReading({ api: /** @type {any} */ ({}), state, push });
  const unread = (/** @type {string} */ conv) => state.get().snapshot?.conversations[conv].unread;
  const frame = () => {
    for (const run of frames.splice(0)) run();
  };
  return { state, reading, push, told, time, unread, frame };
}

test("what comes where somebody reads is read before it is drawn", () => {
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

test("what comes while nobody looks, or the line is not there, stays unread", () => {
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
