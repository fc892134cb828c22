/**
 * What the buttons and keys of formatting do to the text in the composer: they put signs of Markdown around the
 * selection, or remove them.
 *
 * Pure.
 */

/** @typedef {{ text: string, start: number, end: number }} Written a text and its selection */
/** @typedef {"bold" | "italic" | "struck" | "code" | "link" | "quote" | "list"} Format */

/** The signs before and after the selection. @type {Record<"bold" | "italic" | "struck" | "code", string>} */
const AROUND = { bold: "**", italic: "_", struck: "~~", code: "`" };
/** What stands at the beginning of each line. @type {Record<"quote" | "list", string>} */
const BEFORE = { quote: "> ", list: "- " };
/** What stands for the address of a link until somebody writes one. */
const ADDRESS = "https://";

/** The text with the selection formatted, or with its formatting removed. @returns {Written} */
export function formatted(/** @type {Written} */ written, /** @type {Format} */ format) {
  if (format === "link") return linked(written);
  if (format === "quote" || format === "list") return lined(written, BEFORE[format]);
  return wrapped(trimmed(written), AROUND[format]);
}

/** The selection without the spaces at its ends: signs next to a space do not format. @returns {Written} */
function trimmed(/** @type {Written} */ { text, start, end }) {
  const chosen = text.slice(start, end);
  const from = start + (chosen.length - chosen.trimStart().length);
  return { text, start: Math.min(from, end), end: Math.max(from, start + chosen.trimEnd().length) };
}

/** @returns {Written} */
function wrapped(/** @type {Written} */ { text, start, end }, /** @type {string} */ sign) {
  const { length } = sign;
  const chosen = text.slice(start, end);
  const isAround = text.slice(start - length, start) === sign && text.slice(end, end + length) === sign;
  if (isAround && start >= length) {
    const rest = text.slice(0, start - length) + chosen + text.slice(end + length);
    return { text: rest, start: start - length, end: end - length };
  }
  if (chosen.length > 2 * length && chosen.startsWith(sign) && chosen.endsWith(sign)) {
    const inner = chosen.slice(length, -length);
    return { text: text.slice(0, start) + inner + text.slice(end), start, end: start + inner.length };
  }
  const made = text.slice(0, start) + sign + chosen + sign + text.slice(end);
  return { text: made, start: start + length, end: end + length };
}

/** A link with the selected words; its address is selected, to be written. @returns {Written} */
function linked(/** @type {Written} */ { text, start, end }) {
  const chosen = text.slice(start, end);
  const isAddress = /^https?:\/\/\S+$/.test(chosen);
  const before = `${text.slice(0, start)}[`;
  if (isAddress) {
    const made = `${before}](${chosen})${text.slice(end)}`;
    return { text: made, start: before.length, end: before.length };
  }
  const from = before.length + chosen.length + 2;
  return {
    text: `${before}${chosen}](${ADDRESS})${text.slice(end)}`,
    start: from,
    end: from + ADDRESS.length,
  };
}

/** All lines of the selection with the sign before them, or without it. @returns {Written} */
function lined(/** @type {Written} */ { text, start, end }, /** @type {string} */ sign) {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const lines = text.slice(from, end).split("\n");
  const hasAll = lines.every((line) => line.startsWith(sign));
  const made = lines.map((line) => (hasAll ? line.slice(sign.length) : sign + line)).join("\n");
  return { text: text.slice(0, from) + made + text.slice(end), start: from, end: from + made.length };
}
