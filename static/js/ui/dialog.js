/**
 * A modal window over the page.
 *
 * Owns opening and closing; the browser's `<dialog>` keeps the focus inside, closes on Escape and gives the
 * focus back. The content is the caller's.
 */

import { t } from "../words/words.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { openWindow } from "./window.js";

let made = 0;

/**
 * Opens the window at once; its element is removed when it closes.
 * @param {{ title: string, content: (close: () => void) => Node[] }} options
 */
export function openDialog({ title, content }) {
  made += 1;
  const id = `dialog-title-${made}`;
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id });
  const close = () => dialog.close();
  dialog.append(
    h(
      "header",
      { class: "dialog-head" },
      h("h2", { id }, title),
      h(
        "button",
        { class: "button-icon", type: "button", "aria-label": t("Close"), onclick: close },
        icon("close"),
      ),
    ),
    ...content(close),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  openWindow(dialog);
  /** @type {HTMLElement | null} */
  const first = dialog.querySelector("input, textarea");
  first?.focus();
  // Browsers differ in where they put the caret of a text that is there already.
  if (first instanceof HTMLTextAreaElement) first.setSelectionRange(first.value.length, first.value.length);
  return dialog;
}
