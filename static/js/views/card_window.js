/**
 * A window with the cards of a conversation, polls or events, and a button for one more.
 *
 * Shows what the server has, and asks it again whenever something happens to one of them.
 */

import { h, reconcile } from "../dom.js";
import { inTurn } from "../in_turn.js";
import { t } from "../words.js";
import { signOf } from "./card_sign.js";
import { openDialog } from "./dialog.js";

/** @typedef {(acting: Promise<unknown>) => Promise<void>} Act says what went wrong, and looks again */

/**
 * @template Item
 * @param {import("../app.js").App} app
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.events what the types of events about them begin with
 * @param {string} parts.none said where there are none
 * @param {() => Promise<Item[]>} parts.ask
 * @param {(item: Item) => string} parts.idOf
 * @param {(act: Act) => (item: Item) => HTMLElement} parts.card
 * @param {string} parts.more what the button for one more says
 * @param {(look: () => void) => void} parts.onMore `look` is to be called once there is one more
 */
export function openCardWindow(app, { title, events, none, ask, idOf, card, more, onMore }) {
  const list = h("ul", { class: "polls" });
  const state = h("p", { class: "quiet", role: "status" }, t("Asking the server…"));
  const complain = (/** @type {unknown} */ error) => {
    state.textContent = error instanceof Error ? error.message : String(error);
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
      // What was chosen and not taken is drawn as it is.
      failed += 1;
      await look();
      complain(error);
    }
  }

  const draw = card(act);
  const make = h(
    "button",
    { class: "button button-primary", type: "button", onclick: () => onMore(look) },
    more,
  );
  const dialog = openDialog({
    title,
    content: () => [h("div", { class: "dialog-form" }, make, state, list)],
  });
  const stop = app.onEvent((_before, { type }) => {
    if (type.startsWith(events) || type === "message.deleted") look();
  });
  dialog.addEventListener("close", stop);
  look();
}
