/**
 * Chats: conversations of two people, and how far the other one has read.
 *
 * Pure. A chat exists once it is opened or has a message, and never goes away.
 */

import { emptyLog, logFromSync, withChangedMessage, withNewMessage } from "../sync/log.js";
import { compareIds } from "../sync/messages.js";

/** @typedef {import("../sync/types.js").ChatConversation} ChatConversation */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Event} Event */
/** @typedef {import("../sync/types.js").Person} Person */
/** @typedef {import("../sync/types.js").SyncedChat} SyncedChat */

/** The name of the stream of two users' chat: the smaller id first. */
export function convOfPair(/** @type {string} */ one, /** @type {string} */ other) {
  return compareIds(one, other) < 0 ? `d:${one}+${other}` : `d:${other}+${one}`;
}

export const isChat = (/** @type {string} */ conv) => conv.startsWith("d:");

/** The conversation with this id on the wire: of a group, or of two users as `a+b`. */
export const convWithId = (/** @type {string} */ id) => `${id.includes("+") ? "d" : "g"}:${id}`;

/** The id of the other user in a chat of mine; null if the chat is not mine. */
export function otherIn(/** @type {string} */ conv, /** @type {string} */ me) {
  const [one, other] = conv.slice(2).split("+");
  if (one === me) return other ?? null;
  return other === me ? one : null;
}

/** @returns {ChatConversation} */
export function emptyChat(/** @type {string} */ conv, /** @type {Person} */ other) {
  return { ...emptyLog(conv), kind: "chat", other, otherReadN: 0 };
}

/** @returns {ChatConversation} */
export function chatFromSync(
  /** @type {SyncedChat} */ synced,
  /** @type {string} */ me,
  /** @type {Snapshot["conversations"]} */ before,
) {
  const { chat, messages, other_read_n: otherReadN, other_unread: otherUnread } = synced;
  const conv = `d:${chat.last_message.conversation_id}`;
  // The newest messages are those that the other has not read. Each message gets an upper bound of its
  // number.
  const numbered = messages.map((message, at) => ({
    ...message,
    n: at < otherUnread ? synced.n : otherReadN,
  }));
  const { name, avatar_url: imageUrl, kind } = chat.other_user;
  return {
    ...logFromSync(conv, { ...synced, messages: numbered }, before[conv]),
    kind: "chat",
    other: { id: otherIn(conv, me) ?? "", name, imageUrl, ...guestMark(kind) },
    otherReadN,
    mutedUntil: chat.muted_until ?? null,
    ...(chat.request && { request: chat.request }),
  };
}

/** @returns {ChatConversation} */
export function applyToChat(
  /** @type {ChatConversation} */ old,
  /** @type {Event} */ event,
  /** @type {string} */ me,
) {
  if (event.type !== "direct_message.create") return withChangedMessage(old, event);
  const { data, n } = event;
  const said = withNewMessage(old, { ...data, n }, n, me);
  if (data.user_id === me) return said;
  // The author of a message has read everything before, and the message carries their current name and picture.
  return { ...said, other: { ...old.other, name: data.name, imageUrl: data.avatar_url }, otherReadN: n };
}

/** The mark of a guest. */
const guestMark = (/** @type {unknown} */ kind) => (kind === "guest" ? { isGuest: true } : {});

/** Applies an event by which somebody with whom I have a chat changed name or picture. @returns {Snapshot} */
export function withPublicProfile(
  /** @type {Snapshot} */ snapshot,
  /** @type {Event} */ { conv, type, data },
) {
  const id = conv.slice(2);
  const chat = snapshot.conversations[convOfPair(snapshot.user.id, id)];
  if (type !== "other_user.update" || chat?.kind !== "chat") return snapshot;
  const other = { id, name: data.name, imageUrl: data.avatar_url, ...guestMark(data.kind) };
  const seen = { ...chat, other };
  return { ...snapshot, conversations: { ...snapshot.conversations, [chat.conv]: seen } };
}

/** Applies an event by which I muted a chat until some time, or unmuted it. @returns {Snapshot} */
export function withMute(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ conversation_id: string, muted_until: number | null }} */ { conversation_id, muted_until },
) {
  const chat = snapshot.conversations[`d:${conversation_id}`];
  if (chat?.kind !== "chat") return snapshot;
  const muted = { ...chat, mutedUntil: muted_until };
  return { ...snapshot, conversations: { ...snapshot.conversations, [chat.conv]: muted } };
}

/** Whether a conversation is a message request that I have not accepted: it stands apart, and I send no marks in it. */
export const isRequest = (/** @type {import("../sync/types.js").Conversation | undefined} */ conversation) =>
  conversation?.request !== undefined;

/**
 * Applies what a message request to me has become. One that opens comes before its first message.
 * @returns {Snapshot}
 */
export function withRequest(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ other_user_id: string, state: import("../sync/types.js").RequestState | "accepted" }} */ {
    other_user_id: other,
    state,
  },
) {
  const conv = convOfPair(snapshot.user.id, other);
  const known = snapshot.conversations[conv];
  if (state === "accepted" && !isRequest(known)) return snapshot;
  const { request, ...chat } = known?.kind === "chat" ? known : appearing(snapshot, conv);
  if (request === state) return snapshot;
  const changed = state === "accepted" ? chat : { ...chat, request: state };
  return { ...snapshot, conversations: { ...snapshot.conversations, [conv]: changed } };
}

/** Whether I have muted the chat at the time `now`, in seconds. */
export const isChatMuted = (/** @type {ChatConversation} */ chat, /** @type {number} */ now) =>
  now < (chat.mutedUntil ?? 0);

/** A chat of which the first event just came. @returns {ChatConversation} */
export function appearing(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const id = otherIn(conv, snapshot.user.id) ?? "";
  return emptyChat(conv, personKnown(snapshot, id) ?? { id, name: "", imageUrl: null });
}

/** A person as far as the snapshot knows them, from a chat or a group; else null. @returns {Person | null} */
export function personKnown(/** @type {Snapshot} */ { conversations, user }, /** @type {string} */ id) {
  const chat = conversations[convOfPair(user.id, id)];
  if (chat?.kind === "chat" && chat.other.name) return chat.other;
  for (const { group } of Object.values(conversations)) {
    const member = group?.members?.find((one) => one.user_id === id);
    if (member) {
      return { id, name: member.nickname, imageUrl: member.image_url, ...guestMark(member.kind) };
    }
  }
  return null;
}

/** The chats with people whose names are not known yet. The first message of a request brings the name. */
export const nameless = (/** @type {Snapshot} */ { conversations }) =>
  Object.values(conversations).filter((one) => one.other?.name === "" && !isRequest(one));

/** Moves the other person's read mark forward, never back. @returns {Snapshot} */
export function markReadByOther(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {{ user: string, n: number }} */ { user, n },
) {
  const chat = snapshot.conversations[conv];
  if (chat?.kind !== "chat" || chat.other.id !== user || n <= chat.otherReadN) return snapshot;
  return { ...snapshot, conversations: { ...snapshot.conversations, [conv]: { ...chat, otherReadN: n } } };
}

/** The id of my newest message that the other person has read, or null. */
export function newestSeen(
  /** @type {Pick<ChatConversation, "messages" | "otherReadN">} */ { messages, otherReadN },
  /** @type {string} */ me,
) {
  let isRead = false;
  const seen = messages.findLast(({ n, user_id: author }) => {
    isRead ||= n !== undefined && n <= otherReadN;
    return isRead && author === me;
  });
  return seen?.id ?? null;
}
