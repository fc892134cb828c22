/** The message to which another one replies, as one line above it. */

import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { control } from "./message_controls.js";

/**
 * @typedef {object} Quoted
 * @property {string} name
 * @property {string} text
 * @property {boolean} gone whether the message was deleted or is not loaded
 * @property {string} [href] the address of the message
 */

export function quote(/** @type {Quoted} */ { name, text, gone, href }) {
  const parts = [
    h("span", { class: "hidden" }, t("In reply to ")),
    name !== "" && h("span", { class: "quote-name", dir: "auto" }, name),
    h("span", { class: "quote-text", dir: "auto" }, text),
  ];
  const facts = { class: gone ? "quote quote-gone" : "quote" };
  return href ? h("a", { ...facts, ...control("quote"), href }, ...parts) : h("p", facts, ...parts);
}
