/**
 * How the client looks on this device: colours, contrast, how close things stand, and in
 * which language it speaks.
 *
 * Owns what is kept of it. `boot.js` puts it onto the page before anything is drawn.
 */

/**
 * @typedef {object} Look empty: as the device says; of the spacing, comfortable
 * @property {"" | "light" | "dark"} theme
 * @property {"" | "more"} contrast
 * @property {"" | "compact"} density
 * @property {string} language
 */

/** `boot.js` reads it too. */
const KEY = "coterie.look";
/** What tells `boot.js` to look again. */
const CHANGED = "coterie-look";

/** @type {Look} */
const PLAIN = { theme: "", contrast: "", density: "", language: "" };

/** @returns {Look} */
export function look() {
  try {
    return { ...PLAIN, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return PLAIN;
  }
}

/** Changes it here and in the other tabs. */
export function setLook(/** @type {Partial<Look>} */ changes) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...look(), ...changes }));
  } catch {
    // Not allowed to keep it: it stays as the device says.
  }
  dispatchEvent(new Event(CHANGED));
}
