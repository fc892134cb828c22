/**
 * The buttons in the lines of a conversation, with the keyboard: Tab stops once, at the
 * newest, and the arrow keys go from one to the next.
 *
 * Owns which of them can be tabbed to, and that the focus stays where it was when a line
 * is drawn anew.
 */

import { rowOf } from "../dom.js";

/** What marks a button as one of these. */
export const CONTROL = "data-control";

/** What makes a button one of these: its kind is said once in each line. */
export const control = (/** @type {string} */ kind) => ({ [CONTROL]: kind, tabindex: -1 });

export function createMessageControls(/** @type {HTMLElement} */ lines) {
  /** The last one that had the focus: its line and its kind. */
  let held = { key: "", kind: "" };
  /** The one that Tab stops at. @type {HTMLElement | null} */
  let stop = null;

  function nameOf(/** @type {Element | null} */ node) {
    const found = node?.closest(`[${CONTROL}]`);
    const key = found?.closest("li")?.dataset.key;
    return found && key ? { key, kind: found.getAttribute(CONTROL) ?? "" } : null;
  }

  /** @returns {HTMLElement | null} */
  const found = (/** @type {{ key: string, kind: string }} */ { key, kind }) =>
    rowOf(lines, key)?.querySelector(`[${CONTROL}="${kind}"]`) ?? null;

  /** @returns {HTMLElement | null} */
  function newest() {
    for (let row = lines.lastElementChild; row; row = row.previousElementSibling) {
      const all = row.querySelectorAll(`[${CONTROL}]`);
      if (all.length > 0) return /** @type {HTMLElement} */ (all[all.length - 1]);
    }
    return null;
  }

  function settle() {
    const next = found(held) ?? newest();
    if (next === stop) return;
    if (stop) stop.tabIndex = -1;
    if (next) next.tabIndex = 0;
    stop = next;
  }

  lines.addEventListener("focusin", ({ target }) => {
    held = nameOf(/** @type {Element} */ (target)) ?? held;
    settle();
  });

  lines.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...lines.querySelectorAll(`[${CONTROL}]`)];
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    event.preventDefault();
    /** @type {HTMLElement | undefined} */ (all[at + step])?.focus();
  });

  return {
    /** Draws, and gives the focus back to the button that took the old one's place. */
    around(/** @type {() => void} */ draw) {
      const focused = lines.contains(document.activeElement) ? nameOf(document.activeElement) : null;
      draw();
      settle();
      if (focused && !lines.contains(document.activeElement)) found(focused)?.focus({ preventScroll: true });
    },
  };
}
