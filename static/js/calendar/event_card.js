/**
 * The card of a calendar event, in its window and in its message: when and where it is, who comes, and what
 * the user can do about it.
 */

import { avatarRow } from "../people/avatar_row.js";
import { dayParts, dayRange, momentParts, timeRange } from "../text/time.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { inRow, t } from "../words/words.js";
import { daysOf } from "./event_days.js";

/** @typedef {import("./calendar_calls.js").CalendarEvent} CalendarEvent */
/**
 * @typedef {object} EventAround the user, the members' names, and the acts that the card's buttons call
 * @property {(event: CalendarEvent, going: boolean | null) => void} answer `going` is null to take the answer back
 * @property {(event: CalendarEvent) => void} change
 * @property {(event: CalendarEvent) => void} cancel
 * @property {(event: CalendarEvent) => void} keep downloads the event for another calendar
 * @property {string} me the user's id
 * @property {boolean} isShut whether nobody may answer or change an event: the group is archived or frozen
 * @property {boolean} admin whether the user may change others' events
 * @property {ReadonlyMap<string, string>} names by user id
 * @property {(id: string) => string | null | undefined} pictureOf
 */

/** Returns the seconds since 1970 of a moment in ISO 8601. */
const secondsOf = (/** @type {string} */ moment) => Date.parse(moment) / 1000;

/** Makes the card of an event. */
export function eventCard(/** @type {CalendarEvent} */ event, /** @type {EventAround} */ around) {
  const isOver = Date.parse(event.end_at) <= Date.now();
  const mayChange = !isOver && !around.isShut && (around.admin || event.creator_id === around.me);
  const act = (/** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h("button", { class: "button-link", type: "button", onclick }, words);
  return h(
    "div",
    { class: isOver ? "poll event event-over" : "poll event" },
    h(
      "div",
      { class: "event-head" },
      dateTile(event),
      h(
        "div",
        { class: "event-about" },
        h("p", { class: "event-name", dir: "auto" }, event.name),
        h("p", { class: "event-detail" }, icon("clock"), h("span", {}, timesOf(event))),
        event.location &&
          h("p", { class: "event-detail" }, icon("place"), h("span", { dir: "auto" }, event.location.name)),
      ),
    ),
    event.description && h("p", { class: "event-description", dir: "auto" }, event.description),
    isOver ? h("p", { class: "quiet" }, t("Ended.")) : !around.isShut && answers(event, around),
    who(t("Going"), event.going, around),
    who(t("Not going"), event.not_going, around),
    h(
      "p",
      { class: "unsent-actions" },
      act(t("Add to my calendar"), () => around.keep(event)),
      mayChange && act(t("Change"), () => around.change(event)),
      mayChange && act(t("Cancel this event"), () => around.cancel(event)),
    ),
  );
}

/** The day on which the event begins, as a page of a calendar. Decoration: the times stand beside it. */
function dateTile(/** @type {CalendarEvent} */ event) {
  const { month, day } = event.is_all_day
    ? dayParts(daysOf(event).first)
    : momentParts(secondsOf(event.start_at));
  return h(
    "div",
    { class: "event-date", "aria-hidden": "true" },
    h("span", { class: "event-month" }, month),
    h("span", { class: "event-day" }, day),
  );
}

function timesOf(/** @type {CalendarEvent} */ event) {
  if (!event.is_all_day) return timeRange(secondsOf(event.start_at), secondsOf(event.end_at));
  const { first, last } = daysOf(event);
  return dayRange(first, last);
}

/** Makes the answer buttons. Pressing the answer already given takes it back. */
function answers(/** @type {CalendarEvent} */ event, /** @type {EventAround} */ { me, answer }) {
  const one = (/** @type {string} */ words, /** @type {boolean} */ going, /** @type {string[]} */ said) => {
    const isSaid = said.includes(me);
    const onclick = () => answer(event, isSaid ? null : going);
    return h(
      "button",
      { class: "event-answer", type: "button", "aria-pressed": String(isSaid), onclick },
      isSaid && icon("check"),
      words,
    );
  };
  return h(
    "div",
    { class: "event-answers", role: "group", "aria-label": t("Your answer") },
    one(t("I am going"), true, event.going),
    one(t("I am not going"), false, event.not_going),
  );
}

function who(/** @type {string} */ words, /** @type {string[]} */ people, /** @type {EventAround} */ around) {
  const { me, names } = around;
  if (people.length === 0) return null;
  const named = people.map((id) => (id === me ? t("You") : (names.get(id) ?? t("Former member"))));
  return h(
    "p",
    { class: "event-people quiet" },
    avatarRow(people, around),
    h("span", {}, `${words}: ${inRow(named)}`),
  );
}
