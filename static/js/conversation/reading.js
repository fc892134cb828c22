/**
 * Marks messages as read, here and at the server.
 *
 * Owns how often: a conversation that was read to the end is reported at once, over the socket; reading
 * further up is reported from time to time, with one request per conversation at a time. Nothing is marked in a
 * message request, so that the sender does not learn that it was read.
 */

import { isRequest } from "../chats/chats.js";
import { isUnread } from "../sync/log.js";
import { compareIds } from "../sync/messages.js";
import { markRead, markSeen } from "../sync/store.js";

/** The pause after each request; about the time in which a person reads a screen of text. */
const PAUSE_MS = 700;

/**
 * @param {object} parts
 * @param {Pick<import("../sync/api.js").Api, "markRead">} parts.api
 * @param {import("../sync/state.js").StateHolder} parts.state
 * @param {import("../push.js").Push} parts.push
 */
export function createReading({ api, state, push }) {
  /** The id of the newest message that was seen, by conversation. @type {Map<string, string>} */
  const seen = new Map();
  /**
   * The id of the message that was last reported to the server, by conversation.
   * @type {Map<string, string>}
   */
  const told = new Map();
  /** Conversations with a request running. @type {Set<string>} */
  const underWay = new Set();
  /**
   * Marks sent over the socket that the server has not confirmed: `n` by conversation.
   * @type {Map<string, number>}
   */
  const unheard = new Map();
  /** The conversation whose new messages are read as they come; empty for none. */
  let followed = "";

  async function tell(/** @type {string} */ conv) {
    const id = seen.get(conv);
    // After the feed's end, another account may be signed in.
    if (underWay.has(conv) || !id || told.get(conv) === id || push.state === "ended") return;
    underWay.add(conv);
    try {
      const { read_n: n } = await api.markRead(conv.slice(2), id);
      told.set(conv, id);
      state.update((snapshot) => markSeen(snapshot, conv, { id, n }));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } catch {
      // The mark was not stored; it is sent again with the next message that is seen, and by `resume`.
      return;
    } finally {
      underWay.delete(conv);
    }
    tell(conv);
  }

  /** Marks messages as read up to this one; those after it stay unread. */
  function upTo(/** @type {string} */ conv, /** @type {string} */ id) {
    const one = state.get().snapshot?.conversations[conv];
    if (one && (!isUnread(one) || isRequest(one))) return;
    const before = seen.get(conv);
    if (before && compareIds(before, id) >= 0) return;
    seen.set(conv, id);
    tell(conv);
  }

  /** Marks the whole conversation as read. */
  function all(/** @type {string} */ conv) {
    const one = state.get().snapshot?.conversations[conv];
    if (!one || isRequest(one) || one.readN >= one.n || one.messageN <= one.readN) return;
    if (push.state !== "live") return;
    const newest = one.messages.at(-1);
    if (push.read(conv, one.n)) {
      unheard.set(conv, one.n);
      state.update((snapshot) => markRead(snapshot, conv, one.n));
    } else if (newest) upTo(conv, newest.id);
  }

  return {
    upTo,
    all,

    /** Called when messages of this conversation were marked as unread: later marks are sent again. */
    setBack(/** @type {string} */ conv) {
      for (const marks of [seen, told, unheard]) marks.delete(conv);
    },

    /** Sets the conversation whose new messages are read as they come; empty for none. */
    follow(/** @type {string} */ conv) {
      followed = conv;
    },

    /**
     * Called for each event. Marks it as read if its conversation is followed, before it is drawn as unread.
     */
    came(/** @type {string} */ conv) {
      if (conv === followed) all(conv);
    },

    /** The server confirmed that this conversation is read up to event `n`. */
    heard(/** @type {string} */ conv, /** @type {number} */ n) {
      if (n >= (unheard.get(conv) ?? Infinity)) unheard.delete(conv);
    },

    /**
     * Sends unconfirmed marks again over a new socket, since the old one may have lost them, and those that the
     * server did not answer.
     */
    resume() {
      for (const [conv, n] of unheard) push.read(conv, n);
      for (const conv of seen.keys()) tell(conv);
    },
  };
}
