/**
 * Ordered lists of messages: compare, find, insert, merge.
 *
 * Pure. A list is oldest first, sorted by id and without repeats; a message that arrives twice (event and
 * answer, page and event) stays one.
 */

/** @typedef {import("./types.js").Message} Message */

/** Compares two ids: decimal strings, too long for exact numbers, of which the longer one is larger. */
export function compareIds(/** @type {string} */ a, /** @type {string} */ b) {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/**
 * The index of the message with this id, or where it would be inserted: the first index whose id is not
 * smaller. A binary search.
 */
export function placeOf(/** @type {readonly Message[]} */ list, /** @type {string} */ id) {
  let from = 0;
  let to = list.length;
  // Most searches are for a message that is newer than all others.
  if (to > 0 && compareIds(list[to - 1].id, id) < 0) return to;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareIds(list[middle].id, id) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The message with this id, or null. */
export function find(/** @type {readonly Message[]} */ list, /** @type {string} */ id) {
  const message = list[placeOf(list, id)];
  return message?.id === id ? message : null;
}

/** The list with this message inserted; it replaces one with the same id. */
export function insert(/** @type {Message[]} */ list, /** @type {Message} */ message) {
  const at = placeOf(list, message.id);
  const isKnown = list[at]?.id === message.id;
  return at === list.length ? list.concat(message) : list.toSpliced(at, isKnown ? 1 : 0, message);
}

/**
 * Merges `fresh`, which may have any order, into the sorted `list`; where both have a message, that of
 * `fresh` wins. The whole is sorted only if the two overlap.
 */
export function merge(/** @type {Message[]} */ list, /** @type {Message[]} */ fresh) {
  const news = [...new Map(fresh.map((message) => [message.id, message])).values()].sort(byId);
  if (news.length === 0) return list;
  if (list.length === 0 || byId(news[news.length - 1], list[0]) < 0) return [...news, ...list];
  if (byId(list[list.length - 1], news[0]) < 0) return [...list, ...news];
  const all = new Map(list.map((message) => [message.id, message]));
  for (const message of news) all.set(message.id, message);
  return [...all.values()].sort(byId);
}

/** Whether a user wrote the message, or caused the system message: for that user it is not unread. */
export const isBy = (/** @type {Message} */ message, /** @type {string} */ user) =>
  message.user_id === user || message.caused_by === user;

const byId = (/** @type {Message} */ a, /** @type {Message} */ b) => compareIds(a.id, b.id);

/** The list with one message changed, or the same list if it does not contain the message. */
export function change(
  /** @type {Message[]} */ list,
  /** @type {string} */ id,
  /** @type {Partial<Message>} */ facts,
) {
  const at = placeOf(list, id);
  return list[at]?.id === id ? list.with(at, { ...list[at], ...facts }) : list;
}
