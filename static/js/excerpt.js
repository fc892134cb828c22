/**
 * What is shown of a message that was found: one line around the first word that was looked
 * for, in parts, of which some were found.
 *
 * Pure. Places count Unicode scalar values, as the server's do.
 */

/** Characters before the first word. */
const BEFORE = 24;
/** Characters of all. */
const MOST = 160;

/** @typedef {{ text: string, isFound: boolean }} Part */

/**
 * @param {string} text
 * @param {readonly [number, number][]} places start and length, in their order
 * @returns {Part[]}
 */
export function excerpt(text, places) {
  const letters = [...text].map((letter) => (/\s/.test(letter) ? " " : letter));
  const first = places[0]?.[0] ?? 0;
  const from = first > BEFORE ? first - BEFORE : 0;
  const to = Math.min(letters.length, from + MOST);
  /** @type {Part[]} */
  const parts = [];
  const add = (/** @type {number} */ start, /** @type {number} */ end, /** @type {boolean} */ isFound) => {
    const said = letters.slice(Math.max(start, from), Math.min(end, to)).join("");
    if (said !== "") parts.push({ text: said, isFound });
  };
  let at = from;
  for (const [start, length] of places) {
    add(at, start, false);
    add(start, start + length, true);
    at = start + length;
  }
  add(at, to, false);
  if (from > 0) parts.unshift({ text: "…", isFound: false });
  if (to < letters.length) parts.push({ text: "…", isFound: false });
  return parts;
}

/**
 * What is sent for what somebody is writing: its last word may go on. Nothing while there is
 * too little.
 */
export function wordsFor(/** @type {string} */ typed) {
  const words = typed.trim();
  if (!/[\p{L}\p{N}].*[\p{L}\p{N}]|[\p{Lo}]/u.test(words)) return "";
  const isOpen = /[\p{L}\p{N}]$/u.test(words) && !words.includes('"');
  return (isOpen ? `${words}*` : words).slice(0, 256);
}
