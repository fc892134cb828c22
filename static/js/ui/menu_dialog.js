/**
 * A menu over the page. It opens beside its button or the pointer; on a phone it is a sheet at the lower edge.
 *
 * Owns the menu while it is open: its place, its keys, and that it closes.
 */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { menuGoal } from "./menu_keys.js";
import { openWindow } from "./window.js";

/** @typedef {HTMLElement | { x: number, y: number }} Spot the button or the point beside which the menu opens */
/** @typedef {{ kind: string, label: string, sign: import("./icons.js").IconName, act: () => unknown }} Action */

/** The distance from its button, and from the edges of the page, in pixels. */
const GAP = 4;
const EDGE = 8;
/** How long after a long press its finger may still click, in milliseconds. */
const LEFTOVER_MS = 1_000;

/** Whether the menu is a sheet: where fingers choose, or where there is no room beside the message. */
const isSheet = () => matchMedia("(max-width: 719px), (hover: none) and (pointer: coarse)").matches;

/**
 * @param {object} parts
 * @param {string} parts.label
 * @param {() => HTMLElement} parts.head what the menu belongs to, which a sheet shows
 * @param {Action[]} parts.actions
 * @param {{ label: string, buttons: (choose: (act: () => unknown) => () => void) => HTMLElement[] }} [parts.quick]
 *   buttons in a row above the actions; `choose` makes their click listeners
 * @param {() => void} [parts.onClose]
 * @param {Spot} at
 */
export function openMenu({ label, head, actions, quick: above, onClose = () => {} }, at) {
  const choose = (/** @type {() => unknown} */ act) => () => {
    dialog.close();
    act();
  };
  const quick = above?.buttons(choose) ?? [];
  const named = actions.map(({ kind, label: words, sign, act }) =>
    h(
      "button",
      {
        class: `menu-row menu-${kind}`,
        type: "button",
        role: "menuitem",
        tabindex: "-1",
        onclick: choose(act),
      },
      icon(sign),
      words,
    ),
  );
  const sheet = isSheet();
  const menu = h(
    "div",
    { class: "message-menu", role: "menu", "aria-label": label, onkeydown: pressed },
    quick.length > 0 &&
      h("div", { class: "menu-quick", role: "group", "aria-label": above?.label }, ...quick),
    ...named,
  );
  const dialog = h(
    "dialog",
    { class: sheet ? "menu-dialog menu-sheet" : "menu-dialog", "aria-label": label },
    sheet && head(),
    menu,
  );

  function pressed(/** @type {KeyboardEvent} */ event) {
    // Letters are shortcuts of the page elsewhere.
    event.stopPropagation();
    if (event.key === "Tab") {
      event.preventDefault();
      dialog.close();
      return;
    }
    const items = [...quick, ...named];
    const next = menuGoal(event, items, items.length - named.length);
    if (next < 0) return;
    event.preventDefault();
    items[next].focus();
  }

  const openedAt = performance.now();
  let wasPressed = false;
  let isPressed = false;
  dialog.addEventListener("pointerdown", ({ target }) => {
    wasPressed = true;
    isPressed = target === dialog;
  });
  // The finger whose long press opened the sheet may click what is below it when it leaves.
  const isLeftover = (/** @type {MouseEvent} */ { detail }) =>
    detail > 0 && !wasPressed && performance.now() - openedAt < LEFTOVER_MS;
  dialog.addEventListener(
    "click",
    (event) => {
      if (isLeftover(event)) event.stopPropagation();
      else if (event.target === dialog && isPressed) dialog.close();
    },
    true,
  );
  dialog.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (event.target === dialog && isPressed) dialog.close();
  });
  dialog.addEventListener("close", onClose);
  openWindow(dialog);
  if (!sheet) place(dialog, at);
  (quick[0] ?? named[0])?.focus({ preventScroll: true });
  return dialog;
}

/** Puts the menu below its button or at the point, or above where there is no room. */
function place(/** @type {HTMLDialogElement} */ dialog, /** @type {Spot} */ at) {
  const isRtl = getComputedStyle(dialog).direction === "rtl";
  // Its size at rest: it grows a little while it appears.
  const { offsetWidth: width, offsetHeight: height } = dialog;
  const box = at instanceof HTMLElement ? at.getBoundingClientRect() : new DOMRect(at.x, at.y - GAP, 0, GAP);
  const left = isRtl ? box.right - width : box.left;
  const below = box.bottom + GAP;
  const top = below + height > innerHeight - EDGE ? box.top - GAP - height : below;
  dialog.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  dialog.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`;
}
