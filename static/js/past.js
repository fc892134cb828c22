/**
 * A stretch of a conversation further up, which somebody was led to: by a link, a search, a
 * quote. Between it and the newest messages there may be many that nobody has loaded.
 *
 * Pure. The stretch grows at both ends as one reads on; where it meets the newest messages,
 * it becomes part of them.
 */

import { compareIds, merge } from "./messages.js";

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Past} Past */

/** Conversations as they are seen from within the stretch, each made once. @type {WeakMap<Conversation, Conversation>} */
const seen = new WeakMap();

/**
 * The conversation as somebody sees it now: with the stretch in place of the newest messages,
 * where they were led to one. There nothing is unread and nothing waits to be sent.
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

/** The conversation with this stretch: older messages first, then newer ones. @returns {Conversation} */
export function withPast(/** @type {Conversation} */ old, /** @type {Message[]} */ messages) {
  return met({ ...old, past: { messages: merge([], messages), complete: false } });
}

/**
 * The stretch with a page before its first message; an empty one says that there is nothing before.
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

/** The stretch with a page after its last message. @returns {Conversation} */
export function withNewerPast(
  /** @type {Conversation} */ old,
  /** @type {Message[]} */ page,
  /** @type {string | undefined} */ afterId,
) {
  if (!old.past || old.past.messages.at(-1)?.id !== afterId) return old;
  return met({ ...old, past: { ...old.past, messages: merge(old.past.messages, page) } });
}

/** Back to the newest messages. @returns {Conversation} */
export const withoutPast = (/** @type {Conversation} */ old) => (old.past ? { ...old, past: null } : old);

/** The stretch becomes part of the newest messages where nothing lies between. @returns {Conversation} */
function met(/** @type {Conversation} */ old) {
  const { past, messages } = old;
  const last = past?.messages.at(-1);
  if (!past || !last || messages.length === 0 || compareIds(last.id, messages[0].id) < 0) return old;
  const complete = past.complete || (old.complete && compareIds(messages[0].id, past.messages[0].id) <= 0);
  return { ...old, past: null, messages: merge(past.messages, messages), complete };
}

/**
 * The same change in all messages that are loaded.
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
