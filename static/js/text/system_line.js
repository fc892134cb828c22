/**
 * The texts of system messages, in the reader's language: who joined or left, what was renamed, that a poll
 * ended.
 *
 * Pure. In English they are the server's texts. A message whose event is not known here keeps the server's
 * text.
 */

import { inRow, t } from "../words/words.js";
import { durationInWords } from "./time.js";

/** The most names in the announcement of added members; the others are counted. */
const NAMED_MOST = 12;
const HOUR = 60;
const DAY = 24 * HOUR;

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {{ nickname: string }} Named */

function typeChange(/** @type {string} */ type, /** @type {{ name: string }} */ by) {
  if (type === "private") return t("{name} changed the group's type to private.", by);
  if (type === "closed") return t("{name} changed the group's type to closed.", by);
  return t("{name} changed the group's type to announcement.", by);
}

/** The text by event type. @type {Record<string, (data: any) => string>} */
const WORDS = {
  "membership.announce.added": ({ adder_user: adder, added_users: added }) => {
    const names = inRow(added.slice(0, NAMED_MOST).map((/** @type {Named} */ { nickname }) => nickname));
    const count = added.length - NAMED_MOST;
    const facts = { name: adder.nickname, names };
    if (count <= 0) return t("{name} added {names} to the group.", facts);
    return t("{name} added {names} and {count} others to the group.", { ...facts, count });
  },
  "membership.announce.joined": ({ user }) => t("{name} has joined the group.", { name: user.nickname }),
  "membership.announce.rejoined": ({ user }) => t("{name} has rejoined the group.", { name: user.nickname }),
  "membership.notifications.exited": ({ removed_user: user }) =>
    t("{name} has left the group.", { name: user.nickname }),
  "membership.notifications.removed": ({ remover_user: remover, removed_user: removed }) =>
    t("{name} removed {other} from the group.", { name: remover.nickname, other: removed.nickname }),
  "membership.nickname_changed": ({ user, name: other }) =>
    t("{name} changed name to {other}.", { name: user.nickname, other }),
  "group.name_change": ({ user, name: other }) =>
    t("{name} changed the group's name to {other}.", { name: user.nickname, other }),
  "group.topic_change": ({ user, topic }) =>
    t("{name} changed the topic to: {topic}", { name: user.nickname, topic }),
  "group.avatar_change": ({ user }) => t("{name} changed the group's picture.", { name: user.nickname }),
  "group.office_mode_enabled": ({ user }) => t("{name} switched office mode on.", { name: user.nickname }),
  "group.office_mode_disabled": ({ user }) => t("{name} switched office mode off.", { name: user.nickname }),
  "group.type_change": ({ user, type }) => typeChange(type, { name: user.nickname }),
  "group.requires_approval_enabled": ({ user }) =>
    t("{name} switched approval of new members on.", { name: user.nickname }),
  "group.requires_approval_disabled": ({ user }) =>
    t("{name} switched approval of new members off.", { name: user.nickname }),
  "group.visibility_set.searchable": ({ user }) =>
    t("{name} listed the group in the directory.", { name: user.nickname }),
  "group.visibility_set.hidden": ({ user }) =>
    t("{name} took the group out of the directory.", { name: user.nickname }),
  "group.archived": ({ user }) => t("{name} archived the group.", { name: user.nickname }),
  "group.unarchived": ({ user }) => t("{name} took the group out of the archive.", { name: user.nickname }),
  "group.frozen": ({ reason }) =>
    t("The operators of this server have frozen the group: {reason}", { reason }),
  "group.unfrozen": () => t("The operators of this server ended the freeze of the group."),
  "group.slow_mode_change": ({ user: { nickname: name }, slow_mode: seconds }) =>
    seconds === 0
      ? t("{name} switched slow mode off.", { name })
      : t("{name} set slow mode to {time}.", { name, time: durationInWords(seconds) }),
  "group.role_change_admin": ({ user, role, member }) => {
    const names = { name: user.nickname, other: member.nickname };
    if (role === "admin") return t("{name} made {other} an admin.", names);
    return user.id === member.id
      ? t("{name} stepped down as an admin.", names)
      : t("{name} removed {other} as an admin.", names);
  },
  "group.shared": ({ user }) => t("{name} switched the share link on.", { name: user.nickname }),
  "group.unshared": ({ user }) => t("{name} switched the share link off.", { name: user.nickname }),
  "group.owner_changed": ({ old_owner: old, new_owner: other }) =>
    t("{name} made {other} the owner of the group.", { name: old.nickname, other: other.nickname }),
  "group.subgroup_created": ({ user, topic }) =>
    t("{name} created the topic {topic}.", { name: user.nickname, topic: topic.name }),
  "group.subgroup_removed": ({ user, topic }) =>
    t("{name} removed the topic {topic}.", { name: user.nickname, topic: topic.name }),
  "group.subgroup_name_change": ({ user, topic, name: other }) =>
    t("{name} renamed the topic {topic} to {other}.", { name: user.nickname, topic: topic.name, other }),
  "group.subgroup_description_change": ({ user, topic, description }) => {
    const facts = { name: user.nickname, topic: topic.name };
    return description
      ? t("{name} changed what the topic {topic} is about: {words}", { ...facts, words: description })
      : t("{name} removed the description of the topic {topic}.", facts);
  },
  "group.subgroup_avatar_change": ({ user, topic }) =>
    t("{name} changed the picture of the topic {topic}.", { name: user.nickname, topic: topic.name }),
  "group.subgroup_type_change": ({ user, topic, type }) => {
    const facts = { name: user.nickname, topic: topic.name };
    return type === "announcement"
      ? t("{name} changed the type of the topic {topic} to announcement.", facts)
      : t("{name} changed the type of the topic {topic} to private.", facts);
  },
  "bot.add": ({ user, bot }) => t("{name} added the {bot} bot.", { name: user.nickname, bot }),
  "bot.del": ({ user, bot }) => t("{name} removed the {bot} bot.", { name: user.nickname, bot }),
  "message.deleted": ({ user }) => t("{name} deleted a message.", { name: user.nickname }),
  "message.pinned": ({ user, pinned }) =>
    pinned
      ? t("{name} pinned a message.", { name: user.nickname })
      : t("{name} unpinned a message.", { name: user.nickname }),
  "poll.created": ({ poll }) => t("Created new poll '{subject}'", { subject: poll.subject }),
  "poll.finished": ({ poll, options }) => {
    if (!poll.subject) return t("A poll has ended.");
    const outcome = options.map((/** @type {{ title: string, votes: number }} */ { title, votes }) =>
      t("{option} {votes}", { option: title, votes }),
    );
    const facts = { subject: poll.subject, outcome: inRow(outcome) };
    return t("The poll '{subject}' has ended: {outcome}.", facts);
  },
  "calendar.event.created": ({ event }) => t("Created event '{event}'", { event: event.name }),
  "calendar.event.updated": ({ user: { nickname: name }, event: { name: event } }) =>
    event
      ? t("{name} changed the event '{event}'.", { name, event })
      : t("{name} changed an event.", { name }),
  "calendar.event.cancelled": ({ user: { nickname: name }, event: { name: event } }) =>
    event
      ? t("{name} cancelled the event '{event}'.", { name, event })
      : t("{name} cancelled an event.", { name }),
  "calendar.event.user.going": ({ user: { nickname: name }, event: { name: event } }) =>
    event ? t("{name} is going to '{event}'.", { name, event }) : t("{name} is going to an event.", { name }),
  "calendar.event.user.not_going": ({ user: { nickname: name }, event: { name: event } }) =>
    event
      ? t("{name} is not going to '{event}'.", { name, event })
      : t("{name} is not going to an event.", { name }),
  "calendar.event.user.undecided": ({ user: { nickname: name }, event: { name: event } }) =>
    event
      ? t("{name} is undecided about '{event}'.", { name, event })
      : t("{name} is undecided about an event.", { name }),
  "calendar.event.starting": ({ event, minutes }) => starting(event.name, Number(minutes)),
};

