/**
 * What the user can do with the messages of the open conversation, and what is said if it fails.
 *
 * Owns no element: the messages have the buttons, the app makes the requests.
 */

import { homeHref, messageHref, threadHref } from "../app/route.js";
import {
  openEmojiPicker,
  openForward,
  openMessageLink,
  openMessageMenu,
  openMessageReport,
  openPerson,
} from "../app/windows.js";
import { createCards } from "../cards/cards.js";
import { HEART } from "../reactions/likes.js";
import { answeredBy } from "../text/addressing.js";
import { reasonOf } from "../text/reason.js";
import { homeGroup } from "../topics/topics.js";
import { copied } from "../ui/copy.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */

const reason = (/** @type {unknown} */ error) => reasonOf(error);

/** @returns {import("./message_row.js").MessageActions} */
export function createTimelineActs(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Pick<import("../messages/message_bar.js").Acts, "answer" | "about" | "select"> & { back: (key: string) => void }} */ {
    back,
    ...acts
  },
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

  const toggle = (/** @type {MessageRow} */ { key, signs }, /** @type {string} */ sign) =>
    here(({ conv }) => {
      if (sign === HEART) return app.like(conv, key);
      const isMine = signs.some(({ code, mine }) => mine && code === sign);
      return app.react(conv, key, isMine ? null : sign).catch(complain);
    });

  /** @type {import("../messages/message_bar.js").Acts} */
  const menu = {
    ...acts,
    forward: (row) => here(({ conv }) => openForward(app, conv, [row])),
    copy: ({ text }) => copy(text),
    link: ({ key }) => here(({ conv }) => openMessageLink(conv, key)),
    react: ({ key }) => here((shown) => chooseReaction(shown, key)),
    edit: async (id, text) => here(({ conv }) => app.editMessage(conv, id, text)),
    remove: async (id) => here(({ conv }) => app.deleteMessage(conv, id)),
    pin: (id, on) => here(({ conv }) => app.pin(conv, id, on).catch(notDone)),
    save: (id, on) => here(({ conv }) => app.save(conv, id, on).catch(notDone)),
    report: ({ key, author }) => here((shown) => openMessageReport(app, shown, { key, author: author.id })),
    // The conversation closes, since messages on the screen are read.
    unread: ({ key }) =>
      here(({ conv }) => {
        pages.goTo(homeHref);
        return app.markUnread(conv, key).catch(notDone);
      }),
    show: ({ key }) => here(({ conv }) => pages.goTo(messageHref(conv, key))),
    thread: (row) => here(({ conv }) => pages.goTo(threadHref(conv, beginningOf(row)))),
    more: (row, at) => openMessageMenu(app, row, { ...menu, toggle, back }, at),
  };

  return {
    card: (attachment) => here((shown) => cards(shown, attachment)),
    retry: (guid) => here(({ conv }) => app.retry(conv, guid)),
    discard: (guid) => here(({ conv }) => app.discard(conv, guid)),
    toggle,
    open: async (file, isQuiet) =>
      here(({ conv }) => app.fileLink(conv, file).catch(isQuiet ? () => null : notDone)),
    menu,
    thread: (id) => here(({ conv }) => pages.goTo(threadHref(conv, id))),
    hasTopic(conv) {
      const isThere = Boolean(app.state.get().snapshot?.conversations[conv]);
      if (!isThere) app.tell(t("This topic has been removed."));
      return isThere;
    },
    meet: ({ id, name, imageUrl }) =>
      openPerson(app, { id, name, imageUrl }, homeGroup(app.state.get().snapshot, open()?.group)),
  };
}

/** The id of the message that began the thread of a message: its own, if it is no reply. */
function beginningOf(/** @type {MessageRow} */ { key, attachments }) {
  const reply = attachments.find(({ type }) => type === "reply");
  return String(reply?.base_reply_id ?? answeredBy(attachments)?.id ?? key);
}
