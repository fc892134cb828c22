/**
 * The state agreed with the server: a snapshot, and how events change it.
 *
 * Owns one rule: old snapshot + event = new snapshot. All functions are pure, and an event applied twice
 * changes nothing (its `n` tells that it is known). An event of a group that is not loaded yet is kept in
 * `filling` until the group is loaded, then applied.
 *
 * Does not talk to the server, does not notice gaps (the push client does), and knows nothing of what is on
 * the screen.
 */

import {
  appearing,
  applyToChat,
  chatFromSync,
  isChat,
  isRequest,
  withMute,
  withPublicProfile,
  withRequest,
} from "../chats/chats.js";
import { isArchived } from "../groups/standstill.js";
import { savedFrom, withSaved } from "../saved/saved.js";
import {
  groupOfTopic,
  parentConvOf,
  topicFromSync,
  topicIn,
  withAllTopicsRenewed,
  withGroupLifted,
  withoutTopicsOf,
  withTopicEvent,
  withTopicMute,
  withTopics,
  withTopicsRenewed,
} from "../topics/topics.js";
import { applyToGroup, membersIn } from "./group_events.js";
import { emptyLog, isUnread, logFromSync, newest, trimmed, withMessage, withUnread } from "./log.js";
import { compareIds, find, isBy, merge, placeOf } from "./messages.js";

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").GroupConversation} GroupConversation */
/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Sync} Sync */

export const convOfGroup = (/** @type {string} */ groupId) => `g:${groupId}`;

/* Whole snapshots. */

/**
 * The snapshot that `GET /v3/sync` answered. Keeps from the one before what the answer does not bring.
 * @returns {Snapshot}
 */
export function fromSync(/** @type {Sync} */ sync, /** @type {Snapshot | null} */ before = null) {
  const known = before?.conversations ?? {};
  const conversations = conversationsIn(sync, sync.user.id, known);
  // A chat in which nothing happened exists on this page only, so the server did not list it.
  for (const chat of Object.values(known)) {
    const isHere = chat.kind === "chat" && chat.n === 0 && !chat.copied;
    if (isHere && !conversations[chat.conv]) conversations[chat.conv] = chat;
  }
  const blocked = sync.blocks?.map(({ blocked_user_id: id }) => id) ?? before?.blocked ?? [];
  const isPartial = Boolean(sync.more_groups || sync.more_chats || sync.more_topics);
  const { conversation_list: conversationList = before?.conversationList } = sync;
  const { listChanges } = before ?? {};
  return withAllTopicsRenewed({
    user: sync.user,
    conversations,
    blocked,
    ...(conversationList && { conversationList }),
    ...(listChanges && { listChanges }),
    ...(sync.saved && { saved: savedFrom(sync.saved) }),
    ...(isPartial && { isPartial }),
  });
}

/**
 * The snapshot with conversations that did not fit into it before. Those that it has already are newer there,
 * and stay; `gone` are those that ended meanwhile.
 */
export function withMore(
  /** @type {Snapshot} */ snapshot,
  /** @type {Pick<Sync, "groups" | "chats" | "topics">} */ more,
  /** @type {ReadonlySet<string>} */ gone,
) {
  const known = snapshot.conversations;
  const found = Object.values(conversationsIn(more, snapshot.user.id, known));
  const fresh = found.filter(({ conv }) => !gone.has(conv) && (known[conv]?.n ?? 0) === 0);
  if (fresh.length === 0) return snapshot;
  return withAllTopicsRenewed({
    ...snapshot,
    conversations: { ...known, ...Object.fromEntries(fresh.map((one) => [one.conv, one])) },
  });
}

