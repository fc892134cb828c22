/**
 * Keyboard access to the buttons of the messages in a conversation: Tab stops once, at the newest message; up
 * and down go from message to message, left and right within one.
 *
 * Owns which button can be reached by Tab, and keeps the focus when a message is drawn again.
 */

import { rowOf } from "../ui/dom.js";

/** The attribute that marks a button as one of these and holds its kind. */
export const CONTROL = "data-control";

/** The kind of the time of a message: it can be reached, but Tab and leaps to other messages prefer what acts. */
export const WHEN = "when";

const isAct = (/** @type {Element} */ node) => node.getAttribute(CONTROL) !== WHEN;

/** Returns the attributes of such a button; a message has at most one of each kind. */
export const control = (/** @type {string} */ kind) => ({ [CONTROL]: kind, tabindex: -1 });

/**
 * What an arrow key does: the direction, and whether it stays in the message.
 * @type {Record<string, { by: number, within: boolean } | undefined>}
 */
const STEPS = {
  ArrowDown: { by: 1, within: false },
  ArrowUp: { by: -1, within: false },
  ArrowRight: { by: 1, within: true },
  ArrowLeft: { by: -1, within: true },
};

/** Returns a button of the next message that has buttons: that of the same kind, or else the first that acts. */
function inNextLine(
  /** @type {Element[]} */ rest,
  /** @type {Element} */ line,
  /** @type {string | null} */ kind,
) {
  const beyond = rest.filter((one) => one.closest("li") !== line);
  const there = beyond.filter((one) => one.closest("li") === beyond[0].closest("li"));
  return there.find((one) => one.getAttribute(CONTROL) === kind) ?? there.find(isAct) ?? there[0];
}

export function createMessageControls(/** @type {HTMLElement} */ lines) {
  /** The message and the kind of the button that had the focus last. */
  let held = { key: "", kind: "" };
  /** The one button that Tab reaches. @type {HTMLElement | null} */
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
      const first = [...row.querySelectorAll(`[${CONTROL}]`)].find(isAct);
      if (first) return /** @type {HTMLElement} */ (first);
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
    const step = STEPS[event.key];
    const from = document.activeElement?.closest(`[${CONTROL}]`);
    const line = from?.closest("li");
    if (!step || !from || !line || !lines.contains(line)) return;
    event.preventDefault();
    const all = [...(step.within ? line : lines).querySelectorAll(`[${CONTROL}]`)];
    const rest = step.by > 0 ? all.slice(all.indexOf(from) + 1) : all.slice(0, all.indexOf(from)).reverse();
    const next = step.within ? rest[0] : inNextLine(rest, line, from.getAttribute(CONTROL));
    /** @type {HTMLElement | undefined} */ (next)?.focus();
  });

  return {
    /** Runs `draw`, and gives the focus back to the button that replaced the focused one. */
    around(/** @type {() => void} */ draw) {
      const focused = lines.contains(document.activeElement) ? nameOf(document.activeElement) : null;
      draw();
      settle();
      if (focused && !lines.contains(document.activeElement)) found(focused)?.focus({ preventScroll: true });
    },
  };
}
