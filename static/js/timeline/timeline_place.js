/**
 * The reader's position in a conversation.
 *
 * Pure. The timeline scrolls there.
 */

import { isUnread } from "../sync/log.js";
import { t } from "../words/words.js";
import { AT_END } from "./timeline_window.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/**
 * @typedef {object} Place the reader's position in a conversation
 * @property {import("./timeline_window.js").Window} window
 * @property {boolean} atEnd
 * @property {string | null} unreadFrom the first message that was unread when the reader came here
 * @property {boolean} landing whether the first unread message, or the goal, still has to be shown
 * @property {string} goal the message to which the reader is led; "" for none
 * @property {import("./place_keeper.js").Stood[]} stood the visible rows and where they stood
 * @property {boolean} inPast whether the position is in a stretch that was jumped to
 */

/** @type {Place} */
export const NOWHERE = {
  window: AT_END,
  atEnd: true,
  unreadFrom: null,
  landing: false,
  goal: "",
  stood: [],
  inPast: false,
};

/** Returns the position at which a conversation opens for the first time. @returns {Place} */
export const beginning = (/** @type {Conversation} */ conversation) => ({
  ...NOWHERE,
  landing: isUnread(conversation) && conversation.unread > 0 && !conversation.copied,
});

/**
 * Says why the message to which the reader is led is not shown; `copied` if only this device's copy was
 * searched.
 */
export const notFound = (/** @type {unknown} */ copied) =>
  copied
    ? t("This message is not on this device, and there is no connection.")
    : t("This message cannot be shown. It may be very old, or not be in this conversation.");