/** The conversations of an answer of the server, with what is known of each beside it. */
function conversationsIn(
  /** @type {Pick<Sync, "groups" | "chats" | "topics">} */ sync,
  /** @type {string} */ me,
  /** @type {Snapshot["conversations"]} */ known,
) {
  /** @type {Record<string, Conversation>} */
  const conversations = {};
  for (const synced of sync.groups ?? []) {
    const conv = convOfGroup(synced.group.id);
    conversations[conv] = {
      ...logFromSync(conv, synced, known[conv]),
      kind: "group",
      // In short form, nothing in the group itself tells whether I have muted it.
      group: { ...synced.group, muted: synced.muted, timed_out_until: synced.timed_out_until },
    };
  }
  for (const synced of sync.chats ?? []) {
    const chat = chatFromSync(synced, me, known);
    conversations[chat.conv] = chat;
  }
  for (const synced of sync.topics ?? []) {
    const conv = convOfGroup(String(synced.topic.id));
    conversations[conv] = topicFromSync(synced, conversations, known[conv]);
  }
  return conversations;
}

/** The `n` of the newest applied event by conversation, from which the feed goes on. */
export function headsOf(/** @type {Snapshot} */ snapshot) {
  return Object.fromEntries(Object.values(snapshot.conversations).map(({ conv, n }) => [conv, n]));
}

/**
 * The snapshot with one conversation changed by `how`; a `conv` that is not in the snapshot changes nothing.
 */
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
  const before = snapshot.conversations[conversation.conv];
  const conversations = { ...snapshot.conversations, [conversation.conv]: conversation };
  const after = { ...snapshot, conversations };
  return before?.group === conversation.group ? after : withTopicsRenewed(after, conversation);
}

/**
 * The snapshot without one conversation, and without the topics of a group.
 * @returns {Snapshot}
 */
export function drop(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const { [conv]: _, ...conversations } = snapshot.conversations;
  return withoutTopicsOf({ ...snapshot, conversations }, conv);
}

/* Events. */

/**
 * The snapshot after an event.
 * @returns {Snapshot}
 */
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
  const after = put(snapshot, applyToGroup(moved, event, snapshot.user.id));
  if (event.type === "line.create") return withGroupLifted(after, event.conv);
  return withTopicEvent(after, event);
}

/**
 * Applies an event to a chat; the first event of an unknown chat adds the chat.
 * @returns {Snapshot}
 */
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
      return data.set_back ? setBack(snapshot, data) : markRead(snapshot, data.conv, data.n, data.count);
    case "conversation_list":
      return { ...snapshot, conversationList: data };
    case "mute":
      return withTopicMute(withMute(snapshot, data), data);
    case "message.saved":
    case "message.unsaved":
      return withSaved(snapshot, data);
    case "message_request.update":
      return withRequest(snapshot, data);
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

/**
 * Whether the conversation ends for me with this event: the group was deleted, or I am no longer a member.
 */
function endsFor(/** @type {string} */ me, /** @type {Event} */ { type, data }) {
  if (type === "group.delete") return true;
  return type === "membership.delete" && membersIn(data).some((member) => member.user_id === me);
}

/* Conversations that appear. */

/**
 * A placeholder for a group of which only this event is known, until the group is loaded.
 * @returns {GroupConversation}
 */
function unfilled(/** @type {Event} */ event) {
  const id = event.conv.slice(2);
  const { parent_id: parent } = event.data;
  const group = {
    id,
    name: "",
    creator_user_id: "",
    created_at: 0,
    members: [],
    // Only messages of topics name a group beside their own.
    ...(event.type === "line.create" && parent && { parent: { id: String(parent), name: "" } }),
  };
  return { ...emptyGroup(group), n: event.n, filling: [event] };
}

/** @returns {GroupConversation} */
function emptyGroup(/** @type {Group} */ group) {
  return { ...emptyLog(convOfGroup(group.id)), kind: "group", group };
}

/**
 * The snapshot with a group or a topic that was just loaded or created, and the newest page of its messages.
 * @returns {Snapshot}
 */
