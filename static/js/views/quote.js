/**
 * A message that another one answers, in one line above it.
 */

import { h } from "../dom.js";
import { t } from "../words.js";

/** @typedef {{ name: string, text: string, gone: boolean }} Quoted `gone`: it was deleted, or is not loaded */

export function quote(/** @type {Quoted} */ { name, text, gone }) {
  return h(
    "p",
    { class: gone ? "quote quote-gone" : "quote", dir: "auto" },
    h("span", { class: "hidden" }, t("In reply to ")),
    name !== "" && h("span", { class: "quote-name" }, name),
    h("span", { class: "quote-text" }, text),
  );
}
