/**
 * Draws one row of a conversation.
 *
 * Owns the elements of a message: author, text, attachments, time, and the state of sending it. The timeline
 * decides where rows stand and when they change.
 */

import { hrefOf } from "../app/route.js";
import { linkCard } from "../cards/link_card.js";
import { fileCard } from "../files/file_card.js";
import { messageBar } from "../messages/message_bar.js";
import { control, WHEN } from "../messages/message_controls.js";
import { quote } from "../messages/quote.js";
import { avatar, hue } from "../people/avatar.js";
import { pictureGrid } from "../pictures/picture_grid.js";
import { reactionChips } from "../reactions/reactions.js";
import { markdown } from "../text/markdown_view.js";
import { isFewEmoji } from "../text/text.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("./timeline_rows.js").TimelineRow} TimelineRow */
/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */

/**
 * @typedef {object} MessageActions
 * @property {(guid: string) => void} retry
 * @property {(guid: string) => void} discard
 * @property {(row: MessageRow, sign: string) => unknown} toggle reacts with an emoji, or takes that reaction back
 * @property {import("../files/file_card.js").Open} open
 * @property {(attachment: import("../sync/types.js").Attachment) => HTMLElement | null} card draws a poll or an event; null for other types
 * @property {import("../messages/message_bar.js").Acts} menu
 * @property {(id: string) => void} thread opens the answers to a message
 * @property {(conv: string) => boolean} hasTopic whether there is a topic; says so if there is none
 * @property {(author: MessageRow["author"]) => void} meet opens the window about the author
 */

export function drawRow(/** @type {TimelineRow} */ row, /** @type {MessageActions} */ actions) {
  switch (row.kind) {
    case "day":
      return h("li", { class: "day" }, h("span", {}, row.label));
    case "unread":
      return h("li", { class: "unread-line" }, h("span", {}, row.label));
    case "system":
      return h("li", { class: "system" }, h("span", { title: row.when, dir: "auto" }, said(row, actions)));
    case "line":
      return drawMessage(row, actions);
  }
}

/** The text of a system message; a link if it names a topic. */
function said(
  /** @type {import("./timeline_rows.js").SystemRow} */ { text, topic },
  /** @type {MessageActions} */ actions,
) {
  if (!topic) return text;
  const onclick = (/** @type {Event} */ event) => {
    if (!actions.hasTopic(topic)) event.preventDefault();
  };
  return h("a", { href: hrefOf(topic), onclick }, text);
}

function drawMessage(/** @type {MessageRow} */ row, /** @type {MessageActions} */ actions) {
  const { author, mine, first, last, state, quoted, forMe } = row;
  const classes = ["line", mine ? "mine" : "theirs", first && "first", last && "last", state];
  const who = mine ? t("You") : author.name;
  const meet = author.isPerson ? () => actions.meet(author) : null;
  const picture = () =>
    h("span", { class: meet && "line-meet", onclick: meet }, avatar({ ...author, size: "small" }));
  return h(
    "li",
    // Touching a message focuses it, which shows its buttons: a finger cannot hover.
    { class: classes.filter(Boolean).join(" "), tabindex: "-1" },
    !mine && h("span", { class: "line-avatar" }, last && picture()),
    h(
      "div",
      { class: "line-body" },
      !mine && first ? authorName(author, meet) : h("p", { class: "hidden" }, `${who}:`),
      h(
        "div",
        { class: "line-said" },
        h(
          "div",
          { class: forMe ? "bubble bubble-for-me" : "bubble" },
          quoted && quote(quoted),
          ...attachments(row, actions),
          words(row),
          ...row.previews.map(linkCard),
          meta(row),
        ),
        messageBar(row, actions.menu),
      ),
      reactionChips(row, (sign) => actions.toggle(row, sign)),
      row.answers > 0 && threadLink(row, actions.thread),
      row.seen && h("p", { class: "seen" }, icon("check"), t("Seen")),
      (state === "failed" || state === "waiting" || state === "held") && unsent(row, actions),
    ),
  );
}