function starting(/** @type {string} */ event, /** @type {number} */ minutes) {
  if (!event) return t("An event starts soon.");
  if (minutes === 0) return t("'{event}' is starting now.", { event });
  if (minutes === 1) return t("'{event}' starts in 1 minute.", { event });
  if (minutes < 2 * HOUR) return t("'{event}' starts in {minutes} minutes.", { event, minutes });
  if (minutes < 2 * DAY) {
    return t("'{event}' starts in {count} hours.", { event, count: Math.floor(minutes / HOUR) });
  }
  return t("'{event}' starts in {count} days.", { event, count: Math.floor(minutes / DAY) });
}

/** The text of a message; that of a system message in the reader's language, unless it was edited. */
export const saidIn = (/** @type {Pick<Message, "text"> & Partial<Message>} */ message) =>
  (message.edited_at === undefined ? happened(message) : null) ?? message.text ?? "";

/** The conversation of the topic that a system message names; "" if it names none, or one that was removed. */
export function topicNamedIn(/** @type {Pick<Message, "event">} */ { event }) {
  const { type = "", data } = event ?? {};
  const isNamed = type.startsWith("group.subgroup_") && type !== "group.subgroup_removed";
  return isNamed && data?.topic?.id ? `g:${data.topic.id}` : "";
}

/** What happened, where a card in the same message shows it: the types of the event and of its attachment. */
const CARDS = new Map([
  ["poll.created", "poll"],
  ["calendar.event.created", "event"],
]);

/** Whether a message says no more than its card does: that a poll or an event was made, and its name. */
export function isSaidByCard(/** @type {Partial<Message>} */ { event, attachments, edited_at: edited }) {
  const card = CARDS.get(event?.type ?? "");
  return card !== undefined && edited === undefined && (attachments ?? []).some(({ type }) => type === card);
}

/** The text of an event; null without an event, or for one that is not known here. */
function happened(/** @type {Pick<Message, "event">} */ { event }) {
  const words = event && Object.hasOwn(WORDS, event.type) ? WORDS[event.type] : null;
  if (!words || !event) return null;
  try {
    return words(event.data);
  } catch {
    // The event's data has another form than this client knows; the server's text is used.
    return null;
  }
}
