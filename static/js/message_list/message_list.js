/**
 * A list of messages from several conversations: its pages, and how events change the loaded rows.
 *
 * Pure.
 */

import { convWithId } from "../chats/chats.js";

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {Pick<import("../sync/types.js").Event, "conv" | "type" | "data">} Event */

/**
 * A row of the list. `message` is null once it was deleted, or once the user is no longer in the conversation.
 * @typedef {{ id: string, conversation_id: string, message_id: string, message: Message | null }} Row
 */

/**
 * The loaded part of a list, the newest row first.
 * @template {Row} Some
 * @typedef {{ rows: Some[], isWhole: boolean }} MessageList
 */

/** Rows on a page; a page with fewer is the last. */
export const PAGE = 20;

export const convOfRow = (/** @type {Row} */ { conversation_id: id }) => convWithId(id);

/**
 * The list with a new first page; rows after it stay, if no rows are missing between.
 * @template {Row} Some
 * @param {MessageList<Some>} list
 * @param {Some[]} page
 * @returns {MessageList<Some>}
 */
export function withFirstPage({ rows, isWhole }, page) {
  if (page.length < PAGE) return { rows: page, isWhole: true };
  const last = rows.findIndex(({ id }) => id === page[page.length - 1].id);
  if (last < 0) return { rows: page, isWhole: false };
  return { rows: [...page, ...rows.slice(last + 1)], isWhole };
}

/**
 * The list with the page after its last row.
 * @template {Row} Some
 * @param {MessageList<Some>} list
 * @param {Some[]} page
 * @returns {MessageList<Some>}
 */
export function withNextPage({ rows }, page) {
  const known = new Set(rows.map(({ id }) => id));
  return { rows: [...rows, ...page.filter(({ id }) => !known.has(id))], isWhole: page.length < PAGE };
}

/**
 * The rows after an event that edits or deletes one of their messages.
 * @template {Row} Some
 * @param {Some[]} rows
 * @param {Event} event
 * @returns {Some[]}
 */
export function withChange(rows, { conv, type, data }) {
  if (type !== "message.update" && type !== "message.deleted") return rows;
  const isMeant = (/** @type {Some} */ row) =>
    row.message !== null && row.message_id === data.id && convOfRow(row) === conv;
  if (!rows.some(isMeant)) return rows;
  const changed = (/** @type {Message | null} */ message) =>
    message && type === "message.update" ? { ...message, ...data } : null;
  return rows.map((row) => (isMeant(row) ? { ...row, message: changed(row.message) } : row));
}

/**
 * The rows without the messages of conversations that the user had before and has no longer.
 * @template {Row} Some
 * @param {Some[]} rows
 * @param {Snapshot} before
 * @param {Snapshot} now
 * @returns {Some[]}
 */
export function withoutLeft(rows, before, now) {
  const isLeft = (/** @type {Some} */ row) =>
    row.message !== null && convOfRow(row) in before.conversations && !(convOfRow(row) in now.conversations);
  return rows.some(isLeft) ? rows.map((row) => (isLeft(row) ? { ...row, message: null } : row)) : rows;
}
