/**
 * The state that was agreed with the server: a snapshot, and how events change it.
 *
 * Owns one rule: old snapshot + event = new snapshot. All functions are pure, and an
 * event applied twice changes nothing (`n` tells). An event of a conversation that
 * is not known yet is kept until the conversation is loaded, then applied.
 *
 * Does not talk to the server, does not notice gaps (the push client does), and
 * knows nothing of what is on the screen.
 */

import { appearing, applyToChat, chatFromSync, isChat, withMute, withPublicProfile } from "./chats.js";
import { applyToGroup, membersIn } from "./group_events.js";
import { emptyLog, logFromSync, newest, trimmed, withMessage } from "./log.js";
import { compareIds, find, merge, placeOf } from "./messages.js";

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").GroupConversation} GroupConversation */
/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Sync} Sync */

export const convOfGroup = (/** @type {string} */ groupId) => `g:${groupId}`;

/* Whole snapshots. */

/** @returns {Snapshot} */
export function fromSync(/** @type {Sync} */ sync, /** @type {Snapshot | null} */ before = null) {
  const known = before?.conversations ?? {};
  /** @type {Record<string, Conversation>} */
  const conversations = {};
  for (const synced of sync.groups) {
    const conv = convOfGroup(synced.group.id);
    conversations[conv] = {
      ...logFromSync(conv, synced, known[conv]),
      kind: "group",
      group: synced.group,
    };
  }
  for (const synced of sync.chats ?? []) {
    const chat = chatFromSync(synced, sync.user.id, known);
    conversations[chat.conv] = chat;
  }
  // A chat in which nothing is said yet is known to this page only.
  for (const chat of Object.values(known)) {
    if (chat.kind === "chat" && !conversations[chat.conv] && !chat.copied) conversations[chat.conv] = chat;
  }
  const blocked = sync.blocks?.map(({ blocked_user_id: id }) => id) ?? before?.blocked ?? [];
  return { user: sync.user, conversations, blocked };
}

/** Where the feed goes on, conversation by conversation. */
export function headsOf(/** @type {Snapshot} */ snapshot) {
  return Object.fromEntries(Object.values(snapshot.conversations).map(({ conv, n }) => [conv, n]));
}

/** The snapshot with one conversation changed; unknown ones stay unknown. */
export function patch(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {(old: Conversation) => Conversation} */ how,
) {
  const old = snapshot.conversations[conv];
  if (!old) return snapshot;
  return put(snapshot, how(old));
}

/** @returns {Snapshot} */
function put(/** @type {Snapshot} */ snapshot, /** @type {Conversation} */ conversation) {
  const conversations = { ...snapshot.conversations, [conversation.conv]: conversation };
  return { ...snapshot, conversations };
}

/** @returns {Snapshot} */
export function drop(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const { [conv]: _, ...conversations } = snapshot.conversations;
  return { ...snapshot, conversations };
}

/* Events. */

/** @returns {Snapshot} */
export function applyEvent(/** @type {Snapshot} */ snapshot, /** @type {Event} */ event) {
  if (event.conv.startsWith("u:")) return applyToUser(snapshot, event);
  if (event.conv.startsWith("p:")) return withPublicProfile(snapshot, event);
  if (isChat(event.conv)) return applyInChat(snapshot, event);
  if (!event.conv.startsWith("g:")) return snapshot;
  const conversation = snapshot.conversations[event.conv];
  if (endsFor(snapshot.user.id, event)) {
    return conversation && event.n > conversation.n ? drop(snapshot, event.conv) : snapshot;
  }
  if (conversation?.kind !== "group") return put(snapshot, unfilled(event));
  if (event.n <= conversation.n) return snapshot;
  const moved = { ...conversation, n: event.n };
  if (moved.filling) return put(snapshot, { ...moved, filling: [...moved.filling, event] });
  return put(snapshot, applyToGroup(moved, event, snapshot.user.id));
}

