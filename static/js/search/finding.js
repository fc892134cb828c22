/**
 * Finding things by name, best match first.
 *
 * Pure. Case, accents and invisible characters make no difference.
 */

/** A text for comparison: without case, accents and invisible characters (isolates, joiners). */
export const plain = (/** @type {string} */ text) =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{DI}]/gu, "")
    .toLowerCase()
    .trim();

/** A letter of the scripts that are written without spaces between words, in which any letter may begin a word. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a word begins somewhere in a text, both in the form of `plain`. */
export const hasBeginning = (/** @type {string} */ text, /** @type {string} */ word) =>
  UNSPACED.test(word) ? text.includes(word) : ` ${text}`.includes(` ${word}`);

/** How well a name matches: 0 is no match; more is better. */
function fit(/** @type {string} */ name, /** @type {string} */ wanted) {
  if (name === wanted) return 4;
  if (name.startsWith(wanted)) return 3;
  if (name.includes(` ${wanted}`)) return 2;
  return name.includes(wanted) ? 1 : 0;
}

/**
 * The things whose names match, the best first; equal matches keep their order. All of them if `wanted` is
 * empty.
 * @template Some
 * @param {readonly Some[]} all
 * @param {string} wanted
 * @param {(one: Some) => string} nameOf
 */
export function ranked(all, wanted, nameOf) {
  const sought = plain(wanted);
  if (sought === "") return [...all];
  return all
    .map((one) => ({ one, fits: fit(plain(nameOf(one)), sought) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ one }) => one);
}
