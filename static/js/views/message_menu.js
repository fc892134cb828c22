/**
 * The buttons of a sent message: answer, react, pin, edit, copy its text, forward, delete (one's own, or as an
 * admin anybody's), and others.
 *
 * Owns which buttons a message has. The changes arrive as events, for the user who made them as for
 * everybody.
 */

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { t } from "../words.js";
import { control } from "./message_controls.js";
import { openDeletion, openEdit } from "./windows.js";

/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */
/**
 * @typedef {object} Acts
 * @property {(row: MessageRow) => void} answer
 * @property {(row: MessageRow) => void} react lets the user choose an emoji
 * @property {(id: string, text: string) => Promise<unknown>} edit
 * @property {(id: string) => Promise<unknown>} remove
 * @property {(id: string, isPinned: boolean) => unknown} pin
 * @property {(row: MessageRow) => void} about shows who reacted and who has read the message
 * @property {(row: MessageRow) => void} copy copies the text as it was written
 * @property {(row: MessageRow) => void} forward asks where to say it again
 * @property {(row: MessageRow) => void} link shows the message's address, to be copied
 */

export function messageMenu(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  return [
    row.mayAnswer && button("answer", t("Reply"), "reply", () => acts.answer(row)),
    row.mayReact && button("react", t("React"), "smile", () => acts.react(row)),
    row.mayPin &&
      button("pin", row.pinned ? t("Unpin") : t("Pin"), "pin", () => acts.pin(row.key, !row.pinned)),
    row.mayEdit && button("edit", t("Edit"), "compose", () => openEdit(row, acts)),
    row.mayCopy && button("copy", t("Copy text"), "copy", () => acts.copy(row)),
    row.mayForward && button("forward", t("Forward…"), "forward", () => acts.forward(row)),
    row.state === "stored" && button("link", t("Copy link"), "link", () => acts.link(row)),
    row.state === "stored" && button("about", t("About this message"), "people", () => acts.about(row)),
    row.mayDelete && button("delete", t("Delete"), "end", () => openDeletion(row, acts)),
  ];
}

function button(
  /** @type {string} */ kind,
  /** @type {string} */ label,
  /** @type {import("../icons.js").IconName} */ sign,
  /** @type {() => void} */ onclick,
) {
  const facts = { class: "like line-act", type: "button", "aria-label": label, title: label, onclick };
  return h("button", { ...facts, ...control(kind) }, icon(sign));
}
