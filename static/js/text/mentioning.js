/**
 * Whom somebody may mention in a conversation, and whom a text mentions there.
 *
 * Pure.
 */

import { namesIn } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { EVERYBODY, mentionIn } from "./addressing.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** @returns {import("./addressing.js").Named[]} */
function people(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
  const { group } = conversation;
  const isAll = group && may(group, me, "mention_all");
  return isAll ? [...namesIn(conversation), EVERYBODY] : [...namesIn(conversation)];
}

/** The people to offer while somebody writes a mention: all but themselves. */
export const mentionable = (/** @type {Conversation} */ conversation, /** @type {string} */ me) =>
  people(conversation, me).filter(([id]) => id !== me);

/** The attachment for the mentions in a text, if it has any. @returns {import("../sync/types.js").Attachment[]} */
export function mentionsIn(
  /** @type {string} */ text,
  /** @type {Conversation} */ conversation,
  /** @type {string} */ me,
) {
  const found = text.includes("@") ? mentionIn(text, people(conversation, me)) : null;
  return found ? [found] : [];
}

/** The address of the picture of somebody in a conversation. */
export const pictureIn = (/** @type {Conversation} */ { group, other }, /** @type {string} */ id) =>
  other?.id === id ? other.imageUrl : group?.members?.find(({ user_id: user }) => user === id)?.image_url;
