/**
 * Who is typing in which conversation, and telling others that I am.
 *
 * Owns how long that holds: somebody counts as typing for 5 s after each notice, or until their message
 * comes or the server says that they stopped. My own typing is sent once every few seconds, not per key.
 */

import { isRequest } from "../chats/chats.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/state.js").StateHolder} StateHolder */
/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** User ids by conversation. @typedef {Readonly<Record<string, readonly string[]>>} Typing */

/** How long a notice holds, as at the server. */
const VALID_MS = 5_000;
/** Shorter than `VALID_MS`, so that a notice is renewed before it ends. */
const TELL_EVERY_MS = 4_000;

/**
 * @param {object} parts
 * @param {StateHolder} parts.state
 * @param {(conv: string) => boolean} parts.tell sends my notice; false when it could not be sent
 * @param {(run: () => void, ms: number) => any} [parts.later]
 * @param {() => number} [parts.now]
 */
export function createTyping({ state, tell, later = setTimeout, now = Date.now }) {
  /**
   * How many notices each person has sent in each conversation, by `<conv> <user>`.
   * @type {Map<string, number>}
   */
  const notices = new Map();
  /** When my last notice was sent, by conversation; in milliseconds. @type {Map<string, number>} */
  const told = new Map();

  function stops(/** @type {string} */ conv, /** @type {string} */ user) {
    notices.delete(`${conv} ${user}`);
    const { typing } = state.get();
    if (!typing[conv]?.includes(user)) return;
    state.set({ typing: { ...typing, [conv]: typing[conv].filter((other) => other !== user) } });
  }

  return {
    stops,

    /** Somebody types until a time of the server; 0 if they stopped. */
    hears(/** @type {string} */ conv, /** @type {string} */ user, /** @type {number} */ until) {
      if (until === 0) return stops(conv, user);
      const key = `${conv} ${user}`;
      const notice = (notices.get(key) ?? 0) + 1;
      notices.set(key, notice);
      const { typing } = state.get();
      if (!typing[conv]?.includes(user)) {
        state.set({ typing: { ...typing, [conv]: [...(typing[conv] ?? []), user] } });
      }
      later(() => {
        if (notices.get(key) === notice) stops(conv, user);
      }, VALID_MS);
    },

    /** I type in this conversation. In a message request, nobody learns of it. */
    tells(/** @type {string} */ conv) {
      if (isRequest(state.get().snapshot?.conversations[conv])) return;
      const at = now();
      if (at - (told.get(conv) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
      if (tell(conv)) told.set(conv, at);
    },

    /** My message is sent, so my next typing is told at once. */
    sent: (/** @type {string} */ conv) => told.delete(conv),
  };
}

/** Who is typing, as a sentence for the head of a conversation; empty while nobody types. */
export function typingWords(
  /** @type {Conversation} */ { conv, group, other },
  /** @type {Typing} */ typing,
) {
  const who = typing[conv] ?? [];
  if (other) return who.includes(other.id) ? t("{it} is typing…", { it: other.name }) : "";
  const members = group.members ?? [];
  const nameOf = (/** @type {string} */ user) => members.find((one) => one.user_id === user)?.nickname;
  const names = who.map((user) => nameOf(user) ?? t("Somebody"));
  if (names.length === 0) return "";
  if (names.length > 2) return t("{count} people are typing…", { count: names.length });
  return names.length === 1
    ? t("{it} is typing…", { it: names[0] })
    : t("{it} and {it2} are typing…", { it: names[0], it2: names[1] });
}
