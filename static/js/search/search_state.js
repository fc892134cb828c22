/**
 * The last search of this page: its words and filters, and what it found. It stays when the panel closes, so that
 * Back from a message shows the results again.
 */

/** @typedef {import("./search_calls.js").FoundMessage} FoundMessage */

/**
 * @typedef {object} Typed the values of the fields
 * @property {string} words
 * @property {string} sender
 * @property {string} conv "" for all conversations
 * @property {string} has
 * @property {string} after a day as `2026-11-28`
 * @property {string} before
 */

/** @returns {Typed} */
const nothing = (/** @type {string} */ conv) => ({
  words: "",
  sender: "",
  conv,
  has: "",
  after: "",
  before: "",
});

/**
 * `home` is the conversation beside which the search was opened; a search beside another one starts from the beginning.
 * @type {{ home: string | null, typed: Typed, found: FoundMessage[], count: number, isMore: boolean, isLocal: boolean, chosen: string, isDone: boolean }}
 */
export const last = {
  home: null,
  typed: nothing(""),
  found: [],
  count: 0,
  isMore: false,
  isLocal: false,
  chosen: "",
  isDone: false,
};

/** Forgets the results, and sets the fields. */
export function begin(/** @type {string | null} */ home, /** @type {Partial<Typed>} */ typed = {}) {
  const fresh = { ...nothing(home ?? ""), ...typed };
  Object.assign(last, { home, typed: fresh, found: [], count: 0, isMore: false, chosen: "", isDone: false });
}

/** The next search begins with these words, in all conversations. */
export const prepareSearch = (/** @type {string} */ words) => begin(null, { words });
