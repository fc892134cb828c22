/**
 * Ordered lists of messages: compare, find, insert, merge.
 *
 * Pure. A list is oldest first, sorted by id and without repeats; a message that
 * arrives twice (event and answer, page and event) stays one.
 */

/** @typedef {import("./types.js").Message} Message */

/** Ids are decimal strings that grow; too long for numbers, so longer means larger. */
export function compareIds(/** @type {string} */ a, /** @type {string} */ b) {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : Number(a > b);
}

/**
 * Where the message with this id stands, or would stand: the first place whose id is not
 * smaller. Takes as long in a long list as in a short one, but for a few steps.
 */
export function placeOf(/** @type {readonly Message[]} */ list, /** @type {string} */ id) {
  let from = 0;
  let to = list.length;
  // Most are looked for at the end.
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

/** The list with this message in its place; the newer form wins. */
export function insert(/** @type {Message[]} */ list, /** @type {Message} */ message) {
  const at = placeOf(list, message.id);
  const isKnown = list[at]?.id === message.id;
  return at === list.length ? list.concat(message) : list.toSpliced(at, isKnown ? 1 : 0, message);
}

/**
 * Two lists as one, whatever their order; where both know a message, `fresh` wins. The
 * first list is in order; where the other joins it at an end, nothing is sorted anew.
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

const byId = (/** @type {Message} */ a, /** @type {Message} */ b) => compareIds(a.id, b.id);

/** The list with one message changed, or the same list when it is not there. */
export function change(
  /** @type {Message[]} */ list,
  /** @type {string} */ id,
  /** @type {Partial<Message>} */ facts,
) {
  const at = placeOf(list, id);
  return list[at]?.id === id ? list.with(at, { ...list[at], ...facts }) : list;
}
