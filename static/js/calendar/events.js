/** The page of the panel with the events planned in a conversation, to answer, change, cancel or add them. */

import { cardPage } from "../cards/card_page.js";
import { may } from "../groups/permissions.js";
import { t } from "../words/words.js";
import { calendarCalls } from "./calendar_calls.js";
import { eventCard } from "./event_card.js";
import { openEventForm } from "./event_form.js";
import { eventsAround, idOf } from "./events_around.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../app/app.js").App} App */

/** @returns {import("../details/details.js").Page} */
export function eventsPage(
  /** @type {App} */ app,
  /** @type {Conversation} */ conversation,
  /** @type {() => void} Called once a card was made. */ onMade,
) {
  const calls = calendarCalls(app.api.rest);
  const id = idOf(conversation);
  const me = app.state.get().snapshot?.user.id ?? "";
  return cardPage(app, {
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
    onMore: () =>
      openEventForm(null, async (form) => {
        await calls.planEvent(id, form);
        onMade();
      }),
  });
}
