/**
 * Whether this device makes a sound for new messages, and its quiet hours.
 *
 * Owns keeping these settings. Times are those of the clock on the wall, `HH:MM`.
 */

import { deviceSettings } from "../device/device_settings.js";

/**
 * @typedef {object} ChimeSettings
 * @property {boolean} on
 * @property {boolean} quiet whether there are quiet hours
 * @property {string} from when the quiet hours begin
 * @property {string} until when they end; before `from` if they go over midnight
 */

/** The localStorage key. */
const KEY = "coterie.sounds";

/** @type {ChimeSettings} */
const USUAL = { on: true, quiet: false, from: "22:00", until: "07:00" };

const kept = deviceSettings(KEY, USUAL);

/** The settings of this device. */
export const chimeSettings = kept.get;

/** Changes settings, in the other tabs too. */
export const setChimeSettings = kept.change;

/** The minute of the day of a time; NaN if it is none. */
const minuteOf = (/** @type {string} */ time) => {
  const [hours, minutes] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

/** Whether a minute of the day lies in the quiet hours. Their first minute does, their end does not. */
export function isQuiet(/** @type {ChimeSettings} */ { quiet, from, until }, /** @type {number} */ minute) {
  const [start, end] = [minuteOf(from), minuteOf(until)];
  if (!quiet) return false;
  return start <= end ? start <= minute && minute < end : start <= minute || minute < end;
}
