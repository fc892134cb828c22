/**
 * Reading without a network: the newest messages and the client itself stay on the device
 * of somebody who is signed in.
 *
 * Owns when that is written, shown and removed: soon after each change; where the server
 * does not answer; and with the end of the session, whoever ends it. It needs a secure
 * page, and a browser that refuses to keep something keeps nothing.
 */

import { kept, rowOf, snapshotOf } from "./device_copy.js";
import { createDeviceDb } from "./device_db.js";

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Conversation} Conversation */

/** Changes of this long are written together … */
const TOGETHER_MS = 1_000;
/** … this many conversations at a time, so that nobody waits for it. */
const AT_A_TIME = 20;
/** What the worker keeps of the client; `sw.js` has the same name. */
const SHELL = "coterie.shell";

/**
 * @typedef {object} Keep what the browser offers to keep things with
 * @property {IDBFactory} databases
 * @property {CacheStorage} caches
 * @property {SubtleCrypto} digests
 * @property {Pick<ServiceWorkerContainer, "register" | "getRegistration"> | undefined} workers
 */

/**
 * @param {object} parts
 * @param {import("./state.js").StateHolder} parts.state
 * @param {() => Keep | null} parts.keep null where the page is not secure
 */
export function createOffline({ state, keep }) {
  const db = createDeviceDb(() => /** @type {Keep} */ (keep()).databases);
  /** Whose copy it is; empty while nobody is signed in. */
  let mark = "";
  /** The token that the mark is made of, or will be. */
  let session = "";
  /** What is written. @type {Map<string, Conversation>} */
  const written = new Map();
  /** @type {Snapshot | null} */
  let seen = null;
  let isWriting = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const ownerOf = (/** @type {Snapshot} */ { user, blocked }) => ({
    mark,
    user,
    blocked,
    at: Math.floor(Date.now() / 1000),
  });

  /** What was agreed with the server last, as long as it is worth keeping. */
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
      // No room, or not allowed: without a copy everything else works.
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
      await db.write(ownerOf(snapshot), { rows: some.map(rowOf), gone: from === 0 ? gone : [] });
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
    /** Somebody is signed in. */
    async enter(/** @type {string} */ token) {
      const { digests } = keep() ?? {};
      mark = "";
      session = token;
      const found = digests ? await markOf(digests, token) : "";
      if (session !== token) return;
      mark = found;
      if (current()) plan();
    },

    /** What this session kept of its last visit, or null. @returns {Promise<Snapshot | null>} */
    async open(/** @type {string} */ token) {
      const { digests } = keep() ?? {};
      if (!digests) return null;
      const found = await db.read(await markOf(digests, token)).catch(() => null);
      return found && found.rows.length > 0 ? snapshotOf(found.owner, found.rows) : null;
    },

    /** The client itself is kept too. It takes its turn after what somebody waits for. */
    async keepClient() {
      const { caches, workers } = keep() ?? {};
      if (!caches || !workers) return;
      try {
        await workers.register("/sw.js");
        // The worker cannot know which language is spoken here.
        const shell = await caches.open(SHELL);
        for (const file of languageFiles()) if (!(await shell.match(file))) await shell.add(file);
        if (session === "") await caches.delete(SHELL);
      } catch {
        // Not allowed to keep it, or the line is gone again: the next time will do.
      }
    },

    /** Nobody is signed in: nothing stays. */
    async forget() {
      mark = session = "";
      clearTimeout(timer);
      timer = undefined;
      written.clear();
      const { caches, workers } = keep() ?? {};
      const worker = await workers?.getRegistration().catch(() => undefined);
      await Promise.allSettled([
        ...(caches ? [db.clear(), caches.delete(SHELL)] : []),
        // Notices of an account that is no longer signed in are nobody's.
        worker?.pushManager?.getSubscription().then((subscription) => subscription?.unsubscribe()),
        worker?.unregister(),
      ]);
    },
  };
}

/** @typedef {ReturnType<typeof createOffline>} Offline */

/** What this page loaded to speak as it does. */
const languageFiles = () =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => name)
    .filter((name) => name.includes("/assets/") && name.includes("/words_"));

/** Names a session without being able to open it. */
async function markOf(/** @type {SubtleCrypto} */ digests, /** @type {string} */ token) {
  const digest = await digests.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
