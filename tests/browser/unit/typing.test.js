/** Who is typing where, and how often I tell that I am. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTyping, typingWords } from "../../../static/js/conversation/typing.js";
import { createState } from "../../../static/js/sync/state.js";

const CLIMBERS = "g:1";
const UNTIL = 5_000;
const members = ["Ana", "Ben", "Cem"].map((nickname, at) => ({ user_id: String(at), nickname }));

/** @type {any} */
const conversation = { conv: CLIMBERS, group: { id: "1", members } };

function stage() {
  /** @type {(() => void)[]} */
  const timers = [];
  const time = { now: 0, told: 0 };
  const state = createState(/** @type {any} */ ({ typing: {} }));
  const typing = createTyping({
    state,
    tell: () => {
      time.told += 1;
      return true;
    },
    later: (run) => timers.push(run),
    now: () => time.now,
  });
  return { state, typing, timers, time, words: () => typingWords(conversation, state.get().typing) };
}

test("typing lasts until its newest event expires", () => {
  const { typing, timers, words } = stage();
  typing.hears(CLIMBERS, "1", UNTIL);
  assert.equal(words(), "Ben is typing…");
  typing.hears(CLIMBERS, "1", UNTIL);
  timers[0]();
  assert.equal(words(), "Ben is typing…", "there was a newer notice");
  timers[1]();
  assert.equal(words(), "");
});

test("a message ends typing at once, and only its author's", () => {
  const { typing, words } = stage();
  typing.hears(CLIMBERS, "1", UNTIL);
  typing.hears(CLIMBERS, "2", UNTIL);
  assert.equal(words(), "Ben and Cem are typing…");
  typing.hears(CLIMBERS, "0", UNTIL);
  assert.equal(words(), "3 people are typing…");
  typing.stops(CLIMBERS, "1");
  typing.stops(CLIMBERS, "0");
  assert.equal(words(), "Cem is typing…");
  typing.hears(CLIMBERS, "2", 0);
  assert.equal(words(), "", "the server says that they stopped");
});

test("own typing in a message request is not sent", () => {
  const { state, typing, time } = stage();
  const become = (/** @type {string | undefined} */ request) =>
    state.set(/** @type {any} */ ({ snapshot: { conversations: { "d:1+2": { request } } } }));
  become("open");
  typing.tells("d:1+2");
  assert.equal(time.told, 0);
  become(undefined);
  typing.tells("d:1+2");
  assert.equal(time.told, 1);
});

test("own typing is sent every few seconds", () => {
  const { typing, time } = stage();
  for (time.now = 0; time.now < 8_000; time.now += 100) typing.tells(CLIMBERS);
  assert.equal(time.told, 2);
  typing.sent(CLIMBERS);
  typing.tells(CLIMBERS);
  assert.equal(time.told, 3);
});
