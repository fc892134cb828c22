/**
 * A list of rows of one height, of which only those near what is seen are in the page, so
 * that five thousand cost no more than fifty.
 *
 * Owns which rows are there and where they stand. The row that has the focus stays, however
 * far one scrolls, and each row says which of how many it is to those who listen.
 */

import { reconcile, rowOf } from "../dom.js";

/** Rows beyond what is seen, on each side. */
const BEYOND = 8;
/** Until a row has been measured. */
const GUESSED_PX = 56;
/** Without a height to fill (nothing is shown yet), as many rows as any screen begins with. */
const FIRST = 20;

/**
 * @typedef {object} Items
 * @property {readonly string[]} keys of all rows, in their order
 * @property {(at: number) => import("../dom.js").Row} row what is drawn at a place
 */

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} scroller what scrolls the list, and perhaps more
 */
export function createVirtualList(list, scroller) {
  /** @type {Items} */
  let items = { keys: [], row: () => ({ key: "", sign: "", build: () => list }) };
  let height = GUESSED_PX;
  list.classList.add("virtual");

  /** The places that are to be there: from the first to the one after the last. */
  function range() {
    const rows = scroller.clientHeight > 0 ? Math.ceil(scroller.clientHeight / height) : FIRST;
    const above = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(above / height));
    return { from: Math.max(0, first - BEYOND), to: Math.min(items.keys.length, first + rows + BEYOND) };
  }

  function places() {
    const { from, to } = range();
    const found = Array.from({ length: Math.max(0, to - from) }, (_, step) => from + step);
    const held = focused();
    if (held >= 0 && held < from) found.unshift(held);
    if (held >= to) found.push(held);
    return found;
  }

  /** The place of the row that has the focus, or -1. */
  function focused() {
    const row = list.contains(document.activeElement) ? document.activeElement?.closest("li") : null;
    return row ? items.keys.indexOf(row.dataset.key ?? "") : -1;
  }

  function draw() {
    height = /** @type {HTMLElement | null} */ (list.firstElementChild)?.offsetHeight || height;
    const found = places();
    put(list, "height", `${items.keys.length * height}px`);
    reconcile(list, found.map(items.row), draw);
    for (const at of found) place(at);
  }

  function place(/** @type {number} */ at) {
    const row = rowOf(list, items.keys[at]);
    if (!row) return;
    put(row, "top", `${at * height}px`);
    row.dataset.key = items.keys[at];
    say(row, "aria-posinset", at + 1);
    say(row, "aria-setsize", items.keys.length);
  }

  /** Brings a row into view and gives back its element. */
  function reveal(/** @type {number} */ at) {
    const top = list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + at * height;
    if (top < 0) scroller.scrollTop += top;
    const below = top + height - scroller.clientHeight;
    if (below > 0) scroller.scrollTop += below;
    draw();
    return rowOf(list, items.keys[at] ?? "");
  }

  scroller.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(() => {
    draw();
    // The first rows were placed by a guess.
    draw();
  }).observe(scroller);

  return {
    show(/** @type {Items} */ now) {
      items = now;
      draw();
    },

    /** The element of the row with this key, brought into view; null without such a row. */
    reveal(/** @type {string} */ key) {
      const at = items.keys.indexOf(key);
      return at < 0 ? null : reveal(at);
    },

    /** The row so many steps from the one that has the focus, brought into view. */
    fromFocus(/** @type {number} */ step) {
      const at = focused();
      return at < 0 || !(at + step in items.keys) ? null : reveal(at + step);
    },
  };
}

function put(
  /** @type {HTMLElement} */ element,
  /** @type {"top" | "height"} */ name,
  /** @type {string} */ value,
) {
  if (element.style[name] !== value) element.style[name] = value;
}

function say(/** @type {HTMLElement} */ element, /** @type {string} */ name, /** @type {number} */ value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}
