/**
 * Who is here now, in the conversations that are watched.
 *
 * Owns only what was said last: the server tells of those who are here when a watch
 * begins, and of each change. Once the line is lost nothing is known any more.
 */

/** @typedef {import("./state.js").StateHolder} StateHolder */
/** User ids by conversation. @typedef {Readonly<Record<string, readonly string[]>>} Present */

export const createPresence = (/** @type {StateHolder} */ state) => ({
  hears(/** @type {string} */ conv, /** @type {string} */ user, /** @type {boolean} */ online) {
    const { present } = state.get();
    const others = (present[conv] ?? []).filter((one) => one !== user);
    state.set({ present: { ...present, [conv]: online ? [...others, user] : others } });
  },

  /** A conversation that is watched no more. */
  forget(/** @type {string} */ conv) {
    const { [conv]: _, ...present } = state.get().present;
    state.set({ present });
  },

  forgetAll: () => state.set({ present: {} }),
});

/** Whether the other of a chat is here, as far as the server says. Of the blocked it says nothing. */
export const isPresent = (
  /** @type {import("./types.js").Conversation} */ { conv, other },
  /** @type {import("./state.js").State} */ { present, snapshot },
) => Boolean(other && present[conv]?.includes(other.id) && !snapshot?.blocked.includes(other.id));
