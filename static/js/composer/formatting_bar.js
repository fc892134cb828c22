/** The bar of formatting above the composer, while text in its field is selected or the user keeps it open. */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { formatted } from "./formatting.js";

/** @typedef {import("./formatting.js").Format} Format */

/**
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.input
 * @param {() => void} parts.onChange called once the text has changed
 */
export function createFormattingBar({ input, onChange }) {
  const button = (
    /** @type {Format} */ format,
    /** @type {string} */ label,
    /** @type {Node | string} */ sign,
  ) =>
    h(
      "button",
      {
        class: `format format-${format}`,
        type: "button",
        "aria-label": label,
        title: label,
        // Keeps the selection in the field.
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: () => apply(format),
      },
      sign,
    );
  let isKept = false;
  const node = h(
    "div",
    { class: "formatting", role: "toolbar", "aria-label": t("Formatting"), hidden: true },
    button("bold", t("Bold"), "B"),
    button("italic", t("Italic"), "I"),
    button("struck", t("Strikethrough"), "S"),
    button("code", t("Monospace"), "<>"),
    button("link", t("Link"), icon("link")),
    button("quote", t("Quote"), "❝"),
    button("list", t("List"), "•"),
  );

  function apply(/** @type {Format} */ format) {
    const { value: text, selectionStart: start, selectionEnd: end } = input;
    const made = formatted({ text, start, end }, format);
    input.focus();
    // The browser's own command keeps the way back by Ctrl+Z.
    input.select();
    if (!document.execCommand("insertText", false, made.text)) input.value = made.text;
    input.setSelectionRange(made.start, made.end);
    onChange();
    look();
  }

  function look() {
    const isSelected = input.selectionStart !== input.selectionEnd && document.activeElement === input;
    if (!node.contains(document.activeElement)) node.hidden = !isSelected && !isKept;
  }

  document.addEventListener("selectionchange", look);
  for (const one of [input, node]) one.addEventListener("focusout", () => setTimeout(look));

  return {
    node,
    apply,
    look,
    /** Keeps the bar open, with or without a selection. */
    keep(/** @type {boolean} */ isOn) {
      isKept = isOn;
      look();
    },
  };
}
