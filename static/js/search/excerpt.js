/**
 * The excerpt of a message that a search found: one line around the first match, split into matches and other
 * text.
 *
 * Pure. Places count Unicode scalar values, as the server's do.
 */

/** The characters shown before the first match. */
const BEFORE = 24;
/** The most characters of an excerpt. */
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
 * The places in `shown` of the parts of `text` that a search found. `shown` words in the reader's language what
 * `text` says, so that only names are the same in both.
 * @param {string} text
 * @param {readonly [number, number][]} places
 * @param {string} shown
 * @returns {[number, number][]}
 */
export function placesIn(text, places, shown) {
  if (shown === text) return [...places];
  const letters = [...text];
  return places.flatMap(([start, length]) => {
    const at = shown.indexOf(letters.slice(start, start + length).join(""));
    return at < 0 ? [] : [/** @type {[number, number]} */ ([[...shown.slice(0, at)].length, length])];
  });
}

/** Text with enough to search for: two letters, one letter of a script with many, or an emoji. */
const ENOUGH =
  /[\p{L}\p{N}].*[\p{L}\p{N}]|\p{Lo}|\p{Regional_Indicator}|(?![©®‼⁉↔])\p{Extended_Pictographic}/u;

/**
 * The search query for what somebody is typing: an unfinished last word becomes a prefix search. Empty while
 * there is too little to search for.
 */
export function wordsFor(/** @type {string} */ typed) {
  // Composed, so that a letter with its accent is one character.
  const words = typed.normalize("NFKC").trim();
  if (!ENOUGH.test(words)) return "";
  const isOpen = /[\p{L}\p{N}]$/u.test(words) && !words.includes('"');
  return (isOpen ? `${words}*` : words).slice(0, 256);
}
