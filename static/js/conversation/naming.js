/**
 * The name, the picture and the members of a conversation, be it a group or a chat.
 *
 * Pure.
 */

import { inRow, t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Person} Person */

export const nameOf = (/** @type {Conversation} */ { group, other }) => (group ? group.name : other.name);

/** The name of a conversation; that of a topic with the name of its group. */
export function fullNameOf(/** @type {Conversation} */ one) {
  const name = nameOf(one);
  return one.group?.parent ? `${name} · ${one.group.parent.name}` : name;
}

/** The sign of a topic without a picture. */
const TOPIC_SIGN = "#";

/** The facts from which the picture of a conversation is drawn. */
export function pictureOf(/** @type {Conversation} */ { group, other }) {
  if (other) return { ...other, shape: /** @type {const} */ ("person") };
  const { id, name, image_url: imageUrl, parent } = group;
  return { id, name: parent ? TOPIC_SIGN : name, imageUrl, shape: /** @type {const} */ ("group") };
}

/**
 * The results of `namesIn`, by the member list or person from which they were made.
 * @type {WeakMap<object, Map<string, string>>}
 */
const known = new WeakMap();
/** @type {readonly import("../sync/types.js").Member[]} */
const NOBODY = [];

/**
 * The names of a conversation's people by user id; in a chat, only the other person's.
 * @returns {ReadonlyMap<string, string>}
 */
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

/** The most names in the head of a conversation; the members panel lists all. */
const NAMES_MOST = 24;

/** The names of the members, for the head of a conversation; empty while the members are not loaded. */
export function memberWords(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
  // The members of a large group are loaded later, and this device's copy leaves them out.
  if (conversation.group && !conversation.group.members) return "";
  const names = namesIn(conversation);
  const others = [];
  for (const [id, name] of names) {
    if (others.length === NAMES_MOST) break;
    if (id !== me) others.push(name);
  }
  return others.length === 0 ? t("Only you so far") : inRow([t("You"), ...others]);
}

/** Names in a row; more than `most` are only counted. */
export function inARow(/** @type {string[]} */ names, most = 8) {
  const said = inRow(names.slice(0, most));
  if (names.length <= most) return said;
  return t("{said} and {count} more", { said, count: names.length - most });
}
