/**
 * Ordered lists of messages: compare, insert, merge.
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

/** The list with this message in its place; the newer form wins. */
export function insert(/** @type {Message[]} */ list, /** @type {Message} */ message) {
  let at = list.length;
  while (at > 0 && compareIds(list[at - 1].id, message.id) > 0) at -= 1;
  const known = at > 0 && list[at - 1].id === message.id;
  const from = known ? at - 1 : at;
  return [...list.slice(0, from), message, ...list.slice(at)];
}

/** Two lists as one, whatever their order; where both know a message, `fresh` wins. */
export function merge(/** @type {Message[]} */ list, /** @type {Message[]} */ fresh) {
  const byId = new Map(list.map((message) => [message.id, message]));
  for (const message of fresh) byId.set(message.id, message);
  return [...byId.values()].sort((a, b) => compareIds(a.id, b.id));
}

/** The list with one message changed, or the same list when it is not there. */
export function change(
  /** @type {Message[]} */ list,
  /** @type {string} */ id,
  /** @type {Partial<Message>} */ facts,
) {
  const at = list.findIndex((message) => message.id === id);
  return at < 0 ? list : list.with(at, { ...list[at], ...facts });
}
