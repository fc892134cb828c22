/** What the user can do about a conversation's events, in the events window and in messages. */

import { openEventForm } from "../app/windows.js";
import { namesIn } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { pictureIn } from "../text/mentioning.js";
import { h } from "../ui/dom.js";
import { calendarCalls } from "./calendar_calls.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** Returns the id of a conversation in the server's API: `conv` without its prefix. */
export const idOf = (/** @type {Conversation} */ { conv }) => conv.slice(conv.indexOf(":") + 1);

/**
 * @param {import("../app/app.js").App} app
 * @param {Conversation} conversation
 * @param {(acting: Promise<unknown>) => Promise<unknown>} act
 * @returns {import("./event_card.js").EventAround}
 */
export function eventsAround(app, conversation, act) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const calls = calendarCalls(app.api.rest);
  const id = idOf(conversation);
  return {
    me,
    names: namesIn(conversation),
    pictureOf: (id) => pictureIn(conversation, id),
    isShut: isReadOnly(conversation.group),
    admin: conversation.kind === "group" && may(conversation.group, me, "change_events"),
    answer: (event, going) => act(calls.answerEvent(id, event.event_id, going)),
    change: (event) => openEventForm(event, (form) => act(calls.changeEvent(id, event.event_id, form))),
    keep: (event) => act(keepFile(calls.eventFile(id, event.event_id), `${event.name}.ics`)),
    cancel: (event) => act(calls.cancelEvent(id, event.event_id)),
  };
}

/** Downloads a file that the client has to request with a token. */
async function keepFile(/** @type {Promise<Blob>} */ asked, /** @type {string} */ name) {
  const href = URL.createObjectURL(await asked);
  h("a", { href, download: name }).click();
  // The download has started by then and no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
