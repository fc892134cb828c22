/**
 * Liking: a like shows at once, and either holds, or goes away with a word why.
 *
 * Owns what I wish of each message until the server has said yes. Of one message, one
 * wish is under way at a time; when I change my mind meanwhile, the last wish counts.
 */

import { change } from "./messages.js";
import { patch } from "./store.js";

/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Conversation} Conversation */

/** Who likes a message, my own wish included. @returns {string[]} */
export function likersOf(
  /** @type {Pick<Message, "id" | "favorited_by">} */ { id, favorited_by: likers },
  /** @type {Conversation["wishes"]} */ wishes,
  /** @type {string} */ me,
) {
  const wish = wishes[id];
  if (wish === undefined || wish === likers.includes(me)) return likers;
  return wish ? [...likers, me] : likers.filter((liker) => liker !== me);
}

/** The wish became true: it is part of the message, unless there is another wish by now. */
function granted(
  /** @type {Conversation} */ old,
  /** @type {string} */ id,
  /** @type {boolean} */ wish,
  /** @type {string} */ me,
) {
  const message = old.messages.find((one) => one.id === id);
  const likers = message ? likersOf(message, { [id]: wish }, me) : [];
  const messages = change(old.messages, id, { favorited_by: likers });
  return old.wishes[id] === wish ? without({ ...old, messages }, id) : { ...old, messages };
}

/** @returns {Conversation} */
function without(/** @type {Conversation} */ old, /** @type {string} */ id) {
  const { [id]: _, ...wishes } = old.wishes;
  return { ...old, wishes };
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

  const wishOf = (/** @type {string} */ conv, /** @type {string} */ id) =>
    state.get().snapshot?.conversations[conv]?.wishes[id];

  async function settle(/** @type {string} */ conv, /** @type {string} */ id) {
    if (underWay.has(id)) return;
    underWay.add(id);
    try {
      for (let wish = wishOf(conv, id); wish !== undefined; wish = wishOf(conv, id)) {
        const settled = wish;
        await (settled ? api.like : api.unlike)(conv.slice(2), id);
        state.update((snapshot) =>
          patch(snapshot, conv, (old) => granted(old, id, settled, snapshot.user.id)),
        );
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      complain(`Your like could not be saved. ${why}`);
      state.update((snapshot) => patch(snapshot, conv, (old) => without(old, id)));
    } finally {
      underWay.delete(id);
    }
  }

  return {
    wish(/** @type {string} */ conv, /** @type {string} */ id, /** @type {boolean} */ liked) {
      state.update((snapshot) =>
        patch(snapshot, conv, (old) => ({ ...old, wishes: { ...old.wishes, [id]: liked } })),
      );
      settle(conv, id);
    },
  };
}
