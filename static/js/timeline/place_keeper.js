/**
 * Keeps the rows on screen in place while rows are added, removed and resized around them.
 *
 * Owns remembering where the visible rows stood and scrolling them back there. The browser's own scroll
 * anchoring is turned off: not every browser has it, and the two would interfere.
 */

import { rowOf } from "../ui/dom.js";

/**
 * A row and its distance from the scroller's upper edge, in pixels.
 * @typedef {{ key: string, top: number }} Stood
 */

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} rows the list whose rows carry `data-key`
 */
export function createPlaceKeeper(scroller, rows) {
  /** The rows that were visible, from top to bottom. @type {Stood[]} */
  let stood = [];

  const edge = () => scroller.getBoundingClientRect().top;

  /** Returns the index of the first row that is not wholly above the edge `top`. */
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
    /** Remembers the visible rows and where they stand. */
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

    /** Scrolls so that the first remembered row that still exists stands where it stood. */
    restore() {
      for (const { key, top } of stood) {
        const row = rowOf(rows, key);
        if (!row) continue;
        const moved = row.getBoundingClientRect().top - edge() - top;
        if (Math.abs(moved) >= 1) scroller.scrollTop += moved;
        return;
      }
    },

    /** Returns the key of the lowest visible row; "" if there is none. */
    lowest: () => stood.at(-1)?.key ?? "",

    /** The remembered rows, which the caller keeps for a conversation while another one is open. */
    get: () => stood,
    set(/** @type {Stood[]} */ places) {
      stood = places;
    },
  };
}
