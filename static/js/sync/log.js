/**
 * What groups and chats have in common: messages, read marks, unsent messages. Groups and chats add what is
 * theirs.
 *
 * Pure. Each function takes the old conversation and returns a new one.
 */

import { isFor } from "../text/addressing.js";
import { change, find, insert, isBy, merge } from "./messages.js";
import { inAll } from "./past.js";

/** @typedef {import("./types.js").Log} Log */
/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Event} Event */

/** How many of the newest messages stay when a conversation is trimmed. */
const KEPT = 200;
/** A conversation is trimmed once it has this many messages, so that many go at a time. */
const TRIMMED_FROM = 400;

/** @returns {Log} */
export function emptyLog(/** @type {string} */ conv) {
  return {
    conv,
    messages: [],
    complete: true,
    n: 0,
    messageN: 0,
    readN: 0,
    unread: 0,
    count: 0,
    filling: null,
    outbox: [],
    pendingLikes: {},
    held: false,
  };
}

/**
 * The log of a new snapshot. Older pages stay only where they join the newest one without a hole, and only if
 * nothing but new messages happened since: an edit or a deletion further up would be missed. From this
 * device's copy no messages stay. Unsent messages stay, except those that have arrived.
 * @param {string} conv
 * @param {import("./types.js").Synced} synced
 * @param {Log} [before]
 * @returns {Log}
 */
export function logFromSync(conv, synced, before) {
  const fresh = merge([], synced.messages);
  const joined = before !== undefined && !before.copied && continues(before, fresh, synced.n);
  const short = fresh.length === 0 ? shortOf(synced) : null;
  const guids = new Set(fresh.map((message) => message.source_guid));
  return {
    conv,
    messages: joined ? merge(before.messages, fresh) : fresh,
    ...(short && { short }),
    complete: fresh.length >= countIn(synced) || (joined && before.complete),
    n: synced.n,
    count: countIn(synced),
    ...marksFromSync(synced),
    filling: null,
    outbox: (before?.outbox ?? []).filter((line) => !guids.has(line.guid)),
    pendingLikes: before?.pendingLikes ?? {},
    held: before?.held ?? false,
  };
}

/** The newest message of a conversation in short form, for lists; null if it has none. @returns {Message | null} */
function shortOf(
  /** @type {import("./types.js").Synced} */ { chat, last_message: last = chat?.last_message },
) {
  if (!last?.id || !last.created_at) return null;
  const { id, created_at } = last;
  const nothing = { source_guid: "", favorited_by: [], attachments: [], user_id: "", name: "", text: null };
  return { ...nothing, ...last, id, created_at };
}

/** Whether the newest messages of a snapshot join the known ones, and are all that happened since. */
function continues(/** @type {Log} */ before, /** @type {Message[]} */ fresh, /** @type {number} */ n) {
  if (fresh.length === 0 || !find(before.messages, fresh[0].id)) return false;
  return n - before.n === fresh.filter(({ id }) => !find(before.messages, id)).length;
}

/**
 * The number of messages of a conversation, loaded or not; Infinity if the snapshot does not tell.
 * @returns {number}
 */
function countIn(/** @type {import("./types.js").Synced} */ { group, chat, messages, last_message: last }) {
  return group?.messages?.count ?? chat?.messages_count ?? (messages.length > 0 || last ? Infinity : 0);
}

/**
 * The read marks. With unread messages, the number of the newest message is taken to be that of the newest
 * event.
 */
function marksFromSync(/** @type {import("./types.js").Synced} */ synced) {
  const { n, read_n: readN, unread, unread_mentions: mentions } = synced;
  return { readN, unread, ...(mentions && { mentions }), messageN: unread > 0 ? n : readN };
}

/**
 * Sets my read mark. Which messages mention me is known of new ones only, so those that are left are at most as many
 * as are unread.
 * @template {Log} Some
 * @param {Some} old
 * @returns {Some}
 */
export const withUnread = (old, /** @type {number} */ readN, /** @type {number} */ unread) => {
  const mentions = unreadMentions({ ...old, unread });
  return old.mentions === undefined ? { ...old, readN, unread } : { ...old, readN, unread, mentions };
};

/** The unread messages that mention me or reply to me. */
export const unreadMentions = (/** @type {Pick<Log, "unread" | "mentions">} */ { unread, mentions = 0 }) =>
  Math.min(mentions, unread);

/**
 * Inserts a message, and removes its unsent row.
 * @template {Log} Some
 * @param {Some} old
 * @param {Message} message
 * @param {string} me
 * @returns {Some}
 */
export function withMessage(old, message, me) {
  const mine = message.user_id === me;
  const outbox = mine ? old.outbox.filter((line) => line.guid !== message.source_guid) : old.outbox;
  return { ...old, messages: insert(old.messages, message), outbox };
}

