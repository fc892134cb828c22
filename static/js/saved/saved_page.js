/**
 * The page with the saved messages, the one saved last first. A button removes a row.
 *
 * Follows what other devices save and remove, and edits of the messages.
 */

import { listedMessage, listedTime, placeLine } from "../message_list/listed_message.js";
import { convOfRow, withChange, withoutLeft } from "../message_list/message_list.js";
import { createMessageListPage } from "../message_list/message_list_page.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { hasNew, savedPage, stillSaved } from "./saved_list.js";

/** @typedef {import("./saved_list.js").SavedMessage} SavedMessage */

export function createSavedPage(/** @type {import("../app/app.js").App} */ app) {
  const help = t(
    "To save a message, open its menu and choose Save message. Only you can see your saved messages.",
  );
  /** What was saved when the rows were last compared with it. @type {import("../sync/types.js").Snapshot["saved"]} */
  let saved;

  function remove(/** @type {SavedMessage} */ row) {
    app.save(convOfRow(row), row.message_id, false).catch((/** @type {Error} */ error) => {
      app.complain(error.message);
    });
  }

  /** @type {import("../message_list/message_list_page.js").Parts<SavedMessage>} */
  const parts = {
    route: "saved",
    label: t("Saved messages"),
    nothing: [h("p", {}, t("No saved messages.")), h("p", { class: "quiet" }, help)],
    load: (last) => savedPage(app.api.rest, last?.id),
    draw: (row, facts) => rowNode(row, facts, () => remove(row)),
    /** Drops rows that are no longer saved, and asks for those that were saved meanwhile. */
    follow(rows, { saved: now }) {
      if (now === saved) return null;
      const before = saved;
      saved = now;
      return { rows: stillSaved(rows, now), isStale: hasNew(before, now) };
    },
    hear: (rows, event, before, now) => ({ rows: withoutLeft(withChange(rows, event), before, now) }),
  };
  return createMessageListPage(app, parts);
}

function rowNode(
  /** @type {SavedMessage} */ row,
  /** @type {import("../message_list/message_list_page.js").Facts} */ facts,
  /** @type {() => void} */ onclick,
) {
  const label = t("Remove from saved");
  return h(
    "li",
    { class: "listed-row" },
    row.message ? listedMessage(row, row.message, facts) : goneMessage(row, facts.place),
    h(
      "button",
      { class: "button-icon", type: "button", "aria-label": label, title: label, onclick },
      icon("close"),
    ),
  );
}

/** A row whose message was deleted, or is in a conversation that the user left. */
function goneMessage(/** @type {SavedMessage} */ { saved_at: at }, /** @type {string} */ place) {
  return h(
    "div",
    { class: "listed-message listed-gone" },
    h("span", { class: "listed-name quiet" }, t("This message is no longer there.")),
    listedTime(at),
    place !== "" && placeLine(place),
  );
}
