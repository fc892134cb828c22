/**
 * A window with a form: what is asked, what went wrong, and two buttons.
 *
 * Owns sending once at a time, and saying under the fields why it failed.
 */

import { h } from "../dom.js";
import { t } from "../words.js";
import { openDialog } from "./dialog.js";
import { busyForm } from "./field.js";

/**
 * @param {{
 *   title: string,
 *   asks: (Node | false)[],
 *   act: string,
 *   refusal?: string,
 *   danger?: boolean,
 *   onSubmit: (close: () => void) => Promise<unknown>,
 * }} options `act` and `refusal` are what the buttons say
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
