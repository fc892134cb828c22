/**
 * One row of the delivery log: the message or event, the delivery's state, and its attempts so far.
 *
 * A row stays the same element while its delivery changes, so that it keeps the keyboard focus.
 */

import { deliveryHref } from "../bots/bots_route.js";
import { exactTime, isoTime, shortTime } from "../text/time.js";
import { h, setText } from "../ui/dom.js";
import { inRow, t } from "../words/words.js";
import { attemptsWords, nextWords, outcomeWords } from "./deliveries.js";
import { deliveryChip } from "./delivery_chip.js";

/** @typedef {import("./deliveries.js").Delivery} Delivery */

/** @param {{ handle: string, id: string }} of */
export function createDeliveryRow({ handle, id }) {
  const text = h("span", { class: "delivery-text" });
  const time = h("time", { class: "delivery-time" });
  const chip = h("span", { class: "delivery-chip" });
  const facts = h("span", { class: "delivery-facts" });
  const node = h(
    "li",
    {},
    h(
      "a",
      { class: "delivery", href: deliveryHref(handle, id) },
      h("span", { class: "delivery-top" }, text, time),
      h("span", { class: "delivery-bottom" }, chip, facts),
    ),
  );
  let shownState = "";

  function show(/** @type {Delivery} */ delivery, /** @type {string} */ words, /** @type {number} */ now) {
    const { state, attempt, at } = delivery;
    setText(text, words || t("Message {id}", { id: delivery.message_id }));
    text.classList.toggle("quiet", words === "");
    setText(time, shortTime(at, now));
    time.setAttribute("datetime", isoTime(at));
    time.setAttribute("title", exactTime(at));
    const next = nextWords(delivery, now);
    const parts = [
      t("no. {id}", { id }),
      attemptsWords(attempt),
      outcomeWords(delivery),
      next && t("next try {next}", { next }),
    ];
    setText(facts, inRow(/** @type {string[]} */ (parts.filter(Boolean))));
    if (state !== shownState) chip.replaceChildren(deliveryChip(state));
    shownState = state;
  }

  return { node, show };
}

/** @typedef {ReturnType<typeof createDeliveryRow>} DeliveryRow */
