/**
 * Topics: conversations that all members of a group have beside its main one.
 *
 * Pure. In the store, a topic is a conversation like that of a group. Owns the group that such a conversation shows:
 * the members, roles and settings of the topic's group, with the name, picture and type of the topic.
 */

import { emptyLog, isUnread, logFromSync, newest, unreadMentions } from "../sync/log.js";
import { compareIds } from "../sync/messages.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").GroupConversation} GroupConversation */
/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Topic} Topic */
/** @typedef {import("../sync/types.js").ListedTopic} ListedTopic */
/** @typedef {GroupConversation & { topic: Topic }} TopicConversation */

/** @type {readonly TopicConversation[]} */
const NONE = [];

/** The conversation of a topic, and that of the group to which it belongs. */
export const convOfTopic = (/** @type {{ id: number }} */ { id }) => `g:${id}`;
export const parentConvOf = (/** @type {{ parent_id: number }} */ { parent_id: id }) => `g:${id}`;

/** Whether a conversation is a topic of a group. @returns {one is TopicConversation} */
export const isTopic = (/** @type {Conversation | null | undefined} */ one) => one?.topic !== undefined;

/** The group that the conversation of a topic shows; without `parent`, as far as the topic alone tells. @returns {Group} */
export function groupOfTopic(/** @type {Topic} */ topic, /** @type {Group | undefined} */ parent) {
  const { id, parent_id, topic: name, description, avatar_url, type, created_at, muted_until } = topic;
  return {
    ...(parent ?? { creator_user_id: "", members: null }),
    id: String(id),
    parent: { id: String(parent_id), name: parent?.name ?? "" },
    name,
    description,
    image_url: avatar_url,
    type,
    created_at,
    muted_until: muted_until ?? null,
    share_url: null,
    messages: null,
  };
}

/** The group of a topic, for what only groups have; a group itself. @returns {Group | undefined} */
export function homeGroup(/** @type {Snapshot | null} */ snapshot, /** @type {Group | undefined} */ group) {
  return group?.parent ? snapshot?.conversations[`g:${group.parent.id}`]?.group : group;
}

/** The id of the group to which a group's or a topic's conversation belongs. */
export const homeId = (/** @type {Pick<Group, "id" | "parent">} */ { id, parent }) => parent?.id ?? id;

/* Topics in the store. */

/** A topic as the snapshot tells of it. @returns {TopicConversation} */
export function topicFromSync(
  /** @type {import("../sync/types.js").SyncedTopic} */ synced,
  /** @type {Snapshot["conversations"]} */ around,
  /** @type {Conversation | undefined} */ before,
) {
  const topic = { ...synced.topic, muted_until: synced.muted_until ?? null };
  const group = groupOfTopic(topic, around[parentConvOf(topic)]?.group);
  return { ...logFromSync(convOfTopic(topic), synced, before), kind: "group", topic, group };
}

/**
 * The snapshot with a topic that was made, changed or loaded. Its messages stay as they are; those of a new topic are
 * yet to come.
 * @returns {Snapshot}
 */
export function withTopic(/** @type {Snapshot} */ snapshot, /** @type {Topic} */ news) {
  const known = snapshot.conversations[convOfTopic(news)];
  if (known?.filling) return withPlaceholderOf(snapshot, news);
  const topic = { ...known?.topic, ...news };
  const group = groupOfTopic(topic, snapshot.conversations[parentConvOf(topic)]?.group);
  const log =
    known?.kind === "group"
      ? known
      : { ...emptyLog(convOfTopic(news)), kind: /** @type {const} */ ("group") };
  return withOne(snapshot, { ...log, topic, group });
}

/**
 * The snapshot in which the placeholder of a topic names its group, so that it is loaded as a topic. It keeps the events
 * that came already.
 */
function withPlaceholderOf(/** @type {Snapshot} */ snapshot, /** @type {Topic} */ topic) {
  const known = snapshot.conversations[convOfTopic(topic)];
  if (known?.kind !== "group" || !known.filling || known.group.parent) return snapshot;
  const parent = { id: String(topic.parent_id), name: "" };
  return withOne(snapshot, { ...known, group: { ...known.group, parent } });
}

