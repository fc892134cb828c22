/** The window that asks for confirmation before something that cannot simply be undone. */

import { openForm } from "./dialog_form.js";
import { h } from "./dom.js";

/**
 * @param {{ title: string, words: string, act: string, danger?: boolean, onSure: () => Promise<unknown> }} options
 *   `words` say what will happen, `act` is the button's label; `danger` is false where nothing is lost
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
  // The first button, which cancels, gets the focus: pressing Enter by habit must do no harm.
  /** @type {HTMLElement | null} */ (dialog.querySelector(".dialog-actions .button"))?.focus();
}