export function fill(
  /** @type {Snapshot} */ snapshot,
  /** @type {Group} */ group,
  /** @type {{ messages: Message[], complete: boolean }} */ page,
  /** @type {import("./types.js").Topic | undefined} */ topic = undefined,
) {
  const conv = convOfGroup(group.id);
  const known = snapshot.conversations[conv];
  const old = known?.kind === "group" ? known : emptyGroup(group);
  if (old !== known) snapshot = put(snapshot, old);
  else if (!old.filling) return snapshot;
  const heard = old.filling ?? [];
  // The loaded group may already include the events received meanwhile. Events carry whole facts, not
  // differences, so applying them again gives the same result.
  const { complete } = page;
  /** @type {GroupConversation} */
  let filled = {
    ...old,
    group,
    ...(topic && { topic }),
    filling: null,
    complete,
    messages: merge([], page.messages),
  };
  // The loaded messages were sent before I joined, so they count as unread.
  if (page.messages.length > 0) filled.messageN = old.n;
  for (const event of heard) filled = applyToGroup(filled, event, snapshot.user.id);
  const after = put(snapshot, {
    ...filled,
    count: group.messages?.count ?? (filled.complete ? filled.messages.length : Infinity),
  });
  return heard.reduce(withTopicEvent, withGroupLifted(after, conv));
}

/** The snapshot with a topic that was just loaded, and the newest page of its messages. @returns {Snapshot} */
export function fillTopic(
  /** @type {Snapshot} */ snapshot,
  /** @type {import("./types.js").ListedTopic} */ loaded,
  /** @type {{ messages: Message[], complete: boolean }} */ page,
) {
  const topic = topicIn(loaded);
  const parent = snapshot.conversations[parentConvOf(topic)]?.group;
  return fill(snapshot, groupOfTopic(topic, parent), page, topic);
}

/**
 * The groups that are placeholders and have to be loaded.
 * @returns {GroupConversation[]}
 */
export const needsFilling = (/** @type {Snapshot} */ snapshot) =>
  Object.values(snapshot.conversations)
    .filter((conversation) => conversation.kind === "group")
    .filter((conversation) => conversation.filling);

/* Pages and read marks. */

/**
 * Adds a page of older messages, loaded as those before `beforeId`. An empty page means that there are none.
 */
export function addOlder(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message[]} */ page,
  /** @type {string | undefined} */ beforeId,
) {
  return patch(snapshot, conv, (old) => {
    // The oldest messages were trimmed while the page was loading; adding it would leave a hole.
    if (old.messages[0]?.id !== beforeId) return old;
    const messages = merge(merge([], page), old.messages);
    return { ...old, complete: page.length === 0 || messages.length >= old.count, messages };
  });
}

/**
 * Sets whether all loaded messages are kept, because somebody reads further up (`held`). Otherwise only the
 * newest are kept; older ones can be loaded again.
 */
export function hold(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {boolean} */ held,
) {
  const old = snapshot.conversations[conv];
  return !old || old.held === held ? snapshot : patch(snapshot, conv, () => trimmed({ ...old, held }));
}

/** Sets the members of a group that was loaded without them. */
export function withMembersOf(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {import("./types.js").Member[]} */ members,
) {
  return patch(snapshot, conv, (old) =>
    old.kind === "group" && !old.group.members ? { ...old, group: { ...old.group, members } } : old,
  );
}

/**
 * Adds a message that the server confirmed to have stored. If its event came first, that one stays: it has
 * more facts.
 */
export function addStored(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message} */ message,
) {
  return patch(snapshot, conv, (old) => {
    if (find(old.messages, message.id)) return old;
    // A message sent on an earlier visit is older than all that is loaded, so adding it would leave a hole
    // behind it.
    const isFurtherUp = !old.complete && placeOf(old.messages, message.id) === 0 && old.messages.length > 0;
    const said = withMessage(old, message, snapshot.user.id);
    return isFurtherUp ? { ...said, messages: old.messages } : said;
  });
}

/**
 * Moves my read mark forward, never back.
 * @param {Snapshot} snapshot
 * @param {string} conv
 * @param {number} n
 * @param {number} [count] the number of messages up to the mark; those after it are unread
 */
export function markRead(snapshot, conv, n, count) {
  const known = snapshot.conversations[conv];
  if (!known || n <= known.readN) return snapshot;
  const left =
    count === undefined || known.count === Infinity ? known.unread : Math.max(0, known.count - count);
  return put(snapshot, withUnread(known, n, n >= known.messageN ? 0 : left));
}

