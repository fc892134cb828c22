/**
 * The order of a list that a person changes.
 *
 * Pure.
 */

/**
 * The list with one entry at another index; the same list if it is there, or has no such place.
 * @template Item
 * @param {Item[]} list
 */
export function withMoved(list, /** @type {number} */ from, /** @type {number} */ to) {
  if (from === to || !(from in list) || !(to in list)) return list;
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), list[from], ...rest.slice(to)];
}
