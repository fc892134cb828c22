/**
 * Properties of a picture, by its URL or file: its forms, its type, its size.
 *
 * Pure. The server makes the forms; this file only names their URLs.
 */

import { t } from "../words/words.js";

/** The largest picture in bytes that the server accepts. */
export const MAX_BYTES = 10 * 1024 * 1024;
/** The MIME types that the server accepts, as a file input takes them. */
export const KINDS = "image/jpeg,image/png,image/gif,image/webp";

const OURS = /^(.*\/images\/\d+x\d+\.(jpeg|png|gif)\.[0-9a-f]+)(\.(?:preview|large|avatar))?$/;

/**
 * The URL of another form of a picture; a URL that is no picture of this server is returned unchanged.
 * @param {string} url
 * @param {"preview" | "large" | "avatar"} form
 */
export function formOf(url, form) {
  const found = OURS.exec(url);
  return found ? `${found[1]}.${form}` : url;
}

/**
 * The URL that a click on a picture opens: the large form, or the original of a GIF, since only that is
 * animated.
 */
export function opened(/** @type {string} */ url) {
  const found = OURS.exec(url);
  if (!found) return url;
  return found[2] === "gif" ? found[1] : `${found[1]}.large`;
}

const SIZED = /\/images\/(\d+)x(\d+)\./;

/** The size in pixels of a picture of this server; null for any other URL. */
export function sizeOf(/** @type {string} */ url) {
  const [, width, height] = (SIZED.exec(url) ?? []).map(Number);
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Whether a picture of this server can be cropped and turned: a GIF may move, and would be still then. */
export const isEditable = (/** @type {string} */ url) => {
  const found = OURS.exec(url);
  return found !== null && found[2] !== "gif" && sizeOf(url) !== null;
};

/** Why a file cannot be sent as a picture, as a sentence; empty if it can. */
export function problemOf(/** @type {{ size: number, type: string }} */ { size, type }) {
  if (type !== "" && !KINDS.split(",").includes(type)) return t("Choose a JPEG, PNG, GIF or WebP picture.");
  return size > MAX_BYTES ? t("This picture is larger than 10 MB.") : "";
}
