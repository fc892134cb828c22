/** The form in which a calendar event is made or changed. */

import { t } from "../words.js";
import { openForm } from "./dialog_form.js";
import { allRight, choice, field } from "./field.js";

/** @typedef {import("../calendar_calls.js").CalendarEvent} CalendarEvent */
/** @typedef {import("../calendar_calls.js").EventForm} EventForm */

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
 * @param {CalendarEvent | null} event the event to change; null for a new one
 * @param {(form: EventForm) => Promise<unknown>} onSave
 */
export function openEventForm(event, onSave) {
  const start = event ? new Date(event.start_at) : new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  const end = event ? new Date(event.end_at) : new Date(start.getTime() + HOUR_MS);
  const name = field({ label: t("What"), name: "name", autocomplete: "off", maxlength: 160 });
  const from = field({ label: t("From"), name: "from", type: "datetime-local", value: inField(start) });
  const to = field({ label: t("Until"), name: "to", type: "datetime-local", value: inField(end) });
  const place = field({ label: t("Where"), name: "place", autocomplete: "off", maxlength: 160 });
  const about = field({ label: t("About it"), name: "about", autocomplete: "off", maxlength: 1000 });
  const reminder = choice({
    label: t("Remind everybody"),
    options: [
      { value: "", label: t("Not at all") },
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

  const isRight = () =>
    allRight([
      [name, name.input.value.trim() === "" && t("Say what it is.")],
      [from, !isMoment(from.input.value) && t("Say when it begins.")],
      [to, !(Date.parse(to.input.value) >= Date.parse(from.input.value)) && t("It ends before it begins.")],
    ]);
  openForm({
    title: event ? t("Change the event") : t("New event"),
    asks: [name.node, from.node, to.node, place.node, about.node, reminder.node],
    act: event ? t("Save") : t("Plan it"),
    async onSubmit(close) {
      if (!isRight()) return;
      const where = place.input.value.trim();
      // Reminders that the form cannot express are kept until the user chooses another.
      const isKept = event && reminder.input.value === String(event.reminders[0] ?? "");
      const chosen = reminder.input.value === "" ? [] : [Number(reminder.input.value)];
      await onSave({
        name: name.input.value.trim(),
        description: about.input.value.trim(),
        start_at: withOffset(from.input.value),
        end_at: withOffset(to.input.value),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...(where === "" ? {} : { location: { name: where } }),
        reminders: isKept ? event.reminders : chosen,
      });
      close();
    },
  });
}
