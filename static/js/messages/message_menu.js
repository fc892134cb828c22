/**
 * The menu of a message: six quick reactions, and every action with its name.
 *
 * Owns which actions a message has.
 */

import { inTone, USUAL } from "../reactions/emoji.js";
import { oneLine } from "../text/one_line.js";
import { h } from "../ui/dom.js";
import { openMenu } from "../ui/menu_dialog.js";
import { t } from "../words/words.js";
import { openDeletion, openEdit } from "./message_changes.js";

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */
/** @typedef {import("./message_bar.js").Acts} Acts */

const QUICK_MOST = 6;

/**
 * @param {import("../app/app.js").App} app
 * @param {MessageRow} row
 * @param {Acts & { toggle: (row: MessageRow, sign: string) => unknown, back: (key: string) => void }} acts
 *   `toggle` reacts with an emoji or takes it back; `back` focuses the buttons of a message
 * @param {import("../ui/menu_dialog.js").Spot} at
 */
export function openMessageMenu(app, row, acts, at) {
  const quick = (/** @type {(act: () => unknown) => () => void} */ choose) =>
    row.mayReact ? quickReactions(app, row, (sign) => choose(() => acts.toggle(row, sign))) : [];
  return openMenu(
    {
      label: t("Message actions"),
      head: () => excerpt(row),
      quick: { label: t("React"), buttons: quick },
      actions: actionsOf(row, acts),
      onClose() {
        // The button is another one if the message was drawn again.
        if (document.activeElement === document.body && !document.querySelector("dialog[open]"))
          acts.back(row.key);
      },
    },
    at,
  );
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
  /** @type {import("../app/app.js").App} */ app,
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
 * @returns {import("../ui/menu_dialog.js").Action[]}
 */
function actionsOf(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  const action = (
    /** @type {boolean} */ may,
    /** @type {string} */ kind,
    /** @type {string} */ label,
    /** @type {import("../ui/icons.js").IconName} */ sign,
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
    ...action(row.maySave, "save", row.saved ? t("Remove from saved") : t("Save message"), "bookmark", () =>
      acts.save(row.key, !row.saved),
    ),
    ...action(row.mayPin, "pin", row.pinned ? t("Unpin") : t("Pin"), "pin", () =>
      acts.pin(row.key, !row.pinned),
    ),
    ...action(row.mayEdit, "edit", t("Edit"), "compose", () => openEdit(row, acts)),
    ...action(isStored, "about", t("About this message"), "people", () => acts.about(row)),
    ...action(row.mayReport, "report", t("Report…"), "warning", () => acts.report(row)),
    ...action(row.mayDelete, "delete", t("Delete"), "end", () => openDeletion(row, acts)),
  ];
}
