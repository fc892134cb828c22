/**
 * The page with the messages for the user, the newest first: mentions of them and of everybody, and replies to what
 * they wrote, in all conversations. New messages appear at once.
 */

import { listedMessage } from "../message_list/listed_message.js";
import { createMessageListPage } from "../message_list/message_list_page.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { kindOf, mentionsPage, unreadRows, withEvent } from "./mention_list.js";

const LABELS = {
  reply: t("Replied to you"),
  mention: t("Mentioned you"),
  everybody: t("Mentioned everyone"),
};

export function createMentionsPage(/** @type {import("../app/app.js").App} */ app) {
  const help = t("When somebody mentions you or everyone, or replies to you, the message appears here.");
  /** @type {import("../message_list/message_list_page.js").Parts<import("./mention_list.js").Mention>} */
  const parts = {
    route: "mentions",
    label: t("For you"),
    nothing: [h("p", {}, t("No mentions or replies yet.")), h("p", { class: "quiet" }, help)],
    load: (last) => mentionsPage(app.api.rest, last?.id),
    draw: (row, facts) => h("li", { class: "listed-row" }, listedMessage(row, row.message, facts)),
    notes(rows, snapshot) {
      const unread = unreadRows(rows, snapshot);
      return rows.map(({ message }, at) => ({
        label: LABELS[kindOf(message, snapshot.user.id)],
        isUnread: unread[at],
      }));
    },
    hear: withEvent,
  };
  return createMessageListPage(app, parts);
}
