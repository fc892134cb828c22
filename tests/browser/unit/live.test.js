/** The snapshot and the feed together, without a server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createLive } from "../../../static/js/sync/live.js";
import { createState } from "../../../static/js/sync/state.js";

/** A page that has begun to load the snapshot of Ana; `answers` lets it come. */
function opening(/** @type {object} */ calls = {}) {
  /** @type {string[]} */
  const loaded = [];
  /** @type {(sync: any) => void} */
  let answers = () => {};
  const sync = new Promise((resolve) => {
    answers = resolve;
  });
  const state = createState(
    /** @type {any} */ ({
      phase: "starting",
      snapshot: null,
      route: { name: "home" },
      typing: {},
      present: {},
    }),
  );
  const nothing = () => {};
  const live = createLive({
    api: /** @type {any} */ ({ sync: () => sync, ...calls }),
    state,
    token: "t",
    url: "ws://127.0.0.1:9/v3/push",
    onAbsent: nothing,
    onLoaded: () => loaded.push("snapshot"),
    onMore: nothing,
    onLive: nothing,
    onEnd: nothing,
    onEvent: nothing,
  });
  live.start();
  return { live, state, loaded, answers };
}

test("a snapshot after a log-out is not shown to the next user", async () => {
  const { live, state, loaded, answers } = opening();
  live.stop();
  state.set({ phase: "out", snapshot: null });
  answers({ c: "c", user: { id: "10", name: "Ana" }, groups: [] });
  await new Promise((resolve) => setImmediate(resolve));
  const { phase, snapshot } = state.get();
  assert.deepEqual([phase, snapshot, loaded], ["out", null, []]);
});

test("a group loaded after a log-out is not shown to the next user", async () => {
  /** @type {any} */
  let socket = null;
  const { WebSocket } = globalThis;
  globalThis.WebSocket = /** @type {any} */ (
    class {
      readyState = 1;
      constructor() {
        socket = this;
      }
      send() {}
      close() {}
    }
  );
  try {
    /** @type {(group: any) => void} */
    let answers = () => {};
    const group = new Promise((resolve) => {
      answers = resolve;
    });
    const names = new Promise(() => {});
    const api = { group: () => group, messages: async () => [], chats: () => names };
    const { live, state, answers: begins } = opening(api);
    begins({ c: "c", user: { id: "10", name: "Ana" }, groups: [] });
    await new Promise((resolve) => setImmediate(resolve));
    const says = (/** @type {object} */ frame) => socket.onmessage({ data: JSON.stringify(frame) });
    socket.onopen();
    says({ t: "welcome", v: 1, hb: 25, c: "c" });
    says({ t: "synced", c: "c" });
    says({ t: "ev", c: "c1", conv: "g:1", n: 1, type: "line.create", data: { id: "1", user_id: "11" } });
    assert.ok(state.get().snapshot?.conversations["g:1"]?.filling, "the group is being loaded");

    live.stop();
    const bens = { user: { id: "11", name: "Ben" }, conversations: {}, blocked: [] };
    state.set({ snapshot: bens });
    answers({ id: "1", name: "Climbers", creator_user_id: "10", created_at: 0, members: [] });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(state.get().snapshot, bens);
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});
