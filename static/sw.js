/**
 * Shows notices while nobody looks at the page.
 *
 * Owns what a push notice becomes on the screen. It holds no token and asks the server
 * nothing: a notice brings all that is shown.
 */

/** @typedef {{ title: string, body: string, conversation: string, message_id: string }} Notice */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

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
  await worker.registration.showNotification(title, {
    body,
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
