/**
 * Sending: a message shows at once, and either arrives, or says why not.
 *
 * Owns the rows that the log does not hold yet. Their guid makes a repeat harmless,
 * so an attempt with an unknown outcome may be made again; 409 means that an earlier
 * attempt arrived. Messages of one conversation are sent one after the other, so
 * they arrive in the order in which they were written.
 */

import { ApiError } from "./api.js";
import { isChat, otherIn } from "./chats.js";
import { addStored, patch } from "./store.js";

/** @typedef {import("./types.js").Unsent} Unsent */

/**
 * @param {{ api: import("./api.js").Api, state: import("./state.js").StateHolder }} parts
 */
export function createOutbox({ api, state }) {
  /** The last attempt of each conversation, which the next one waits for. @type {Map<string, Promise<void>>} */
  const lines = new Map();

  const line = (/** @type {string} */ conv, /** @type {string} */ guid) =>
    state.get().snapshot?.conversations[conv]?.outbox.find((unsent) => unsent.guid === guid);

  function set(/** @type {string} */ conv, /** @type {string} */ guid, /** @type {Partial<Unsent>} */ facts) {
    state.update((snapshot) =>
      patch(snapshot, conv, (old) => ({
        ...old,
        outbox: old.outbox.map((unsent) => (unsent.guid === guid ? { ...unsent, ...facts } : unsent)),
      })),
    );
  }

  function enqueue(/** @type {string} */ conv, /** @type {string} */ guid) {
    const before = lines.get(conv) ?? Promise.resolve();
    lines.set(
      conv,
      // Whatever became of the one before, this one has its own attempt.
      before.catch(() => {}).then(() => attempt(conv, guid)),
    );
  }

  async function attempt(/** @type {string} */ conv, /** @type {string} */ guid) {
    const unsent = line(conv, guid);
    if (unsent?.state !== "sending") return;
    try {
      const message = await post(conv, wanted(unsent));
      state.update((snapshot) => addStored(snapshot, conv, message));
    } catch (error) {
      if (!(error instanceof ApiError)) {
        set(conv, guid, { state: "failed", why: "Something went wrong here. Try again.", again: true });
        throw error;
      }
      if (error.status === 409) set(conv, guid, { state: "sent" });
      else set(conv, guid, { state: "failed", why: error.message, again: error.passing });
    }
  }

  function post(/** @type {string} */ conv, /** @type {import("./chat_calls.js").NewMessage} */ message) {
    if (!isChat(conv)) return api.postMessage(conv.slice(2), message);
    const me = state.get().snapshot?.user.id ?? "";
    return api.postDirectMessage(otherIn(conv, me) ?? "", message);
  }

  /** What was refused is stored nowhere, and a repeat of it is refused again: it goes out as another. */
  function retry(/** @type {string} */ conv, /** @type {string} */ guid) {
    const next = line(conv, guid)?.again ? guid : newGuid();
    set(conv, guid, { guid: next, state: "sending", why: undefined, again: undefined });
    enqueue(conv, next);
  }

  return {
    send(
      /** @type {string} */ conv,
      /** @type {string} */ text,
      /** @type {import("./types.js").Attachment[]} */ attachments = [],
    ) {
      const at = Math.floor(Date.now() / 1000);
      /** @type {Unsent} */
      const unsent = { guid: newGuid(), text, attachments, at, state: "sending" };
      state.update((snapshot) =>
        patch(snapshot, conv, (old) => ({ ...old, outbox: [...old.outbox, unsent] })),
      );
      enqueue(conv, unsent.guid);
    },

    retry,

    discard(/** @type {string} */ conv, /** @type {string} */ guid) {
      state.update((snapshot) =>
        patch(snapshot, conv, (old) => ({
          ...old,
          outbox: old.outbox.filter((unsent) => unsent.guid !== guid),
        })),
      );
    },

    /** The server is back, and everything it stored has been heard: what is left never arrived. */
    retryAll() {
      for (const { conv, outbox } of Object.values(state.get().snapshot?.conversations ?? {})) {
        for (const { guid, again } of outbox) if (again) retry(conv, guid);
      }
    },
  };
}

/** What is posted: without words where there are none. */
function wanted(/** @type {Unsent} */ { guid, text, attachments }) {
  return { source_guid: guid, ...(text && { text }), ...(attachments.length > 0 && { attachments }) };
}

/** `crypto.randomUUID` wants a secure page; a server in the living room has no certificate. */
export function newGuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
