/**
 * Opens `<dialog>` elements as modal windows over the page.
 *
 * Owns that each open window has an entry in the browser's history, so that Back closes it.
 */

import { createPageHistory } from "../page_history.js";

let made = 0;

/** The history of this page. */
export const pages = createPageHistory(globalThis.window, () => {
  made += 1;
  return `${Date.now()}-${made}`;
});

/** Opens a window; its element is removed when it closes. */
export function openWindow(/** @type {HTMLDialogElement} */ dialog) {
  const closed = pages.opened(() => dialog.close());
  dialog.addEventListener("close", () => {
    closed();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
