/** The form in which a calendar event is made or changed. */

import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { daysOf, endOf, startOf } from "./event_days.js";

/** @typedef {import("./calendar_calls.js").CalendarEvent} CalendarEvent */
/** @typedef {import("./calendar_calls.js").EventForm} EventForm */

const HOUR_MS = 3_600_000;

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/** Returns the value of a `datetime-local` input for a date: local time, without a zone. */
function inField(/** @type {Date} */ date) {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Appends this browser's offset from UTC at that moment to the value of a `datetime-local` input. */
function withOffset(/** @type {string} */ written) {
  const ahead = -new Date(written).getTimezoneOffset();
  const sign = ahead < 0 ? "-" : "+";
  return `${written}:00${sign}${two(Math.trunc(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
}

const isMoment = (/** @type {string} */ written) => !Number.isNaN(Date.parse(written));

/**
 * The values of the two time inputs, and the moments that they become. An event of whole days has dates, in
 * the zone in which it was made; any other has times in the zone of this browser.
 */
function timesOf(/** @type {CalendarEvent | null} */ event) {
  if (event?.is_all_day) {
    const { first, last } = daysOf(event);
    return {
      type: "date",
      from: first,
      to: last,
      start: (/** @type {string} */ day) => startOf(day, event.start_at),
      end: (/** @type {string} */ day) => endOf(day, event.end_at),
    };
  }
  const start = event ? new Date(event.start_at) : new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const end = event ? new Date(event.end_at) : new Date(start.getTime() + HOUR_MS);
  return {
    type: "datetime-local",
    from: inField(start),
    to: inField(end),
    start: withOffset,
    end: withOffset,
  };
}

/**
 * @param {CalendarEvent | null} event the event to change; null for a new one
 * @param {(form: any) => Promise<unknown>} onSave is given the whole {@link EventForm} of a new event, and of
 *   a changed one only what the user changed
 */
export function openEventForm(event, onSave) {
  const times = timesOf(event);
  const name = field({ label: t("Title"), name: "name", autocomplete: "off", maxlength: 160 });
  const from = field({ label: t("From"), name: "from", type: times.type, value: times.from });
  const to = field({ label: t("Until"), name: "to", type: times.type, value: times.to });
  const place = field({ label: t("Place"), name: "place", autocomplete: "off", maxlength: 160 });
  const about = field({ label: t("Description"), name: "about", autocomplete: "off", maxlength: 1000 });
  const reminder = choice({
    label: t("Remind everyone"),
    options: [
      { value: "", label: t("Never") },
      { value: "0", label: t("When it begins") },
      { value: "900", label: t("15 minutes before") },
      { value: "3600", label: t("An hour before") },
      { value: "86400", label: t("A day before") },
    ],
    value: event ? String(event.reminders[0] ?? "") : "900",
  });
  name.input.value = event?.name ?? "";
  place.input.value = event?.location?.name ?? "";
  about.input.value = event?.description ?? "";
  const inputs = [name.input, from.input, to.input, place.input, about.input, reminder.input];
  const before = inputs.map((input) => input.value);
  const isChanged = (/** @type {HTMLInputElement | HTMLSelectElement} */ input) =>
    event === null || input.value !== before[inputs.indexOf(input)];

  const isRight = () =>
    allRight([
      [name, name.input.value.trim() === "" && t("Enter a title.")],
      [from, !isMoment(from.input.value) && t("Enter a start time.")],
      [
        to,
        !(Date.parse(to.input.value) >= Date.parse(from.input.value)) &&
          t("The end must be after the beginning."),
      ],
    ]);

  /** What the user changed; everything of a new event. */
  function changes() {
    const where = place.input.value.trim();
    const chosen = reminder.input.value === "" ? [] : [Number(reminder.input.value)];
    return {
      ...(isChanged(name.input) && { name: name.input.value.trim() }),
      ...(isChanged(about.input) && { description: about.input.value.trim() }),
      ...(isChanged(from.input) && { start_at: times.start(from.input.value) }),
      ...(isChanged(to.input) && { end_at: times.end(to.input.value) }),
      ...(event === null && { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
      ...(isChanged(place.input) && where !== "" && { location: { name: where } }),
      ...(isChanged(reminder.input) && { reminders: chosen }),
    };
  }

  openForm({
    title: event ? t("Change the event") : t("New event"),
    asks: [name.node, from.node, to.node, place.node, about.node, reminder.node],
    act: event ? t("Save") : t("Create event"),
    async onSubmit(close) {
      if (!isRight()) return;
      const changed = changes();
      if (Object.keys(changed).length > 0) await onSave(changed);
      close();
    },
  });
}
