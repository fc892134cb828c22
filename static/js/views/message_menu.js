/**
 * The menu of a message: six quick reactions, and every action with its name. It opens beside its button or the
 * pointer; on a phone it is a sheet at the lower edge.
 *
 * Owns the menu while it is open: its place, its keys, and that it closes.
 */

import { h } from "../dom.js";
import { inTone, USUAL } from "../emoji.js";
import { icon } from "../icons.js";
import { oneLine } from "../one_line.js";
import { t } from "../words.js";
import { menuGoal } from "./menu_keys.js";
import { openDeletion, openEdit } from "./message_changes.js";
import { openWindow } from "./window.js";

/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */
/** @typedef {import("./message_bar.js").Acts} Acts */
/** @typedef {HTMLElement | { x: number, y: number }} Spot the button or the point beside which the menu opens */

const QUICK_MOST = 6;
/** The distance from its button, and from the edges of the page, in pixels. */
const GAP = 4;
const EDGE = 8;
/** How long after a long press its finger may still click, in milliseconds. */
const LEFTOVER_MS = 1_000;

/** Whether the menu is a sheet: where fingers choose, or where there is no room beside the message. */
const isSheet = () => matchMedia("(max-width: 719px), (hover: none) and (pointer: coarse)").matches;

/**
 * @param {import("../app.js").App} app
 * @param {MessageRow} row
 * @param {Acts & { toggle: (row: MessageRow, sign: string) => unknown, back: (key: string) => void }} acts
 *   `toggle` reacts with an emoji or takes it back; `back` focuses the buttons of a message
 * @param {Spot} at
 */
export function openMessageMenu(app, row, acts, at) {
  const choose = (/** @type {() => unknown} */ act) => () => {
    dialog.close();
    act();
  };
  const quick = row.mayReact ? quickReactions(app, row, (sign) => choose(() => acts.toggle(row, sign))) : [];
  const named = actionsOf(row, acts).map(({ kind, label, sign, act }) =>
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
      label,
    ),
  );
  const sheet = isSheet();
  const menu = h(
    "div",
    { class: "message-menu", role: "menu", "aria-label": t("Message actions"), onkeydown: pressed },
    quick.length > 0 && h("div", { class: "menu-quick", role: "group", "aria-label": t("React") }, ...quick),
    ...named,
  );
  const dialog = h(
    "dialog",
    { class: sheet ? "menu-dialog menu-sheet" : "menu-dialog", "aria-label": t("Message actions") },
    sheet && excerpt(row),
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
  dialog.addEventListener("close", () => {
    // The button is another one if the message was drawn again.
    if (document.activeElement === document.body && !document.querySelector("dialog[open]"))
      acts.back(row.key);
  });
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

/** The author and the first words, so that one sees on a sheet to which message it belongs. */
function excerpt(/** @type {MessageRow} */ { mine, author, text, attachments }) {
  const name = mine ? t("You") : author.name;
  return h(
    "p",
    { class: "quote menu-message" },
    h("span", { class: "quote-name", dir: "auto" }, name),
    h("span", { class: "quote-text", dir: "auto" }, oneLine({ text, attachments })),
  );
}

/** The emoji that the user chose last, filled up with the usual ones. */
function quickReactions(
  /** @type {import("../app.js").App} */ app,
  /** @type {MessageRow} */ row,
  /** @type {(sign: string) => () => void} */ onChoose,
) {
  const tone = app.emojiTone.get();
  const usual = USUAL.map((sign) => inTone(sign, tone));
  const signs = [...new Set([...app.recentEmoji.get(), ...usual])].slice(0, QUICK_MOST);
  const isMine = (/** @type {string} */ sign) => row.signs.some(({ code, mine }) => mine && code === sign);
  return signs.map((sign) =>
    h(
      "button",
      {
        class: "menu-emoji",
        type: "button",
        role: "menuitemcheckbox",
        tabindex: "-1",
        "aria-checked": String(isMine(sign)),
        onclick: onChoose(sign),
      },
      sign,
    ),
  );
}

/**
 * The actions that the user may take, in their order.
 * @returns {{ kind: string, label: string, sign: import("../icons.js").IconName, act: () => unknown }[]}
 */
function actionsOf(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  const action = (
    /** @type {boolean} */ may,
    /** @type {string} */ kind,
    /** @type {string} */ label,
    /** @type {import("../icons.js").IconName} */ sign,
    /** @type {() => unknown} */ act,
  ) => (may ? [{ kind, label, sign, act }] : []);
  const isStored = row.state === "stored";
  return [
    ...action(row.mayReact, "react", t("More reactions…"), "smile", () => acts.react(row)),
    ...action(row.mayAnswer, "answer", t("Reply"), "reply", () => acts.answer(row)),
    ...action(isStored && !row.maySelect && !row.deleted, "show", t("Show in conversation"), "message", () =>
      acts.show(row),
    ),
    ...action(row.mayAnswer, "thread", t("Reply in thread"), "message", () => acts.thread(row)),
    ...action(row.mayForward, "forward", t("Forward…"), "forward", () => acts.forward(row)),
    ...action(row.mayCopy, "copy", t("Copy text"), "copy", () => acts.copy(row)),
    ...action(isStored, "link", t("Copy link"), "link", () => acts.link(row)),
    ...action(row.mayMark, "unread", t("Mark as unread"), "bell", () => acts.unread(row)),
    ...action(row.maySelect, "select", t("Select"), "check", () => acts.select(row)),
    ...action(row.mayPin, "pin", row.pinned ? t("Unpin") : t("Pin"), "pin", () =>
      acts.pin(row.key, !row.pinned),
    ),
    ...action(row.mayEdit, "edit", t("Edit"), "compose", () => openEdit(row, acts)),
    ...action(isStored, "about", t("About this message"), "people", () => acts.about(row)),
    ...action(row.mayReport, "report", t("Report…"), "warning", () => acts.report(row)),
    ...action(row.mayDelete, "delete", t("Delete"), "end", () => openDeletion(row, acts)),
  ];
}
