/**
 * Finds messages on this device, for when the server cannot be asked.
 *
 * Pure. A message matches if each typed word begins one of its words; case and accents make no difference.
 */

import { plain } from "./finding.js";
import { listed } from "./store.js";
import { saidIn } from "./system_line.js";

/** How many results a search has at most, the newest ones. */
const MOST = 20;

const wordsIn = (/** @type {string} */ text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** @returns {import("./search_calls.js").FoundMessage[]} */
export function foundHere(
  /** @type {import("./types.js").Snapshot} */ snapshot,
  /** @type {string} */ typed,
) {
  const wanted = wordsIn(typed);
  if (wanted.length === 0) return [];
  const isFound = (/** @type {string} */ text) => {
    const words = wordsIn(text);
    return wanted.every((start) => words.some((word) => word.startsWith(start)));
  };
  return listed(snapshot)
    .flatMap(({ conv, messages }) =>
      messages
        .filter((message) => !message.system && !message.deleted_at && isFound(saidIn(message)))
        .map((message) => ({ ...message, conversation_id: conv.slice(2), highlights: [] })),
    )
    .sort((one, other) => other.created_at - one.created_at)
    .slice(0, MOST);
}
