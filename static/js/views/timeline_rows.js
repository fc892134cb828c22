/**
 * What a conversation looks like as rows: days, people's lines, the system's lines.
 *
 * Pure. Decides what belongs together: lines of one author within five minutes are one
 * block, which shows the name once and the picture once.
 */

import { newestSeen } from "../chats.js";
import { likersOf } from "../likes.js";
import { namesIn } from "../naming.js";
import { clockTime, dayKey, dayLabel, isoTime } from "../time.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../types.js").Message} Message */

const BLOCK_SECONDS = 300;

/**
 * @typedef {object} MessageRow
 * @property {"line"} kind
 * @property {string} key
 * @property {string} guid
 * @property {boolean} mine
 * @property {{ id: string, name: string, imageUrl: string | null | undefined, isPerson: boolean }} author
 * @property {string} text
 * @property {import("../types.js").Attachment[]} attachments
 * @property {string} at
 * @property {string} time
 * @property {{ liked: boolean, names: string[] }} likes whether I do, and everybody who does
 * @property {boolean} seen the newest of mine that the other of a chat has read
 * @property {"stored" | "sending" | "failed" | "sent"} state
 * @property {string} why
 * @property {boolean} first of its block
 * @property {boolean} last of its block
 *
 * @typedef {{ kind: "day", key: string, label: string }} DayRow
 * @typedef {{ kind: "system", key: string, text: string, at: string, time: string }} SystemRow
 * @typedef {MessageRow | DayRow | SystemRow} TimelineRow
 */

/** @returns {TimelineRow[]} */
export function rowsOf(
  /** @type {Conversation} */ conversation,
  /** @type {string} */ me,
  /** @type {number} */ now,
) {
  const { messages, outbox } = conversation;
  const around = { me, names: namesIn(conversation), pendingLikes: conversation.pendingLikes };
  const seen = conversation.kind === "chat" ? newestSeen(conversation, me) : null;
  const unsent = outbox.map((line) => ({
    message: asMessage(line, me),
    state: line.state,
    why: line.why ?? "",
  }));
  const lines = [
    ...messages.map((message) => ({ message, state: /** @type {const} */ ("stored"), why: "" })),
    ...unsent,
  ];
  /** @type {TimelineRow[]} */
  const rows = [];
  /** @type {Message | null} */
  let before = null;
  for (const { message, state, why } of lines) {
    if (!before || dayKey(before.created_at) !== dayKey(message.created_at)) {
      // A clock that was put back may come to the same day twice.
      rows.push({ kind: "day", key: `day-${message.id}`, label: dayLabel(message.created_at, now) });
      before = null;
    }
    if (message.system) {
      rows.push(systemRow(message));
    } else {
      const row = messageRow(message, around);
      row.seen = message.id === seen;
      row.state = state;
      row.why = why;
      row.first = !before || !sameBlock(before, message);
      if (!row.first) /** @type {MessageRow} */ (rows[rows.length - 1]).last = false;
      rows.push(row);
    }
    before = message;
  }
  return rows;
}

/** @returns {Message} */
function asMessage(
  /** @type {import("../types.js").Unsent} */ { guid, text, attachments, at },
  /** @type {string} */ me,
) {
  return {
    id: `unsent-${guid}`,
    source_guid: guid,
    created_at: at,
    user_id: me,
    name: "",
    text,
    favorited_by: [],
    attachments,
  };
}

function sameBlock(/** @type {Message} */ before, /** @type {Message} */ message) {
  const sameAuthor = !before.system && before.user_id === message.user_id && before.name === message.name;
  const unsent = message.id.startsWith("unsent-") && !before.system && before.user_id === message.user_id;
  return (sameAuthor || unsent) && message.created_at - before.created_at < BLOCK_SECONDS;
}

/** @returns {SystemRow} */
function systemRow(/** @type {Message} */ { id, text, created_at: at }) {
  return { kind: "system", key: id, text: text ?? "", at: isoTime(at), time: clockTime(at) };
}

/** @returns {MessageRow} */
function messageRow(
  /** @type {Message} */ message,
  /** @type {{ me: string, names: Map<string, string>, pendingLikes: Conversation["pendingLikes"] }} */ {
    me,
    names,
    pendingLikes,
  },
) {
  const { id, source_guid: guid, user_id: author, created_at: at } = message;
  const likers = likersOf(message, pendingLikes, me);
  const liker = (/** @type {string} */ userId) => (userId === me ? "You" : (names.get(userId) ?? "Someone"));
  return {
    kind: "line",
    key: id,
    guid,
    mine: author === me,
    author: {
      id: author,
      name: message.name,
      imageUrl: message.avatar_url,
      isPerson: author !== me && (message.sender_type ?? "user") === "user",
    },
    text: message.text ?? "",
    attachments: message.attachments ?? [],
    at: isoTime(at),
    time: clockTime(at),
    likes: { liked: likers.includes(me), names: likers.map(liker) },
    seen: false,
    state: "stored",
    why: "",
    first: true,
    last: true,
  };
}
