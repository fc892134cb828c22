/**
 * How the client looks on this device: theme, accent, contrast, density, and its language.
 *
 * Owns keeping these settings. `boot.js` applies them to the page before anything is drawn.
 */

import { deviceSettings } from "../device/device_settings.js";

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

const kept = deviceSettings(KEY, PLAIN);

/** The settings of this device. */
export const look = kept.get;

/** Changes settings here and in the other tabs. */
export function setLook(/** @type {Partial<Look>} */ changes) {
  kept.change(changes);
  dispatchEvent(new Event(CHANGED));
}
