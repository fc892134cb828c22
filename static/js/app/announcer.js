/**
 * Announces new messages to people who use a screen reader.
 *
 * Owns the one live region. While missed events are replayed, and when more messages arrive at once than
 * anybody could listen to, it counts them and announces only the number.
 */

import { fullNameOf } from "../conversation/naming.js";
import { isApart } from "../sync/store.js";
import { oneLine } from "../text/one_line.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { convOf } from "./route.js";

/** How many announced lines stay in the live region, and how many messages are announced at once. */
const KEPT = 5;

export function createAnnouncer(/** @type {import("./app.js").App} */ app) {
  const node = h("div", {
    class: "hidden",
    role: "log",
    "aria-live": "polite",
    "aria-label": t("New messages"),
  });
  let missed = 0;
  /** Announcements that wait for the next frame. @type {string[]} */
  let heard = [];

  function say(/** @type {string} */ text) {
    node.append(h("p", {}, text));
    while (node.childElementCount > KEPT) node.firstElementChild?.remove();
  }

  app.onEvent((before, { conv, type, data }) => {
    // What was read aloud may have been the deleted message, or a line about it.
    if (type === "message.deleted") node.replaceChildren();
    const isDirect = type === "direct_message.create";
    if ((type !== "line.create" && !isDirect) || data.user_id === before.user.id) return;
    const { connection, route } = app.state.get();
    const open = convOf(route) === conv;
    // A message request comes without a notice, and so does a line in an archived group.
    if (isApart(before.conversations[conv]) && !open) return;
    if (connection !== "live") {
      missed += 1;
      return;
    }
    const words = data.system ? oneLine(data) : `${data.name}: ${oneLine(data)}`;
    const conversation = before.conversations[conv];
    const group = conversation?.group ? fullNameOf(conversation) : "";
    if (heard.length === KEPT) missed += 1;
    else if (isDirect && !open) heard.push(t("To you, {words}", { words }));
    else heard.push(open || !group ? words : t("In {group}, {words}", { group, words }));
  });

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { connection }) {
      for (const words of heard) say(words);
      heard = [];
      if (connection !== "live" || missed === 0) return;
      say(missed === 1 ? t("1 new message") : t("{missed} new messages", { missed }));
      missed = 0;
    },
  };
}
