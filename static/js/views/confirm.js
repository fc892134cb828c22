/**
 * The window that asks once more before something that cannot simply be taken back.
 */

import { h } from "../dom.js";
import { openForm } from "./dialog_form.js";

/**
 * @param {{ title: string, words: string, act: string, danger?: boolean, onSure: () => Promise<unknown> }} options
 *   `words` say what follows, `act` is what the button says; no `danger` where nothing is lost
 */
export function confirm({ title, words, act, danger = true, onSure }) {
  const dialog = openForm({
    title,
    asks: [h("p", { class: "quiet" }, words)],
    act,
    danger,
    async onSubmit(close) {
      await onSure();
      close();
    },
  });
  // Enter by habit should do no harm.
  /** @type {HTMLElement | null} */ (dialog.querySelector(".dialog-actions .button"))?.focus();
}
