/**
 * A page of the panel with the polls or events of a conversation as cards, and a button that makes another one.
 *
 * Shows what the server has, and asks it again after each event about one of them.
 */

import { inTurn } from "../sync/in_turn.js";
import { reasonOf } from "../text/reason.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { signOf } from "./card_sign.js";

/** @typedef {(acting: Promise<unknown>) => Promise<void>} Act awaits a request, reloads, shows an error */

/**
 * @template Item
 * @param {import("../app/app.js").App} app
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.events the prefix of the types of events about the items
 * @param {string} parts.none the words for an empty list
 * @param {() => Promise<Item[]>} parts.ask loads the items
 * @param {(item: Item) => string} parts.idOf
 * @param {(act: Act) => (item: Item) => HTMLElement} parts.card
 * @param {string} parts.more the label of the button that makes another item; empty for who may not make any
 * @param {() => void} parts.onMore called by that button
 * @returns {import("../details/details.js").Page}
 */
export function cardPage(app, { title, events, none, ask, idOf, card, more, onMore }) {
  const list = h("ul", { class: "polls" });
  const state = h("p", { class: "quiet", role: "status" }, t("Loading…"));
  const complain = (/** @type {unknown} */ error) => {
    state.textContent = reasonOf(error);
  };
  let failed = 0;

  const look = inTurn(async () => {
    try {
      const items = await ask();
      state.textContent = items.length === 0 ? none : "";
      const row = (/** @type {Item} */ item) => ({
        key: idOf(item),
        sign: signOf(item, failed),
        build: () => h("li", {}, draw(item)),
      });
      reconcile(list, items.map(row));
    } catch (error) {
      complain(error);
    }
  });

  /** @type {Act} */
  async function act(acting) {
    try {
      await acting;
      await look();
    } catch (error) {
      // `failed` changes the signs, so that the cards are drawn again without the rejected choice.
      failed += 1;
      await look();
      complain(error);
    }
  }

  const draw = card(act);
  const make = h("button", { class: "button button-primary", type: "button", onclick: onMore }, more);
  const stop = app.onEvent((_before, { type }) => {
    if (type.startsWith(events) || type === "message.deleted") look();
  });
  look();
  return { title, nodes: [h("div", { class: "panel-page" }, more !== "" && make, state, list)], leave: stop };
}
