/**
 * Which of the loaded messages are in the page: a range around the reader, so that a long history costs no
 * more than a short one.
 *
 * Pure. A window is named by its first and last message, not by indexes, so that it stays the same when
 * messages are added before or after it. The timeline scrolls.
 */

import { placeOf } from "../sync/messages.js";

/** @typedef {import("../sync/types.js").Message} Message */

/**
 * @typedef {object} Window
 * @property {string | null} first null for the newest messages, as many as a conversation shows when it opens
 * @property {string | null} last null for the end, whatever arrives
 */

/** How many messages a conversation shows when it opens. */
export const NEWEST = 60;
/** How many messages are added when the reader comes near an edge. */
export const STEP = 40;
/** The most messages in the page; with a day between any two of them there are twice as many rows. */
export const MOST = 140;

/**
 * The most messages while the reader is at the end: each one in the page costs a little with each that
 * arrives.
 */
export const MOST_AT_END = 80;

/** @type {Window} */
export const AT_END = { first: null, last: null };

/** Returns the window's indexes: of its first message, and after its last one. */
export function bounds(/** @type {readonly Message[]} */ messages, /** @type {Window} */ { first, last }) {
  const to = last === null ? messages.length : after(messages, last);
  const from = first === null ? Math.max(0, to - NEWEST) : placeOf(messages, first);
  return { from: Math.min(from, to), to };
}

/** @returns {Window} */
function between(
  /** @type {readonly Message[]} */ messages,
  /** @type {number} */ from,
  /** @type {number} */ to,
) {
  return {
    first: messages[from]?.id ?? null,
    last: to >= messages.length ? null : (messages[to - 1]?.id ?? null),
  };
}

/** Returns the window with more loaded messages above it; drops those below that exceed `MOST`. */
export function withOlder(/** @type {readonly Message[]} */ messages, /** @type {Window} */ window) {
  const { from, to } = bounds(messages, window);
  const start = Math.max(0, from - STEP);
  return between(messages, start, Math.min(to, start + MOST));
}

/** Returns the window with more loaded messages below it; drops those above that exceed `MOST`. */
export function withNewer(/** @type {readonly Message[]} */ messages, /** @type {Window} */ window) {
  const { from, to } = bounds(messages, window);
  const end = Math.min(messages.length, to + STEP);
  return between(messages, Math.max(from, end - MOST), end);
}

/** Returns a window around a message, with as many messages before as after it. */
export function around(/** @type {readonly Message[]} */ messages, /** @type {string} */ id) {
  const at = placeOf(messages, id);
  const from = Math.max(0, at - NEWEST / 2);
  return between(messages, from, Math.min(messages.length, from + NEWEST));
}

/**
 * Returns the window after messages arrived. At the end it drops the oldest ones beyond `MOST_AT_END`;
 * further up it stops growing at `MOST`.
 */
export function settled(
  /** @type {readonly Message[]} */ messages,
  /** @type {Window} */ window,
  /** @type {boolean} */ isAtEnd,
) {
  const { from, to } = bounds(messages, window);
  if (isAtEnd && to - from > MOST_AT_END) return AT_END;
  if (to - from > MOST) return between(messages, from, from + MOST);
  return window.first === null && messages.length > 0 ? { ...window, first: messages[from].id } : window;
}

/** Returns the index after the message with this id. */
function after(/** @type {readonly Message[]} */ messages, /** @type {string} */ id) {
  const at = placeOf(messages, id);
  return messages[at]?.id === id ? at + 1 : at;
}
