/** When a card of a poll or an event is drawn anew. */

/** So often it is looked whether something is over by now, in milliseconds. */
const MINUTE_MS = 60_000;

/**
 * Says what a card shows: what was found, how many acts failed since, whose choice is taken back,
 * and what of it is over by now.
 * @type {(found: unknown, failed: number) => string}
 */
export const signOf = (found, failed) => JSON.stringify([found, failed, Math.floor(Date.now() / MINUTE_MS)]);
