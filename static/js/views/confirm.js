/**
 * The window that asks once more before something that cannot simply be taken back.
 */

import { h } from "../dom.js";
import { openDialog } from "./dialog.js";
import { busyForm } from "./field.js";

/**
 * @param {{ title: string, words: string, act: string, danger?: boolean, onSure: () => Promise<unknown> }} options
 *   `words` say what follows, `act` is what the button says; no `danger` where nothing is lost
 */
export function confirm({ title, words, act, danger = true, onSure }) {
  const alert = h("p", { class: "alert", role: "alert" });
  const look = danger ? "button button-danger" : "button button-primary";
  const submit = h("button", { class: look, type: "submit" }, act);

  const dialog = openDialog({
    title,
    content(close) {
      const form = h(
        "form",
        { class: "dialog-form" },
        h("p", { class: "quiet" }, words),
        alert,
        h(
          "div",
          { class: "dialog-actions" },
          h("button", { class: "button", type: "button", onclick: close }, "Cancel"),
          submit,
        ),
      );
      form.addEventListener(
        "submit",
        busyForm(submit, alert, async () => {
          await onSure();
          close();
        }),
      );
      return [form];
    },
  });
  // Enter by habit should do no harm.
  /** @type {HTMLElement | null} */ (dialog.querySelector(".dialog-actions .button"))?.focus();
}
