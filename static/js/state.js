/**
 * The one place where the page's state lives, and who hears when it changes.
 *
 * Owns holding and telling, nothing else: what changes and why is said by `app.js`.
 * Several changes are told once, at the moment that `soon` chooses.
 */

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./route.js").Route} Route */

/**
 * @typedef {object} State
 * @property {"out" | "starting" | "in"} phase signed out, loading the first snapshot, or signed in
 * @property {string} notice what the sign-in page should say first
 * @property {Snapshot | null} snapshot
 * @property {import("./push.js").PushState} connection
 * @property {Route} route
 * @property {import("./typing.js").Typing} typing
 * @property {import("./bot_list.js").Bot[] | null} bots those that I made; null until somebody looks
 * @property {import("./presence.js").Present} present
 * @property {import("./route.js").Invitation | null} invitation a group whose share link was opened, until it is answered
 * @property {string} trouble what did not work and has no better place to be said
 */

/** @typedef {ReturnType<typeof createState>} StateHolder */

/**
 * @param {State} initial
 * @param {(run: () => void) => void} [soon] runs once, later; in a page before its next frame
 */
export function createState(initial, soon = queueMicrotask) {
  let state = initial;
  let told = true;
  /** @type {((state: State) => void)[]} */
  const listeners = [];

  function tell() {
    told = true;
    for (const listener of listeners) listener(state);
  }

  function set(/** @type {Partial<State>} */ changes) {
    state = { ...state, ...changes };
    if (!told) return;
    told = false;
    soon(tell);
  }

  return {
    get: () => state,
    set,
    /** Nothing changed, but it is to be shown anew. */
    touch: () => set({}),

    /** Changes the snapshot; without one there is nothing to change. */
    update(/** @type {(snapshot: Snapshot) => Snapshot} */ how) {
      if (!state.snapshot) return;
      const snapshot = how(state.snapshot);
      if (snapshot !== state.snapshot) set({ snapshot });
    },

    onChange(/** @type {(state: State) => void} */ listener) {
      listeners.push(listener);
    },
  };
}