/** The snapshot with the topics of a group that was just loaded. Messages sent before that count as read. @returns {Snapshot} */
export const withListedTopics = (
  /** @type {Snapshot} */ snapshot,
  /** @type {readonly ListedTopic[]} */ listed,
) =>
  listed.reduce((/** @type {Snapshot} */ before, one) => {
    const topic = topicIn(one);
    const conv = convOfTopic(topic);
    if (before.conversations[conv]) return withPlaceholderOf(before, topic);
    const group = groupOfTopic(topic, before.conversations[parentConvOf(topic)]?.group);
    const short = shortOf(one.messages);
    const log = { ...emptyLog(conv), ...(short && { short, complete: false }) };
    return withOne(before, { ...log, count: one.messages.count, kind: "group", topic, group });
  }, snapshot);

/** The topic in an entry of a list, without the state of its messages. @returns {Topic} */
export function topicIn(/** @type {ListedTopic} */ listed) {
  const { id, parent_id, topic, description, avatar_url, type, creator_user_id } = listed;
  const { created_at, updated_at, muted_until } = listed;
  return {
    id,
    parent_id,
    topic,
    description,
    avatar_url,
    type,
    creator_user_id,
    created_at,
    updated_at,
    muted_until,
  };
}

/** The newest message of a topic in a list, as far as the list tells of it. @returns {import("../sync/types.js").Message | null} */
function shortOf(
  /** @type {ListedTopic["messages"]} */ { last_message_id: id, last_message_created_at: at, preview },
) {
  if (!id || !at) return null;
  const nothing = { source_guid: "", favorited_by: [], user_id: "" };
  const { nickname, text, attachments } = preview ?? {};
  return {
    ...nothing,
    id,
    created_at: at,
    name: nickname ?? "",
    text: text ?? null,
    attachments: attachments ?? [],
  };
}

/** @returns {Snapshot} */
function without(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const { [conv]: _, ...conversations } = snapshot.conversations;
  return { ...snapshot, conversations };
}

/** @returns {Snapshot} */
const withOne = (/** @type {Snapshot} */ snapshot, /** @type {Conversation} */ one) => ({
  ...snapshot,
  conversations: { ...snapshot.conversations, [one.conv]: one },
});

/** Applies an event by which I muted a topic until some time, or unmuted it. @returns {Snapshot} */
export function withTopicMute(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ conversation_id: string, muted_until: number | null }} */ { conversation_id: id, muted_until },
) {
  const known = snapshot.conversations[`g:${id}`];
  return isTopic(known) ? withTopic(snapshot, { ...known.topic, muted_until }) : snapshot;
}

/** The snapshot with the topics of a group as they are now that the group has changed. @returns {Snapshot} */
export function withTopicsRenewed(
  /** @type {Snapshot} */ snapshot,
  /** @type {Conversation} */ { conv, group },
) {
  const topics = topicsOf(snapshot, conv);
  if (topics.length === 0 || !group) return snapshot;
  const renewed = topics.map((one) => [one.conv, { ...one, group: groupOfTopic(one.topic, group) }]);
  return { ...snapshot, conversations: { ...snapshot.conversations, ...Object.fromEntries(renewed) } };
}

/** The snapshot with all topics as their groups are now; those without a group are left out if `isWhole`. @returns {Snapshot} */
export function withAllTopicsRenewed(/** @type {Snapshot} */ snapshot, isWhole = false) {
  const { conversations } = snapshot;
  if (!Object.values(conversations).some(isTopic)) return snapshot;
  const renewed = Object.values(conversations).flatMap((one) => {
    if (!isTopic(one)) return [one];
    const parent = conversations[parentConvOf(one.topic)]?.group;
    return parent || !isWhole ? [{ ...one, group: groupOfTopic(one.topic, parent) }] : [];
  });
  return withActivity({
    ...snapshot,
    conversations: Object.fromEntries(renewed.map((one) => [one.conv, one])),
  });
}

/** The snapshot in which each group stands in the list where its topics put it. @returns {Snapshot} */
function withActivity(/** @type {Snapshot} */ snapshot) {
  const { conversations } = snapshot;
  /** @type {Record<string, Conversation>} */
  const lifted = {};
  for (const [conv, topics] of byGroup(conversations)) {
    const parent = conversations[conv];
    const topicsAt = Math.max(0, ...topics.map((one) => newest(one)?.created_at ?? 0));
    if (parent?.kind === "group" && topicsAt > (parent.topicsAt ?? 0)) lifted[conv] = { ...parent, topicsAt };
  }
  return Object.keys(lifted).length > 0
    ? { ...snapshot, conversations: { ...conversations, ...lifted } }
    : snapshot;
}

