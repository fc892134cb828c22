/**
 * A window with what is planned in a conversation: answering, changing, cancelling, and
 * planning more.
 *
 * Shows what the server has, and asks it again whenever something happens to an event.
 */

import { fillWith, h } from "../dom.js";
import { t } from "../words.js";
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

  async function look() {
    try {
      const events = await app.calendar.events(id);
      state.textContent = events.length === 0 ? t("Nothing is planned.") : "";
      fillWith(list, ...events.map((event) => h("li", {}, eventCard(event, around))));
    } catch (error) {
      state.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  async function act(/** @type {Promise<unknown>} */ acting) {
    try {
      await acting;
      await look();
    } catch (error) {
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
