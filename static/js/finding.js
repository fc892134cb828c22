/**
 * Finding a thing by what it is called: who writes a beginning means that.
 *
 * Pure. Case, accents and signs that nobody sees make no difference.
 */

/** Without case, accents and unseen signs (isolates, joiners), as it is compared. */
export const plain = (/** @type {string} */ text) =>
  text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLocaleLowerCase()
    .trim();

/** How well a name fits: 0 not at all; more is better. */
function fit(/** @type {string} */ name, /** @type {string} */ wanted) {
  if (name === wanted) return 4;
  if (name.startsWith(wanted)) return 3;
  if (name.includes(` ${wanted}`)) return 2;
  return name.includes(wanted) ? 1 : 0;
}

/**
 * Those that fit, the best first; what fits alike stays in its order. All, where nothing is
 * wanted.
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
