/**
 * A window with what is planned in a conversation: answering, changing, cancelling, and
 * planning more.
 *
 * Shows what the server has, and asks it again whenever something happens to an event.
 */

import { h, reconcile } from "../dom.js";
import { inTurn } from "../in_turn.js";
import { t } from "../words.js";
import { signOf } from "./card_sign.js";
import { openDialog } from "./dialog.js";
import { eventCard } from "./event_card.js";
import { openEventForm } from "./event_form.js";
import { eventsAround, idOf } from "./events_around.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../app.js").App} App */

/** Windows that are open: each looks again when something happens. @type {Set<() => void>} */
const open = new Set();

/** The app whose events have them look. @type {App | null} */
let watched = null;

function watch(/** @type {App} */ app) {
  if (watched === app) return;
  watched = app;
  app.onEvent((_before, { type }) => {
    if (type.startsWith("event.") || type === "message.deleted") for (const look of open) look();
  });
}

export function openEvents(/** @type {App} */ app, /** @type {Conversation} */ conversation) {
  watch(app);
  const list = h("ul", { class: "polls" });
  const state = h("p", { class: "quiet", role: "status" }, t("Asking the server…"));
  const id = idOf(conversation);

  let failed = 0;

  const look = inTurn(async () => {
    try {
      const events = await app.calendar.events(id);
      state.textContent = events.length === 0 ? t("Nothing is planned.") : "";
      const rows = events.map((event) => ({
        key: event.event_id,
        sign: signOf(event, failed),
        build: () => h("li", {}, eventCard(event, around)),
      }));
      reconcile(list, rows);
    } catch (error) {
      state.textContent = error instanceof Error ? error.message : String(error);
    }
  });

  async function act(/** @type {Promise<unknown>} */ acting) {
    try {
      await acting;
      await look();
    } catch (error) {
      failed += 1;
      await look();
      state.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  const around = eventsAround(app, conversation, act);
  const plan = async (/** @type {import("../calendar_calls.js").EventForm} */ form) => {
    await app.calendar.planEvent(id, form);
    look();
  };
  const make = h(
    "button",
    { class: "button button-primary", type: "button", onclick: () => openEventForm(null, plan) },
    t("New event"),
  );
  const dialog = openDialog({
    title: t("Events"),
    content: () => [h("div", { class: "dialog-form" }, make, state, list)],
  });
  open.add(look);
  dialog.addEventListener("close", () => open.delete(look));
  look();
}
