/**
 * Opens `<dialog>` elements as modal windows over the page.
 *
 * Owns that each open window has an entry in the browser's history, so that Back closes it.
 */

import { createPageHistory } from "../app/page_history.js";
import { fadeOut } from "./exit_motion.js";

let made = 0;

/** The history of this page. */
export const pages = createPageHistory(globalThis.window, () => {
  made += 1;
  return `${Date.now()}-${made}`;
});

/** Opens a window; its element is removed when it closes. */
export function openWindow(/** @type {HTMLDialogElement} */ dialog) {
  // Once it has closed, nothing of it is left to fade.
  dialog.close = () => {
    if (dialog.open) fadeOut(dialog);
    HTMLDialogElement.prototype.close.call(dialog);
  };
  dialog.addEventListener("cancel", (event) => {
    if (!event.defaultPrevented && event.target === dialog) fadeOut(dialog);
  });
  const closed = pages.opened(() => dialog.close());
  const focusOpener = openerOf(document.activeElement);
  dialog.addEventListener("close", () => {
    closed();
    dialog.remove();
    // The browser gives the focus back, unless a row was drawn again meanwhile.
    if (document.activeElement === document.body && !document.querySelector("dialog[open]")) focusOpener();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Returns a function that focuses what replaced an element of a row: the one of its name, or else one near it. */
export function openerOf(/** @type {Element | null} */ opener) {
  const row = opener?.closest("li[data-key]");
  const list = row?.parentElement;
  const key = row?.getAttribute("data-key") ?? "";
  const name = opener?.getAttribute("aria-label") ?? "";
  return () => {
    const place = list?.querySelector(`:scope > li[data-key="${CSS.escape(key)}"]`);
    const again = name && place?.querySelector(`[aria-label="${CSS.escape(name)}"]`);
    const near = again || place?.querySelector("button") || list?.closest("[tabindex]");
    if (near instanceof HTMLElement) near.focus({ preventScroll: true });
  };
}
