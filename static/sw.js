/**
 * The service worker: loads the client without a network, and shows push notices while nobody looks at the
 * page.
 *
 * Owns two things. First, the files of the client. The kept page is shown at once, and meanwhile the current
 * one is requested from the server. If that differs, it is kept with all files it names, and the page on the
 * screen is told, so that it can reload (`boot.js`). Second, what a push notice looks like. Holds no token
 * and keeps no answer of the API.
 */

import { withoutSigns } from "./js/text/markdown.js";

/** @typedef {{ title: string, body: string, conversation: string, message_id: string }} Notice */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** The cache of the client's files; `js/device/offline.js` deletes it when somebody logs out. */
const SHELL = "coterie.shell";
const PAGE = "/";
/** The message that tells a page that a newer one is kept. */
const NEWER = "coterie-newer";

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(fetch(PAGE).then(keep));
});

// The page of the first visit uses the kept files too, so that parts load without a network.
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== worker.location.origin) return;
  if (mode === "navigate" && pathname === PAGE) event.respondWith(page(event));
  else if (pathname.startsWith("/assets/")) event.respondWith(asset(event.request));
});

/** Answers with the kept page, without waiting for the server; if none is kept, with the server's. */
async function page(/** @type {FetchEvent} */ event) {
  const kept = await (await caches.open(SHELL)).match(PAGE);
  const coming = fetch(event.request);
  const isNewer = coming.then((answer) => keep(answer.clone()));
  event.waitUntil(isNewer.then((it) => it && kept && tell(event.resultingClientId)).catch(() => {}));
  return kept ?? coming;
}

/** Tells a page that a newer one is kept now. */
async function tell(/** @type {string} */ page) {
  (await worker.clients.get(page))?.postMessage(NEWER);
}

/** Asset names contain a hash of the content, so a kept asset is never outdated. */
async function asset(/** @type {Request} */ request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** Keeps a page with all files that it names, and removes all others. Returns whether the page changed. */
async function keep(/** @type {Response} */ answer) {
  if (!answer.ok) return false;
  const shell = await caches.open(SHELL);
  const text = await answer.clone().text();
  if (text === (await (await shell.match(PAGE))?.text())) return false;
  const named = await keepNamed(shell, text);
  await shell.put(PAGE, answer);
  for (const request of await shell.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname !== PAGE && !named.has(pathname)) await shell.delete(request);
  }
  return true;
}

/** Keeps the files that a text names, and those that scripts among them name. Returns their paths. */
async function keepNamed(/** @type {Cache} */ shell, /** @type {string} */ text) {
  /** @type {Set<string>} */
  const named = new Set();
  for (const [path] of text.matchAll(/\/assets\/[^"]+/g)) {
    named.add(path);
    // Language files are left to the page, which adds the one that it uses (`js/device/offline.js`).
    if (path.includes("/words_")) continue;
    if (!(await shell.match(path))) await shell.add(path);
    if (!path.endsWith(".js")) continue;
    const script = (await (await shell.match(path))?.text()) ?? "";
    for (const more of await keepNamed(shell, script)) named.add(more);
  }
  return named;
}

worker.addEventListener("push", (event) => {
  if (event.data) event.waitUntil(show(event.data.json()));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(pageOf(event.notification.data)));
});

async function show(/** @type {Notice} */ { title, body, conversation }) {
  const pages = await worker.clients.matchAll({ type: "window" });
  // A visible page shows the message itself.
  if (pages.some((page) => page.visibilityState === "visible")) return;
  // In a group, the body begins with the author's name, which must not be parsed as Markdown.
  const start = conversation.startsWith("g:") ? body.indexOf(": ") + 2 : 0;
  await worker.registration.showNotification(title, {
    body: body.slice(0, start) + withoutSigns(body.slice(start)),
    // A newer notice of the same conversation replaces the one before.
    tag: conversation,
    icon: "/icon.svg",
    data: conversation,
  });
}

async function open(/** @type {string} */ page) {
  const pages = await worker.clients.matchAll({ type: "window" });
  if (pages.length === 0) {
    await worker.clients.openWindow(page);
    return;
  }
  const shown = await pages[0].focus();
  await shown.navigate(page);
}

function pageOf(/** @type {string} */ conversation) {
  const group = /^g:(\d+)$/.exec(conversation);
  if (group) return `/#/groups/${group[1]}`;
  const chat = /^d:(\d+\+\d+)$/.exec(conversation);
  return chat ? `/#/chats/${chat[1]}` : "/";
}