/** Sets my read mark back, since I marked messages as unread. */
function setBack(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ conv: string, n: number, count: number }} */ { conv, n, count },
) {
  const known = snapshot.conversations[conv];
  if (!known) return snapshot;
  const unread = known.count === Infinity ? known.unread : Math.max(0, known.count - count);
  return put(snapshot, withUnread(known, n, unread));
}

/**
 * Marks messages as read up to this one, whose number is `n` or less; those after it stay unread.
 * @returns {Snapshot}
 */
export function markSeen(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {{ id: string, n: number }} */ { id, n },
) {
  return patch(snapshot, conv, (old) => {
    const after = old.messages.slice(placeOf(old.messages, id) + 1);
    const left = after.filter((message) => !isBy(message, snapshot.user.id)).length;
    const readN = Math.max(old.readN, n, left === 0 ? old.messageN : 0);
    return withUnread(old, readN, Math.min(old.unread, left));
  });
}

/* Queries. */

/** When the newest message was sent or written, unsent ones of mine included; in Unix seconds. */
export function lastActivity(/** @type {Conversation} */ conversation) {
  const stored = newest(conversation)?.created_at ?? conversation.group?.created_at ?? 0;
  return Math.max(stored, conversation.outbox.at(-1)?.at ?? 0);
}

/** When the newest message of a conversation or of its topics was sent or written. */
const lastActivityInAll = (/** @type {Conversation} */ conversation) =>
  Math.max(lastActivity(conversation), conversation.kind === "group" ? (conversation.topicsAt ?? 0) : 0);

/**
 * The result of the last call of `listed`, and the conversations from which it was made.
 * @type {{ of: Snapshot["conversations"], order: Conversation[] }}
 */
let last = { of: {}, order: [] };

/**
 * All conversations that are shown, most recent activity first; chats only once they have a message. Those that
 * stand apart are left out, and topics, which stand with their groups. Up to
 * `FEW` conversations that changed since the last call are moved to their new places; with more, all are
 * sorted.
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

/** The most changed conversations that are put in place one by one; with more, the whole list is sorted. */
const FEW = 16;

const isListed = (/** @type {Conversation} */ one) =>
  !one.filling && !one.topic && !isApart(one) && (one.kind === "group" || hasBegun(one));

/**
 * Whether a conversation stands apart from the list, and counts as unread nowhere: a message request, or an
 * archived group.
 */
export const isApart = (/** @type {Conversation | undefined} */ one) =>
  isRequest(one) || isArchived(one?.group);

const hasBegun = (/** @type {Conversation} */ { messages, outbox, short }) =>
  messages.length + outbox.length > 0 || short !== undefined;

/** The message requests about which I have not decided, the newest first; not those of people I block. */
export const openRequests = (/** @type {Snapshot} */ { conversations, blocked }) =>
  Object.values(conversations)
    .filter((one) => one.request === "open" && hasBegun(one) && !blocked.includes(one.other.id))
    .sort(byActivity);

/** The archived groups, the one with the most recent activity first. */
export const archivedGroups = (/** @type {Snapshot} */ { conversations }) =>
  Object.values(conversations)
    .filter(({ filling, group, topic }) => !filling && !topic && isArchived(group))
    .sort(byActivity);

/** All conversations that can be found: those that are listed, then the archived groups; each group with its topics. */
export const findable = (/** @type {Snapshot} */ snapshot) =>
  withTopics(snapshot, [...listed(snapshot), ...archivedGroups(snapshot)]);

/** How many conversations are unread, those that stand apart left out. */
export const unreadCount = (/** @type {Snapshot} */ snapshot) =>
  withTopics(snapshot, listed(snapshot)).filter(isUnread).length;

function byActivity(/** @type {Conversation} */ a, /** @type {Conversation} */ b) {
  return lastActivityInAll(b) - lastActivityInAll(a) || compareIds(lastId(b), lastId(a));
}

function putInOrder(/** @type {Conversation[]} */ order, /** @type {Conversation} */ one) {
  const at = order.findIndex((other) => byActivity(one, other) < 0);
  order.splice(at < 0 ? order.length : at, 0, one);
}

/** Orders conversations with activity in the same second: ids grow within a second too. */
const lastId = (/** @type {Conversation} */ conversation) => newest(conversation)?.id ?? "";
