/**
 * The feed and the snapshot together: what happens elsewhere shows here.
 *
 * Owns loading the snapshot, applying events, loading groups that appear, and telling
 * the server how far this person has read. The protocol is the push client's, the
 * meaning of events the store's.
 */

import { Push } from "./push.js";
import { applyEvent, drop, fill, fromSync, headsOf, markRead, needsFilling } from "./store.js";
import { createTyping } from "./typing.js";

/** As many messages as are loaded with a group that appears. */
const FIRST_PAGE = 20;

/** The feed's address for a page served from `origin`. */
export const pushUrl = (/** @type {string} */ origin) => `${origin.replace(/^http/, "ws")}/v3/push`;

/**
 * @param {object} parts
 * @param {import("./api.js").Api} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 * @param {string} parts.token
 * @param {string} parts.url
 * @param {() => void} parts.onLive everything missed has been heard
 * @param {(why: string) => void} parts.onEnd
 * @param {(before: Snapshot, event: Event) => void} parts.onEvent an event and the snapshot it changed
 */
export function createLive({ api, state, token, url, onLive, onEnd, onEvent }) {
  const push = new Push({
    url,
    token,
    async load() {
      const sync = await api.sync();
      const snapshot = fromSync(sync, state.get().snapshot);
      state.set({ snapshot, phase: "in" });
      return { c: sync.c, heads: headsOf(snapshot) };
    },
    onEvent(event) {
      const before = state.get().snapshot;
      if (!before) return;
      state.update((snapshot) => applyEvent(snapshot, event));
      if (event.type === "line.create") typing.stops(event.conv, event.data.user_id);
      onEvent(before, event);
      const known = state.get().snapshot?.conversations[event.conv];
      if (!known) push.forget(event.conv);
      else if (known.filling) fillSoon();
    },
    onEphemeral({ conv, type, data }) {
      if (type === "typing") typing.hears(conv, data.user_id);
    },
    onState(connection, { why }) {
      state.set({ connection });
      if (connection === "live") {
        fillSoon();
        onLive();
      }
      if (connection === "ended" && why && why !== "stopped") onEnd(why);
    },
  });

  const typing = createTyping({ state, tell: (conv) => push.typing(conv) });
  /** The conversation whose asides are wanted. @type {string | null} */
  let watched = null;

  /** @type {Set<string>} */
  const underWay = new Set();

  /** Loads the groups of which only events are known. What fails is tried when the feed comes back. */
  function fillSoon() {
    const { snapshot } = state.get();
    for (const { conv, group } of snapshot ? needsFilling(snapshot) : []) {
      if (underWay.has(conv)) continue;
      underWay.add(conv);
      load(conv, group.id).finally(() => underWay.delete(conv));
    }
  }

  async function load(/** @type {string} */ conv, /** @type {string} */ id) {
    try {
      const [group, messages] = await Promise.all([api.group(id), api.messages(id, { limit: FIRST_PAGE })]);
      const complete = messages.length < FIRST_PAGE;
      state.update((snapshot) => fill(snapshot, group, { messages, complete }));
    } catch (error) {
      const gone = /** @type {any} */ (error)?.status === 404;
      if (gone) state.update((snapshot) => drop(snapshot, conv));
    }
  }

  return {
    start: () => push.start(),
    stop: () => push.stop(),
    poke: () => push.poke(),
    typing,

    /** Hears who types in this conversation, and in no other. */
    watch(/** @type {string | null} */ conv) {
      if (conv === watched) return;
      if (watched) push.unsub([watched]);
      watched = conv;
      if (conv) push.sub([conv]);
    },

    /** Everything of this conversation has been seen. */
    read(/** @type {string} */ conv) {
      const known = state.get().snapshot?.conversations[conv];
      if (!known || known.readN >= known.n || known.lineN <= known.readN) return;
      // Kept here only if the server was told; otherwise it is said again once live.
      if (push.state !== "live" || !push.read(conv, known.n)) return;
      state.update((snapshot) => markRead(snapshot, conv, known.n));
    },
  };
}

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {ReturnType<typeof createLive>} Live */
