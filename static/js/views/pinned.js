/**
 * The window with the pinned messages of a conversation, the newest pin first. Each leads to
 * its place.
 */

import { h } from "../dom.js";
import { messageHref } from "../route.js";
import { oneLine } from "../text.js";
import { clockTime, isoTime } from "../time.js";
import { t } from "../words.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("../types.js").Message} Message */

export function openPinned(/** @type {import("../app.js").App} */ app, /** @type {Conversation} */ shown) {
  const list = h("ul", { class: "pinned" });
  const state = h("p", { class: "quiet", role: "status" }, t("Looking for what is pinned…"));
  openDialog({
    title: t("Pinned messages"),
    content(close) {
      app.pinned(shown).then(
        (found) => {
          state.textContent = found.length === 0 ? t("Nothing is pinned here.") : "";
          list.append(...found.map((message) => item(shown.conv, message, close)));
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
      h("time", { class: "quiet", datetime: isoTime(at) }, clockTime(at)),
      h("span", { class: "pinned-text", dir: "auto" }, oneLine(message)),
    ),
  );
}
