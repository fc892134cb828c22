/**
 * The composition root: creates the app, shows the sign-in page or the shell, and passes browser events
 * (address, network, visibility, other tabs) on to the app. Decides nothing else.
 */

import { createApp } from "./app/app.js";
import { listenForKeys } from "./app/keys.js";
import { createLater } from "./app/later.js";
import { arrived, NOT_LOADED } from "./app/loading.js";
import { followLinks } from "./app/page_history.js";
import { hashOf } from "./app/route.js";
import { createBadge } from "./notices/badge.js";
import { listenForChimes } from "./notices/chime_loader.js";
import { createMissedPictures } from "./pictures/missed_pictures.js";
import { onTokenChangedElsewhere } from "./sign_in/session.js";
import { createSignIn } from "./sign_in/sign_in.js";
import { unreadCount } from "./sync/store.js";
import { h } from "./ui/dom.js";
import { beforeNextFrame } from "./ui/frames.js";
import { pages } from "./ui/window.js";
import { direction, t, tag } from "./words/words.js";

// A function, since a browser that refuses storage throws when `localStorage` is read.
const device = () => ({
  workers: navigator.serviceWorker,
  permission: globalThis.Notification,
  storage: localStorage,
  keep: isSecureContext
    ? { databases: indexedDB, caches, digests: crypto.subtle, workers: navigator.serviceWorker }
    : null,
});
// A path that people type stands for a hash, which is what every link of the client changes.
const typed = hashOf(location.pathname);
if (typed && !location.hash) pages.replace(`/${typed}`);
const { origin, pathname, search, hash } = location;
const app = createApp({
  origin,
  path: pathname + search,
  hash,
  visit: pages.visit(),
  device,
  soon: beforeNextFrame,
});
Object.assign(document.documentElement, { lang: tag, dir: direction });
const root = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @type {{ node: HTMLElement, show(state: import("./sync/state.js").State): void } | null} */
let view = null;
let shownPhase = "";
const badge = createBadge();
const pictures = createMissedPictures(document);
let wasLive = false;

/** The pages behind links in mails, which few people ever open. */
const createLinks = () =>
  createLater({
    load: async () => (await import("./sign_in/link_page.js")).createLinkPage(app),
    isOpen: ({ route }) => route.name === "link",
  });

/** The first steps of a new server. */
const createFirstSteps = () =>
  createLater({
    load: async () => (await import("./sign_in/setup.js")).createSetup(app),
    isOpen: ({ route }) => route.name === "setup",
  });

/** The page for an account that can be used only once it has a second factor. */
const createRequiredFactor = () =>
  createLater({
    load: async () => (await import("./security/required_factor_view.js")).createRequiredFactor(app),
    isOpen: ({ phase }) => phase === "factor",
  });

const NOT_ARRIVED = t("This part of the page could not be loaded. Check your connection and try again.");

/** What makes the shell, once it is loaded: the page for logging in does not need it. @type {typeof import("./app/shell.js").createShell | null} */
let createShell = null;
let isShellComing = false;

/** Loads the shell, then shows it if it is time. */
async function loadShell() {
  if (createShell || isShellComing) return;
  isShellComing = true;
  const part = await arrived(() => import("./app/shell.js"));
  isShellComing = false;
  if (part) {
    createShell = part.createShell;
    show(app.state.get());
  } else if (!view) root.replaceChildren(h("p", { role: "alert" }, NOT_ARRIVED));
}

/** Makes the view of a phase of the page; null while its code is not loaded. */
function viewOf(/** @type {string} */ phase) {
  if (phase === "link") return createLinks();
  if (phase === "setup") return createFirstSteps();
  if (phase === "factor") return createRequiredFactor();
  return phase === "out" ? createSignIn(app) : (createShell?.(app) ?? null);
}

function show(/** @type {import("./sync/state.js").State} */ state) {
  const { name } = state.route;
  const isAlone = name === "link" || (name === "setup" && state.phase !== "factor");
  const phase = isAlone ? name : state.phase === "starting" ? "in" : state.phase;
  // The old view stays until the code of the new one is there.
  const next = phase === shownPhase ? null : viewOf(phase);
  if (phase !== "link" && phase !== "setup") loadShell();
  if (phase !== shownPhase && !next) return;
  if (next) {
    const isFirst = shownPhase === "";
    // A dialog that was opened in the old view does not belong to the new one.
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    shownPhase = phase;
    view = next;
    root.replaceChildren(next.node);
    // The focused element was removed with the old view, so the new title takes the focus for screen readers.
    if (!isFirst) root.querySelector("h1")?.focus();
  }
  view?.show(state);
  const isLive = state.connection === "live";
  if (isLive && !wasLive) pictures.lineIsBack();
  wasLive = isLive;
  // Drawing the view may have marked messages as read, so the badge counts the snapshot of now, not `state`.
  const { snapshot } = app.state.get();
  badge.show(snapshot ? unreadCount(snapshot) : 0);
}

pages.onPlace(app.navigated);
followLinks(document, pages);
for (const change of ["online", "offline"])
  addEventListener(change, () => app.networkChanged(navigator.onLine));
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") app.networkChanged(navigator.onLine);
});
addEventListener(NOT_LOADED, () => app.complain(NOT_ARRIVED));
onTokenChangedElsewhere(() => location.reload());

listenForKeys(app);
listenForChimes(app);
app.state.onChange(show);
// Draws once a minute, so that "Today" becomes "Yesterday" even when nothing happens.
setInterval(() => show(app.state.get()), 60_000);
app.start();
show(app.state.get());
