/** What the card of each kind shows in a message: a poll or an event of a conversation. */

import { isAdmin } from "../groups.js";
import { eventCard } from "./event_card.js";
import { eventsAround } from "./events_around.js";
import { pollCard } from "./poll_card.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../app.js").App} App */
/** @typedef {(acting: Promise<unknown>) => Promise<void>} Act awaits a request, reloads, shows an error */

export function pollInMessage(
  /** @type {App} */ app,
  /** @type {import("../types.js").Group} */ group,
  /** @type {import("../poll_calls.js").Poll} */ poll,
  /** @type {Act} */ act,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  return pollCard(poll, {
    place: "message",
    me,
    names: new Map((group.members ?? []).map((member) => [member.user_id, member.nickname])),
    admin: isAdmin(group, me),
    vote: (one, votes) => act(app.polls.vote(group.id, one.data.id, votes)),
    end: (one) => act(app.polls.endPoll(group.id, one.data.id)),
  });
}

export const eventInMessage = (
  /** @type {App} */ app,
  /** @type {Conversation} */ conversation,
  /** @type {import("../calendar_calls.js").CalendarEvent} */ event,
  /** @type {Act} */ act,
) => eventCard(event, eventsAround(app, conversation, act));
