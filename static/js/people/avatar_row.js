/** Avatars of several people, overlapping in a row. Decoration: their names stand beside them. */

import { h } from "../ui/dom.js";
import { avatar } from "./avatar.js";

/**
 * @typedef {object} People
 * @property {ReadonlyMap<string, string>} names by user id
 * @property {(id: string) => string | null | undefined} pictureOf
 */

/** The avatars of the first `most` people of a list; null for an empty list. */
export function avatarRow(/** @type {string[]} */ ids, /** @type {People} */ { names, pictureOf }, most = 3) {
  if (ids.length === 0) return null;
  const one = (/** @type {string} */ id) =>
    avatar({ id, name: names.get(id) ?? "", imageUrl: pictureOf(id), size: "small" });
  return h("span", { class: "avatar-row", "aria-hidden": "true" }, ...ids.slice(0, most).map(one));
}
