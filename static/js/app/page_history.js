/**
 * The browser's history of this page: each place has an entry, and each open window has one above it. So Back
 * closes the topmost window, or returns to the earlier place.
 *
 * Owns `history` and the open windows: nothing else changes either of them. Traversing the history is
 * asynchronous, so changes wait until a running traversal has ended. An address that somebody types meanwhile
 * does not wait: its place is shown again if a traversal ends after it.
 */

/**
 * @typedef {object} Entry the state of an entry of the browser's history
 * @property {string} place the id of the place; the entries of the windows over a place have the same id
 * @property {number} windows the number of open windows
 * @property {string} from the address of the place before; "" for none
 * @property {number} at the number of entries of this page before it
 *
 * @typedef {{ place: string, isReturn: boolean }} Visit `isReturn`: whether Back or Forward led to the place
 * @typedef {Pick<Window, "addEventListener" | "history" | "location" | "setTimeout">} Page
 */

/**
 * How long a traversal is waited for, in milliseconds. The browser reports none that leads nowhere, or that a
 * new address cancelled.
 */
const TRAVERSAL_MS = 1_000;

/** The attribute of links that close a page: they lead back where the page was opened from there. */
export const CLOSES = { "data-closes": "" };

/** @param {Page} page @param {() => string} newId makes an id that no other entry has */
export function createPageHistory(page, newId) {
  const { history, location } = page;
  /** The functions that close the open windows, from bottom to top. @type {(() => void)[]} */
  const windows = [];
  /** @type {Set<(hash: string, visit: Visit) => void>} */
  const listeners = new Set();
  /** What happens to the history once all windows are closed. @type {(() => void) | null} */
  let next = null;
  let traversal = 0;
  let isTraversing = false;
  let isPlanned = false;
  const address = () => location.hash || "#/";
  let shown = { hash: address(), place: "" };
  /** The number of the entry that is shown. */
  let at = 0;
  /** Until when a traversal may end that a new address overtook. */
  let lateUntil = 0;

  /** @returns {Entry | null} */
  function entry() {
    const { state } = history;
    return state && typeof state.place === "string" && typeof state.at === "number" ? state : null;
  }

  const begin = (/** @type {string} */ from) => ({ place: newId(), windows: 0, from, at });

  function traverse(/** @type {number} */ by) {
    isTraversing = true;
    traversal += 1;
    const mine = traversal;
    history.go(by);
    page.setTimeout(() => {
      if (mine !== traversal || !isTraversing) return;
      isTraversing = false;
      // Another traversal would lead too far if this one still ends.
      lateUntil = performance.now() + TRAVERSAL_MS;
      actNext();
    }, TRAVERSAL_MS);
  }

  /** Handles the end of a traversal, and a new address. */
  function settle() {
    const isOwn = isTraversing;
    isTraversing = false;
    const known = entry();
    if (!known) {
      // A link was followed or an address typed.
      if (isOwn) lateUntil = performance.now() + TRAVERSAL_MS;
      at += 1;
      history.replaceState(begin(shown.hash), "");
      closeAbove(0);
    } else if (!isOwn && known.at < at && performance.now() < lateUntil) {
      lateUntil = 0;
      if (known.place !== shown.place) {
        // The place that is shown comes after the entry to which that traversal led. A traversal back to it
        // could be overtaken again.
        at = known.at + 1;
        history.pushState({ ...begin(address()), place: shown.place }, "", shown.hash);
      }
    } else if (!isOwn && known.at !== at) {
      // A link that was followed brings two events: what was opened between them stays.
      closeAbove(known.windows);
    }
    at = entry()?.at ?? at;
    tell(known !== null);
    plan();
  }

  function closeAbove(/** @type {number} */ count) {
    while (windows.length > count) windows.pop()?.();
  }

  function tell(/** @type {boolean} */ isReturn) {
    const hash = address();
    const place = entry()?.place ?? "";
    if (hash === shown.hash && place === shown.place) return;
    shown = { hash, place };
    for (const listener of listeners) listener(hash, { place, isReturn });
  }

  /** Brings the history in line with the open windows, after all that happens at once. */
  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    page.setTimeout(() => {
      isPlanned = false;
      align();
    }, 0);
  }

  function align() {
    const now = entry();
    if (isTraversing || !now) return;
    const wanted = next ? 0 : windows.length;
    if (now.windows > wanted) return traverse(wanted - now.windows);
    if (next) return actNext();
    for (let count = now.windows + 1; count <= wanted; count += 1) {
      at += 1;
      history.pushState({ ...now, windows: count, at }, "");
    }
  }

  function actNext() {
    const act = next;
    next = null;
    if (!act) return;
    act();
    plan();
  }

  /** Closes all windows, and then changes the history. */
  function leave(/** @type {() => void} */ act) {
    closeAbove(0);
    next = act;
    align();
  }

  function replace(/** @type {string} */ href) {
    history.replaceState({ ...begin(""), from: entry()?.from ?? "" }, "", href);
    tell(false);
  }

  if (!entry()) history.replaceState(begin(""), "");
  shown.place = entry()?.place ?? "";
  at = entry()?.at ?? 0;
  page.addEventListener("popstate", settle);
  page.addEventListener("hashchange", settle);
  // An entry of a window that was open when the page was reloaded.
  plan();

  return {
    /** The place that is shown. @returns {Visit} */
    visit: () => ({ place: shown.place, isReturn: false }),

    /** The address from which a link led to the place that is shown; "" if none did. */
    from: () => entry()?.from ?? "",

    /** Calls the listener when another place is shown. */
    onPlace: (/** @type {(hash: string, visit: Visit) => void} */ listener) => listeners.add(listener),

    /**
     * Registers an open window. `close` closes it when Back was pressed or another place is shown.
     * @returns {() => void} to be called when the window is closed; may be called more than once
     */
    opened(/** @type {() => void} */ close) {
      const own = () => close();
      windows.push(own);
      plan();
      return () => {
        const at = windows.indexOf(own);
        if (at < 0) return;
        windows.splice(at, 1);
        plan();
      };
    },

    /** Shows another place; closes all windows. */
    goTo(/** @type {string} */ href) {
      leave(() => {
        if (href === address()) return;
        at += 1;
        history.pushState(begin(address()), "", href);
        tell(false);
      });
    },

    /** Shows another place instead of this one, which Back then does not show. */
    replace: (/** @type {string} */ href) => leave(() => replace(href)),

    /** Closes a page that covers the place at `href`: goes back if it was opened there. */
    close(/** @type {string} */ href) {
      leave(() => (entry()?.from === href ? traverse(-1) : replace(href)));
    },
  };
}

/** @typedef {ReturnType<typeof createPageHistory>} PageHistory */

/** Follows the links of the page: those in windows, which close then, and those that close a page. */
export function followLinks(/** @type {Document} */ document, /** @type {PageHistory} */ pages) {
  document.addEventListener("click", (event) => {
    const { target, button, defaultPrevented, altKey, ctrlKey, metaKey, shiftKey } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    const href = link?.getAttribute("href") ?? "";
    if (!link || link.target || !href.startsWith("#/") || defaultPrevented) return;
    if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    if (link.hasAttribute("data-closes")) pages.close(href);
    else pages.goTo(href);
  });
}
