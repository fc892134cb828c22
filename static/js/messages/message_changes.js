/**
 * The windows that edit or delete a sent message.
 *
 * The change itself arrives as an event, for the user who made it as for everybody.
 */

import { countChars, MAX_TEXT } from "../text/text.js";
import { confirm } from "../ui/confirm.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, area } from "../ui/field.js";
import { t } from "../words/words.js";

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */
/** @typedef {import("./message_bar.js").Acts} Acts */

export function openEdit(
  /** @type {Pick<MessageRow, "key" | "text" | "attachments">} */ { key, text, attachments },
  /** @type {Pick<Acts, "edit">} */ acts,
) {
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
  return length === 0 && !mayBeEmpty ? t("Enter a text, or delete the message.") : "";
}

export function openDeletion(/** @type {MessageRow} */ { key }, /** @type {Pick<Acts, "remove">} */ acts) {
  confirm({
    title: t("Delete this message?"),
    words: t("Its content is removed for everyone. Its place and its likes stay."),
    act: t("Delete"),
    onSure: () => acts.remove(key),
  });
}
