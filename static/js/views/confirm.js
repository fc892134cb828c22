/**
 * The window that asks once more before something cannot be undone.
 */

import { h } from "../dom.js";
import { openDialog } from "./dialog.js";
import { busyForm } from "./field.js";

/**
 * @param {{ title: string, words: string, act: string, onSure: () => Promise<unknown> }} options
 */
export function confirm({ title, words, act, onSure }) {
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-danger", type: "submit" }, act);
  openDialog({
    title,
    content(close) {
      const cancel = h("button", { class: "button", type: "button", onclick: close }, "Cancel");
      const form = h(
        "form",
        { class: "dialog-form" },
        h("p", {}, words),
        alert,
        h("div", { class: "dialog-actions" }, cancel, submit),
      );
      const send = async () => {
        await onSure();
        close();
      };
      form.addEventListener("submit", busyForm(submit, alert, send));
      return [form];
    },
  });
}
