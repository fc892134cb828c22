/**
 * Where somebody reads in one conversation.
 *
 * Pure. Moving there is the timeline's.
 */

import { isUnread } from "../log.js";
import { t } from "../words.js";
import { AT_END } from "./timeline_window.js";

/** @typedef {import("../types.js").Conversation} Conversation */

/**
 * @typedef {object} Place where somebody reads in one conversation
 * @property {import("./timeline_window.js").Window} window
 * @property {boolean} atEnd
 * @property {boolean} newSince something came below what is seen
 * @property {string | null} unreadFrom the first message that was not read on coming here
 * @property {boolean} landing the first unread message, or the goal, is still to be shown
 * @property {string} goal the message that somebody is led to; empty without one
 * @property {import("./place_keeper.js").Stood[]} stood what was seen, and where
 */

/** @type {Place} */
export const NOWHERE = {
  window: AT_END,
  atEnd: true,
  newSince: false,
  unreadFrom: null,
  landing: false,
  goal: "",
  stood: [],
};

/** Where one comes to first. @returns {Place} */
export const beginning = (/** @type {Conversation} */ conversation) => ({
  ...NOWHERE,
  landing: isUnread(conversation) && conversation.unread > 0 && !conversation.copied,
});

/** Why the message that somebody is led to is not there; `copied` where only this device was asked. */
export const notFound = (/** @type {unknown} */ copied) =>
  copied
    ? t("This message is not on this device, and there is no connection.")
    : t("This message cannot be shown. It may be very old, or not be in this conversation.");
