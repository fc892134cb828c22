/**
 * The state that was agreed with the server: a snapshot, and how events change it.
 *
 * Owns one rule: old snapshot + event = new snapshot. All functions are pure, and an
 * event applied twice changes nothing (`n` tells). An event of a conversation that
 * is not known yet is kept until the conversation is loaded, then applied.
 *
 * Does not talk to the server, does not notice gaps (the push client does), and
 * knows nothing of what is on the screen. Direct messages are not kept yet.
 */

import { change, insert, merge } from "./messages.js";

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Member} Member */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Sync} Sync */
/** @typedef {import("./types.js").SyncedGroup} SyncedGroup */

/** As many messages as `GET /v3/sync` gives for each conversation. */
const SYNC_PAGE = 20;

export const convOfGroup = (/** @type {string} */ groupId) => `g:${groupId}`;

/* Whole snapshots. */

/** @returns {Snapshot} */
export function fromSync(/** @type {Sync} */ sync, /** @type {Snapshot | null} */ before = null) {
  /** @type {Record<string, Conversation>} */
  const conversations = {};
  for (const synced of sync.groups) {
    const conv = convOfGroup(synced.group.id);
    const known = before ? (before.conversations[conv] ?? emptyConversation(synced.group)) : undefined;
    conversations[conv] = conversationFromSync(conv, synced, known);
  }
  return { user: sync.user, conversations };
}

/** @returns {Conversation} */
function conversationFromSync(
  /** @type {string} */ conv,
  /** @type {SyncedGroup} */ synced,
  /** @type {Conversation | undefined} */ before,
) {
  const fresh = merge([], synced.messages);
  // Older pages stay only where they join the newest one without a hole.
  const joined = fresh.length > 0 && before?.messages.some((known) => known.id === fresh[0].id);
  const guids = new Set(fresh.map((message) => message.source_guid));
  return {
    conv,
    kind: "group",
    group: synced.group,
    messages: joined && before ? merge(before.messages, fresh) : fresh,
    complete: fresh.length < SYNC_PAGE || Boolean(joined && before?.complete),
    n: synced.n,
    ...marksFromSync(synced),
    filling: null,
    outbox: (before?.outbox ?? []).filter((line) => !guids.has(line.guid)),
  };
}

/** How far is read. With anything unread, the newest line may be the newest event. */
function marksFromSync(/** @type {SyncedGroup} */ { n, read_n: readN, unread }) {
  return { readN, unread, lineN: unread > 0 ? n : readN };
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
  if (!event.conv.startsWith("g:")) return snapshot;
  const conversation = snapshot.conversations[event.conv];
  if (endsFor(snapshot.user.id, event)) {
    return conversation && event.n > conversation.n ? drop(snapshot, event.conv) : snapshot;
  }
  if (!conversation) return put(snapshot, unfilled(event));
  if (event.n <= conversation.n) return snapshot;
  const moved = { ...conversation, n: event.n };
  if (moved.filling) return put(snapshot, { ...moved, filling: [...moved.filling, event] });
  return put(snapshot, applyToGroup(moved, event, snapshot.user.id));
}

/** @returns {Snapshot} */
function applyToUser(/** @type {Snapshot} */ snapshot, /** @type {Event} */ { type, data }) {
  if (type === "user.update") return { ...snapshot, user: { ...snapshot.user, ...data } };
  if (type === "read") return markRead(snapshot, data.conv, data.n);
  return snapshot;
}

/** Whether this event takes the conversation away from me. */
function endsFor(/** @type {string} */ me, /** @type {Event} */ { type, data }) {
  if (type === "group.delete") return true;
  return type === "membership.delete" && membersIn(data).some((member) => member.user_id === me);
}

/** @returns {Conversation} */
function applyToGroup(
  /** @type {Conversation} */ old,
  /** @type {Event} */ { type, data, n },
  /** @type {string} */ me,
) {
  switch (type) {
    case "line.create": {
      const marks = data.user_id === me ? { readN: n, unread: 0 } : { unread: old.unread + 1 };
      return withLine({ ...old, lineN: n, ...marks }, data, me);
    }
    case "message.update":
    case "message.deleted":
      return { ...old, messages: change(old.messages, data.id, data) };
    case "favorite":
      return {
        ...old,
        messages: change(old.messages, data.message_id, { favorited_by: data.favorited_by }),
      };
    case "membership.create":
    case "membership.update":
      return withMembers(old, (members) => joined(members, membersIn(data)));
    case "membership.delete": {
      const gone = new Set(membersIn(data).map((member) => member.user_id));
      return withMembers(old, (members) => members.filter((member) => !gone.has(member.user_id)));
    }
    case "group.update":
      return { ...old, group: { ...old.group, ...data, members: data.members ?? old.group.members } };
    default:
      return old;
  }
}

