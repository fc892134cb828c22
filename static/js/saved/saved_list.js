/**
 * The list of saved messages: its pages, and which of the loaded rows are still saved.
 *
 * Pure, except for the request of a page.
 */

import { convOfRow, PAGE } from "../message_list/message_list.js";

/** @typedef {import("./saved.js").Saved} Saved */
/** A saved message. @typedef {import("../message_list/message_list.js").Row & { saved_at: number }} SavedMessage */

/** The page of rows that were saved before the row with the id `before`. @returns {Promise<SavedMessage[]>} */
export async function savedPage(
  /** @type {{ get: (path: string) => Promise<any> }} */ { get },
  /** @type {string} */ before = "",
) {
  const after = before && `&before=${encodeURIComponent(before)}`;
  return (await get(`/v3/saved_messages?limit=${PAGE}${after}`)).saved;
}

/** The rows that are still saved. */
export const stillSaved = (/** @type {SavedMessage[]} */ rows, /** @type {Saved | undefined} */ saved) =>
  rows.filter((row) => saved?.[convOfRow(row)]?.has(row.message_id));

/** Whether a message is saved now that was not saved before. */
export function hasNew(/** @type {Saved} */ before = {}, /** @type {Saved} */ now = {}) {
  return Object.entries(now).some(([conv, ids]) => [...ids].some((id) => !before[conv]?.has(id)));
}
