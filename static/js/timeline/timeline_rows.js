/**
 * A conversation as rows: days, the line above new messages, people's messages and system messages.
 *
 * Pure. Decides which messages belong together: those of one author within five minutes form a block, which
 * shows the name and the picture once. A row whose content has not changed is the same object as before, so
 * that only changed rows are drawn again.
 */

import { messageHref } from "../app/route.js";
import { isRequest, newestSeen } from "../chats/chats.js";
import { namesIn } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { isForwardable } from "../messages/forwarding.js";
import { HEART, likersOf, signsOf } from "../reactions/likes.js";
import { NO_IDS } from "../saved/saved.js";
import { find } from "../sync/messages.js";
import { answeredBy, isFor } from "../text/addressing.js";
import { oneLine } from "../text/one_line.js";
import { isSaidByCard, saidIn, topicNamedIn } from "../text/system_line.js";
import { clockTime, dayKey, dayLabel, fullTime, isoTime } from "../text/time.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/types.js").Unsent} Unsent */

const BLOCK_SECONDS = 300;
/** How many unsent messages, the newest ones, get a row of their own. */
const UNSENT_MOST = 15;

/**
 * @typedef {object} MessageRow
 * @property {"line"} kind
 * @property {string} key
 * @property {string} guid
 * @property {boolean} mine
 * @property {{ id: string, name: string, imageUrl: string | null | undefined, isPerson: boolean }} author
 * @property {string} text
 * @property {boolean} byCard whether the card in the message says what `text` says
 * @property {boolean} deleted whether the message was deleted, which `text` then says
 * @property {boolean} edited
 * @property {boolean} mayEdit
 * @property {boolean} mayDelete
 * @property {boolean} mayAnswer
 * @property {boolean} mayReact
 * @property {boolean} maySelect whether several messages can be selected where it is shown
 * @property {boolean} mayMark whether it can be marked as unread
 * @property {boolean} maySave
 * @property {boolean} mayCopy whether it has words that can be copied
 * @property {boolean} mayForward
 * @property {number} answers how many replies the thread has that the message began
 * @property {boolean} mayPin
 * @property {boolean} mayReport
 * @property {boolean} pinned
 * @property {boolean} saved whether the user saved it
 * @property {import("../messages/quote.js").Quoted | null} quoted the message to which this one replies
 * @property {string} me the user's id
 * @property {boolean} forMe whether it mentions or answers the user
 * @property {import("../sync/types.js").Attachment[]} attachments
 * @property {import("../sync/types.js").LinkPreview[]} previews
 * @property {string} at
 * @property {string} time
 * @property {string} when the day and the time in full
 * @property {import("../reactions/reactions.js").Sign[]} signs the reactions, hearts first
 * @property {boolean} seen whether it is the user's newest message that the other person of a chat has read
 * @property {"stored" | "sending" | "waiting" | "failed" | "held" | "sent"} state
 * @property {string} why
 * @property {boolean} first whether it is the first of its block
 * @property {boolean} last whether it is the last of its block
 *
 * @typedef {{ kind: "day", key: string, label: string }} DayRow
 * @typedef {{ kind: "unread", key: string, label: string }} UnreadRow
 * @typedef {{ kind: "system", key: string, text: string, at: string, when: string, topic?: string }} SystemRow `topic` is
 *   the conversation of the topic to which it leads
 * @typedef {MessageRow | DayRow | UnreadRow | SystemRow} TimelineRow
 */

/**
 * @typedef {object} Stretch
 * @property {number} from the index of the first message that is shown
 * @property {number} to the index after the last one
 * @property {string | null} [unreadFrom] the message above which the line for new messages stands
 */

/**
 * Everything that a row depends on besides its message. A row is made again when one of these differs.
 * @typedef {object} Around
 * @property {string} conv
 * @property {string} me
 * @property {ReadonlyMap<string, string>} names
 * @property {boolean | undefined} pendingLike
 * @property {Message | null} answered the message to which this one replies, if it is loaded
 * @property {boolean} seen
 * @property {boolean} posts whether the user may post, and edit and delete what they posted
 * @property {boolean} admin whether the user may delete the messages of others
 * @property {boolean} settles whether the user may pin messages
 * @property {boolean} reacts whether the user may react
 * @property {boolean} marks whether the user may mark messages as unread and save them: not in a message request
 * @property {boolean} saved
 * @property {MessageRow["state"]} state
 * @property {string} why
 * @property {boolean} first
 * @property {boolean} last
 */

