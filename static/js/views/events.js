/** The window with the events planned in a conversation, to answer, change, cancel or add them. */

import { calendarCalls } from "../calendar_calls.js";
import { may } from "../permissions.js";
import { t } from "../words.js";
import { openCardWindow } from "./card_window.js";
import { eventCard } from "./event_card.js";
import { openEventForm } from "./event_form.js";
import { eventsAround, idOf } from "./events_around.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../app.js").App} App */

export function openEvents(/** @type {App} */ app, /** @type {Conversation} */ conversation) {
  const calls = calendarCalls(app.api.rest);
  const id = idOf(conversation);
  const me = app.state.get().snapshot?.user.id ?? "";
  openCardWindow(app, {
    title: t("Events"),
    events: "event.",
    none: t("No events planned."),
    ask: () => calls.events(id),
    idOf: (event) => event.event_id,
    card(act) {
      const around = eventsAround(app, conversation, act);
      return (event) => eventCard(event, around);
    },
    more: !conversation.group || may(conversation.group, me, "make_events") ? t("New event") : "",
    onMore: (done) =>
      openEventForm(null, async (form) => {
        await calls.planEvent(id, form);
        done();
      }),
  });
}
