/**
 * Properties of a file that are known without asking the server: whether it is sent as a picture, its size in words,
 * and whether it can be played.
 *
 * Pure. The server determines a file's type by its content.
 */

import { KINDS, MAX_BYTES } from "../pictures/pictures.js";
import { locale } from "../words/words.js";

/** Whether a file is sent as a picture, of which the server makes smaller forms. */
export const isPicture = (/** @type {{ size: number, type: string }} */ { size, type }) =>
  size <= MAX_BYTES && KINDS.split(",").includes(type);

/** The element that plays a file of this type; null if it cannot be played. */
export function playedAs(/** @type {string} */ mimeType) {
  if (mimeType.startsWith("audio/")) return "audio";
  return mimeType.startsWith("video/") ? "video" : null;
}

/** Families of files by the ends of their names, and the hue of each. @type {[hue: number, ends: string][]} */
const FAMILIES = [
  [0, "pdf"],
  [6, "doc docx odt rtf pages"],
  [4, "xls xlsx ods csv tsv numbers"],
  [1, "ppt pptx odp key"],
  [2, "zip tar gz tgz bz2 xz zst 7z rar"],
  [7, "js ts py rs go c h cpp java rb php sh html css json xml yml yaml toml sql"],
  [8, "mp3 wav ogg opus m4a flac mp4 webm mov mkv avi"],
  [9, "jpg jpeg png gif webp svg heic tif tiff psd"],
];

/** The sign of a file: the end of its name in capitals, and a hue for its family; null without a short end. */
export function signOfFile(/** @type {string} */ name) {
  const end = /\.([\p{L}\p{N}]{1,5})$/u.exec(name)?.[1];
  if (!end) return null;
  const hue = FAMILIES.find(([, ends]) => ends.split(" ").includes(end.toLowerCase()))?.[0] ?? null;
  return { end: end.toUpperCase(), hue };
}

/** Whether the first lines of a file of this type can be shown. */
export const isText = (/** @type {string} */ mimeType) =>
  mimeType.startsWith("text/") || mimeType === "application/json";

/** The most lines and characters of a line that stand for a text. */
const LINES_MOST = 5;
const LINE_CHARS_MOST = 120;

/** The first lines of a text. */
export const firstLines = (/** @type {string} */ text) =>
  text
    .split(/\r?\n/)
    .slice(0, LINES_MOST)
    .map((line) => line.slice(0, LINE_CHARS_MOST))
    .join("\n")
    .trimEnd();

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