/** `saved` are the ids of the messages that the user saved. @returns {TimelineRow[]} */
export function rowsOf(
  /** @type {Conversation} */ conversation,
  /** @type {string} */ me,
  /** @type {number} */ now,
  /** @type {Stretch} */ { from, to, unreadFrom = null } = { from: 0, to: conversation.messages.length },
  saved = NO_IDS,
) {
  const { messages, outbox, pendingLikes } = conversation;
  const names = namesIn(conversation);
  const seen = conversation.kind === "chat" ? newestSeen(conversation, me) : null;
  const marks = !isRequest(conversation);
  const does = (/** @type {import("../groups/permissions.js").Act} */ act) =>
    marks && (conversation.kind !== "group" || may(conversation.group, me, act));
  const posts = does("post");
  const admin = conversation.kind === "group" && may(conversation.group, me, "delete_messages");
  const settles = does("pin");
  const reacts = does("react");
  const unsent = to === messages.length ? outbox.slice(-UNSENT_MOST) : [];
  const lines = [...messages.slice(from, to), ...unsent.map((line) => asMessage(line, me))];
  const end = messages[to] ?? null;
  /** @type {TimelineRow[]} */
  const rows = [];
  let before = messages[from - 1] ?? null;
  for (const [at, message] of lines.entries()) {
    const after = lines[at + 1] ?? end;
    const isUnreadFrom = message.id === unreadFrom;
    if (isUnreadFrom) rows.push({ kind: "unread", key: "unread", label: t("New messages") });
    if (!before || dayOf(before) !== dayOf(message)) {
      // The key has the message's id: after a clock was set back, the same day may occur twice.
      rows.push({ kind: "day", key: `day-${message.id}`, label: dayLabel(message.created_at, now) });
    }
    const { state, why } = at < to - from ? STORED : unsent[at - (to - from)];
    rows.push(
      rowOf(message, {
        conv: conversation.conv,
        me,
        names,
        pendingLike: pendingLikes[message.id],
        answered: answeredIn(messages, message),
        seen: message.id === seen,
        posts,
        admin,
        settles,
        reacts,
        marks,
        saved: saved.has(message.id),
        state,
        why: why ?? "",
        first: isUnreadFrom || !belongs(before, message),
        last: !belongs(message, after) || after?.id === unreadFrom,
      }),
    );
    before = message;
  }
  if (unsent.length < outbox.length && unsent.length > 0)
    rows.push(moreUnsent(outbox.length - unsent.length));
  return rows;
}

/** Returns the message to which another one replies, if it is loaded. */
function answeredIn(/** @type {Message[]} */ messages, /** @type {Message} */ { attachments }) {
  const answered = attachments?.length ? answeredBy(attachments) : null;
  return answered && find(messages, answered.id);
}

/** @type {{ state: MessageRow["state"], why?: string }} */
const STORED = { state: "stored" };

/** @returns {SystemRow} */
const moreUnsent = (/** @type {number} */ count) => ({
  kind: "system",
  key: "unsent-more",
  text:
    count === 1
      ? t("1 earlier message is waiting to be sent")
      : t("{count} earlier messages are waiting to be sent", { count }),
  at: "",
  when: "",
});

/** Unsent messages as messages, each converted once. @type {WeakMap<Unsent, Message>} */
const asMessages = new WeakMap();

/** @returns {Message} */
function asMessage(/** @type {Unsent} */ unsent, /** @type {string} */ me) {
  const known = asMessages.get(unsent);
  if (known) return known;
  const { guid, text, attachments, at } = unsent;
  const message = {
    id: `unsent-${guid}`,
    source_guid: guid,
    created_at: at,
    user_id: me,
    name: "",
    text,
    favorited_by: [],
    attachments,
  };
  asMessages.set(unsent, message);
  return message;
}

/** @type {WeakMap<Message, string>} */
const days = new WeakMap();

/** Returns the key of a message's day, computed once for each message. */
function dayOf(/** @type {Message} */ message) {
  const known = days.get(message);
  if (known) return known;
  const day = dayKey(message.created_at);
  days.set(message, day);
  return day;
}

/** Whether two neighbouring messages belong to one block. */
function belongs(/** @type {Message | null} */ before, /** @type {Message | null} */ message) {
  if (!before || !message || before.system || message.system) return false;
  if (before.user_id !== message.user_id || dayOf(before) !== dayOf(message)) return false;
  const isUnsent = message.id.startsWith("unsent-");
  return (isUnsent || before.name === message.name) && message.created_at - before.created_at < BLOCK_SECONDS;
}

