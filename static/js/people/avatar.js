/**
 * Small pictures of people and groups: their image, or their initials on a colour that never changes.
 *
 * Owns how the colour is chosen. Avatars are decoration: the name always stands beside them.
 */

import { formOf } from "../pictures/pictures.js";
import { h } from "../ui/dom.js";

const HUES = 10;

/** A letter that begins a family name which people write first and by which they call each other. */
const FAMILY = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Returns the first letters of the first and the last word, in capitals; one letter in East Asian scripts;
 * "?" for an empty name.
 */
export function initials(/** @type {string} */ name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  if (FAMILY.test([...(words[0] ?? "")][0])) return [...words[0]][0];
  const letters = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return letters.map((word) => [...word][0].toUpperCase()).join("") || "?";
}

/** Returns the number of the colour for an id (0 to 9), the same on every device. */
export function hue(/** @type {string} */ id) {
  let sum = 0;
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return sum % HUES;
}

/**
 * @param {{ id: string, name: string, imageUrl?: string | null, shape?: "person" | "group", size?: "small" | "large" }} of
 */
export function avatar({ id, name, imageUrl, shape = "person", size }) {
  const classes = ["avatar", `avatar-${shape}`, `hue-${hue(id)}`, size && `avatar-${size}`];
  const node = h("span", { class: classes.filter(Boolean).join(" "), "aria-hidden": "true" }, initials(name));
  if (imageUrl) {
    const image = h("img", {
      src: formOf(imageUrl, "avatar"),
      alt: "",
      loading: "lazy",
      // The initials are visible until the image has loaded; `missed_pictures.js` may retry it later.
      onerror: () => image.toggleAttribute("hidden", true),
      onload: () => image.toggleAttribute("hidden", false),
    });
    node.append(image);
  }
  return node;
}
