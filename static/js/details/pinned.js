/**
 * The page of the panel with the pinned messages of a conversation, newest pin first. Each message links to its place in
 * the conversation.
 */

import { messageHref } from "../app/route.js";
import { may } from "../groups/permissions.js";
import { inTurn } from "../sync/in_turn.js";
import { oneLine } from "../text/one_line.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { h, reconcile } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Message} Message */

/** @returns {import("./details.js").Page} */
export function pinnedPage(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Conversation} */ conversation,
) {
  const list = h("ul", { class: "pinned" });
  const state = h("p", { class: "quiet", role: "status" }, t("Searching messages…"));
  const me = app.state.get().snapshot?.user.id ?? "";
  const mayUnpin = !conversation.group || may(conversation.group, me, "pin");
  const nothing = t("No pinned messages. Pin messages that everyone should find again.");

  function item(/** @type {Message} */ message) {
    const node = messageItem(conversation.conv, message);
    const facts = { class: "button-icon", type: "button", "aria-label": t("Unpin"), title: t("Unpin") };
    const onclick = () =>
      app.pin(conversation.conv, message.id, false).then(look, (/** @type {Error} */ error) => {
        state.textContent = error.message;
      });
    if (mayUnpin) node.append(h("button", { ...facts, onclick }, icon("pin")));
    return node;
  }

  const look = inTurn(async () => {
    try {
      const found = await app.pinned(conversation);
      state.textContent = found.length === 0 ? nothing : "";
      const row = (/** @type {Message} */ message) => ({
        key: message.id,
        sign: JSON.stringify([message.text, message.name, message.attachments]),
        build: () => item(message),
      });
      reconcile(list, found.map(row));
    } catch (error) {
      state.textContent = reasonOf(error);
    }
  });

  const stop = app.onEvent((_before, { conv, type }) => {
    const isAboutPins = ["pin", "unpin", "message.update", "message.deleted"].includes(type);
    if (conv === conversation.conv && isAboutPins) look();
  });
  look();
  return {
    title: t("Pinned messages"),
    nodes: [h("div", { class: "panel-page" }, state, list)],
    leave: stop,
  };
}

/** A message in a list, which links to its place in the conversation. */
export function messageItem(/** @type {string} */ conv, /** @type {Message} */ message) {
  const { id, name, created_at: at } = message;
  return h(
    "li",
    {},
    h(
      "a",
      { class: "pinned-message", href: messageHref(conv, id) },
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