/** The snapshot after a new message in a conversation: the group of a topic stands where the message puts it. @returns {Snapshot} */
export function withGroupLifted(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const topic = snapshot.conversations[conv];
  const parent = isTopic(topic) && snapshot.conversations[parentConvOf(topic.topic)];
  if (!topic || !parent || parent.kind !== "group") return snapshot;
  const topicsAt = Math.max(parent.topicsAt ?? 0, newest(topic)?.created_at ?? 0);
  return topicsAt === parent.topicsAt ? snapshot : withOne(snapshot, { ...parent, topicsAt });
}

/** The snapshot without a topic that was removed. @returns {Snapshot} */
export const withoutTopic = (/** @type {Snapshot} */ snapshot, /** @type {{ id: number }} */ gone) =>
  without(snapshot, convOfTopic(gone));

/** The snapshot without the topics of a group. @returns {Snapshot} */
export function withoutTopicsOf(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const gone = new Set(topicsOf(snapshot, conv).map((one) => one.conv));
  if (gone.size === 0) return snapshot;
  const left = Object.values(snapshot.conversations).filter((one) => !gone.has(one.conv));
  return { ...snapshot, conversations: Object.fromEntries(left.map((one) => [one.conv, one])) };
}

/** The snapshot after an event about the topics of a group. @returns {Snapshot} */
export function withTopicEvent(
  /** @type {Snapshot} */ snapshot,
  /** @type {import("../sync/types.js").Event} */ { type, data },
) {
  if (type === "topic.create" || type === "topic.update") return withTopic(snapshot, data);
  return type === "topic.delete" ? withoutTopic(snapshot, data) : snapshot;
}

/* Queries. */

/** The topics by the conversation of their group, for the conversations of a snapshot. @type {WeakMap<Snapshot["conversations"], Map<string, TopicConversation[]>>} */
const grouped = new WeakMap();

/** All topics by the conversation of their group, oldest topic first. */
function byGroup(/** @type {Snapshot["conversations"]} */ conversations) {
  let found = grouped.get(conversations);
  if (found) return found;
  found = new Map();
  for (const one of Object.values(conversations)) {
    if (!isTopic(one) || one.filling) continue;
    const parent = parentConvOf(one.topic);
    found.set(parent, [...(found.get(parent) ?? []), one]);
  }
  for (const topics of found.values()) topics.sort(byAge);
  grouped.set(conversations, found);
  return found;
}

const byAge = (/** @type {TopicConversation} */ a, /** @type {TopicConversation} */ b) =>
  a.topic.created_at - b.topic.created_at || compareIds(String(a.topic.id), String(b.topic.id));

/** The topics of a group, the oldest first. */
export const topicsOf = (
  /** @type {Pick<Snapshot, "conversations">} */ { conversations },
  /** @type {string} */ conv,
) => byGroup(conversations).get(conv) ?? NONE;

/** These conversations, each group followed by its topics. @returns {Conversation[]} */
export const withTopics = (
  /** @type {Pick<Snapshot, "conversations">} */ snapshot,
  /** @type {readonly Conversation[]} */ conversations,
) => conversations.flatMap((one) => [one, ...topicsOf(snapshot, one.conv)]);

/**
 * These conversations, each group followed by those of its topics that the list shows: all, or in a folded group only
 * the one that is open.
 */
export const withTopicsShown = (
  /** @type {Pick<Snapshot, "conversations">} */ snapshot,
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {ReadonlySet<string>} */ folded,
  /** @type {string | null} */ open,
) =>
  conversations.flatMap((one) => {
    const topics = topicsOf(snapshot, one.conv);
    return [one, ...(folded.has(one.conv) ? topics.filter(({ conv }) => conv === open) : topics)];
  });

/** The unread messages in these topics, and how many of them are for me; the open one counts as read. */
export function unreadIn(
  /** @type {readonly TopicConversation[]} */ topics,
  /** @type {string | null} */ open,
) {
  const unread = topics.filter((one) => isUnread(one) && one.conv !== open);
  const sum = (/** @type {(one: TopicConversation) => number} */ count) =>
    unread.reduce((all, one) => all + count(one), 0);
  return { unread: sum((one) => Math.max(1, one.unread)), mentions: sum(unreadMentions) };
}

/** Whether I muted a topic itself, at the time `now` in seconds. */
export const isTopicMuted = (/** @type {Group} */ { muted_until: until }, /** @type {number} */ now) =>
  now < (until ?? 0);
