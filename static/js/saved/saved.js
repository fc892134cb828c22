/**
 * Saved messages: which messages the user saved for themselves, on any device.
 *
 * Pure.
 */

/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {Readonly<Record<string, ReadonlySet<string>>>} Saved the ids of the saved messages by `conv` */

/** @type {ReadonlySet<string>} */
export const NO_IDS = new Set();

/** @returns {Saved} */
export function savedFrom(/** @type {readonly { conv: string, message_id: string }[]} */ list) {
  /** @type {Record<string, Set<string>>} */
  const saved = {};
  for (const { conv, message_id: id } of list) {
    saved[conv] ??= new Set();
    saved[conv].add(id);
  }
  return saved;
}

/** The ids of the saved messages of a conversation; the same set until they change. */
export const savedIn = (/** @type {Snapshot | null} */ snapshot, /** @type {string} */ conv) =>
  snapshot?.saved?.[conv] ?? NO_IDS;

/**
 * The snapshot after a message was saved, or removed from what is saved (no `saved_at`).
 * @returns {Snapshot}
 */
export function withSaved(
  /** @type {Snapshot} */ snapshot,
  /** @type {{ conv: string, message_id: string, saved_at: number | null }} */ {
    conv,
    message_id: id,
    saved_at: at,
  },
) {
  const before = savedIn(snapshot, conv);
  const isSaved = at !== null;
  if (before.has(id) === isSaved) return snapshot;
  const ids = new Set(before);
  if (isSaved) ids.add(id);
  else ids.delete(id);
  return { ...snapshot, saved: { ...snapshot.saved, [conv]: ids } };
}
