/**
 * Chats: what two people say to each other, and how far the other has read.
 *
 * Pure. A chat is there once it is opened or written in, and never goes away.
 */

import { emptyLog, logFromSync, withChangedMessage, withNewMessage } from "./log.js";
import { compareIds } from "./messages.js";

/** @typedef {import("./types.js").ChatConversation} ChatConversation */
/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {import("./types.js").SyncedChat} SyncedChat */

/** The name of the stream that two people share: the smaller id first. */
export function convOfPair(/** @type {string} */ one, /** @type {string} */ other) {
  return compareIds(one, other) < 0 ? `d:${one}+${other}` : `d:${other}+${one}`;
}

export const isChat = (/** @type {string} */ conv) => conv.startsWith("d:");

/** The one of the two who is not me; null if it is not my chat. */
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
  // What the other has not read is the newest; both numbers are the most that can be.
  const numbered = messages.map((message, at) => ({
    ...message,
    n: at < otherUnread ? synced.n : otherReadN,
  }));
  const { name, avatar_url: imageUrl } = chat.other_user;
  return {
    ...logFromSync(conv, { ...synced, messages: numbered }, before[conv]),
    kind: "chat",
    other: { id: otherIn(conv, me) ?? "", name, imageUrl },
    otherReadN,
    mutedUntil: chat.muted_until ?? null,
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
  // Whoever writes has read, and their words bring the name and picture they have now.
  return { ...said, other: { ...old.other, name: data.name, imageUrl: data.avatar_url }, otherReadN: n };
}

/** Somebody I have a chat with looks otherwise now. @returns {Snapshot} */
export function withPublicProfile(
  /** @type {Snapshot} */ snapshot,
  /** @type {Event} */ { conv, type, data },
) {
  const id = conv.slice(2);
  const chat = snapshot.conversations[convOfPair(snapshot.user.id, id)];
  if (type !== "other_user.update" || chat?.kind !== "chat") return snapshot;
  const seen = { ...chat, other: { id, name: data.name, imageUrl: data.avatar_url } };
  return { ...snapshot, conversations: { ...snapshot.conversations, [chat.conv]: seen } };
}

/** I want no notices of a chat until then, or again those that I had. @returns {Snapshot} */
export function withMute(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ conversation_id: string, muted_until: number | null }} */ { conversation_id, muted_until },
) {
  const chat = snapshot.conversations[`d:${conversation_id}`];
  if (chat?.kind !== "chat") return snapshot;
  const muted = { ...chat, mutedUntil: muted_until };
  return { ...snapshot, conversations: { ...snapshot.conversations, [chat.conv]: muted } };
}

/** Whether I want no notices of a chat at this time, in seconds. */
export const isChatMuted = (/** @type {ChatConversation} */ chat, /** @type {number} */ now) =>
  now < (chat.mutedUntil ?? 0);

/** The chat that an event is the first sign of. @returns {ChatConversation} */
export function appearing(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const id = otherIn(conv, snapshot.user.id) ?? "";
  return emptyChat(conv, personKnown(snapshot, id) ?? { id, name: "", imageUrl: null });
}

/** Somebody as far as this page knows them: from a chat, or from a group. @returns {Person | null} */
export function personKnown(/** @type {Snapshot} */ { conversations, user }, /** @type {string} */ id) {
  const chat = conversations[convOfPair(user.id, id)];
  if (chat?.kind === "chat" && chat.other.name) return chat.other;
  for (const { group } of Object.values(conversations)) {
    const member = group?.members?.find((one) => one.user_id === id);
    if (member) return { id, name: member.nickname, imageUrl: member.image_url };
  }
  return null;
}

/** The chats with people whose names nobody has told yet. */
export const nameless = (/** @type {Snapshot} */ { conversations }) =>
  Object.values(conversations).filter(({ kind, other }) => kind === "chat" && other.name === "");

/** The other has read up to here. A mark only moves forward. @returns {Snapshot} */
export function markReadByOther(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {{ user: string, n: number }} */ { user, n },
) {
  const chat = snapshot.conversations[conv];
  if (chat?.kind !== "chat" || chat.other.id !== user || n <= chat.otherReadN) return snapshot;
  return { ...snapshot, conversations: { ...snapshot.conversations, [conv]: { ...chat, otherReadN: n } } };
}

/** My newest message that the other has read: its id, or null. */
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