/** A chat that is new to everybody begins with its first event. @returns {Snapshot} */
function applyInChat(/** @type {Snapshot} */ snapshot, /** @type {Event} */ event) {
  const known = snapshot.conversations[event.conv];
  const chat = known?.kind === "chat" ? known : appearing(snapshot, event.conv);
  if (event.n <= chat.n) return snapshot;
  return put(snapshot, applyToChat({ ...chat, n: event.n }, event, snapshot.user.id));
}

/** @returns {Snapshot} */
function applyToUser(/** @type {Snapshot} */ snapshot, /** @type {Event} */ { type, data }) {
  switch (type) {
    case "user.update":
      return { ...snapshot, user: { ...snapshot.user, ...data } };
    case "read":
      return markRead(snapshot, data.conv, data.n, data.count);
    case "mute":
      return withMute(snapshot, data);
    case "block.create":
      return block(snapshot, data.blocked_user_id);
    case "block.delete":
      return unblock(snapshot, data.blocked_user_id);
    default:
      return snapshot;
  }
}

/** @returns {Snapshot} */
export const block = (/** @type {Snapshot} */ snapshot, /** @type {string} */ id) =>
  snapshot.blocked.includes(id) ? snapshot : { ...snapshot, blocked: [...snapshot.blocked, id] };

/** @returns {Snapshot} */
export const unblock = (/** @type {Snapshot} */ snapshot, /** @type {string} */ id) => ({
  ...snapshot,
  blocked: snapshot.blocked.filter((other) => other !== id),
});

/** Whether this event takes the conversation away from me. */
function endsFor(/** @type {string} */ me, /** @type {Event} */ { type, data }) {
  if (type === "group.delete") return true;
  return type === "membership.delete" && membersIn(data).some((member) => member.user_id === me);
}

/* Conversations that appear. */

/** A place for a group of which only an event is known. @returns {GroupConversation} */
function unfilled(/** @type {Event} */ event) {
  const id = event.conv.slice(2);
  const group = { id, name: "", creator_user_id: "", created_at: 0, members: [] };
  return { ...emptyGroup(group), n: event.n, filling: [event] };
}

/** @returns {GroupConversation} */
function emptyGroup(/** @type {Group} */ group) {
  return { ...emptyLog(convOfGroup(group.id)), kind: "group", group };
}

/** A group that was just loaded or made, with its newest page. @returns {Snapshot} */
export function fill(
  /** @type {Snapshot} */ snapshot,
  /** @type {Group} */ group,
  /** @type {{ messages: Message[], complete: boolean }} */ page,
) {
  const conv = convOfGroup(group.id);
  const known = snapshot.conversations[conv];
  const old = known?.kind === "group" ? known : emptyGroup(group);
  if (old !== known) snapshot = put(snapshot, old);
  else if (!old.filling) return snapshot;
  const heard = old.filling ?? [];
  // What was heard meanwhile may be in the loaded group already. Events carry whole
  // facts, not differences, so applying them once more ends in the same place.
  const { complete } = page;
  /** @type {GroupConversation} */
  let filled = { ...old, group, filling: null, complete, messages: merge([], page.messages) };
  // What is there already was said before I came, so I have not read it.
  if (page.messages.length > 0) filled.messageN = old.n;
  for (const event of heard) filled = applyToGroup(filled, event, snapshot.user.id);
  return put(snapshot, {
    ...filled,
    count: group.messages?.count ?? (filled.complete ? filled.messages.length : Infinity),
  });
}

/** @returns {GroupConversation[]} */
export const needsFilling = (/** @type {Snapshot} */ snapshot) =>
  Object.values(snapshot.conversations)
    .filter((conversation) => conversation.kind === "group")
    .filter((conversation) => conversation.filling);

/* Pages and read marks. */

/** Older messages, as loaded by scrolling up: those before `beforeId`. An empty page is the last. */
export function addOlder(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message[]} */ page,
  /** @type {string | undefined} */ beforeId,
) {
  return patch(snapshot, conv, (old) => {
    // Let go of meanwhile: what does not join would leave a hole.
    if (old.messages[0]?.id !== beforeId) return old;
    const messages = merge(merge([], page), old.messages);
    return { ...old, complete: page.length === 0 || messages.length >= old.count, messages };
  });
}

