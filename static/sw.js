/**
 * Brings the client up without a network, and shows notices while nobody looks at the page.
 *
 * Owns two things. The files of the client, as the last page that arrived named them: what is
 * kept is shown at once, and while it is, the server is asked for the page of now. Where that
 * is another one, it is kept with everything it names, and the page that shows is told, to
 * load again (`boot.js`). And what a push notice becomes on the screen. It holds no token and
 * keeps no answer of the API.
 */

import { withoutSigns } from "./js/markdown.js";

/** @typedef {{ title: string, body: string, conversation: string, message_id: string }} Notice */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** What is kept of the client; `js/offline.js` removes it with the log-out. */
const SHELL = "coterie.shell";
const PAGE = "/";
/** What the page that shows is told when it is not the newest. */
const NEWER = "coterie-newer";

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(fetch(PAGE).then(keep));
});

worker.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== worker.location.origin) return;
  if (mode === "navigate" && pathname === PAGE) event.respondWith(page(event));
  else if (pathname.startsWith("/assets/")) event.respondWith(asset(event.request));
});

/** The page that is kept, which asks nobody and waits for nobody; the first time, the server's. */
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

/** Named by their content, so that what is kept is what is meant. */
async function asset(/** @type {Request} */ request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** Keeps a page with all that it names, and nothing else. Whether it is another than before. */
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

/** The files that a text names, and those that scripts among them name. */
async function keepNamed(/** @type {Cache} */ shell, /** @type {string} */ text) {
  /** @type {Set<string>} */
  const named = new Set();
  for (const [path] of text.matchAll(/\/assets\/[^"]+/g)) {
    named.add(path);
    // Of the languages, the page itself adds the one that it speaks.
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
  // Whoever looks at the page sees the message there.
  if (pages.some((page) => page.visibilityState === "visible")) return;
  // In a group it begins with who says it.
  const start = conversation.startsWith("g:") ? body.indexOf(": ") + 2 : 0;
  await worker.registration.showNotification(title, {
    body: body.slice(0, start) + withoutSigns(body.slice(start)),
    // The newest of a conversation takes the place of the one before.
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
