/**
 * A stretch of a conversation further up, to which somebody jumped by a link, a search or a quote. Between it
 * and the newest messages there may be many that are not loaded.
 *
 * Pure. The stretch grows at both ends as its reader scrolls; where it meets the newest messages, it becomes
 * part of them.
 */

import { compareIds, merge } from "./messages.js";

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Past} Past */

/**
 * The results of `seenNow`, so that each conversation gives the same object every time.
 * @type {WeakMap<Conversation, Conversation>}
 */
const seen = new WeakMap();

/**
 * The conversation as it is shown now: with the stretch, if there is one, in place of the newest messages. In
 * a stretch, nothing is unread and nothing waits to be sent.
 * @returns {Conversation}
 */
export function seenNow(/** @type {Conversation} */ conversation) {
  const { past } = conversation;
  if (!past) return conversation;
  const known = seen.get(conversation);
  if (known) return known;
  const view = { ...conversation, ...past, unread: 0, outbox: [] };
  seen.set(conversation, view);
  return view;
}

/** The conversation with a stretch of these messages, in any order. @returns {Conversation} */
export function withPast(/** @type {Conversation} */ old, /** @type {Message[]} */ messages) {
  return met({ ...old, past: { messages: merge([], messages), complete: false } });
}

/**
 * Adds a page before the first message of the stretch; an empty page means that there is nothing before.
 * @returns {Conversation}
 */
export function withOlderPast(
  /** @type {Conversation} */ old,
  /** @type {Message[]} */ page,
  /** @type {string | undefined} */ beforeId,
) {
  if (!old.past || old.past.messages[0]?.id !== beforeId) return old;
  const messages = merge(merge([], page), old.past.messages);
  return { ...old, past: { messages, complete: page.length === 0 } };
}

/** Adds a page after the last message of the stretch. @returns {Conversation} */
export function withNewerPast(
  /** @type {Conversation} */ old,
  /** @type {Message[]} */ page,
  /** @type {string | undefined} */ afterId,
) {
  if (!old.past || old.past.messages.at(-1)?.id !== afterId) return old;
  return met({ ...old, past: { ...old.past, messages: merge(old.past.messages, page) } });
}

/** The conversation without the stretch, showing the newest messages again. @returns {Conversation} */
export const withoutPast = (/** @type {Conversation} */ old) => (old.past ? { ...old, past: null } : old);

/** Joins the stretch with the newest messages if the two meet. @returns {Conversation} */
function met(/** @type {Conversation} */ old) {
  const { past, messages } = old;
  const last = past?.messages.at(-1);
  if (!past || !last || messages.length === 0 || compareIds(last.id, messages[0].id) < 0) return old;
  const complete = past.complete || (old.complete && compareIds(messages[0].id, past.messages[0].id) <= 0);
  return { ...old, past: null, messages: merge(past.messages, messages), complete };
}

/**
 * Makes the same change to all loaded messages, those of the stretch included.
 * @template {import("./types.js").Log} Some
 * @param {Some} old
 * @param {(messages: Message[]) => Message[]} how
 * @returns {Some}
 */
export function inAll(old, how) {
  const { past } = old;
  return {
    ...old,
    messages: how(old.messages),
    ...(past && { past: { ...past, messages: how(past.messages) } }),
  };
}
