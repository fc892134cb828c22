/**
 * The number of unread messages for the user: mentions and replies, in all conversations.
 *
 * Pure.
 */

import { isUnread, unreadMentions } from "../sync/log.js";
import { isApart } from "../sync/store.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** The unread messages for the user in a conversation; none in one that stands apart from the list. */
export const unreadMentionsIn = (/** @type {Conversation | undefined} */ one) =>
  one && isUnread(one) && !one.filling && !isApart(one) ? unreadMentions(one) : 0;

/** The unread messages for the user in all conversations but the open one, which is being read. */
export function unreadMentionsOf(
  /** @type {import("../sync/types.js").Snapshot} */ { conversations },
  /** @type {string | null} */ open,
) {
  let sum = 0;
  for (const one of Object.values(conversations)) if (one.conv !== open) sum += unreadMentionsIn(one);
  return sum;
}
