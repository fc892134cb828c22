/**
 * Who is signed in on this device: the access token between visits.
 *
 * Owns the one key in localStorage. A browser that refuses storage still works
 * until the page is closed.
 */

const KEY = "coterie.token";

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
