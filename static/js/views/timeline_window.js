/**
 * Which of the loaded messages are in the page: a stretch around the reader, so that a
 * long history costs no more than a short one.
 *
 * Pure. A window is named by its first and last message, not by places, so that it stays
 * where it is when messages come before or after it. Scrolling is the timeline's.
 */

import { placeOf } from "../messages.js";

/** @typedef {import("../types.js").Message} Message */

/**
 * @typedef {object} Window
 * @property {string | null} first null: as many of the newest as one comes to see
 * @property {string | null} last null: up to the end, whatever comes
 */

/** What is shown of a conversation that is opened. */
export const NEWEST = 60;
/** How many more at a time, when the reader comes near an edge. */
export const STEP = 40;
/** The most messages in the page; a day between each two of them makes as many rows again. */
export const MOST = 140;

/** Who reads at the end has so many at most: each one that is there costs a little with each that comes. */
export const MOST_AT_END = 80;

/** @type {Window} */
export const AT_END = { first: null, last: null };

/** The places of the window: from the first to the one after its last. */
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

/** The window with more of what is loaded above it; below, what is too much goes. */
export function withOlder(/** @type {readonly Message[]} */ messages, /** @type {Window} */ window) {
  const { from, to } = bounds(messages, window);
  const start = Math.max(0, from - STEP);
  return between(messages, start, Math.min(to, start + MOST));
}

/** The window with more of what is loaded below it; above, what is too much goes. */
export function withNewer(/** @type {readonly Message[]} */ messages, /** @type {Window} */ window) {
  const { from, to } = bounds(messages, window);
  const end = Math.min(messages.length, to + STEP);
  return between(messages, Math.max(from, end - MOST), end);
}

/** A window with this message in it, and as much before as after it. */
export function around(/** @type {readonly Message[]} */ messages, /** @type {string} */ id) {
  const at = placeOf(messages, id);
  const from = Math.max(0, at - NEWEST / 2);
  return between(messages, from, Math.min(messages.length, from + NEWEST));
}

/**
 * The window after messages came: at its end one sees them and the oldest go; further up
 * it is full some time.
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

/** The place behind the message with this id. */
function after(/** @type {readonly Message[]} */ messages, /** @type {string} */ id) {
  const at = placeOf(messages, id);
  return messages[at]?.id === id ? at + 1 : at;
}
