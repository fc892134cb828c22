/**
 * A window with a form: fields, an alert, and two buttons.
 *
 * Owns that only one submission runs at a time, and that its error is shown below the fields.
 */

import { t } from "../words/words.js";
import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { busyForm } from "./field.js";

/**
 * @param {{
 *   title: string,
 *   asks: (Node | false)[],
 *   act: string,
 *   refusal?: string,
 *   danger?: boolean,
 *   onSubmit: (close: () => void) => Promise<unknown>,
 * }} options `asks` are the fields; `act` and `refusal` are the labels of the buttons
 */
export function openForm({ title, asks, act, refusal = t("Cancel"), danger = false, onSubmit }) {
  const alert = h("p", { class: "alert", role: "alert" });
  const look = danger ? "button button-danger" : "button button-primary";
  const submit = h("button", { class: look, type: "submit" }, act);
  return openDialog({
    title,
    content(close) {
      const cancel = h("button", { class: "button", type: "button", onclick: close }, refusal);
      const form = h(
        "form",
        { class: "dialog-form", novalidate: true },
        ...asks,
        alert,
        h("div", { class: "dialog-actions" }, cancel, submit),
      );
      form.addEventListener(
        "submit",
        busyForm(submit, alert, () => onSubmit(close)),
      );
      return [form];
    },
  });
}
