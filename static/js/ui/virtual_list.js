/**
 * A list of rows of equal height, of which only those near the visible part are in the page, so that five
 * thousand rows cost no more than fifty.
 *
 * Owns which rows are in the page and where they stand. The focused row stays in the page however far the
 * user scrolls, and each row has its position and the number of rows for screen readers.
 */

import { reconcile, rowOf } from "./dom.js";

/** How many rows beyond the visible ones are in the page, on each side. */
const BEYOND = 8;
/** The height of a row until one has been measured. */
const GUESSED_PX = 56;
/** How many rows are made while the scroller has no height (the list is not shown yet). */
const FIRST = 20;

/**
 * @typedef {object} Items
 * @property {readonly string[]} keys of all rows, in their order
 * @property {(at: number) => import("./dom.js").Row} row returns the row at an index
 */

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} scroller scrolls the list, and perhaps other elements with it
 */
export function createVirtualList(list, scroller) {
  /** @type {Items} */
  let items = { keys: [], row: () => ({ key: "", sign: "", build: () => list }) };
  let height = GUESSED_PX;
  let isMeasured = false;
  list.classList.add("virtual");

  /** Returns the indexes of the rows to have in the page: of the first, and after the last one. */
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

  /** Returns the index of the row that has the focus, or -1. */
  function focused() {
    const row = list.contains(document.activeElement) ? document.activeElement?.closest("li") : null;
    return row ? items.keys.indexOf(row.dataset.key ?? "") : -1;
  }

  const measured = () => /** @type {HTMLElement | null} */ (list.firstElementChild)?.offsetHeight || 0;

  function draw() {
    arrange();
    if (isMeasured || measured() === 0) return;
    // The rows were placed with a guessed height; none of them is seen to move.
    isMeasured = true;
    arrange();
  }

  function arrange() {
    height = measured() || height;
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

  /** Scrolls a row into view and returns its element. */
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
    // Another width may make the rows higher.
    draw();
  }).observe(scroller);

  return {
    show(/** @type {Items} */ now) {
      items = now;
      draw();
    },

    /** Scrolls the row with this key into view and returns its element; null if there is no such row. */
    reveal(/** @type {string} */ key) {
      const at = items.keys.indexOf(key);
      return at < 0 ? null : reveal(at);
    },

    /**
     * Scrolls the row `step` rows after the focused one into view and returns its element; null if there is
     * none.
     */
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
