/**
 * What can be done with a message that is there: answer it, react to it, pin it, edit one's own, delete one's own
 * or, as an admin, anybody's.
 *
 * Owns the buttons and their windows. What changes comes back as an event, to me as to
 * everybody.
 */

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { countChars, MAX_TEXT } from "../text.js";
import { t } from "../words.js";
import { confirm } from "./confirm.js";
import { openForm } from "./dialog_form.js";
import { allRight, area } from "./field.js";
import { control } from "./message_controls.js";
import { chooseReaction } from "./reactions.js";

/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */
/**
 * @typedef {object} Acts
 * @property {(row: MessageRow) => void} answer
 * @property {(id: string, sign: string) => Promise<unknown>} react
 * @property {(id: string, text: string) => Promise<unknown>} edit
 * @property {(id: string) => Promise<unknown>} remove
 * @property {(id: string, isPinned: boolean) => unknown} pin
 * @property {(row: MessageRow) => void} about shows who reacted and who has read it
 * @property {(row: MessageRow) => void} link puts the address of a message where it can be pasted from
 */

export function messageMenu(/** @type {MessageRow} */ row, /** @type {Acts} */ acts) {
  return [
    row.mayAnswer && button("answer", t("Reply"), "back", () => acts.answer(row)),
    row.mayAnswer &&
      button("react", t("React"), "smile", () => chooseReaction((sign) => acts.react(row.key, sign))),
    row.mayPin &&
      button("pin", row.pinned ? t("Unpin") : t("Pin"), "pin", () => acts.pin(row.key, !row.pinned)),
    row.mayEdit && button("edit", t("Edit"), "compose", () => openEdit(row, acts)),
    row.state === "stored" && button("link", t("Copy link"), "copy", () => acts.link(row)),
    row.state === "stored" && button("about", t("About this message"), "people", () => acts.about(row)),
    row.mayDelete && button("delete", t("Delete"), "end", () => askToDelete(row, acts)),
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

function openEdit(/** @type {MessageRow} */ { key, text, attachments }, /** @type {Acts} */ acts) {
  const words = area({ label: t("Message"), name: "text", autocomplete: "off", value: text });
  openForm({
    title: t("Edit message"),
    asks: [words.node],
    act: t("Save"),
    async onSubmit(close) {
      const said = words.input.value.trim();
      if (!allRight([[words, textProblem(said, attachments.length > 0)]])) return;
      await acts.edit(key, said);
      close();
    },
  });
}

function textProblem(/** @type {string} */ text, /** @type {boolean} */ mayBeEmpty) {
  const length = countChars(text);
  if (length > MAX_TEXT)
    return t("{count} characters; {MOST} are allowed.", { count: length, MOST: MAX_TEXT });
  return length === 0 && !mayBeEmpty ? t("Say something, or delete the message.") : "";
}

function askToDelete(/** @type {MessageRow} */ { key }, /** @type {Acts} */ acts) {
  confirm({
    title: t("Delete this message?"),
    words: t("Nobody will be able to read it any more. Its place and its likes stay."),
    act: t("Delete"),
    onSure: () => acts.remove(key),
  });
}
