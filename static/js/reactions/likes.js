/**
 * Liking: a like shows at once, and either stays, or is taken back with the reason.
 *
 * Owns whether I like each message until the server has confirmed it. Each message has one request running at
 * a time; if I change my mind meanwhile, the last choice counts.
 */

import { change, find } from "../sync/messages.js";
import { inAll, seenNow } from "../sync/past.js";
import { patch } from "../sync/store.js";
import { reasonOf } from "../text/reason.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** The ids of the users who like a message, with my pending choice applied. @returns {string[]} */
export function likersOf(
  /** @type {Pick<Message, "favorited_by">} */ { favorited_by: likers },
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) {
  if (pendingLike === undefined || pendingLike === likers.includes(me)) return likers;
  return pendingLike ? [...likers, me] : likers.filter((liker) => liker !== me);
}

/** The emoji of a like without a chosen emoji. */
export const HEART = "❤️";

/**
 * The reactions other than hearts, and the users who gave them.
 * @returns {{ code: string, ids: string[] }[]}
 */
export function signsOf(
  /** @type {Pick<Message, "reactions">} */ { reactions = [] },
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) {
  const signs = reactions.filter(({ code }) => code !== HEART);
  // Liking with a heart, or taking a like back, replaces any other reaction of mine.
  const isLeft = (/** @type {string} */ id) => pendingLike === undefined || id !== me;
  return signs
    .map(({ code = "🖼️", user_ids: ids }) => ({ code, ids: ids.filter(isLeft) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Whether I like a message with a heart. */
const isLiked = (
  /** @type {Message} */ message,
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) =>
  likersOf(message, pendingLike, me).includes(me) &&
  !signsOf(message, pendingLike, me).some(({ ids }) => ids.includes(me));

/** A message's reactions without mine. */
function withoutMine(/** @type {Message | null} */ message, /** @type {string} */ me) {
  return (message?.reactions ?? []).map((sign) => ({
    ...sign,
    user_ids: sign.user_ids.filter((id) => id !== me),
  }));
}

/** Makes a confirmed choice part of the message; it stays pending only if I have changed my mind since. */
function granted(
  /** @type {Conversation} */ old,
  /** @type {string} */ id,
  /** @type {boolean} */ pendingLike,
  /** @type {string} */ me,
) {
  const message = find(seenNow(old).messages, id);
  const likers = message ? likersOf(message, pendingLike, me) : [];
  const facts = { favorited_by: likers, reactions: withoutMine(message, me) };
  const done = inAll(old, (messages) => change(messages, id, facts));
  return old.pendingLikes[id] === pendingLike ? without(done, id) : done;
}

/** The conversation without the pending choice for a message. @returns {Conversation} */
function without(/** @type {Conversation} */ old, /** @type {string} */ id) {
  const { [id]: _, ...pendingLikes } = old.pendingLikes;
  return { ...old, pendingLikes };
}

/**
 * @param {object} parts
 * @param {Pick<import("../sync/api.js").Api, "like" | "unlike">} parts.api
 * @param {import("../sync/state.js").StateHolder} parts.state
 * @param {(trouble: string) => void} parts.complain
 */
export function createLikes({ api, state, complain }) {
  /** The ids of messages with a request running. @type {Set<string>} */
  const underWay = new Set();

  const pendingLikeOf = (/** @type {string} */ conv, /** @type {string} */ id) =>
    state.get().snapshot?.conversations[conv]?.pendingLikes[id];

  async function settle(/** @type {string} */ conv, /** @type {string} */ id) {
    if (underWay.has(id)) return;
    underWay.add(id);
    try {
      for (
        let pendingLike = pendingLikeOf(conv, id);
        pendingLike !== undefined;
        pendingLike = pendingLikeOf(conv, id)
      ) {
        const settled = pendingLike;
        await (settled ? api.like : api.unlike)(conv.slice(2), id);
        state.update((snapshot) =>
          patch(snapshot, conv, (old) => granted(old, id, settled, snapshot.user.id)),
        );
      }
    } catch (error) {
      const why = reasonOf(error);
      complain(t("Your like could not be saved. {why}", { why }));
      state.update((snapshot) => patch(snapshot, conv, (old) => without(old, id)));
    } finally {
      underWay.delete(id);
    }
  }

  return {
    /**
     * Likes a message with a heart, or takes that back, depending on my current choice and not on what is
     * drawn.
     */
    toggle(/** @type {string} */ conv, /** @type {string} */ id) {
      const { snapshot } = state.get();
      const one = snapshot?.conversations[conv];
      const message = one && find(seenNow(one).messages, id);
      if (!message) return;
      const liked = !isLiked(message, one.pendingLikes[id], snapshot.user.id);
      state.update((snapshot) =>
        patch(snapshot, conv, (old) => ({ ...old, pendingLikes: { ...old.pendingLikes, [id]: liked } })),
      );
      settle(conv, id);
    },
  };
}
