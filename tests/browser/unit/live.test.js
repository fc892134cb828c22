/** The snapshot and the feed together, without a server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLive } from "../../../static/js/live.js";
import { createState } from "../../../static/js/state.js";

/** A page that has begun to load the snapshot of Ana; `answers` lets it come. */
function opening() {
  /** @type {string[]} */
  const loaded = [];
  /** @type {(sync: any) => void} */
  let answers = () => {};
  const sync = new Promise((resolve) => {
    answers = resolve;
  });
  const state = createState(
    /** @type {any} */ ({ phase: "starting", snapshot: null, route: { name: "home" } }),
  );
  const nothing = () => {};
  const live = createLive({
    api: /** @type {any} */ ({ sync: () => sync }),
    state,
    token: "t",
    url: "ws://127.0.0.1:9/v3/push",
    onAbsent: nothing,
    onLoaded: () => loaded.push("snapshot"),
    onLive: nothing,
    onEnd: nothing,
    onEvent: nothing,
  });
  live.start();
  return { live, state, loaded, answers };
}

test("a snapshot that comes after the person signed out is not shown to whoever comes next", async () => {
  const { live, state, loaded, answers } = opening();
  live.stop();
  state.set({ phase: "out", snapshot: null });
  answers({ c: "c", user: { id: "10", name: "Ana" }, groups: [] });
  await new Promise((resolve) => setImmediate(resolve));
  const { phase, snapshot } = state.get();
  assert.deepEqual([phase, snapshot, loaded], ["out", null, []]);
});
