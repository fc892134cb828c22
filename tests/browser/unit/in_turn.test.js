/** One question after the other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurn } from "../../../static/js/sync/in_turn.js";

/** Runs that end when the test says so. */
function runs() {
  /** @type {(() => void)[]} */
  const ends = [];
  const run = () => new Promise((/** @type {(value: void) => void} */ end) => ends.push(() => end()));
  return { ends, run };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test("a call during a run queues one more run", async () => {
  const { ends, run } = runs();
  const look = inTurn(run);
  const first = look();
  const others = [look(), look()];
  await soon();
  assert.equal(ends.length, 1);
  ends[0]?.();
  await soon();
  assert.equal(ends.length, 2);
  let isOver = false;
  const all = Promise.all([first, ...others]).then(() => (isOver = true));
  await soon();
  assert.equal(isOver, false);
  ends[1]?.();
  await all;
  assert.equal(ends.length, 2);
});

test("it runs again when it is asked after its end", async () => {
  const { ends, run } = runs();
  const look = inTurn(run);
  for (const turn of [0, 1]) {
    const over = look();
    ends[turn]?.();
    await over;
  }
  assert.equal(ends.length, 2);
});