/** @returns {Member[]} */
function membersIn(/** @type {{ memberships?: Member[] }} */ data) {
  return data.memberships ?? [];
}

/** @returns {Conversation} */
function withMembers(/** @type {Conversation} */ old, /** @type {(members: Member[]) => Member[]} */ how) {
  return { ...old, group: { ...old.group, members: how(old.group.members ?? []) } };
}

function joined(/** @type {Member[]} */ members, /** @type {Member[]} */ news) {
  const byUser = new Map(members.map((member) => [member.user_id, member]));
  for (const member of news) {
    byUser.set(member.user_id, { ...byUser.get(member.user_id), ...member });
  }
  return [...byUser.values()];
}

/** @returns {Conversation} */
function withLine(/** @type {Conversation} */ old, /** @type {Message} */ message, /** @type {string} */ me) {
  const mine = message.user_id === me;
  const outbox = mine ? old.outbox.filter((line) => line.guid !== message.source_guid) : old.outbox;
  return { ...old, messages: insert(old.messages, message), outbox };
}

/* Conversations that appear. */

/** A place for a conversation of which only an event is known. @returns {Conversation} */
function unfilled(/** @type {Event} */ event) {
  const id = event.conv.slice(2);
  const group = { id, name: "", creator_user_id: "", created_at: 0, members: [] };
  return { ...emptyConversation(group), n: event.n, filling: [event] };
}

/** @returns {Conversation} */
function emptyConversation(/** @type {Group} */ group) {
  return {
    conv: convOfGroup(group.id),
    kind: "group",
    group,
    messages: [],
    complete: true,
    n: 0,
    lineN: 0,
    readN: 0,
    unread: 0,
    filling: null,
    outbox: [],
  };
}

/** A group that was just loaded or made, with its newest page. @returns {Snapshot} */
export function fill(
  /** @type {Snapshot} */ snapshot,
  /** @type {Group} */ group,
  /** @type {{ messages: Message[], complete: boolean }} */ page,
) {
  const conv = convOfGroup(group.id);
  const old = snapshot.conversations[conv] ?? emptyConversation(group);
  if (old !== snapshot.conversations[conv]) snapshot = put(snapshot, old);
  else if (!old.filling) return snapshot;
  const heard = old.filling ?? [];
  // What was heard meanwhile may be in the loaded group already. Events carry whole
  // facts, not differences, so applying them once more ends in the same place.
  const { complete } = page;
  /** @type {Conversation} */
  let filled = { ...old, group, filling: null, complete, messages: merge([], page.messages) };
  // What is there already was said before I came, so I have not read it.
  if (page.messages.length > 0) filled.lineN = old.n;
  for (const event of heard) filled = applyToGroup(filled, event, snapshot.user.id);
  return put(snapshot, filled);
}

export const needsFilling = (/** @type {Snapshot} */ snapshot) =>
  Object.values(snapshot.conversations).filter((conversation) => conversation.filling);

/* Pages and read marks. */

/** Older messages, as loaded by scrolling up. */
export function addOlder(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message[]} */ page,
  /** @type {boolean} */ complete,
) {
  return patch(snapshot, conv, (old) => ({ ...old, complete, messages: merge(page, old.messages) }));
}

/** One message that the server confirmed to have stored. */
export function addStored(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {Message} */ message,
) {
  return patch(snapshot, conv, (old) => withLine(old, message, snapshot.user.id));
}

/** A read mark only moves forward. */
export function markRead(
  /** @type {Snapshot} */ snapshot,
  /** @type {string} */ conv,
  /** @type {number} */ n,
) {
  const known = snapshot.conversations[conv];
  if (!known || n <= known.readN) return snapshot;
  // Marks of other devices may stand between messages; how many are left, the next
  // snapshot tells.
  return put(snapshot, { ...known, readN: n, unread: n >= known.lineN ? 0 : known.unread });
}

/* Questions. */

export const isUnread = (/** @type {Conversation} */ { lineN, readN }) => lineN > readN;

export const newest = (/** @type {Conversation} */ { messages }) => messages.at(-1) ?? null;

/** Seconds of the last thing that happened, my unsent words included. */
export function lastActivity(/** @type {Conversation} */ conversation) {
  const stored = newest(conversation)?.created_at ?? conversation.group.created_at;
  return Math.max(stored, conversation.outbox.at(-1)?.at ?? 0);
}

/** All conversations that can be shown, last activity first. */
export function listed(/** @type {Snapshot} */ snapshot) {
  return Object.values(snapshot.conversations)
    .filter((conversation) => !conversation.filling)
    .sort((a, b) => lastActivity(b) - lastActivity(a) || (a.conv < b.conv ? 1 : -1));
}