function threadLink(/** @type {MessageRow} */ { key, answers }, /** @type {(id: string) => void} */ onOpen) {
  const words = answers === 1 ? t("1 reply") : t("{count} replies", { count: answers });
  const facts = { class: "button-link", type: "button", onclick: () => onOpen(key) };
  return h("button", { ...facts, ...control("thread") }, words);
}

function authorName(
  /** @type {MessageRow["author"]} */ { id, name },
  /** @type {(() => void) | null} */ meet,
) {
  const look = `line-author hue-${hue(id)}`;
  if (!meet) return h("p", { class: look, dir: "auto" }, name);
  const facts = {
    class: "line-author-button",
    type: "button",
    title: t("About {name}", { name }),
    onclick: meet,
  };
  return h("p", { class: look, dir: "auto" }, h("button", { ...facts, ...control("author") }, name));
}

function words(/** @type {MessageRow} */ { text, byCard, deleted, attachments: list, me }) {
  if (text === "") return null;
  if (deleted) return h("p", { class: "words words-deleted" }, text);
  // The style sheet shows it only where the card is not there (yet).
  if (byCard) return h("p", { class: "words words-by-card", dir: "auto" }, text);
  const size = isFewEmoji(text) ? "words words-emoji" : "words";
  // Lists and quotes are not allowed inside a `<p>`.
  return h("div", { class: size, dir: "auto" }, ...markdown(text, list, me));
}

function meta(/** @type {MessageRow} */ { at, time, when, state, edited, pinned, saved }) {
  const sending = state === "sending" || state === "waiting" || state === "held";
  return h(
    "span",
    { class: "meta" },
    pinned && icon("pin"),
    pinned && h("span", { class: "hidden" }, t("Pinned ")),
    saved && h("span", { role: "img", "aria-label": t("Saved"), title: t("Saved") }, icon("bookmark")),
    edited && h("span", { class: "meta-edited" }, t("edited ")),
    // The title is shown where the pointer is, and by the style sheet where the focus is.
    h("time", { datetime: at, title: when, ...control(WHEN) }, time),
    sending && icon("clock"),
    state === "sending" && h("span", { class: "hidden" }, t("Sending")),
  );
}

function attachments(
  /** @type {MessageRow} */ { attachments: list, author, mine },
  /** @type {MessageActions} */ actions,
) {
  const pictures = list.flatMap(({ type, url }) => (type === "image" && url ? [{ url }] : []));
  const places = list.filter(({ type }) => type === "location");
  const files = list.filter(({ type }) => ["file", "video", "audio"].includes(type));
  const whose = mine ? t("Picture from you") : t("Picture from {name}", { name: author.name });
  return [
    pictures.length > 0 && pictureGrid(pictures, whose),
    ...places.map(({ name }) => h("p", { class: "place", dir: "auto" }, icon("place"), name ?? t("A place"))),
    ...files.map((file) => fileCard(file, actions.open)),
    ...list.map(actions.card),
  ];
}

/**
 * The notice on a message that waits for the connection, or that failed; both can be retried or deleted at
 * once.
 */
export function unsent(
  /** @type {{ guid: string, state: MessageRow["state"], why?: string }} */ { guid, state, why },
  /** @type {Pick<MessageActions, "retry" | "discard">} */ actions,
) {
  const act = (/** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h("button", { class: "button-link", type: "button", onclick }, words);
  const hasFailed = state === "failed";
  return h(
    "div",
    { class: hasFailed ? "unsent unsent-failed" : "unsent", role: hasFailed ? "alert" : "status" },
    hasFailed
      ? h("p", {}, icon("warning"), t("Not sent. {why}", { why }))
      : h(
          "p",
          { title: why },
          icon("clock"),
          state === "held"
            ? t("This message waits for approval.")
            : t("Waiting. It will be sent automatically."),
        ),
    h(
      "div",
      { class: "unsent-actions" },
      state !== "held" && act(t("Try again"), () => actions.retry(guid)),
      act(t("Delete"), () => actions.discard(guid)),
    ),
  );
}
