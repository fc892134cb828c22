/**
 * What can be done with a message that is there: answer it, react to it, pin it, edit one's own, delete one's own
 * or, as an admin, anybody's.
 *
 * Owns the buttons. What changes comes back as an event, to me as to
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
 * @property {(row: MessageRow) => void} react lets one choose a sign
 * @property {(id: string, text: string) => Promise<unknown>} edit
 * @property {(id: string) => Promise<unknown>} remove
 * @property {(id: string, isPinned: boolean) => unknown} pin
 * @property {(row: MessageRow) => void} about shows who reacted and who has read it
 * @property {(row: MessageRow) => void} link puts the address of a message where it can be pasted from
 */

export function messageMenu(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  return [
    row.mayAnswer && button("answer", t("Reply"), "reply", () => acts.answer(row)),
    row.mayAnswer && button("react", t("React"), "smile", () => acts.react(row)),
    row.mayPin &&
      button("pin", row.pinned ? t("Unpin") : t("Pin"), "pin", () => acts.pin(row.key, !row.pinned)),
    row.mayEdit && button("edit", t("Edit"), "compose", () => openEdit(row, acts)),
    row.state === "stored" && button("link", t("Copy link"), "copy", () => acts.link(row)),
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
