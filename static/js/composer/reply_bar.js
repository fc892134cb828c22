/**
 * The bar above the composer's field with the message to which the user replies.
 *
 * Owns which message that is in each conversation, until the reply is sent or given up.
 */

import { quote } from "../messages/quote.js";
import { replyTo } from "../text/addressing.js";
import { fillWith, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("../messages/quote.js").Quoted} Quoted */
/** @typedef {Quoted & { id: string }} Answered */

export function createReplyBar(/** @type {{ onLetGo: () => void }} */ { onLetGo }) {
  /** The messages to reply to, by conversation. @type {Map<string, Answered>} */
  const answered = new Map();
  let conv = "";
  const node = h("div", { class: "reply-bar", hidden: true });

  function draw() {
    const here = answered.get(conv);
    node.hidden = !here;
    if (!here) return fillWith(node);
    const facts = {
      class: "button-icon",
      type: "button",
      "aria-label": t("Do not reply"),
      title: t("Do not reply"),
    };
    fillWith(node, quote(here), h("button", { ...facts, onclick: letGo }, icon("close")));
  }

  function letGo() {
    answered.delete(conv);
    draw();
    onLetGo();
  }

  return {
    node,
    show(/** @type {string} */ next) {
      conv = next;
      draw();
    },
    answer(/** @type {Answered} */ message) {
      answered.set(conv, message);
      draw();
    },
    /** Gives the reply up. Returns whether there was one. */
    giveUp() {
      if (!answered.has(conv)) return false;
      letGo();
      return true;
    },
    /** Returns the reply attachment for a message to a conversation, if any, and ends the reply there. */
    take(/** @type {string} */ of) {
      const here = answered.get(of);
      answered.delete(of);
      if (of === conv) draw();
      return here ? [replyTo(here.id)] : [];
    },
  };
}
