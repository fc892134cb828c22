/**
 * Words: how long they are, and where the links in them lie.
 *
 * Pure. Lengths are counted in Unicode code points, as the server counts them.
 */

import { t } from "./words.js";

export const MAX_TEXT = 1000;

/** One emoji is one, or a few, but never two halves. */
export const countChars = (/** @type {string} */ text) => [...text].length;

/** A face or two say enough to be shown larger. */
export const isFewEmoji = (/** @type {string} */ text) =>
  /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f|\u200d\p{Extended_Pictographic})*\s?){1,4}$/u.test(
    text.trim(),
  );

/** `http` only: anything else a person writes stays plain text. */
const LINK = /\bhttps?:\/\/[^\s<>"]+/gi;

/** Signs that end a sentence rather than an address. */
const TRAILING = /[.,;:!?'*]+$/;

/**
 * The text in pieces, links apart.
 * @returns {{ text: string, href: string | null }[]}
 */
export function splitLinks(/** @type {string} */ text) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(LINK)) {
    const href = trimmed(found[0]);
    if (!URL.canParse(href)) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), href: null });
    pieces.push({ text: href, href });
    from = found.index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null });
  return pieces;
}

function trimmed(/** @type {string} */ found) {
  let href = found.replace(TRAILING, "");
  // "(see https://a.example/b)" ends before the bracket, "…/Foo_(bar)" does not.
  while (href.endsWith(")") && href.split(")").length > href.split("(").length) {
    href = href.slice(0, -1).replace(TRAILING, "");
  }
  return href;
}

/** What is written from right to left, or turns what follows. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name inside a sentence, so that it turns no other word round, whatever is in it. */
export const isolated = (/** @type {string} */ name) =>
  TURNS.test(name) ? `\u2068${name.replace(CONTROLS, "")}\u2069` : name;

/** @typedef {Pick<import("./types.js").Message, "text" | "attachments">} Words */

/** One line of a message, for lists and announcements. */
export function oneLine(/** @type {Words} */ { text, attachments }) {
  const words = text?.replace(/\s+/g, " ").trim();
  if (words) return words;
  const [first] = attachments ?? [];
  if (first?.type === "image") return t("Picture");
  if (first?.type === "location") return first.name ? t("Place: {name}", { name: first.name }) : t("Place");
  if (first?.type === "file") return isolated(first.name ?? t("A file"));
  return first ? t("Attachment") : "";
}
