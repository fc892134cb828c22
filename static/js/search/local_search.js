/**
 * Finds messages on this device, for when the server cannot be asked.
 *
 * Pure. A message matches if each typed word begins one of its words; case and accents make no difference. In
 * scripts without spaces, a typed word is found anywhere.
 */

import { compareIds } from "../sync/messages.js";
import { findable } from "../sync/store.js";
import { splitLinks } from "../text/links.js";
import { saidIn } from "../text/system_line.js";
import { hasBeginning, plain } from "./finding.js";

/** How many results a search has at most, the newest ones. */
const MOST = 20;

const wordsIn = (/** @type {string} */ text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether a message is one of those that a search looks for, apart from its words. */
const isMeant =
  (/** @type {Partial<import("./message_search.js").Search>} */ { conv, sender, has, from, to }) =>
  (/** @type {import("./search_calls.js").FoundMessage} */ message) =>
    (!conv || message.conversation_id === conv.slice(2)) &&
    (!sender || message.user_id === sender) &&
    (!has || contentOf(message).has(has)) &&
    (!from || message.created_at >= from) &&
    (!to || message.created_at <= to);

/** The kinds of content that a message has. @returns {Set<string>} */
function contentOf(/** @type {import("../sync/types.js").Message} */ { text, attachments }) {
  const kinds = (attachments ?? []).flatMap(({ type, mime_type: mime }) =>
    type === "file" && String(mime).startsWith("video/") ? ["file", "video"] : [type],
  );
  const hasLink = splitLinks(text ?? "").some(({ href }) => href);
  return new Set(hasLink ? [...kinds, "link"] : kinds);
}

/**
 * The newest messages on this device with these words; with a search that has no words, all that it looks for.
 * @returns {import("./search_calls.js").FoundMessage[]}
 */
export function foundHere(
  /** @type {import("../sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ typed,
  /** @type {Partial<import("./message_search.js").Search>} */ search = {},
) {
  const wanted = wordsIn(typed);
  if (wanted.length === 0 && !search.sender && !search.has) return [];
  const isFound = (/** @type {string} */ text) => {
    const words = wordsIn(text).join(" ");
    return wanted.every((start) => hasBeginning(words, start));
  };
  return findable(snapshot)
    .flatMap(({ conv, messages }) =>
      messages
        .filter((message) => !message.system && !message.deleted_at && isFound(saidIn(message)))
        .map((message) => ({ ...message, conversation_id: conv.slice(2), highlights: [] })),
    )
    .filter(isMeant(search))
    .sort((one, other) => other.created_at - one.created_at || compareIds(other.id, one.id))
    .slice(0, MOST);
}
