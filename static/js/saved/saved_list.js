/**
 * The list of saved messages: its pages, and how events change the loaded rows.
 *
 * Pure, except for the request of a page.
 */

import { convWithId } from "../chats/chats.js";

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("./saved.js").Saved} Saved */

/**
 * A saved message. `message` is null once it was deleted, or once the user is no longer in the conversation.
 * @typedef {{ id: string, saved_at: number, conversation_id: string, message_id: string, message: Message | null }} SavedMessage
 */

/** The loaded part of the list, the newest first. @typedef {{ rows: SavedMessage[], isWhole: boolean }} SavedList */

/** Rows on a page; a page with fewer is the last. */
export const PAGE = 20;

/** The page of rows that were saved before the row with the id `before`. @returns {Promise<SavedMessage[]>} */
export async function savedPage(
  /** @type {{ get: (path: string) => Promise<any> }} */ { get },
  /** @type {string} */ before = "",
) {
  const after = before && `&before=${encodeURIComponent(before)}`;
  return (await get(`/v3/saved_messages?limit=${PAGE}${after}`)).saved;
}

export const convOfRow = (/** @type {SavedMessage} */ { conversation_id: id }) => convWithId(id);

/** The list with a new first page; rows after it stay, if no rows are missing between. @returns {SavedList} */
export function withFirstPage(
  /** @type {SavedList} */ { rows, isWhole },
  /** @type {SavedMessage[]} */ page,
) {
  if (page.length < PAGE) return { rows: page, isWhole: true };
  const last = rows.findIndex(({ id }) => id === page[page.length - 1].id);
  if (last < 0) return { rows: page, isWhole: false };
  return { rows: [...page, ...rows.slice(last + 1)], isWhole };
}

/** The list with the page after its last row. @returns {SavedList} */
export function withNextPage(/** @type {SavedList} */ { rows }, /** @type {SavedMessage[]} */ page) {
  const known = new Set(rows.map(({ id }) => id));
  return { rows: [...rows, ...page.filter(({ id }) => !known.has(id))], isWhole: page.length < PAGE };
}

/** The rows that are still saved. */
export const stillSaved = (/** @type {SavedMessage[]} */ rows, /** @type {Saved | undefined} */ saved) =>
  rows.filter((row) => saved?.[convOfRow(row)]?.has(row.message_id));

/** Whether a message is saved now that was not saved before. */
export function hasNew(/** @type {Saved} */ before = {}, /** @type {Saved} */ now = {}) {
  return Object.entries(now).some(([conv, ids]) => [...ids].some((id) => !before[conv]?.has(id)));
}

/** The rows after an event that edits or deletes one of their messages. */
export function withChange(
  /** @type {SavedMessage[]} */ rows,
  /** @type {Pick<import("../sync/types.js").Event, "conv" | "type" | "data">} */ { conv, type, data },
) {
  if (type !== "message.update" && type !== "message.deleted") return rows;
  const isMeant = (/** @type {SavedMessage} */ row) =>
    row.message !== null && row.message_id === data.id && convOfRow(row) === conv;
  if (!rows.some(isMeant)) return rows;
  const changed = (/** @type {Message | null} */ message) =>
    message && type === "message.update" ? { ...message, ...data } : null;
  return rows.map((row) => (isMeant(row) ? { ...row, message: changed(row.message) } : row));
}

/** The rows without the messages of conversations that the user had before and has no longer. */
export function withoutLeft(
  /** @type {SavedMessage[]} */ rows,
  /** @type {Snapshot} */ before,
  /** @type {Snapshot} */ now,
) {
  const isLeft = (/** @type {SavedMessage} */ row) =>
    row.message !== null && convOfRow(row) in before.conversations && !(convOfRow(row) in now.conversations);
  return rows.some(isLeft) ? rows.map((row) => (isLeft(row) ? { ...row, message: null } : row)) : rows;
}
