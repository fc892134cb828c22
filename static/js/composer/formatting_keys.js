/**
 * Formatting in the composer: Ctrl+B, Ctrl+I and Ctrl+K, and a button that keeps the bar with all formats open. The
 * bar loads with the first selection or press of the button.
 */

import { arrived } from "../app/loading.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { composes } from "../ui/input_method.js";
import { t } from "../words/words.js";

/** @typedef {import("./formatting.js").Format} Format */

/** @type {Record<string, Format | undefined>} */
const KEYS = { b: "bold", i: "italic", k: "link" };

/**
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.input
 * @param {() => void} parts.onChange called once the text has changed
 */
export function createFormatting(parts) {
  const { input } = parts;
  const node = h("div", { class: "formatting-place" });
  const toggle = h(
    "button",
    {
      class: "button-icon composer-format",
      type: "button",
      "aria-label": t("Formatting"),
      title: t("Formatting"),
      "aria-pressed": "false",
      onclick: switchBar,
    },
    icon("format"),
  );
  /** @type {Promise<ReturnType<typeof import("./formatting_bar.js").createFormattingBar>> | null} */
  let coming = null;

  function load() {
    coming ??= import("./formatting_bar.js").then(({ createFormattingBar }) => {
      const bar = createFormattingBar(parts);
      node.append(bar.node);
      bar.look();
      return bar;
    });
    // Without a network, the next selection tries again.
    coming.catch(() => {
      coming = null;
    });
    return coming;
  }

  /** Keeps the bar open, or shows it only while text is selected. */
  async function switchBar() {
    const bar = await arrived(load);
    if (!bar) return;
    const isKept = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(isKept));
    bar.keep(isKept);
    input.focus();
  }

  input.addEventListener("select", () => load().catch(() => {}));

  return {
    node,
    toggle,
    /** Handles a key in the field. Returns whether it was one of formatting. */
    pressed(/** @type {KeyboardEvent} */ event) {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (!(ctrlKey || metaKey) || altKey || shiftKey || composes(event)) return false;
      const format = KEYS[key.toLowerCase()];
      // Without a selection, Ctrl+K goes anywhere.
      if (!format || (format === "link" && input.selectionStart === input.selectionEnd)) return false;
      event.preventDefault();
      load().then(
        ({ apply }) => apply(format),
        () => {},
      );
      return true;
    },
  };
}
