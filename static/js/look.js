/**
 * How the client looks on this device: theme, accent, contrast, density, and its language.
 *
 * Owns keeping these settings. `boot.js` applies them to the page before anything is drawn.
 */

/**
 * @typedef {object} Look an empty string means: as the device is set; for `accent`: teal; for `density`: comfortable
 * @property {"" | "light" | "dark"} theme
 * @property {"" | "blue" | "violet" | "pink" | "brown"} accent
 * @property {"" | "more"} contrast
 * @property {"" | "compact"} density
 * @property {string} language
 */

/** The localStorage key; `boot.js` reads it too. */
const KEY = "coterie.look";
/** The event on which `boot.js` applies the settings again. */
const CHANGED = "coterie-look";

/** @type {Look} */
const PLAIN = { theme: "", accent: "", contrast: "", density: "", language: "" };

/**
 * The settings of this device.
 * @returns {Look}
 */
export function look() {
  try {
    return { ...PLAIN, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return PLAIN;
  }
}

/** Changes settings here and in the other tabs. */
export function setLook(/** @type {Partial<Look>} */ changes) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...look(), ...changes }));
  } catch {
    // The browser refuses storage, so the settings do not change.
  }
  dispatchEvent(new Event(CHANGED));
}
