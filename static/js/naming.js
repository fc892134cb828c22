/**
 * What a conversation is called, what it looks like, and who is in it, be it a group or a
 * chat.
 *
 * Pure. The words that people read are made in the views.
 */

import { inRow, t } from "./words.js";

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Person} Person */

export const nameOf = (/** @type {Conversation} */ { group, other }) => (group ? group.name : other.name);

/** What its picture is made of. */
export function pictureOf(/** @type {Conversation} */ { group, other }) {
  if (other) return { ...other, shape: /** @type {const} */ ("person") };
  const { id, name, image_url: imageUrl } = group;
  return { id, name, imageUrl, shape: /** @type {const} */ ("group") };
}

/** Names by the list of members that they were read from. @type {WeakMap<object, Map<string, string>>} */
const known = new WeakMap();
/** @type {readonly import("./types.js").Member[]} */
const NOBODY = [];

/** By user id, what people are called here; without me. @returns {ReadonlyMap<string, string>} */
export function namesIn(/** @type {Conversation} */ { group, other }) {
  const source = other ?? group.members ?? NOBODY;
  let names = known.get(source);
  if (!names) {
    names = other
      ? new Map([[other.id, other.name]])
      : new Map((group.members ?? []).map((member) => [member.user_id, member.nickname]));
    known.set(source, names);
  }
  return names;
}

/** So many names fill any head; the panel has all of them. */
const NAMES_MOST = 24;

/** Who is in it, for its head; empty while that is not known. */
export function memberWords(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
  // Of a large group they come later, and the copy on this device is without them.
  if (conversation.group && !conversation.group.members) return "";
  const names = namesIn(conversation);
  const others = [];
  for (const [id, name] of names) {
    if (others.length === NAMES_MOST) break;
    if (id !== me) others.push(name);
  }
  return others.length === 0 ? t("Only you so far") : inRow([t("You"), ...others]);
}

/** Names in a row, as many as one likes to hear. */
export function inARow(/** @type {string[]} */ names, most = 8) {
  const said = inRow(names.slice(0, most));
  if (names.length <= most) return said;
  return t("{said} and {count} more", { said, count: names.length - most });
}
