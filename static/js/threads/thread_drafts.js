/**
 * Drafts of answers that are written in the window of a thread, kept on this device.
 *
 * A conversation has one draft at the server, which is that of its own field. So these stay here, and never
 * mix with it.
 */

/** @typedef {import("../composer/drafts.js").Content} Content */
/** @typedef {Pick<import("../composer/drafts.js").Drafts, "get" | "set" | "attached" | "attach" | "end">} ThreadDraft */

/**
 * @param {object} parts
 * @param {Pick<import("../device/kept.js").Kept, "threadDraft" | "keepThreadDraft">} parts.kept
 * @param {() => string} parts.me
 */
export function createThreadDrafts({ kept, me }) {
  /** By user and thread, for browsers that keep nothing. @type {Map<string, Content>} */
  const all = new Map();

  return {
    /** The draft for the thread that a message began. @returns {ThreadDraft} */
    of(/** @type {string} */ conv, /** @type {string} */ message) {
      const [user, thread] = [me(), `${conv}.${message}`];
      const key = `${user} ${thread}`;
      const content = () => all.get(key) ?? kept.threadDraft(user, thread);
      const change = (/** @type {Partial<Content>} */ facts) => {
        const now = { ...content(), ...facts };
        all.set(key, now);
        kept.keepThreadDraft(user, thread, now);
      };
      return {
        get: () => content().text,
        set: (_conv, text) => change({ text }),
        attached: () => content().attachments,
        attach: (_conv, attachments) => change({ attachments }),
        end: () => change({ text: "", attachments: [] }),
      };
    },

    /** Forgets all of them, when nobody is signed in any more. */
    forget: () => all.clear(),
  };
}

/** @typedef {ReturnType<typeof createThreadDrafts>} ThreadDrafts */
