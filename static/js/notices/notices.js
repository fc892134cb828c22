/**
 * Push notices on this device: asking the browser for permission, and registering at the server.
 *
 * Owns the service worker's registration and the id of this device. Does not decide what a notice looks like
 * (`/sw.js` does).
 */

/** @typedef {"unsupported" | "denied" | "off" | "on"} NoticeState */

/** The localStorage key of the id that the server gave this device. */
const KEY = "coterie.device";

/**
 * What the browser offers; `workers` and `permission` are missing without a secure origin.
 *
 * @typedef {{
 *   workers: Pick<ServiceWorkerContainer, "register"> | undefined,
 *   permission: { permission: string, requestPermission: () => Promise<string> } | undefined,
 *   storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
 *   keep: import("../device/offline.js").Keep | null,
 * }} Device
 */

/** @param {{ api: import("../sync/api.js").Api, device: () => Device }} parts */
export function createNotices({ api, device }) {
  async function open() {
    const { workers, permission, storage } = device();
    if (!workers || !permission) return null;
    const push = (await workers.register("/sw.js")).pushManager;
    return push ? { push, permission, storage } : null;
  }

  return {
    /** @returns {Promise<NoticeState>} */
    async state() {
      const opened = await open().catch(() => null);
      if (!opened) return "unsupported";
      if (opened.permission.permission === "denied") return "denied";
      const subscription = await opened.push.getSubscription();
      return subscription && opened.storage.getItem(KEY) ? "on" : "off";
    },

    /**
     * Asks the person for permission, then registers with the browser and the server.
     * @returns {Promise<NoticeState>}
     */
    async enable() {
      const opened = await open();
      if (!opened) return "unsupported";
      if ((await opened.permission.requestPermission()) !== "granted") return "denied";
      const applicationServerKey = bytesOf(await api.pushKey());
      const subscription = await opened.push.subscribe({ userVisibleOnly: true, applicationServerKey });
      opened.storage.setItem(KEY, await api.addDevice(subscription.toJSON()));
      return "on";
    },

    /** @returns {Promise<NoticeState>} */
    async disable() {
      const opened = await open();
      if (!opened) return "unsupported";
      const known = opened.storage.getItem(KEY);
      opened.storage.removeItem(KEY);
      const subscription = await opened.push.getSubscription();
      await subscription?.unsubscribe();
      if (known) await api.removeDevice(known);
      return "off";
    },
  };
}

/** @typedef {ReturnType<typeof createNotices>} Notices */

/** Decodes base64url. */
function bytesOf(/** @type {string} */ text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