/** @type {WeakMap<Message, { around: Around, row: MessageRow | SystemRow }>} */
const made = new WeakMap();

/** @returns {MessageRow | SystemRow} */
function rowOf(/** @type {Message} */ message, /** @type {Around} */ around) {
  const old = made.get(message);
  if (old && isSame(old.around, around)) return old.row;
  const fresh = message.system ? systemRow(message) : messageRow(message, around);
  const row = old && JSON.stringify(old.row) === JSON.stringify(fresh) ? old.row : fresh;
  made.set(message, { around, row });
  return row;
}

/** @returns {boolean} */
function isSame(/** @type {Around} */ one, /** @type {Around} */ other) {
  for (const name of /** @type {(keyof Around)[]} */ (Object.keys(other))) {
    if (one[name] !== other[name]) return false;
  }
  return true;
}

/** @returns {SystemRow} */
function systemRow(/** @type {Message} */ message) {
  const { id, created_at: at } = message;
  const topic = topicNamedIn(message);
  const row = {
    key: id,
    text: saidIn(message),
    at: isoTime(at),
    when: fullTime(at),
    ...(topic && { topic }),
  };
  return { kind: "system", ...row };
}

/**
 * Returns the quote above a reply; null if the message is none.
 * @returns {import("../messages/quote.js").Quoted | null}
 */
function quotedIn(/** @type {Message} */ { attachments }, /** @type {Around} */ around) {
  const { conv, answered, names, me } = around;
  const reply = answeredBy(attachments ?? []);
  if (!reply) return null;
  const author = reply.author ?? answered?.user_id ?? "";
  const name = author === me ? t("You") : (answered?.name ?? names.get(author) ?? "");
  const href = messageHref(conv, reply.id);
  if (!answered) return { name, text: t("An earlier message"), gone: true, href };
  const gone = answered.deleted_at !== undefined;
  return { name, text: oneLine(answered), gone, href };
}

/** @returns {MessageRow} */
function messageRow(/** @type {Message} */ message, /** @type {Around} */ around) {
  const { id, source_guid: guid, user_id: author, created_at: at } = message;
  const {
    me,
    names,
    pendingLike,
    seen,
    posts,
    admin,
    settles,
    reacts,
    marks,
    saved,
    state,
    why,
    first,
    last,
  } = around;
  const deleted = message.deleted_at !== undefined;
  const isThere = state === "stored" && !deleted;
  const signs = signsOf(message, pendingLike, me);
  const hasSign = (/** @type {string} */ id) => signs.some(({ ids }) => ids.includes(id));
  const likers = likersOf(message, pendingLike, me).filter((id) => !hasSign(id));
  const all = likers.length > 0 ? [{ code: HEART, ids: likers }, ...signs] : signs;
  const liker = (/** @type {string} */ userId) =>
    userId === me ? t("You") : (names.get(userId) ?? t("Someone"));
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
    text: deleted ? oneLine(message) : saidIn(message),
    byCard: !deleted && isSaidByCard(message),
    deleted,
    edited: !deleted && message.edited_at !== undefined,
    mayEdit: isThere && posts && author === me && !isSaidByCard(message),
    mayDelete: isThere && ((posts && author === me) || admin),
    mayAnswer: isThere && posts,
    mayReact: isThere && reacts,
    maySelect: isThere,
    mayMark: isThere && marks,
    maySave: isThere && marks,
    mayCopy: !deleted && saidIn(message) !== "",
    mayForward: isThere && isForwardable({ text: saidIn(message), attachments: message.attachments ?? [] }),
    answers: message.reply_count ?? 0,
    mayPin: isThere && settles,
    mayReport: isThere && author !== me,
    pinned: Boolean(message.pinned_at),
    saved: isThere && saved,
    quoted: deleted ? null : quotedIn(message, around),
    me,
    forMe: author !== me && isFor(message.attachments ?? [], me),
    attachments: message.attachments ?? [],
    previews: message.link_previews ?? [],
    at: isoTime(at),
    time: clockTime(at),
    when: fullTime(at),
    signs: all.map(({ code, ids }) => ({ code, names: ids.map(liker), mine: ids.includes(me) })),
    seen,
    state,
    why,
    first,
    last,
  };
}
