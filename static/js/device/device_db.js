/**
 * The storage of a snapshot's copy: an IndexedDB with one row for each conversation, and one row for their
 * owner.
 *
 * Owns one promise: nothing is written for a session that has ended. Each write checks the owner in the same
 * transaction, and logging out removes the owner.
 */

/** @typedef {import("./device_copy.js").Owner} Owner */
/** @typedef {import("./device_copy.js").Row} Row */

const NAME = "coterie";
const VERSION = 1;
const CONVERSATIONS = "conversations";
const OWNER = "owner";

/** @typedef {{ conversations: IDBObjectStore, owner: IDBObjectStore }} Stores */

export function createDeviceDb(/** @type {() => IDBFactory} */ factory) {
  /** @type {Promise<IDBDatabase> | null} */
  let opening = null;

  function open() {
    opening ??= new Promise((resolve, reject) => {
      const asked = factory().open(NAME, VERSION);
      asked.onupgradeneeded = () => {
        asked.result.createObjectStore(CONVERSATIONS, { keyPath: "conv" });
        asked.result.createObjectStore(OWNER);
      };
      asked.onsuccess = () => {
        // Another tab needs a newer version of the database, so this connection must not block the upgrade.
        asked.result.onversionchange = () => asked.result.close();
        resolve(asked.result);
      };
      asked.onerror = () => reject(asked.error);
    });
    return opening;
  }

  /**
   * Runs in one transaction, and resolves once the transaction is complete.
   * @template Found
   * @param {IDBTransactionMode} mode
   * @param {(stores: Stores) => Promise<Found>} run awaits nothing but requests to its stores
   * @returns {Promise<Found>}
   */
  async function within(mode, run) {
    const transaction = (await open()).transaction([CONVERSATIONS, OWNER], mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const found = run({
      conversations: transaction.objectStore(CONVERSATIONS),
      owner: transaction.objectStore(OWNER),
    });
    await Promise.all([found, done]);
    return found;
  }

  return {
    /** The copy that a session kept; null if there is none. */
    read: (/** @type {string} */ mark) =>
      within("readonly", async ({ owner, conversations }) => {
        /** @type {Owner | undefined} */
        const known = await answered(owner.get(OWNER));
        if (known?.mark !== mark) return null;
        /** @type {Row[]} */
        const rows = await answered(conversations.getAll());
        return { owner: known, rows };
      }),

    /** Makes a session the owner of the copy; rows of another session are removed. */
    begin: (/** @type {Owner} */ now) =>
      within("readwrite", async ({ owner, conversations }) => {
        /** @type {Owner | undefined} */
        const known = await answered(owner.get(OWNER));
        if (known?.mark !== now.mark) conversations.clear();
        owner.put(now, OWNER);
      }),

    /** Writes and removes rows, unless the session has ended. */
    write: (/** @type {Owner} */ now, /** @type {{ rows: Row[], gone: string[] }} */ { rows, gone }) =>
      within("readwrite", async ({ owner, conversations }) => {
        /** @type {Owner | undefined} */
        const known = await answered(owner.get(OWNER));
        if (known?.mark !== now.mark) return;
        owner.put(now, OWNER);
        for (const row of rows) conversations.put(row);
        for (const conv of gone) conversations.delete(conv);
      }),

    /** The `conv` of all conversations that are kept. */
    names: () =>
      within("readonly", async ({ conversations }) => {
        const keys = await answered(conversations.getAllKeys());
        return /** @type {string[]} */ (keys);
      }),

    clear: () =>
      within("readwrite", async ({ owner, conversations }) => {
        owner.clear();
        conversations.clear();
      }),
  };
}

/** @template Found @returns {Promise<Found>} */
function answered(/** @type {IDBRequest<Found>} */ request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
