/** What the card of each kind shows in a message: a poll or an event of a conversation. */

import { calendarCalls } from "../calendar/calendar_calls.js";
import { eventCard } from "../calendar/event_card.js";
import { eventsAround } from "../calendar/events_around.js";
import { namesIn } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { pollCalls } from "../polls/poll_calls.js";
import { pollCard } from "../polls/poll_card.js";
import { pictureIn } from "../text/mentioning.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../app/app.js").App} App */
/** @typedef {(acting: Promise<unknown>) => Promise<void>} Act awaits a request, reloads, shows an error */

/** @returns {Promise<import("../polls/poll_calls.js").Poll>} */
export const loadPoll = (/** @type {App} */ app, /** @type {string} */ group, /** @type {string} */ id) =>
  pollCalls(app.api.rest).poll(group, id);

/** @returns {Promise<import("../calendar/calendar_calls.js").CalendarEvent>} */
export const loadEvent = (/** @type {App} */ app, /** @type {string} */ conv, /** @type {string} */ id) =>
  calendarCalls(app.api.rest).event(conv.slice(2), id);

export function pollInMessage(
  /** @type {App} */ app,
  /** @type {Conversation & { kind: "group" }} */ conversation,
  /** @type {import("../polls/poll_calls.js").Poll} */ poll,
  /** @type {Act} */ act,
) {
  const { group } = conversation;
  const calls = pollCalls(app.api.rest);
  const me = app.state.get().snapshot?.user.id ?? "";
  return pollCard(poll, {
    place: "message",
    me,
    names: namesIn(conversation),
    pictureOf: (id) => pictureIn(conversation, id),
    admin: may(group, me, "end_polls"),
    isShut: isReadOnly(group),
    vote: (one, votes) => act(calls.vote(group.id, one.data.id, votes)),
    end: (one) => act(calls.endPoll(group.id, one.data.id)),
  });
}

export const eventInMessage = (
  /** @type {App} */ app,
  /** @type {Conversation} */ conversation,
  /** @type {import("../calendar/calendar_calls.js").CalendarEvent} */ event,
  /** @type {Act} */ act,
) => eventCard(event, eventsAround(app, conversation, act));
