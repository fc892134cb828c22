/**
 * The cards of polls and events inside the messages that carry them: shown as the server has them, and loaded
 * again after each event about them. Their code is loaded with the first one.
 */

import { inTurn } from "../sync/in_turn.js";
import { h, reconcile } from "../ui/dom.js";
import { signOf } from "./card_sign.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {import("../app/app.js").App} App */
/** @typedef {{ node: WeakRef<HTMLElement>, id: string }} Card */
/** @typedef {typeof import("./card_kinds.js")} Kinds */

/** @param {App} app @param {(error: unknown) => void} complain */
export function createCards(app, complain) {
  /** The cards that were drawn and may still be in use. @type {Set<Card>} */
  const drawn = new Set();
  /**
   * The last known content by id, so that a row that is drawn again does not jump.
   * @type {Map<string, any>}
   */
  const known = new Map();
  /** The code of the cards, once it is loaded. @type {Kinds | undefined} */
  let kinds;
  /** The function that loads a card again, by the card's element. @type {WeakMap<HTMLElement, () => void>} */
  const looks = new WeakMap();

  app.onEvent((_before, { type, data }) => {
    const about = /** @type {any} */ (data);
    if (type.startsWith("poll.")) lookAgain(about.data.id);
    if (type.startsWith("event.")) lookAgain(about.event_id);
  });

  function lookAgain(/** @type {string} */ id) {
    for (const card of drawn) {
      const node = card.node.deref();
      if (!node) drawn.delete(card);
      else if (card.id === id) looks.get(node)?.();
    }
  }

  /**
   * @param {"poll" | "event"} kind
   * @param {string} id
   * @param {(kinds: Kinds) => Promise<any>} ask
   * @param {(kinds: Kinds, found: any, act: import("./card_kinds.js").Act) => HTMLElement} draw
   */
  function place(kind, id, ask, draw) {
    const node = h("div", { class: `card card-${kind} card-waiting` });
    let failed = 0;
    const show = (/** @type {any} */ found) => {
      const build = () => draw(/** @type {Kinds} */ (kinds), found, act);
      reconcile(node, [{ key: id, sign: signOf(found, failed), build }]);
      node.classList.remove("card-waiting");
    };

    const look = inTurn(async () => {
      try {
        kinds = await import("./card_kinds.js");
        const found = await ask(kinds);
        known.set(id, found);
        show(found);
      } catch {
        // The poll or event is gone, or the request failed. The message's own text is shown anyway.
        known.delete(id);
        reconcile(node, []);
        node.classList.remove("card-waiting");
      }
    });

    async function act(/** @type {Promise<unknown>} */ acting) {
      try {
        await acting;
      } catch (error) {
        // `failed` changes the sign, so that the card is drawn again without the rejected choice.
        failed += 1;
        complain(error);
      }
      await look();
    }

    if (known.has(id)) show(known.get(id));
    looks.set(node, look);
    drawn.add({ node: new WeakRef(node), id });
    look();
    return node;
  }

  function pollIn(/** @type {Conversation} */ conversation, /** @type {string} */ id) {
    if (conversation.kind !== "group") return null;
    return place(
      "poll",
      id,
      ({ loadPoll }) => loadPoll(app, conversation.group.id, id),
      ({ pollInMessage }, poll, act) => pollInMessage(app, conversation, poll, act),
    );
  }

  const eventIn = (/** @type {Conversation} */ conversation, /** @type {string} */ id) =>
    place(
      "event",
      id,
      ({ loadEvent }) => loadEvent(app, conversation.conv, id),
      ({ eventInMessage }, event, act) => eventInMessage(app, conversation, event, act),
    );

  /** Returns the card of an attachment; null if an attachment of its type has no card. */
  return (/** @type {Conversation} */ conversation, /** @type {Attachment} */ attachment) => {
    if (attachment.type === "poll") return pollIn(conversation, String(attachment.poll_id));
    if (attachment.type === "event") return eventIn(conversation, String(attachment.event_id));
    return null;
  };
}
