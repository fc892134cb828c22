/**
 * Who is signed in on this device: the access token between visits.
 *
 * Owns two keys in localStorage. A browser that refuses storage still works
 * until the page is closed.
 */

const KEY = "coterie.token";
/** The key of the provider with whose account somebody logged in. */
const PROVIDER = "coterie.provider";

/** The token where the browser refuses storage. @type {string | null} */
let unstored = null;

/** @returns {string | null} */
export function savedToken() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return unstored;
  }
}

/**
 * The answer to the snapshot request that `boot.js` sent with this token before the client was loaded; null
 * if it sent none, and from the second call on.
 * @returns {Promise<Response> | null}
 */
export function earlySync(/** @type {string} */ token) {
  const page = /** @type {{ coterieSync?: { token: string, answer: Promise<Response> } }} */ (globalThis);
  const asked = page.coterieSync;
  page.coterieSync = undefined;
  return asked?.token === token ? asked.answer : null;
}

export function saveToken(/** @type {string} */ token) {
  unstored = token;
  try {
    localStorage.setItem(KEY, token);
  } catch {
    // Private windows may refuse storage; `unstored` serves this visit.
  }
}

/** Remembers the provider with whose account somebody logged in, whose session a log-out ends, too. */
export function saveProvider(/** @type {string | undefined} */ id) {
  try {
    if (id) localStorage.setItem(PROVIDER, id);
    else localStorage.removeItem(PROVIDER);
  } catch {
    // The browser refuses storage: the session at the provider goes on.
  }
}

/** @returns {string | null} */
export function savedProvider() {
  try {
    return localStorage.getItem(PROVIDER);
  } catch {
    return null;
  }
}

export function forgetToken() {
  unstored = null;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // The browser refuses storage, so nothing was stored.
  }
}

/** Calls `run` when another tab signed in or out, since this one should show the same. */
export function onTokenChangedElsewhere(/** @type {() => void} */ run) {
  addEventListener("storage", ({ key, oldValue, newValue }) => {
    if (key === KEY && oldValue !== newValue) run();
  });
}
