/**
 * The copy of a snapshot that this device keeps, so that messages can be read without a network.
 *
 * Pure. Owns how much is kept, and turning it into a snapshot again. Unsent messages are kept by `kept.js`;
 * `device_db.js` stores the rows.
 */

import { arranged, listOf } from "../conversation_list/conversation_list.js";
import { isMuted } from "../groups/groups.js";
import { emptyLog } from "../sync/log.js";
import { findable } from "../sync/store.js";
import { withAllTopicsRenewed } from "../topics/topics.js";

/** How many of the newest messages of a conversation are kept. */
const MESSAGES_MOST = 50;
/** How many conversations are kept: the pinned ones, and those with the most recent activity. */
const CONVERSATIONS_MOST = 300;
/** The most members that are kept with a group; of a larger group none are. */
const MEMBERS_MOST = 200;

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").GroupConversation} GroupConversation */
/** @typedef {import("../sync/types.js").ChatConversation} ChatConversation */

/**
 * @typedef {Pick<Conversation, "conv" | "messages" | "complete" | "n" | "messageN" | "readN" | "unread" | "mentions" | "count">} Marks
 * @typedef {Marks & Pick<GroupConversation, "kind" | "group" | "topic">} GroupRow
 * @typedef {Marks & Pick<ChatConversation, "kind" | "other" | "otherReadN" | "mutedUntil">} ChatRow
 * @typedef {GroupRow | ChatRow} Row one conversation, as it is kept
 *
 * @typedef {object} Owner
 * @property {string} mark identifies the session that keeps the copy
 * @property {import("../sync/types.js").User} user
 * @property {readonly string[]} blocked
 * @property {import("../conversation_list/conversation_list.js").ConversationList} [conversationList]
 * @property {import("../saved/saved.js").Saved} [saved]
 * @property {number} at seconds: when the copy was last written
 */

/** The conversations that are kept. */
export const kept = (/** @type {Snapshot} */ snapshot) =>
  arranged(findable(snapshot), listOf(snapshot)).slice(0, CONVERSATIONS_MOST);

/**
 * The row that is kept of a conversation of the user `me`.
 * @returns {Row}
 */
export function rowOf(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
  const { conv, n, messageN, readN, unread, mentions, count } = conversation;
  const messages = conversation.messages.slice(-MESSAGES_MOST);
  const complete = conversation.complete && messages.length === conversation.messages.length;
  const marks = {
    conv,
    messages,
    complete,
    n,
    messageN,
    readN,
    unread,
    ...(mentions && { mentions }),
    count,
  };
  if (conversation.kind === "chat") {
    const { kind, other, otherReadN, mutedUntil } = conversation;
    return { ...marks, kind, other, otherReadN, mutedUntil };
  }
  const { kind, group, topic } = conversation;
  // The members of a topic are those of its group.
  if (topic) return { ...marks, kind, topic, group: { ...group, members: null, muted: isMuted(group, me) } };
  if ((group.members ?? []).length <= MEMBERS_MOST) return { ...marks, kind, group };
  return { ...marks, kind, group: { ...group, members: null, muted: isMuted(group, me) } };
}

/**
 * The snapshot made of what was kept.
 * @returns {Snapshot}
 */
export function snapshotOf(
  /** @type {Owner} */ { user, blocked, conversationList, saved, at },
  /** @type {Row[]} */ rows,
) {
  /** @type {Record<string, Conversation>} */
  const conversations = {};
  for (const row of rows) conversations[row.conv] = { ...emptyLog(row.conv), ...row, copied: true };
  const others = { ...(conversationList && { conversationList }), ...(saved && { saved }) };
  return withAllTopicsRenewed({ user, conversations, blocked, ...others, copiedAt: at }, true);
}
