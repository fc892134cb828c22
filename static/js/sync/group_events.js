/**
 * How events change a group: its messages, its members, its settings.
 *
 * Pure: old group + event = new group. The store sees to it that events are applied in order.
 */

import { withChangedMessage, withNewMessage } from "./log.js";

/** @typedef {import("./types.js").GroupConversation} GroupConversation */
/** @typedef {import("./types.js").Member} Member */

/** @returns {GroupConversation} */
export function applyToGroup(
  /** @type {GroupConversation} */ old,
  /** @type {import("./types.js").Event} */ event,
  /** @type {string} */ me,
) {
  const { type, data, n } = event;
  switch (type) {
    case "line.create":
      return withNewMessage(old, data, n, me);
    case "membership.create":
    case "membership.update":
      return withMembers(withMute(old, membersIn(data), me), (members) => joined(members, membersIn(data)));
    case "membership.delete": {
      const gone = new Set(membersIn(data).map((member) => member.user_id));
      return withMembers(old, (members) => members.filter((member) => !gone.has(member.user_id)));
    }
    case "group.update":
      return { ...old, group: updated(old.group, data) };
    default:
      return withChangedMessage(old, event);
  }
}

/**
 * The group after an update. The event carries the whole group, so a share link that it leaves out no longer
 * exists.
 */
function updated(
  /** @type {import("./types.js").Group} */ old,
  /** @type {import("./types.js").Group} */ shown,
) {
  return { ...old, share_url: null, ...shown, members: shown.members ?? old.members };
}

/** @returns {Member[]} */
export function membersIn(/** @type {{ memberships?: Member[] }} */ data) {
  return data.memberships ?? [];
}

/** @returns {GroupConversation} */
function withMembers(
  /** @type {GroupConversation} */ old,
  /** @type {(members: Member[]) => Member[]} */ how,
) {
  // The members are not loaded yet; when they are, the change is included.
  if (!old.group.members) return old;
  return { ...old, group: { ...old.group, members: how(old.group.members) } };
}

/** Notes that I muted or unmuted a group, for as long as its members are not loaded. @returns {GroupConversation} */
function withMute(
  /** @type {GroupConversation} */ old,
  /** @type {Member[]} */ news,
  /** @type {string} */ me,
) {
  const muted = news.find((member) => member.user_id === me)?.muted;
  return muted === undefined ? old : { ...old, group: { ...old.group, muted } };
}

function joined(/** @type {Member[]} */ members, /** @type {Member[]} */ news) {
  const byUser = new Map(members.map((member) => [member.user_id, member]));
  for (const member of news) {
    // Only guests have a kind.
    const { kind: _, ...known } = byUser.get(member.user_id) ?? {};
    byUser.set(member.user_id, { ...known, ...member });
  }
  return [...byUser.values()];
}
