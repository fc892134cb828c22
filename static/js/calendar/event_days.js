/**
 * The days of events that take whole days. A date is the same everywhere, so it is read as it is written, and
 * never converted to the reader's zone.
 *
 * Pure.
 */

const DAY_MS = 86_400_000;

/** The date that is written in a moment, such as `2026-05-01T00:00:00+02:00`. */
const dateIn = (/** @type {string} */ moment) => moment.slice(0, "2026-05-01".length);

const shifted = (/** @type {string} */ day, /** @type {number} */ days) =>
  dateIn(new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString());

/**
 * The first and the last day of an event. An end at midnight is the end of the day before.
 * @returns {{ first: string, last: string }}
 */
export function daysOf(/** @type {{ start_at: string, end_at: string }} */ { start_at: start, end_at: end }) {
  const first = dateIn(start);
  const isMidnight = end.slice("2026-05-01T".length).startsWith("00:00:00");
  const last = isMidnight ? shifted(dateIn(end), -1) : dateIn(end);
  return { first, last: last < first ? first : last };
}

/** The moment at which a day begins, in the offset of another moment. */
export const startOf = (/** @type {string} */ day, /** @type {string} */ moment) =>
  `${day}T00:00:00${moment.slice("2026-05-01T00:00:00".length)}`;

/** The moment at which a day ends, in the offset of another moment. */
export const endOf = (/** @type {string} */ day, /** @type {string} */ moment) =>
  startOf(shifted(day, 1), moment);
