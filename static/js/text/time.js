/**
 * Times in words: "14:03", "Yesterday", "Tuesday", "3 March".
 *
 * Pure, except for the reader's language and time zone. All times are Unix seconds.
 */

import { locale, t } from "../words/words.js";

const DAY_MS = 86_400_000;

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat(locale, options);

const clockFormat = format({ hour: "2-digit", minute: "2-digit" });
const weekdayFormat = format({ weekday: "long" });
const shortWeekdayFormat = format({ weekday: "short" });
const dayFormat = format({ weekday: "long", day: "numeric", month: "long" });
const dayOfYearFormat = format({ day: "numeric", month: "long", year: "numeric" });
const shortDayFormat = format({ day: "numeric", month: "short" });
const shortDayOfYearFormat = format({ day: "numeric", month: "short", year: "numeric" });
const fullFormat = format({ dateStyle: "full", timeStyle: "short" });

const dateOf = (/** @type {number} */ seconds) => new Date(seconds * 1000);

/** A duration in words, in the largest unit that has no rest: "30 seconds", "5 minutes". */
export function durationInWords(/** @type {number} */ seconds) {
  const [unit, size] = /** @type {[string, number]} */ (
    seconds % 3600 === 0 ? ["hour", 3600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1]
  );
  const format = { style: "unit", unit, unitDisplay: "long" };
  return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (format)).format(
    seconds / size,
  );
}

/** A key for the calendar day, equal for all times of that day. */
export const dayKey = (/** @type {number} */ seconds) => dateOf(seconds).toDateString();

export const clockTime = (/** @type {number} */ seconds) => clockFormat.format(dateOf(seconds));

export const fullTime = (/** @type {number} */ seconds) => fullFormat.format(dateOf(seconds));

/** A range of time that does not repeat what both ends have in common. */
export const timeRange = (/** @type {number} */ from, /** @type {number} */ to) =>
  fullFormat.formatRange(dateOf(from), dateOf(to));

/** Days are shown in UTC, in which they were made: a date is the same in every zone. */
const wholeDayFormat = format({ dateStyle: "full", timeZone: "UTC" });

/** A range of whole days, each as `2026-05-01`. */
export const dayRange = (/** @type {string} */ first, /** @type {string} */ last) =>
  wholeDayFormat.formatRange(new Date(`${first}T00:00Z`), new Date(`${last}T00:00Z`));

/** The short month and the day of a date, for a tile. */
function partsBy(/** @type {Intl.DateTimeFormatOptions["timeZone"]} */ timeZone) {
  const month = format({ month: "short", timeZone });
  const day = format({ day: "numeric", timeZone });
  return (/** @type {Date} */ date) => ({ month: month.format(date), day: day.format(date) });
}

/** The month and the day of a moment, where the reader is. */
export const momentParts = (/** @type {number} */ seconds) => partsBy(undefined)(dateOf(seconds));

/** The month and the day of a whole day, such as `2026-05-01`. */
export const dayParts = (/** @type {string} */ day) => partsBy("UTC")(new Date(`${day}T00:00Z`));

export const isoTime = (/** @type {number} */ seconds) => dateOf(seconds).toISOString();

/** After so many days, a day is named with its year. */
const YEAR_FROM_DAYS = 300;

/** The calendar days from then until now. */
function daysAgo(/** @type {number} */ seconds, /** @type {number} */ now) {
  const midnight = (/** @type {Date} */ date) => new Date(date).setHours(0, 0, 0, 0);
  return Math.round((midnight(dateOf(now)) - midnight(dateOf(seconds))) / DAY_MS);
}

/** The name of a day, for the line between two days of a conversation. */
export function dayLabel(/** @type {number} */ seconds, /** @type {number} */ now) {
  const days = daysAgo(seconds, now);
  if (days <= 0) return t("Today");
  if (days === 1) return t("Yesterday");
  if (days < 7) return weekdayFormat.format(dateOf(seconds));
  return (days < YEAR_FROM_DAYS ? dayFormat : dayOfYearFormat).format(dateOf(seconds));
}

/** A short time or day, for the list of conversations and for times at which something ends. */
export function shortTime(/** @type {number} */ seconds, /** @type {number} */ now) {
  const days = daysAgo(seconds, now);
  if (days === 0) return clockTime(seconds);
  if (days === 1) return t("Yesterday");
  if (days > 0 && days < 7) return shortWeekdayFormat.format(dateOf(seconds));
  return (Math.abs(days) < YEAR_FROM_DAYS ? shortDayFormat : shortDayOfYearFormat).format(dateOf(seconds));
}

const exactFormat = format({ dateStyle: "medium", timeStyle: "medium" });

/** The time to the second, for finding faults. */
export const exactTime = (/** @type {number} */ seconds) => exactFormat.format(dateOf(seconds));
