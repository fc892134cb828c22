/**
 * What the user can do with the messages of the open conversation, and what is said if it fails.
 *
 * Owns no element: the messages have the buttons, the app makes the requests.
 */

import { t } from "../words.js";
import { createCards } from "./cards.js";
import { copied } from "./copy.js";
import { openEmojiPicker, openForward, openMessageLink, openPerson, openThread } from "./windows.js";

/** @typedef {import("../types.js").Conversation} Conversation */

const reason = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

/** @returns {import("./message_row.js").MessageActions} */
export function createTimelineActs(
  /** @type {import("../app.js").App} */ app,
  /** @type {Pick<import("./message_menu.js").Acts, "answer" | "about">} */ acts,
  /** @type {() => Conversation | null} */ open,
) {
  const complain = (/** @type {unknown} */ error) =>
    app.complain(t("Your reaction could not be saved. {it}", { it: reason(error) }));
  const notDone = (/** @type {unknown} */ error) => {
    app.complain(reason(error));
    return null;
  };
  const cards = createCards(app, notDone);
  const copy = async (/** @type {string} */ text) => {
    if (await copied(text)) app.tell(t("Text copied."));
    else app.complain(t("Your browser does not allow this page to copy text."));
  };

  /** Runs something with the open conversation; returns null if none is open. @template Done */
  const here = (/** @type {(shown: Conversation) => Done} */ run) => {
    const shown = open();
    return shown ? run(shown) : null;
  };
  const chooseReaction = (/** @type {Conversation} */ { conv }, /** @type {string} */ id) =>
    openEmojiPicker(app, { title: t("React"), onChoose: (sign) => app.react(conv, id, sign) });

  return {
    card: (attachment) => here((shown) => cards(shown, attachment)),
    retry: (guid) => here(({ conv }) => app.retry(conv, guid)),
    discard: (guid) => here(({ conv }) => app.discard(conv, guid)),
    like: (id) => here(({ conv }) => app.like(conv, id)),
    react: (id, sign) => here(({ conv }) => app.react(conv, id, sign).catch(complain)),
    open: async (file) => here(({ conv }) => app.fileLink(conv, file).catch(notDone)),
    menu: {
      ...acts,
      forward: (row) => here(({ conv }) => openForward(app, conv, row)),
      copy: ({ text }) => copy(text),
      link: ({ key }) => here(({ conv }) => openMessageLink(conv, key)),
      react: ({ key }) => here((shown) => chooseReaction(shown, key)),
      edit: async (id, text) => here(({ conv }) => app.editMessage(conv, id, text)),
      remove: async (id) => here(({ conv }) => app.deleteMessage(conv, id)),
      pin: (id, on) => here(({ conv }) => app.pin(conv, id, on).catch(notDone)),
    },
    thread: (id) => here(({ conv }) => openThread(app, conv, id)),
    meet: ({ id, name, imageUrl }) => openPerson(app, { id, name, imageUrl }, open()?.group),
  };
}
