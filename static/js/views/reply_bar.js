/**
 * What one is about to answer, above the field where one writes.
 *
 * Owns which message that is in each conversation, until it is sent or let go.
 */

import { replyTo } from "../addressing.js";
import { fillWith, h } from "../dom.js";
import { icon } from "../icons.js";
import { t } from "../words.js";
import { quote } from "./quote.js";

/** @typedef {import("./quote.js").Quoted} Quoted */
/** @typedef {Quoted & { id: string }} Answered */

export function createReplyBar(/** @type {{ onLetGo: () => void }} */ { onLetGo }) {
  /** By conversation. @type {Map<string, Answered>} */
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
    /** What a message to a conversation carries for it; it is answered with that. */
    take(/** @type {string} */ of) {
      const here = answered.get(of);
      answered.delete(of);
      if (of === conv) draw();
      return here ? [replyTo(here.id)] : [];
    },
  };
}
