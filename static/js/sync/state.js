/**
 * The one place where the page's state lives, and its listeners.
 *
 * Owns holding the state and telling listeners, nothing else: `app.js` decides what changes. Several changes
 * are told at once, at the moment that `soon` chooses.
 */

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("../app/route.js").Route} Route */

/**
 * @typedef {object} State
 * @property {"out" | "starting" | "in" | "factor"} phase signed out, loading the first snapshot, signed in, or signed in
 *   with an account that can be used once it has a second factor
 * @property {string} notice the sentence at the top of the sign-in page; empty for none
 * @property {Snapshot | null} snapshot
 * @property {import("../push.js").PushState} connection
 * @property {"offline" | "failed" | ""} [cut] whether the device is offline, or the last request got no answer
 * @property {Route} route
 * @property {import("../app/page_history.js").Visit} visit how the user came to the route
 * @property {string} [folder] the name of the folder that was chosen, "" for all conversations; absent until one is
 *   chosen on this page
 * @property {readonly string[]} [foldedTopics] the groups whose topics are hidden, as chosen on this page; absent until then
 * @property {import("../conversation/typing.js").Typing} typing
 * @property {import("../bots/bot_list.js").Bot[] | null} bots those that I made; null until the list is opened
 * @property {import("../people/presence.js").Present} present
 * @property {import("../app/route.js").Invitation | null} invitation a group whose share link was opened, until it is answered
 * @property {string | null} accountInvitation the token of the operators' invitation that was opened, until somebody is signed in
 * @property {string} trouble a failure that no other place on the page shows; empty for none
 * @property {string} done what was just done, where nothing else on the page shows it; empty for nothing
 */

/** @typedef {ReturnType<typeof createState>} StateHolder */

/**
 * @param {State} initial
 * @param {(run: () => void) => void} [soon] runs its argument once, later; in a page before the next frame
 */
export function createState(initial, soon = queueMicrotask) {
  let state = initial;
  let told = true;
  /** @type {Set<(state: State) => void>} */
  const listeners = new Set();

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
    /** Has the listeners called although nothing in the state changed. */
    touch: () => set({}),

    /** Changes the snapshot; does nothing without one. */
    update(/** @type {(snapshot: Snapshot) => Snapshot} */ how) {
      if (!state.snapshot) return;
      const snapshot = how(state.snapshot);
      if (snapshot !== state.snapshot) set({ snapshot });
    },

    /** Calls the listener after changes. @returns {() => void} removes the listener */
    onChange(/** @type {(state: State) => void} */ listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
