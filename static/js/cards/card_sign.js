/** When the card of a poll or an event is drawn again. */

/** How often cards check whether something is over, in milliseconds. */
const MINUTE_MS = 60_000;

/**
 * Returns the sign of a card for `reconcile`. It changes with the poll or event found, with each act that
 * failed (the rejected choice has to be undone on screen), and every minute (something may be over by now).
 * @type {(found: unknown, failed: number) => string}
 */
export const signOf = (found, failed) => JSON.stringify([found, failed, Math.floor(Date.now() / MINUTE_MS)]);
