/**
 * Properties of a file that are known without asking the server: whether it is sent as a picture, its size in words,
 * and whether it can be played.
 *
 * Pure. The server determines a file's type by its content.
 */

import { KINDS, MAX_BYTES } from "./pictures.js";
import { locale } from "./words.js";

/** Whether a file is sent as a picture, of which the server makes smaller forms. */
export const isPicture = (/** @type {{ size: number, type: string }} */ { size, type }) =>
  size <= MAX_BYTES && KINDS.split(",").includes(type);

/** The element that plays a file of this type; null if it cannot be played. */
export function playedAs(/** @type {string} */ mimeType) {
  if (mimeType.startsWith("audio/")) return "audio";
  return mimeType.startsWith("video/") ? "video" : null;
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

/** A size in words: "12 kB". */
export function sizeInWords(/** @type {number} */ bytes) {
  const step = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  // The short form of bytes has no plural in English.
  const unitDisplay = step === 0 ? "long" : "short";
  const format = { style: "unit", unit: UNITS[step], unitDisplay, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (format)).format(
    bytes / 1000 ** step,
  );
}

/** A duration: "1:07". */
export function lengthInWords(/** @type {number} */ seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
