/**
 * The list of messages for the user: its pages, how events change the loaded rows, and which of them are unread.
 *
 * Pure, except for the request of a page.
 */

import { convWithId } from "../chats/chats.js";
import { convOfRow, PAGE, withChange, withoutLeft } from "../message_list/message_list.js";
import { firstUnread } from "../sync/log.js";
import { compareIds, isBy } from "../sync/messages.js";
import { answeredBy, isFor } from "../text/addressing.js";
import { unreadMentionsIn } from "./mentions.js";

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Event} Event */
/** A message for the user. @typedef {import("../message_list/message_list.js").Row & { message: Message }} Mention */
/** Why a message is for the user. @typedef {"reply" | "mention" | "everybody"} Kind */

const NEW = new Set(["line.create", "direct_message.create"]);

/** @returns {Mention} */
const rowOf = (/** @type {string} */ conversation_id, /** @type {Message} */ message) => ({
  id: message.id,
  conversation_id,
  message_id: message.id,
  message,
});

/** The page of messages before the one with the id `before`. @returns {Promise<Mention[]>} */
export async function mentionsPage(
  /** @type {{ get: (path: string) => Promise<any> }} */ { get },
  /** @type {string} */ before = "",
) {
  const after = before && `&before_id=${encodeURIComponent(before)}`;
  /** @type {(Message & { conversation_id: string })[]} */
  const messages = (await get(`/v3/mentions?limit=${PAGE}${after}`)).messages;
  return messages.map((message) => rowOf(message.conversation_id, message));
}

/** @returns {Kind} */
export function kindOf(/** @type {Message} */ message, /** @type {string} */ me) {
  if (answeredBy(message.attachments)?.author === me) return "reply";
  const named = namedIn(message);
  return named.includes("all") && !named.includes(me) ? "everybody" : "mention";
}

/** Whether an event posts a message for the user, or edits one so that it is for them. */
const isForMe = (/** @type {Event} */ { data }, /** @type {string} */ me) =>
  !isBy(data, me) && isFor(data.attachments ?? [], me);

/**
 * The rows after an event. A new message comes first; a deleted one goes, and those of a conversation that the user
 * left. An edit that adds a mention makes the list stale, since its message may be any.
 * @returns {{ rows: Mention[], isStale?: boolean }}
 */
export function withEvent(
  /** @type {Mention[]} */ rows,
  /** @type {Event} */ event,
  /** @type {Snapshot} */ before,
  /** @type {Snapshot} */ now,
) {
  const { type, data, conv } = event;
  const me = now.user.id;
  const isListed = rows.some((row) => row.id === data.id && convOfRow(row) === conv);
  if (NEW.has(type)) {
    if (isListed || !isForMe(event, me)) return { rows };
    return { rows: withRow(rows, rowOf(conv.slice(2), data)) };
  }
  if (type === "message.update" && !isListed) return { rows, isStale: isForMe(event, me) };
  const changed = withoutLeft(withChange(rows, event), before, now);
  if (changed === rows) return { rows };
  return {
    rows: changed.filter(({ id, message }) => message && (id !== data.id || isStillFor(message, me))),
  };
}

/** The rows with a new one in its place: two events may come in the other order. */
function withRow(/** @type {Mention[]} */ rows, /** @type {Mention} */ row) {
  const at = rows.findIndex(({ id }) => compareIds(id, row.id) < 0);
  return at < 0 ? [...rows, row] : [...rows.slice(0, at), row, ...rows.slice(at)];
}

/** The users whom a message mentions, and the words that stand for several. @returns {string[]} */
const namedIn = (/** @type {Message} */ { attachments }) =>
  attachments.flatMap(({ type, user_ids: ids }) =>
    type === "mentions" ? /** @type {string[]} */ (ids ?? []) : [],
  );

/** Whether an edited message is still for the user. Who was online when it was sent is known to the server only. */
const isStillFor = (/** @type {Message} */ message, /** @type {string} */ me) =>
  isFor(message.attachments, me) || namedIn(message).includes("online");

/**
 * Which rows are unread: the newest ones of each conversation, as many as it counts unread mentions, but none before
 * its first unread message.
 */
export function unreadRows(/** @type {Mention[]} */ rows, /** @type {Snapshot} */ { conversations, user }) {
  /** @type {Map<string, { left: number, first: string | null }>} */
  const known = new Map();
  return rows.map((row) => {
    const conv = convWithId(row.conversation_id);
    const one = conversations[conv];
    const place = known.get(conv) ?? { left: unreadMentionsIn(one), first: one && firstUnread(one, user.id) };
    known.set(conv, place);
    place.left -= 1;
    return place.left >= 0 && (!place.first || compareIds(row.id, place.first) >= 0);
  });
}
