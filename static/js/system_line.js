/**
 * What happened in a conversation, in the reader's language: people come and go, something is
 * called otherwise, a poll ends.
 *
 * Pure. In English it is what the server says. What is not known here stays as it came.
 */

import { isolated } from "./text.js";
import { inRow, t } from "./words.js";

/** Of many who were added, this many are named. */
const NAMED_MOST = 12;
const HOUR = 60;
const DAY = 24 * HOUR;

/** @typedef {import("./types.js").Message} Message */
/** @typedef {{ nickname: string }} Named */

const called = (/** @type {Named} */ { nickname }) => isolated(nickname);

/** By what happened. @type {Record<string, (data: any) => string>} */
const WORDS = {
  "membership.announce.added": ({ adder_user: adder, added_users: added }) => {
    const names = inRow(added.slice(0, NAMED_MOST).map(called));
    const count = added.length - NAMED_MOST;
    const facts = { name: called(adder), names };
    if (count <= 0) return t("{name} added {names} to the group.", facts);
    return t("{name} added {names} and {count} others to the group.", { ...facts, count });
  },
  "membership.announce.joined": ({ user }) => t("{name} has joined the group.", { name: called(user) }),
  "membership.announce.rejoined": ({ user }) => t("{name} has rejoined the group.", { name: called(user) }),
  "membership.notifications.exited": ({ removed_user: user }) =>
    t("{name} has left the group.", { name: called(user) }),
  "membership.notifications.removed": ({ remover_user: remover, removed_user: removed }) =>
    t("{name} removed {other} from the group.", { name: called(remover), other: called(removed) }),
  "membership.nickname_changed": ({ user, name: other }) =>
    t("{name} changed name to {other}.", { name: called(user), other: isolated(other) }),
  "group.name_change": ({ user, name: other }) =>
    t("{name} changed the group's name to {other}.", { name: called(user), other: isolated(other) }),
  "group.topic_change": ({ user, topic }) =>
    t("{name} changed the topic to: {topic}", { name: called(user), topic: isolated(topic) }),
  "group.avatar_change": ({ user }) => t("{name} changed the group's picture.", { name: called(user) }),
  "group.office_mode_enabled": ({ user }) => t("{name} switched office mode on.", { name: called(user) }),
  "group.office_mode_disabled": ({ user }) => t("{name} switched office mode off.", { name: called(user) }),
  "group.shared": ({ user }) => t("{name} switched the share link on.", { name: called(user) }),
  "group.unshared": ({ user }) => t("{name} switched the share link off.", { name: called(user) }),
  "group.owner_changed": ({ old_owner: old, new_owner: other }) =>
    t("{name} made {other} the owner of the group.", { name: called(old), other: called(other) }),
  "bot.add": ({ user, bot }) => t("{name} added the {bot} bot.", { name: called(user), bot: isolated(bot) }),
  "bot.del": ({ user, bot }) =>
    t("{name} removed the {bot} bot.", { name: called(user), bot: isolated(bot) }),
  "message.deleted": ({ user }) => t("{name} deleted a message.", { name: called(user) }),
  "message.pinned": ({ user, pinned }) =>
    pinned
      ? t("{name} pinned a message.", { name: called(user) })
      : t("{name} unpinned a message.", { name: called(user) }),
  "poll.created": ({ poll }) => t("Created new poll '{subject}'", { subject: isolated(poll.subject) }),
  "poll.finished": ({ poll, options }) => {
    const outcome = options.map((/** @type {{ title: string, votes: number }} */ { title, votes }) =>
      t("{option} {votes}", { option: isolated(title), votes }),
    );
    const facts = { subject: isolated(poll.subject), outcome: inRow(outcome) };
    return t("The poll '{subject}' has ended: {outcome}.", facts);
  },
  "calendar.event.created": ({ event }) => t("Created event '{event}'", { event: isolated(event.name) }),
  "calendar.event.updated": ({ user, event }) =>
    t("{name} changed the event '{event}'.", { name: called(user), event: isolated(event.name) }),
  "calendar.event.cancelled": ({ user, event }) =>
    t("{name} cancelled the event '{event}'.", { name: called(user), event: isolated(event.name) }),
  "calendar.event.user.going": ({ user, event }) =>
    t("{name} is going to '{event}'.", { name: called(user), event: isolated(event.name) }),
  "calendar.event.user.not_going": ({ user, event }) =>
    t("{name} is not going to '{event}'.", { name: called(user), event: isolated(event.name) }),
  "calendar.event.user.undecided": ({ user, event }) =>
    t("{name} is undecided about '{event}'.", { name: called(user), event: isolated(event.name) }),
  "calendar.event.starting": ({ event, minutes }) => starting(isolated(event.name), Number(minutes)),
};

function starting(/** @type {string} */ event, /** @type {number} */ minutes) {
  if (minutes === 0) return t("'{event}' is starting now.", { event });
  if (minutes === 1) return t("'{event}' starts in 1 minute.", { event });
  if (minutes < 2 * HOUR) return t("'{event}' starts in {minutes} minutes.", { event, minutes });
  if (minutes < 2 * DAY) {
    return t("'{event}' starts in {count} hours.", { event, count: Math.floor(minutes / HOUR) });
  }
  return t("'{event}' starts in {count} days.", { event, count: Math.floor(minutes / DAY) });
}

/** What a message says; what happened, in the reader's language. */
export function saidIn(/** @type {Pick<Message, "text"> & Partial<Message>} */ message) {
  const { text, created_at: at = 0, updated_at: changed = at } = message;
  return (changed > at ? null : happened(message)) ?? text ?? "";
}

/** Null where nothing happened, or nothing that is known here. */
function happened(/** @type {Pick<Message, "event">} */ { event }) {
  const words = event && Object.hasOwn(WORDS, event.type) ? WORDS[event.type] : null;
  if (!words || !event) return null;
  try {
    return words(event.data);
  } catch {
    // Told in another form than is known: the words that came with it are right.
    return null;
  }
}
