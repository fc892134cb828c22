/** Draws a message of a list over conversations: who wrote it, when, where, and its text in a few lines. */

import { messageHref } from "../app/route.js";
import { avatar } from "../people/avatar.js";
import { oneLine } from "../text/one_line.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { convOfRow } from "./message_list.js";

/** What a page adds to a row: a label, and whether the message is unread. @typedef {{ label: string, isUnread: boolean }} Note */

/** A link to the message of a row. */
export function listedMessage(
  /** @type {import("./message_list.js").Row} */ row,
  /** @type {import("../sync/types.js").Message} */ message,
  /** @type {import("./message_list_page.js").Facts} */ { place, me, note },
) {
  const { user_id: id, name, avatar_url: imageUrl } = message;
  const isUnread = note?.isUnread === true;
  return h(
    "a",
    {
      class: isUnread ? "listed-message listed-unread" : "listed-message",
      href: messageHref(convOfRow(row), row.message_id),
    },
    avatar({ id, name, imageUrl, size: "small" }),
    h(
      "span",
      { class: "listed-name" },
      isUnread && h("span", { class: "listed-dot" }, h("span", { class: "hidden" }, t("Unread: "))),
      h("bdi", {}, id === me ? t("You") : name),
    ),
    " ",
    listedTime(message.created_at),
    " ",
    (place !== "" || note !== undefined) && placeLine(place, note),
    " ",
    h("span", { class: "listed-text", dir: "auto" }, oneLine(message)),
  );
}

/** The name of the conversation, after the label of the row. */
export const placeLine = (/** @type {string} */ place, /** @type {Note | undefined} */ note = undefined) =>
  h(
    "span",
    { class: "listed-place quiet" },
    note !== undefined && h("span", { class: "listed-label" }, note.label),
    note !== undefined && " ",
    h("bdi", {}, place),
  );

export const listedTime = (/** @type {number} */ at) =>
  h("time", { class: "quiet", datetime: isoTime(at), title: fullTime(at) }, shortTime(at, Date.now() / 1000));
