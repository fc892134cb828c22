/**
 * The composition root: makes the app, shows the view that fits, and passes on what
 * the browser tells (addresses, network, other tabs). Decides nothing else.
 */

import { createApp } from "./app.js";
import { beforeNextFrame } from "./frames.js";
import { NOT_LOADED } from "./loading.js";
import { isUnread } from "./log.js";
import { onTokenChangedElsewhere } from "./session.js";
import { listed } from "./store.js";
import { createBadge } from "./views/badge.js";
import { listenForKeys } from "./views/keys.js";
import { createMissedPictures } from "./views/missed_pictures.js";
import { createShell } from "./views/shell.js";
import { createSignIn } from "./views/sign_in.js";
import { direction, language, t } from "./words.js";

// Asked for when it is needed: a browser that refuses storage says so by throwing.
const device = () => ({
  workers: navigator.serviceWorker,
  permission: globalThis.Notification,
  storage: localStorage,
  keep: isSecureContext
    ? { databases: indexedDB, caches, digests: crypto.subtle, workers: navigator.serviceWorker }
    : null,
});
const { origin, pathname, search, hash } = location;
const app = createApp({ origin, path: pathname + search, hash, device, soon: beforeNextFrame });
Object.assign(document.documentElement, { lang: language, dir: direction });
const root = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @type {{ node: HTMLElement, show(state: import("./state.js").State): void } | null} */
let view = null;
let shownPhase = "";
const badge = createBadge();
const pictures = createMissedPictures(document);
let wasLive = false;

function show(/** @type {import("./state.js").State} */ state) {
  const phase = state.phase === "out" ? "out" : "in";
  if (phase !== shownPhase) {
    const isFirst = shownPhase === "";
    // What was asked of one is not asked of another.
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    shownPhase = phase;
    view = phase === "out" ? createSignIn(app) : createShell(app);
    root.replaceChildren(view.node);
    // The focused element is gone with the old view; reading goes on at the new title.
    if (!isFirst) root.querySelector("h1")?.focus();
  }
  view?.show(state);
  const isLive = state.connection === "live";
  if (isLive && !wasLive) pictures.lineIsBack();
  wasLive = isLive;
  // Of what is shown by now something may be read by now.
  const { snapshot } = app.state.get();
  badge.show(snapshot ? listed(snapshot).filter(isUnread).length : 0);
}

addEventListener("hashchange", () => app.navigated(location.hash));
addEventListener("online", () => app.networkChanged());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") app.networkChanged();
});
addEventListener(NOT_LOADED, () =>
  app.complain(t("This part of the page did not arrive. Check your connection and try again.")),
);
onTokenChangedElsewhere(() => location.reload());

listenForKeys(app);
app.state.onChange(show);
// "Today" becomes "Yesterday" although nothing happened.
setInterval(() => show(app.state.get()), 60_000);
app.start();
show(app.state.get());
