/**
 * What is known of pictures without asking: their forms, their kinds, their limit.
 *
 * Pure. The server makes the forms; here they are only named.
 */

import { t } from "./words.js";

/** The most bytes that the server takes. */
export const MAX_BYTES = 10 * 1024 * 1024;
/** What a file chooser offers. */
export const KINDS = "image/jpeg,image/png,image/gif,image/webp";

const OURS = /^(.*\/images\/\d+x\d+\.(jpeg|png|gif)\.[0-9a-f]+)(\.(?:preview|large|avatar))?$/;

/**
 * The URL of another form of a picture; a URL that is no picture of this server stays.
 * @param {string} url
 * @param {"preview" | "large" | "avatar"} form
 */
export function formOf(url, form) {
  const found = OURS.exec(url);
  return found ? `${found[1]}.${form}` : url;
}

/** Where a click on a picture leads: animations only move in their original. */
export function opened(/** @type {string} */ url) {
  const found = OURS.exec(url);
  if (!found) return url;
  return found[2] === "gif" ? found[1] : `${found[1]}.large`;
}

const SIZED = /\/images\/(\d+)x(\d+)\./;

/** The size of a picture of this server, in pixels; null of any other. */
export function sizeOf(/** @type {string} */ url) {
  const [, width, height] = (SIZED.exec(url) ?? []).map(Number);
  return width > 0 && height > 0 ? { width, height } : null;
}

/** What speaks against sending a file, as a sentence; empty when nothing does. */
export function problemOf(/** @type {{ size: number, type: string }} */ { size, type }) {
  if (type !== "" && !KINDS.split(",").includes(type)) return t("Choose a JPEG, PNG, GIF or WebP picture.");
  return size > MAX_BYTES ? t("This picture is larger than 10 MB.") : "";
}
