/**
 * What this device keeps of a snapshot, so that it can be read without a network.
 *
 * Pure. Owns how much that is, and making a snapshot of it again. What waits to be sent is
 * kept elsewhere (`kept.js`); where the rows lie is `device_db.js`'s business.
 */

import { emptyLog } from "./log.js";
import { listed } from "./store.js";

/** The newest messages of a conversation, this many … */
const MESSAGES_MOST = 50;
/** … of the conversations of the last activity, this many … */
const CONVERSATIONS_MOST = 300;
/** … and the members of groups that have no more than this. */
const MEMBERS_MOST = 200;

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").GroupConversation} GroupConversation */
/** @typedef {import("./types.js").ChatConversation} ChatConversation */

/**
 * @typedef {Pick<Conversation, "conv" | "messages" | "complete" | "n" | "messageN" | "readN" | "unread" | "count">} Marks
 * @typedef {Marks & Pick<GroupConversation, "kind" | "group">} GroupRow
 * @typedef {Marks & Pick<ChatConversation, "kind" | "other" | "otherReadN">} ChatRow
 * @typedef {GroupRow | ChatRow} Row one conversation, as it is kept
 *
 * @typedef {object} Owner
 * @property {string} mark of the session that keeps the copy
 * @property {import("./types.js").User} user
 * @property {readonly string[]} blocked
 * @property {number} at seconds: when it was kept last
 */

/** The conversations that are kept. */
export const kept = (/** @type {Snapshot} */ snapshot) => listed(snapshot).slice(0, CONVERSATIONS_MOST);

/** @returns {Row} */
export function rowOf(/** @type {Conversation} */ conversation) {
  const { conv, n, messageN, readN, unread, count } = conversation;
  const messages = conversation.messages.slice(-MESSAGES_MOST);
  const complete = conversation.complete && messages.length === conversation.messages.length;
  const marks = { conv, messages, complete, n, messageN, readN, unread, count };
  if (conversation.kind === "chat") {
    const { kind, other, otherReadN } = conversation;
    return { ...marks, kind, other, otherReadN };
  }
  const { kind, group } = conversation;
  const members = (group.members ?? []).length > MEMBERS_MOST ? null : group.members;
  return { ...marks, kind, group: { ...group, members } };
}

/** @returns {Snapshot} */
export function snapshotOf(/** @type {Owner} */ { user, blocked, at }, /** @type {Row[]} */ rows) {
  /** @type {Record<string, Conversation>} */
  const conversations = {};
  for (const row of rows) conversations[row.conv] = { ...emptyLog(row.conv), ...row, copied: true };
  return { user, conversations, blocked, copiedAt: at };
}
