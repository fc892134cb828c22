/**
 * Who is online, in the conversations that are subscribed.
 *
 * Owns only the latest news: the server tells who is online when a subscription begins, and each change. Once
 * the connection is lost, nothing is known.
 */

/** @typedef {import("../sync/state.js").StateHolder} StateHolder */
/** User ids by conversation. @typedef {Readonly<Record<string, readonly string[]>>} Present */

export const createPresence = (/** @type {StateHolder} */ state) => ({
  hears(/** @type {string} */ conv, /** @type {string} */ user, /** @type {boolean} */ online) {
    const { present } = state.get();
    const others = (present[conv] ?? []).filter((one) => one !== user);
    state.set({ present: { ...present, [conv]: online ? [...others, user] : others } });
  },

  /** Forgets a conversation that is no longer subscribed. */
  forget(/** @type {string} */ conv) {
    const { [conv]: _, ...present } = state.get().present;
    state.set({ present });
  },

  forgetAll: () => state.set({ present: {} }),
});

/**
 * Whether the other person of a chat is online. False for people I block: the server tells nothing of them.
 */
export const isPresent = (
  /** @type {import("../sync/types.js").Conversation} */ { conv, other },
  /** @type {import("../sync/state.js").State} */ { present, snapshot },
) => Boolean(other && present[conv]?.includes(other.id) && !snapshot?.blocked.includes(other.id));
