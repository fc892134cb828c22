/**
 * Keeps what is read where it is on the screen, while rows come, go and grow around it.
 *
 * Owns remembering where the visible rows stood and putting them back there. The page's
 * own way of doing so is off: not every browser has it, and two at it would disagree.
 */

import { rowOf } from "../dom.js";

/** Where a row stood: pixels from the upper edge of what is seen. @typedef {{ key: string, top: number }} Stood */

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} rows the list whose rows carry `data-key`
 */
export function createPlaceKeeper(scroller, rows) {
  /** The rows that were visible, from above. @type {Stood[]} */
  let stood = [];

  const edge = () => scroller.getBoundingClientRect().top;

  /** The first row that is not wholly above the edge. */
  function firstVisible(/** @type {HTMLCollection} */ all, /** @type {number} */ top) {
    let from = 0;
    let to = all.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (all[middle].getBoundingClientRect().bottom <= top) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return {
    /** Remembers what is seen now. */
    note() {
      const top = edge();
      const all = rows.children;
      stood = [];
      for (let at = firstVisible(all, top); at < all.length; at += 1) {
        const row = /** @type {HTMLElement} */ (all[at]);
        const from = row.getBoundingClientRect().top - top;
        if (from > scroller.clientHeight) break;
        stood.push({ key: row.dataset.key ?? "", top: from });
      }
    },

    /** Puts the first of them that is still there where it stood. */
    restore() {
      for (const { key, top } of stood) {
        const row = rowOf(rows, key);
        if (!row) continue;
        const moved = row.getBoundingClientRect().top - edge() - top;
        if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
        return;
      }
    },

    /** The key of the lowest row of which something is seen; empty without any. */
    lowest: () => stood.at(-1)?.key ?? "",

    /** What is to be kept of a conversation while another is open, and is given back later. */
    get: () => stood,
    set(/** @type {Stood[]} */ places) {
      stood = places;
    },
  };
}
