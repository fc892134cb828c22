/**
 * A line of text to be copied: shown whole, with a button that copies it.
 *
 * Browsers deny the clipboard to pages loaded without encryption. There the line is selected and copied with
 * `execCommand`, and if even that is refused, it stays selected.
 */

import { t } from "../words/words.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

/**
 * @param {{ label: string, text: string, isLong?: boolean }} options `label` names what is copied, for
 *   example "bot id"
 */
export function copyable({ label, text, isLong = false }) {
  const code = h("code", { class: "copy-text", tabindex: isLong ? "0" : null }, text);
  const said = h("span", { class: "copy-said", role: "status" });
  const button = h(
    "button",
    {
      class: "button copy-button",
      type: "button",
      "aria-label": t("Copy {label}", { label }),
      onclick: copy,
    },
    icon("copy"),
    t("Copy"),
  );

  async function copy() {
    const isCopied = (await byClipboard(text)) || bySelection(code);
    setText(said, isCopied ? t("Copied") : t("Selected. Copy it with Ctrl+C."));
  }

  return h(
    "div",
    { class: isLong ? "copy copy-long" : "copy" },
    code,
    h("div", { class: "copy-act" }, button, said),
  );
}

/** Copies a text of which the page shows no line. Returns whether the browser allowed it. */
export async function copied(/** @type {string} */ text) {
  if (await byClipboard(text)) return true;
  const focused = document.activeElement;
  const line = h("textarea", { class: "hidden", readonly: true, "aria-hidden": "true", tabindex: "-1" });
  line.value = text;
  document.body.append(line);
  line.select();
  const isCopied = document.execCommand("copy");
  line.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}

async function byClipboard(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function bySelection(/** @type {HTMLElement} */ code) {
  getSelection()?.selectAllChildren(code);
  return document.execCommand("copy");
}
