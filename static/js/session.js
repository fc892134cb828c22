/**
 * Who is signed in on this device: the access token between visits.
 *
 * Owns the one key in localStorage. A browser that refuses storage still works
 * until the page is closed.
 */

const KEY = "coterie.token";

/** @type {string | null} */
let unstored = null;

/** @returns {string | null} */
export function savedToken() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return unstored;
  }
}

export function saveToken(/** @type {string} */ token) {
  unstored = token;
  try {
    localStorage.setItem(KEY, token);
  } catch {
    // Private windows may refuse; the variable above serves this visit.
  }
}

export function forgetToken() {
  unstored = null;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was stored, so nothing is left behind.
  }
}

/** Another tab signed in or out: this one should show the same. */
export function onTokenChangedElsewhere(/** @type {() => void} */ run) {
  addEventListener("storage", ({ key, oldValue, newValue }) => {
    if (key === KEY && oldValue !== newValue) run();
  });
}
