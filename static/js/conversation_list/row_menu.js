/**
 * What opens the menu of a row in the list of conversations: its button, a right-click, the keys for a context menu, and
 * a long press.
 *
 * Owns the press that is under way.
 */

import { HOLD_MS, REST_PX } from "../ui/long_press.js";

/** The class of the button of a row. */
export const ROW_MORE = "row-more";

/** @typedef {import("../ui/menu_dialog.js").Spot} Spot */

/**
 * @param {HTMLElement} rows
 * @param {(conv: string, at: Spot) => unknown} open
 */
export function watchRowMenus(rows, open) {
  let byMouse = true;
  /** Whether the finger that is down has opened a menu, so that lifting it must not open the conversation. */
  let isHeld = false;
  /** @type {{ x: number, y: number } | null} */
  let press = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const convAt = (/** @type {EventTarget | null} */ target) =>
    (target instanceof Element && target.closest("li")?.dataset.key) || null;

  function letGo() {
    clearTimeout(timer);
    press = null;
  }

  rows.addEventListener("contextmenu", (event) => {
    const conv = convAt(event.target);
    if (!conv) return;
    event.preventDefault();
    // A finger that rests opens the menu by itself.
    if (byMouse) open(conv, { x: event.clientX, y: event.clientY });
  });
  rows.addEventListener("pointerdown", (event) => {
    letGo();
    isHeld = false;
    byMouse = event.pointerType === "mouse";
    const conv = convAt(event.target);
    if (byMouse || !event.isPrimary || !conv) return;
    press = { x: event.clientX, y: event.clientY };
    const at = press;
    timer = setTimeout(() => {
      isHeld = true;
      open(conv, at);
    }, HOLD_MS);
  });
  rows.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (press && Math.hypot(clientX - press.x, clientY - press.y) >= REST_PX) letGo();
  });
  for (const end of ["pointerup", "pointercancel"]) rows.addEventListener(end, letGo);
  rows.addEventListener("keydown", () => {
    byMouse = true;
    isHeld = false;
  });
  rows.addEventListener(
    "click",
    (event) => {
      if (isHeld) {
        isHeld = false;
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      const button = event.target instanceof Element ? event.target.closest(`.${ROW_MORE}`) : null;
      const conv = convAt(button);
      if (conv && button instanceof HTMLElement) open(conv, button);
    },
    true,
  );
}
