/** What moves when the rows of a conversation are drawn again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { motionsAfter } from "../../../static/js/timeline/row_motion.js";

/** @returns {any} */
const row = (/** @type {number} */ at, facts = {}) => ({
  kind: "line",
  key: `${1_000_000_000 + at}00000000`,
  mine: false,
  state: "stored",
  signs: [],
  ...facts,
});

const STILL = { arrives: false, signs: [] };
const ARRIVES = { arrives: true, signs: [] };

test("newer messages of others arrive, and my own when they are being sent", () => {
  const motionOf = motionsAfter([row(1), row(2)]);
  assert.deepEqual(motionOf(row(3)), ARRIVES);
  assert.deepEqual(motionOf(row(0)), STILL, "an older one was loaded");
  assert.deepEqual(motionOf(row(2)), STILL);
  assert.deepEqual(motionOf(row(4, { mine: true, key: "unsent-a", state: "sending" })), ARRIVES);
  assert.deepEqual(motionOf(row(4, { mine: true })), STILL, "it is stored now");
});

test("nothing moves in a conversation that opens", () => {
  assert.deepEqual(motionsAfter([])(row(1)), STILL);
});

test("reactions move that more people have given", () => {
  const fire = (/** @type {string[]} */ ...names) => ({ code: "🔥", names, mine: false });
  const heart = { code: "❤️", names: ["Ana"], mine: true };
  const motionOf = motionsAfter([row(1, { signs: [fire("Ana", "Ben"), heart] })]);
  assert.deepEqual(motionOf(row(1, { signs: [fire("Ana", "Ben", "Cleo"), heart] })).signs, [0]);
  assert.deepEqual(motionOf(row(1, { signs: [fire("Ana"), heart] })).signs, []);
  assert.deepEqual(motionOf(row(1, { signs: [heart, { ...heart, code: "🎉" }] })).signs, [1]);
});
