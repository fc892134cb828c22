/**
 * What is known of files without asking: which of them go as pictures, how large they are in
 * words, which can be played.
 *
 * Pure. What a file is, the server finds out by its content.
 */

import { KINDS, MAX_BYTES } from "./pictures.js";
import { locale } from "./words.js";

/** Whether a file goes as a picture: one that the server makes forms of. */
export const isPicture = (/** @type {{ size: number, type: string }} */ { size, type }) =>
  size <= MAX_BYTES && KINDS.split(",").includes(type);

/** How it is played in place; null where it is only kept. */
export function playedAs(/** @type {string} */ mimeType) {
  if (mimeType.startsWith("audio/")) return "audio";
  return mimeType.startsWith("video/") ? "video" : null;
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

/** A size in words: "12 kB". */
export function sizeInWords(/** @type {number} */ bytes) {
  const step = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const format = { style: "unit", unit: UNITS[step], unitDisplay: "short", maximumFractionDigits: 1 };
  return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (format)).format(
    bytes / 1000 ** step,
  );
}

/** Seconds in words: "1:07". */
export function lengthInWords(/** @type {number} */ seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
