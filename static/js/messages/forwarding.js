/**
 * Forwarding: what of a message can be said again in another conversation, and how it gets there.
 *
 * The text goes as it was written. Mentions and replies are of their own conversation and stay there, so do
 * polls, events and bills. Pictures and places go as they are. A file belongs to the conversation to which it
 * was uploaded, so it is uploaded to the other one.
 */

import { reasonOf } from "../text/reason.js";

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {{ text: string, attachments: readonly Attachment[] }} Content */

/** The types of attachments that the server takes in any conversation. */
const AS_THEY_ARE = new Set(["image", "location", "emoji"]);
/** What is more than its words, and cannot be said elsewhere. */
const BOUND = new Set(["poll", "event"]);

/** The attachments that go along, in their order. */
const carried = (/** @type {Content} */ { attachments }) =>
  attachments.filter(({ type }) => type === "file" || AS_THEY_ARE.has(type));

/** Whether a message has something to forward, and nothing that would be lost without a word. */
export const isForwardable = (/** @type {Content} */ content) =>
  !content.attachments.some(({ type }) => BOUND.has(type)) &&
  (content.text !== "" || carried(content).length > 0);

/**
 * The attachments of a message as another conversation takes them, and the files that could not be brought
 * there.
 * @param {Content} content
 * @param {(file: Attachment) => Promise<Attachment>} bring brings a file to the other conversation
 */
export async function broughtAlong(content, bring) {
  /** @type {Attachment[]} */
  const attachments = [];
  /** @type {{ file: Attachment, why: string }[]} */
  const lost = [];
  for (const one of carried(content)) {
    if (one.type !== "file") {
      attachments.push(one);
      continue;
    }
    try {
      attachments.push(await bring(one));
    } catch (error) {
      lost.push({ file: one, why: reasonOf(error) });
    }
  }
  return { attachments, lost };
}
