/**
 * Telling the server what has been seen, and keeping it here.
 *
 * Owns how often: what was seen to the end is said at once; further up, while somebody
 * reads on, once in a while and one conversation at a time.
 */

import { isUnread } from "./log.js";
import { compareIds } from "./messages.js";
import { markRead, markSeen } from "./store.js";

/** As long as somebody needs for a screen of text. */
const PAUSE_MS = 700;

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "markRead">} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 * @param {import("./push.js").Push} parts.push
 */
export function createReading({ api, state, push }) {
  /** The newest message that was seen, by conversation. @type {Map<string, string>} */
  const seen = new Map();
  /** What the server was told last. @type {Map<string, string>} */
  const told = new Map();
  /** @type {Set<string>} */
  const underWay = new Set();
  /** Said on the socket, and not heard back from the server: up to where, by conversation. @type {Map<string, number>} */
  const unheard = new Map();
  /** The conversation that is read as it comes; empty for none. */
  let followed = "";

  async function tell(/** @type {string} */ conv) {
    const id = seen.get(conv);
    if (underWay.has(conv) || !id || told.get(conv) === id) return;
    underWay.add(conv);
    try {
      const { read_n: n } = await api.markRead(conv.slice(2), id);
      told.set(conv, id);
      state.update((snapshot) => markSeen(snapshot, conv, { id, n }));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } catch {
      // Not kept anywhere: it is said again with the next thing that is seen.
      return;
    } finally {
      underWay.delete(conv);
    }
    tell(conv);
  }

  /** Seen up to this message, with more below. */
  function upTo(/** @type {string} */ conv, /** @type {string} */ id) {
    const one = state.get().snapshot?.conversations[conv];
    if (one && !isUnread(one)) return;
    const before = seen.get(conv);
    if (before && compareIds(before, id) >= 0) return;
    seen.set(conv, id);
    tell(conv);
  }

  /** Everything of this conversation has been seen. */
  function all(/** @type {string} */ conv) {
    const one = state.get().snapshot?.conversations[conv];
    if (!one || one.readN >= one.n || one.messageN <= one.readN || push.state !== "live") return;
    const newest = one.messages.at(-1);
    if (push.read(conv, one.n)) {
      unheard.set(conv, one.n);
      state.update((snapshot) => markRead(snapshot, conv, one.n));
    } else if (newest) upTo(conv, newest.id);
  }

  return {
    upTo,
    all,

    /** From now on somebody sees whatever comes in this conversation; in none, if it is empty. */
    follow(/** @type {string} */ conv) {
      followed = conv;
    },

    /** Something came. Read here, it is shown as read at once, and not drawn a second time for it. */
    came(/** @type {string} */ conv) {
      if (conv === followed) all(conv);
    },

    /** The server tells that this conversation has been read up to event `n`. */
    heard(/** @type {string} */ conv, /** @type {number} */ n) {
      if (n >= (unheard.get(conv) ?? Infinity)) unheard.delete(conv);
    },

    /** A socket is live again: what the one before it may have lost is said once more. */
    resume() {
      for (const [conv, n] of unheard) push.read(conv, n);
    },
  };
}
