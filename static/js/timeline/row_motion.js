/**
 * What moves when the rows of a conversation are drawn again: messages that arrive or are being sent, and reactions
 * that are given.
 *
 * Pure. The style sheet decides how, and nothing moves for those who want less of it.
 */

import { compareIds } from "../sync/messages.js";

/** @typedef {import("./timeline_rows.js").TimelineRow} TimelineRow */
/** @typedef {{ arrives: boolean, signs: number[] }} Motion `signs`: the indices of reactions that were given */

/** @type {Motion} */
const NONE = { arrives: false, signs: [] };

/**
 * Returns a function that says how a row moves, given the rows drawn before; nothing moves in a conversation that
 * opens.
 * @returns {(row: TimelineRow) => Motion}
 */
export function motionsAfter(/** @type {readonly TimelineRow[]} */ before) {
  const known = new Map(before.map((row) => [row.key, row]));
  const newest = before.findLast((row) => row.kind === "line" && row.state === "stored")?.key;
  if (newest === undefined) return () => NONE;
  return (row) => {
    if (row.kind !== "line") return NONE;
    const old = known.get(row.key);
    if (old?.kind === "line") return { arrives: false, signs: given(old.signs, row.signs) };
    // My own message was there already, as one that was not sent yet.
    const arrives = row.state === "stored" ? !row.mine && compareIds(row.key, newest) > 0 : row.mine;
    return arrives ? { arrives, signs: [] } : NONE;
  };
}

/** @typedef {{ code: string, names: string[] }} Sign */

/** The indices of the reactions that more people have given than before. */
function given(/** @type {readonly Sign[]} */ before, /** @type {readonly Sign[]} */ now) {
  const count = (/** @type {string} */ code) => before.find((sign) => sign.code === code)?.names.length ?? 0;
  return now.flatMap(({ code, names }, at) => (names.length > count(code) ? [at] : []));
}