/**
 * Whether everything that was loaded is kept, because somebody reads in it, or only the
 * newest, because more can be had again.
 */
export function hold(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {boolean} */ held,
) {
  const old = snapshot.conversations[conv];
  return !old || old.held === held ? snapshot : patch(snapshot, conv, () => trimmed({ ...old, held }));
}

/** The members of a group that came without them. */
export function withMembersOf(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {import("./types.js").Member[]} */ members,
) {
  return patch(snapshot, conv, (old) =>
    old.kind === "group" && !old.group.members ? { ...old, group: { ...old.group, members } } : old,
  );
}

/** One message that the server confirmed to have stored. Its event, if it came first, knows more. */
export function addStored(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message} */ message,
) {
  return patch(snapshot, conv, (old) => {
    if (find(old.messages, message.id)) return old;
    // Sent on an earlier visit: in its place it would stand before a hole.
    const isFurtherUp = !old.complete && placeOf(old.messages, message.id) === 0 && old.messages.length > 0;
    const said = withMessage(old, message, snapshot.user.id);
    return isFurtherUp ? { ...said, messages: old.messages } : said;
  });
}

/**
 * A read mark only moves forward.
 * @param {Snapshot} snapshot
 * @param {string} conv
 * @param {number} n
 * @param {number} [count] how many messages there were with it; those after it are unread
 */
export function markRead(snapshot, conv, n, count) {
  const known = snapshot.conversations[conv];
  if (!known || n <= known.readN) return snapshot;
  const left =
    count === undefined || known.count === Infinity ? known.unread : Math.max(0, known.count - count);
  return put(snapshot, { ...known, readN: n, unread: n >= known.messageN ? 0 : left });
}

/** Read up to this message, which is number `n` at the least: what came after it is left. @returns {Snapshot} */
export function markSeen(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {{ id: string, n: number }} */ { id, n },
) {
  return patch(snapshot, conv, (old) => {
    const after = old.messages.slice(placeOf(old.messages, id) + 1);
    const left = after.filter(({ user_id: author }) => author !== snapshot.user.id).length;
    const readN = Math.max(old.readN, n, left === 0 ? old.messageN : 0);
    return { ...old, readN, unread: Math.min(old.unread, left) };
  });
}

/* Questions. */

/** Seconds of the last thing that happened, my unsent words included. */
export function lastActivity(/** @type {Conversation} */ conversation) {
  const stored = newest(conversation)?.created_at ?? conversation.group?.created_at ?? 0;
  return Math.max(stored, conversation.outbox.at(-1)?.at ?? 0);
}

/** What was put in order last. @type {{ of: Snapshot["conversations"], order: Conversation[] }} */
let last = { of: {}, order: [] };

/**
 * All conversations that can be shown, last activity first; a chat once something is said
 * in it. Only what changed since the last time finds a new place.
 * @returns {readonly Conversation[]}
 */
export function listed(/** @type {Snapshot} */ { conversations }) {
  if (conversations === last.of) return last.order;
  const shown = Object.values(conversations).filter(isListed);
  const fresh = new Set(shown.filter((one) => last.of[one.conv] !== one));
  const few = fresh.size <= FEW;
  const order = few ? last.order.filter((one) => conversations[one.conv] === one) : shown.sort(byActivity);
  if (few) for (const one of fresh) putInOrder(order, one);
  last = { of: conversations, order };
  return order;
}

/** More changes at once than this are put in order all together. */
const FEW = 16;

const isListed = (/** @type {Conversation} */ { kind, filling, messages, outbox }) =>
  !filling && (kind === "group" || messages.length + outbox.length > 0);

function byActivity(/** @type {Conversation} */ a, /** @type {Conversation} */ b) {
  return lastActivity(b) - lastActivity(a) || compareIds(lastId(b), lastId(a));
}

function putInOrder(/** @type {Conversation[]} */ order, /** @type {Conversation} */ one) {
  const at = order.findIndex((other) => byActivity(one, other) < 0);
  order.splice(at < 0 ? order.length : at, 0, one);
}

/** Ids grow, also within a second. */
const lastId = (/** @type {Conversation} */ conversation) => newest(conversation)?.id ?? "";
