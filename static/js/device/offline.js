/**
 * Reading without a network: the newest messages and the client itself are kept on the device while somebody
 * is signed in.
 *
 * Owns when they are written, shown and removed: written soon after each change, shown while the server does
 * not answer, removed when the session ends, for whatever reason. Needs a secure page. Where the browser
 * refuses storage, nothing is kept.
 */

import { kept, rowOf, snapshotOf } from "./device_copy.js";
import { createDeviceDb } from "./device_db.js";

/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** How long changes are collected before they are written. */
const TOGETHER_MS = 1_000;
/** How many conversations are written per transaction, so that the page stays responsive. */
const AT_A_TIME = 20;
/** The name of the cache that holds the client's files; `sw.js` has the same name. */
const SHELL = "coterie.shell";

/**
 * @typedef {object} Keep the storage that the browser offers
 * @property {IDBFactory} databases
 * @property {CacheStorage} caches
 * @property {SubtleCrypto} digests
 * @property {Pick<ServiceWorkerContainer, "register" | "getRegistration"> | undefined} workers
 */

/**
 * @param {object} parts
 * @param {import("../sync/state.js").StateHolder} parts.state
 * @param {() => Keep | null} parts.keep null where the page is not secure
 */
export function createOffline({ state, keep }) {
  const db = createDeviceDb(() => /** @type {Keep} */ (keep()).databases);
  /**
   * The mark of the session that owns the copy; empty while nobody is signed in, or if the copy cannot be
   * kept.
   */
  let mark = "";
  /** The token from which `mark` is computed. */
  let session = "";
  /** The conversations as they were last written, by `conv`. @type {Map<string, Conversation>} */
  const written = new Map();
  /** The snapshot at the last change of the state. @type {Snapshot | null} */
  let seen = null;
  let isWriting = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const ownerOf = (/** @type {Snapshot} */ { user, blocked, conversationList, saved }) => ({
    mark,
    user,
    blocked,
    conversationList,
    saved,
    at: Math.floor(Date.now() / 1000),
  });

  /** The snapshot to keep: only one from the server, not one that came from the copy; else null. */
  function current() {
    const { snapshot } = state.get();
    return mark && snapshot && !snapshot.copiedAt ? snapshot : null;
  }

  async function write() {
    timer = undefined;
    const snapshot = current();
    if (!snapshot || isWriting) return;
    isWriting = true;
    try {
      if (written.size === 0) await db.begin(ownerOf(snapshot));
      await writeChanges(snapshot);
    } catch {
      // No space, or storage refused: everything else works without a copy.
      mark = "";
    } finally {
      isWriting = false;
    }
    if (current() && state.get().snapshot !== snapshot) plan();
  }

  async function writeChanges(/** @type {Snapshot} */ snapshot) {
    const wanted = kept(snapshot);
    const names = new Set(wanted.map(({ conv }) => conv));
    const gone = (await db.names()).filter((conv) => !names.has(conv));
    for (const conv of gone) written.delete(conv);
    const changed = wanted.filter((one) => written.get(one.conv) !== one);
    for (let from = 0; from === 0 || from < changed.length; from += AT_A_TIME) {
      const some = changed.slice(from, from + AT_A_TIME);
      if (!mark) return;
      await db.write(ownerOf(snapshot), {
        rows: some.map((one) => rowOf(one, snapshot.user.id)),
        gone: from === 0 ? gone : [],
      });
      for (const one of some) written.set(one.conv, one);
    }
  }

  function plan() {
    timer ??= setTimeout(write, TOGETHER_MS);
  }

  state.onChange(({ snapshot }) => {
    if (snapshot === seen) return;
    seen = snapshot;
    if (current()) plan();
  });

  return {
    /** Begins to keep the copy of a session. */
    async enter(/** @type {string} */ token) {
      const { digests } = keep() ?? {};
      mark = "";
      session = token;
      const found = digests ? await markOf(digests, token) : "";
      if (session !== token) return;
      mark = found;
      if (current()) plan();
    },

    /** The copy that this session kept on its last visit, or null. @returns {Promise<Snapshot | null>} */
    async open(/** @type {string} */ token) {
      const { digests } = keep() ?? {};
      if (!digests) return null;
      const found = await db.read(await markOf(digests, token)).catch(() => null);
      return found && found.rows.length > 0 ? snapshotOf(found.owner, found.rows) : null;
    },

    /**
     * Keeps the client's own files too, once the feed is live, so as not to delay what somebody waits for.
     */
    async keepClient() {
      const { caches, workers } = keep() ?? {};
      if (!caches || !workers) return;
      try {
        await workers.register("/sw.js");
        // The service worker does not know which language is used here, so its files are added here.
        const shell = await caches.open(SHELL);
        for (const file of languageFiles()) if (!(await shell.match(file))) await shell.add(file);
        if (session === "") await caches.delete(SHELL);
      } catch {
        // Storage refused, or no connection: the next call tries again.
      }
    },

    /** Removes everything when nobody is signed in. */
    async forget() {
      mark = session = "";
      clearTimeout(timer);
      timer = undefined;
      written.clear();
      const { caches, workers } = keep() ?? {};
      const worker = await workers?.getRegistration().catch(() => undefined);
      await Promise.allSettled([
        ...(caches ? [db.clear(), caches.delete(SHELL)] : []),
        // This device must not get notices of an account that is no longer signed in.
        worker?.pushManager?.getSubscription().then((subscription) => subscription?.unsubscribe()),
        worker?.unregister(),
      ]);
    },
  };
}

/** @typedef {ReturnType<typeof createOffline>} Offline */

/** The language files that this page loaded. */
const languageFiles = () =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.includes("/assets/") && name.includes("/words_"));

/** A digest of the token: identifies the session without giving access to it. */
async function markOf(/** @type {SubtleCrypto} */ digests, /** @type {string} */ token) {
  const digest = await digests.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
