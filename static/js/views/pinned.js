/**
 * Windows that list messages of a conversation: the pinned ones, newest pin first, and the answers of a
 * thread. Each message links to its place in the conversation.
 */

import { h } from "../dom.js";
import { oneLine } from "../one_line.js";
import { messageHref } from "../route.js";
import { fullTime, isoTime, shortTime } from "../time.js";
import { t } from "../words.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../types.js").Message} Message */

export const openPinned = (/** @type {import("../app.js").App} */ app, /** @type {Conversation} */ shown) =>
  openList(
    t("Pinned messages"),
    t("Nothing is pinned here. Pin what everybody should find again."),
    shown.conv,
    app.pinned(shown),
  );

export const openThread = (
  /** @type {import("../app.js").App} */ app,
  /** @type {string} */ conv,
  /** @type {string} */ id,
) => openList(t("Replies"), t("Nobody has replied."), conv, app.replies(conv, id));

function openList(
  /** @type {string} */ title,
  /** @type {string} */ nothing,
  /** @type {string} */ conv,
  /** @type {Promise<Message[]>} */ loading,
) {
  const list = h("ul", { class: "pinned" });
  const state = h("p", { class: "quiet", role: "status" }, t("Looking for messages…"));
  openDialog({
    title,
    content(close) {
      loading.then(
        (found) => {
          state.textContent = found.length === 0 ? nothing : "";
          list.append(...found.map((message) => item(conv, message, close)));
        },
        (error) => {
          state.textContent = error.message;
        },
      );
      return [h("div", { class: "dialog-form" }, state, list)];
    },
  });
}

function item(/** @type {string} */ conv, /** @type {Message} */ message, /** @type {() => void} */ close) {
  const { id, name, created_at: at } = message;
  return h(
    "li",
    {},
    h(
      "a",
      { class: "pinned-message", href: messageHref(conv, id), onclick: close },
      h("span", { class: "pinned-name", dir: "auto" }, name),
      h(
        "time",
        { class: "quiet", datetime: isoTime(at), title: fullTime(at) },
        shortTime(at, Date.now() / 1000),
      ),
      h("span", { class: "pinned-text", dir: "auto" }, oneLine(message)),
    ),
  );
}