/**
 * Adds a new message. One that I wrote or caused marks everything before it as read.
 * @template {Log} Some
 * @param {Some} old
 * @param {Message} message
 * @param {number} n
 * @param {string} me
 * @returns {Some}
 */
export function withNewMessage(old, message, n, me) {
  const read = isBy(message, me) ? withUnread(old, n, 0) : { ...old, unread: old.unread + 1 };
  const isMention = !isBy(message, me) && isFor(message.attachments ?? [], me);
  const marked = isMention ? { ...read, mentions: unreadMentions(old) + 1 } : read;
  const counted = inAll(marked, (messages) => withAnswer(messages, message));
  return trimmed(withMessage({ ...counted, messageN: n, count: old.count + 1 }, message, me));
}

/** Counts a reply at the message that began its thread. */
function withAnswer(/** @type {Message[]} */ messages, /** @type {Message} */ { attachments }) {
  const base = attachments?.find(({ type }) => type === "reply")?.base_reply_id;
  const began = typeof base === "string" ? find(messages, base) : null;
  return began ? change(messages, began.id, { reply_count: (began.reply_count ?? 0) + 1 }) : messages;
}

/**
 * Drops all but the newest messages once there are many, unless somebody reads further up.
 * @template {Log} Some
 * @param {Some} old
 * @returns {Some}
 */
export function trimmed(old) {
  if (old.held || old.messages.length < TRIMMED_FROM) return old;
  return { ...old, messages: old.messages.slice(-KEPT), complete: false };
}

/**
 * Applies an event that changes a message which exists already.
 * @template {Log} Some
 * @param {Some} old
 * @param {Event} event
 * @returns {Some}
 */
export function withChangedMessage(old, { type, data }) {
  // Events count many likes instead of naming the users: then the list that is known stays.
  const { favorited_count: many, favorited_by, reactions, ...others } = data;
  const facts = many ? others : data;
  switch (type) {
    case "message.deleted":
      return inAll(old, (messages) => withoutNames(change(messages, data.id, facts), data.id));
    case "message.update":
    case "pin":
    case "unpin":
      return inAll(old, (messages) => change(messages, data.id, facts));
    case "favorite": {
      const id = data.message_id;
      const likes = { favorited_by, ...(reactions && { reactions }) };
      return inAll(old, (messages) =>
        change(messages, id, many ? withLike(find(messages, id), data) : likes),
      );
    }
    default:
      return old;
  }
}

/** The likes of a message after one user gave, changed or withdrew theirs. @returns {Partial<Message>} */
function withLike(
  /** @type {Message | null} */ message,
  /** @type {{ user_id: string, liked: boolean, like_icon: import("./types.js").Sign }} */ like,
) {
  const { user_id: by, liked, like_icon: icon } = like;
  const likers = new Set(message?.favorited_by);
  const signs = (message?.reactions ?? []).map((sign) => ({
    ...sign,
    user_ids: sign.user_ids.filter((id) => id !== by),
  }));
  if (!liked) likers.delete(by);
  else {
    likers.add(by);
    const same = signs.find(
      ({ code, pack_id, pack_index }) =>
        code === icon.code && pack_id === icon.pack_id && pack_index === icon.pack_index,
    );
    if (same) same.user_ids.push(by);
    else signs.push({ ...icon, user_ids: [by] });
  }
  return { favorited_by: [...likers], reactions: signs };
}

/** Removes the names of a deleted poll or event from the system messages about it. */
function withoutNames(/** @type {Message[]} */ messages, /** @type {string} */ id) {
  return messages.map((message) => {
    const { type = "", data } = message.event ?? {};
    const { poll, event } = data ?? {};
    if ((poll ?? event)?.id !== id) return message;
    const nameless = poll ? { poll: { id, subject: "" }, options: [] } : { event: { id, name: "" } };
    return { ...message, text: null, event: { type, data: { ...data, ...nameless } } };
  });
}

/* Queries. */

export const isUnread = (/** @type {Log} */ { messageN, readN }) => messageN > readN;

/**
 * The id of the first message that I have not read, found by counting unread messages back from the newest.
 * Null while it is not loaded, or when there is none.
 */
export function firstUnread(/** @type {Log} */ { messages, unread }, /** @type {string} */ me) {
  let left = unread;
  for (let at = messages.length - 1; at >= 0 && left > 0; at -= 1) {
    if (isBy(messages[at], me)) continue;
    left -= 1;
    if (left === 0) return messages[at].id;
  }
  return null;
}

/** The newest message, as far as it is known. */
export const newest = (/** @type {Log} */ { messages, short }) => messages.at(-1) ?? short ?? null;
