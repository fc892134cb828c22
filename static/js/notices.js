/**
 * Push notices on this device: asking the browser, and telling the server.
 *
 * Owns the service worker's registration and which device this is. Does not decide what
 * a notice looks like (`/sw.js` does).
 */

/** @typedef {"unsupported" | "denied" | "off" | "on"} NoticeState */

/** Where this device keeps what the server calls it. */
const KEY = "coterie.device";

/**
 * @param {object} parts
 * @param {import("./api.js").Api} parts.api
 * @param {Pick<ServiceWorkerContainer, "register"> | undefined} parts.workers
 * @param {{ permission: string, requestPermission: () => Promise<string> } | undefined} parts.permission
 * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} parts.storage
 */
export function createNotices({ api, workers, permission, storage }) {
  async function manager() {
    if (!workers || !permission) return null;
    const registration = await workers.register("/sw.js");
    return registration.pushManager ?? null;
  }

  return {
    /** @returns {Promise<NoticeState>} */
    async state() {
      const push = await manager().catch(() => null);
      if (!push || !permission) return "unsupported";
      if (permission.permission === "denied") return "denied";
      const subscription = await push.getSubscription();
      return subscription && storage.getItem(KEY) ? "on" : "off";
    },

    /** Asks the person, the browser and the server, in this order. @returns {Promise<NoticeState>} */
    async enable() {
      const push = await manager();
      if (!push || !permission) return "unsupported";
      if ((await permission.requestPermission()) !== "granted") return "denied";
      const applicationServerKey = bytesOf(await api.pushKey());
      const subscription = await push.subscribe({ userVisibleOnly: true, applicationServerKey });
      storage.setItem(KEY, await api.addDevice(subscription.toJSON()));
      return "on";
    },

    /** @returns {Promise<NoticeState>} */
    async disable() {
      const push = await manager();
      const device = storage.getItem(KEY);
      storage.removeItem(KEY);
      const subscription = await push?.getSubscription();
      await subscription?.unsubscribe();
      if (device) await api.removeDevice(device);
      return "off";
    },
  };
}

/** @typedef {ReturnType<typeof createNotices>} Notices */

/** base64url to bytes. */
function bytesOf(/** @type {string} */ text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
