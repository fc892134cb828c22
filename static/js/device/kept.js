/**
 * What must survive a reload: drafts, and messages that are not sent yet; also the emoji that were chosen
 * last, the folder that was chosen, the groups whose topics are hidden, the message that made the last sound, and whether there are groups that the user
 * has left.
 *
 * Owns their keys in localStorage, separate for each account. A browser that refuses storage keeps nothing,
 * without an error: what is written lives as long as the page.
 */

import { isEmpty, isSameContent } from "../composer/drafts.js";

/** @typedef {import("../sync/types.js").Unsent} Unsent */
/** @typedef {import("../composer/drafts.js").Content} Content */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Shelf */

/** The key of the message that made the last sound in this browser, and when. */
export const SOUNDED = "coterie.sounded";

/** @param {() => Shelf} storage called each time: a browser that refuses storage throws */
export function createKept(storage) {
  const draftKey = (/** @type {string} */ user, /** @type {string} */ conv) =>
    `coterie.draft.${user}.${conv}`;
  const draftedKey = (/** @type {string} */ user, /** @type {string} */ conv) =>
    `coterie.drafted.${user}.${conv}`;
  const attachedKey = (/** @type {string} */ user, /** @type {string} */ conv) =>
    `coterie.attached.${user}.${conv}`;
  const unsentKey = (/** @type {string} */ user, /** @type {string} */ guid) =>
    `coterie.unsent.${user}.${guid}`;

  const threadKey = (/** @type {string} */ user, /** @type {string} */ thread) =>
    `coterie.thread.${user}.${thread}`;
  const emojiKey = (/** @type {string} */ user) => `coterie.emoji.${user}`;
  const folderKey = (/** @type {string} */ user) => `coterie.folder.${user}`;
  const foldedKey = (/** @type {string} */ user) => `coterie.folded.${user}`;
  const toneKey = (/** @type {string} */ user) => `coterie.emoji-tone.${user}`;

  /**
   * Runs on the storage, and returns `otherwise` if the browser refuses.
   * @template Found
   * @param {(shelf: Shelf) => Found} run
   * @param {Found} otherwise
   */
  function tried(run, otherwise) {
    try {
      return run(storage());
    } catch {
      return otherwise;
    }
  }

  function put(/** @type {string} */ key, /** @type {string} */ value) {
    tried((shelf) => (value === "" ? shelf.removeItem(key) : shelf.setItem(key, value)), undefined);
  }

  /** All keys that begin with `start`. @returns {string[]} */
  const keys = (/** @type {string} */ start) =>
    tried((shelf) => {
      const all = Array.from({ length: shelf.length }, (_, at) => shelf.key(at) ?? "");
      return all.filter((key) => key.startsWith(start));
    }, []);

  /** A draft as it is here, and as the server was last known to have it. */
  function draft(/** @type {string} */ user, /** @type {string} */ conv) {
    const words = (/** @type {string} */ key) => tried((shelf) => shelf.getItem(key), null) ?? "";
    const attached = attachedOf(words(attachedKey(user, conv)));
    return {
      here: { text: words(draftKey(user, conv)), attachments: attached.here },
      there: { text: words(draftedKey(user, conv)), attachments: attached.there },
    };
  }

  /** The conversations that have a draft, here or at the server. */
  const drafts = (/** @type {string} */ user) =>
    [draftKey(user, ""), draftedKey(user, ""), attachedKey(user, "")].flatMap((start) =>
      keys(start).map((key) => key.slice(start.length)),
    );

  /** The conversations whose draft the server does not have as it is here. */
  const unsentDrafts = (/** @type {string} */ user) =>
    drafts(user).filter((conv) => {
      const { here, there } = draft(user, conv);
      return !isSameContent(here, there);
    });

  /** The keys of what this device alone has: messages on their way, and drafts in threads. */
  const ownKeys = (/** @type {string} */ user) => [unsentKey(user, ""), threadKey(user, "")].flatMap(keys);

  return {
    draft,
    drafts,
    keepDraft(
      /** @type {string} */ user,
      /** @type {string} */ conv,
      /** @type {{ here: Content, there: Content }} */ { here, there },
    ) {
      put(draftKey(user, conv), here.text);
      put(draftedKey(user, conv), there.text);
      const isAttached = here.attachments.length + there.attachments.length > 0;
      const attached = { here: here.attachments, there: there.attachments };
      put(attachedKey(user, conv), isAttached ? JSON.stringify(attached) : "");
    },
    /** The draft of an answer in a thread, which is kept on this device only. @returns {Content} */
    threadDraft: (/** @type {string} */ user, /** @type {string} */ thread) =>
      contentIn(tried((shelf) => shelf.getItem(threadKey(user, thread)), null)),
    keepThreadDraft(
      /** @type {string} */ user,
      /** @type {string} */ thread,
      /** @type {Content} */ { text, attachments },
    ) {
      const isKept = text !== "" || attachments.length > 0;
      put(threadKey(user, thread), isKept ? JSON.stringify({ text, attachments }) : "");
    },

    /**
     * Messages that are not sent yet, in the order in which they were written.
     * @returns {{ conv: string, unsent: Unsent }[]}
     */
    unsent(/** @type {string} */ user) {
      const found = keys(unsentKey(user, "")).flatMap((key) =>
        parsed(tried((shelf) => shelf.getItem(key), "")),
      );
      return found.sort((a, b) => a.unsent.at - b.unsent.at || a.unsent.order - b.unsent.order);
    },
    keepUnsent: (/** @type {string} */ user, /** @type {string} */ conv, /** @type {Unsent} */ unsent) =>
      put(unsentKey(user, unsent.guid), JSON.stringify({ conv, unsent })),
    forgetUnsent: (/** @type {string} */ user, /** @type {string} */ guid) => put(unsentKey(user, guid), ""),

    /** The emoji that were chosen on this device most recently, newest first. */
    recentEmoji: (/** @type {string} */ user) =>
      (tried((shelf) => shelf.getItem(emojiKey(user)), null) ?? "").split(" ").filter((sign) => sign !== ""),
    keepRecentEmoji: (/** @type {string} */ user, /** @type {readonly string[]} */ signs) =>
      put(emojiKey(user), signs.join(" ")),
    /** The skin tone for emoji; empty for none in particular. */
    emojiTone: (/** @type {string} */ user) => tried((shelf) => shelf.getItem(toneKey(user)), null) ?? "",
    keepEmojiTone: (/** @type {string} */ user, /** @type {string} */ tone) => put(toneKey(user), tone),

    /** The folder that was chosen in the list of conversations; empty for none. */
    folder: (/** @type {string} */ user) => tried((shelf) => shelf.getItem(folderKey(user)), null) ?? "",
    keepFolder: (/** @type {string} */ user, /** @type {string} */ name) => put(folderKey(user), name),

    /** The conversations of the groups whose topics the list hides. */
    foldedTopics: (/** @type {string} */ user) =>
      (tried((shelf) => shelf.getItem(foldedKey(user)), null) ?? "").split(" ").filter((conv) => conv !== ""),
    keepFoldedTopics: (/** @type {string} */ user, /** @type {readonly string[]} */ convs) =>
      put(foldedKey(user), convs.join(" ")),

    /** Whether anything is kept that the account wrote and the server does not have. */
    hasUnsent: (/** @type {string} */ user) =>
      unsentDrafts(user).some((conv) => !isEmpty(draft(user, conv).here)) || ownKeys(user).length > 0,

    /** Removes what is kept of an account that logs out, except what the server does not have. */
    forgetSent(/** @type {string} */ user) {
      const left = new Set(unsentDrafts(user));
      for (const start of [draftKey(user, ""), draftedKey(user, ""), attachedKey(user, "")])
        for (const key of keys(start)) if (!left.has(key.slice(start.length))) put(key, "");
      for (const key of [emojiKey(user), toneKey(user), folderKey(user), foldedKey(user), SOUNDED])
        put(key, "");
    },
  };
}

/** @typedef {ReturnType<typeof createKept>} Kept */

/** An entry of `unsent`; one that another version wrote and this one cannot read is left alone. */
function parsed(/** @type {string | null} */ text) {
  try {
    const { conv, unsent } = JSON.parse(text ?? "");
    return typeof unsent.guid === "string" && typeof conv === "string" ? [{ conv, unsent }] : [];
  } catch {
    return [];
  }
}

/** The draft of an answer; an empty one if there is none that this version can read. @returns {Content} */
function contentIn(/** @type {string | null} */ text) {
  try {
    const { text: said, attachments } = JSON.parse(text ?? "");
    if (typeof said === "string" && Array.isArray(attachments)) return { text: said, attachments };
  } catch {
    // There is none.
  }
  return { text: "", attachments: [] };
}

/** The attachments of a draft, here and at the server. */
function attachedOf(/** @type {string} */ text) {
  try {
    const { here, there } = JSON.parse(text);
    return Array.isArray(here) && Array.isArray(there) ? { here, there } : { here: [], there: [] };
  } catch {
    return { here: [], there: [] };
  }
}
