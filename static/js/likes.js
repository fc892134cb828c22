/**
 * Liking: a like shows at once, and either holds, or goes away with a word why.
 *
 * Owns whether I like each message until the server has said yes. Of one message, one
 * change is under way at a time; when I change my mind meanwhile, the last one counts.
 */

import { change, find } from "./messages.js";
import { inAll, seenNow } from "./past.js";
import { patch } from "./store.js";
import { t } from "./words.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Conversation} Conversation */

/** Who likes a message, mine included. @returns {string[]} */
export function likersOf(
  /** @type {Pick<Message, "favorited_by">} */ { favorited_by: likers },
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) {
  if (pendingLike === undefined || pendingLike === likers.includes(me)) return likers;
  return pendingLike ? [...likers, me] : likers.filter((liker) => liker !== me);
}

/** The sign of a like that names none. */
export const HEART = "❤️";

/** The signs but the heart, with who gave them. @returns {{ code: string, ids: string[] }[]} */
export function signsOf(
  /** @type {Pick<Message, "reactions">} */ { reactions = [] },
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) {
  const signs = reactions.filter(({ code }) => code !== HEART);
  // Whoever likes, or takes that back, has no other sign any more.
  const isLeft = (/** @type {string} */ id) => pendingLike === undefined || id !== me;
  return signs
    .map(({ code = "🖼️", user_ids: ids }) => ({ code, ids: ids.filter(isLeft) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Whether I like a message, with a heart. */
const isLiked = (
  /** @type {Message} */ message,
  /** @type {boolean | undefined} */ pendingLike,
  /** @type {string} */ me,
) =>
  likersOf(message, pendingLike, me).includes(me) &&
  !signsOf(message, pendingLike, me).some(({ ids }) => ids.includes(me));

/** What is left of the signs once I like a message or take that back. */
function withoutMine(/** @type {Message | null} */ message, /** @type {string} */ me) {
  return (message?.reactions ?? []).map((sign) => ({
    ...sign,
    user_ids: sign.user_ids.filter((id) => id !== me),
  }));
}

/** The change is true now: it is part of the message, unless another one is pending. */
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

/** @returns {Conversation} */
function without(/** @type {Conversation} */ old, /** @type {string} */ id) {
  const { [id]: _, ...pendingLikes } = old.pendingLikes;
  return { ...old, pendingLikes };
}

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "like" | "unlike">} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 * @param {(trouble: string) => void} parts.complain
 */
export function createLikes({ api, state, complain }) {
  /** @type {Set<string>} */
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
      const why = error instanceof Error ? error.message : String(error);
      complain(t("Your like could not be saved. {why}", { why }));
      state.update((snapshot) => patch(snapshot, conv, (old) => without(old, id)));
    } finally {
      underWay.delete(id);
    }
  }

  return {
    /** I like what I do not like now, whatever is drawn of it by then, or no longer. */
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
