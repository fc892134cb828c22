/**
 * Sending: a message shows at once, and either arrives, or waits until it can, or says why it was refused.
 *
 * Owns the rows of messages that the log does not hold yet; they survive a reload. Their guid makes a repeat
 * harmless, so an attempt with an unknown outcome may be made again; 409 means that an earlier attempt
 * arrived. Messages of one conversation are sent one after the other, and none while an earlier one waits, so
 * they arrive in the order in which they were written.
 */

import { isChat, otherIn } from "../chats/chats.js";
import { ApiError } from "../sync/api.js";
import { addStored, patch } from "../sync/store.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Unsent} Unsent */
/** @typedef {import("../device/kept.js").Kept} Kept */

/** How long the server knows a guid; repeating a message after that could store a second one. */
const KNOWN_SECONDS = 24 * 60 * 60;
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;

/** Keeps nothing. @type {Pick<Kept, "unsent" | "keepUnsent" | "forgetUnsent">} */
const NOWHERE = { unsent: () => [], keepUnsent: () => {}, forgetUnsent: () => {} };

/**
 * @param {object} parts
 * @param {import("../sync/api.js").Api} parts.api
 * @param {import("../sync/state.js").StateHolder} parts.state
 * @param {Pick<Kept, "unsent" | "keepUnsent" | "forgetUnsent">} [parts.kept]
 * @param {() => void} [parts.onSent] called when the server stored a message
 * @param {(run: () => void, ms: number) => any} [parts.later]
 */
export function createOutbox({ api, state, kept = NOWHERE, onSent = () => {}, later = setTimeout }) {
  /**
   * The last queued attempt of each conversation, after which the next one runs.
   * @type {Map<string, Promise<void>>}
   */
  const lines = new Map();
  let written = 0;
  /** How many retries were planned since the last success, and whether a retry is planned. */
  let waits = 0;
  let isPlanned = false;

  const me = () => state.get().snapshot?.user.id ?? "";
  const outboxOf = (/** @type {string} */ conv) => state.get().snapshot?.conversations[conv]?.outbox ?? [];
  const line = (/** @type {string} */ conv, /** @type {string} */ guid) =>
    outboxOf(conv).find((unsent) => unsent.guid === guid);

  /** The waiting messages that were written before this one. */
  function waitsBefore(/** @type {string} */ conv, /** @type {string} */ guid) {
    const outbox = outboxOf(conv);
    const before = outbox.slice(
      0,
      outbox.findIndex((unsent) => unsent.guid === guid),
    );
    return before.filter((unsent) => unsent.state === "waiting");
  }

  /** Changes the unsent messages of a conversation. */
  function change(/** @type {string} */ conv, /** @type {(outbox: Unsent[]) => Unsent[]} */ how) {
    state.update((snapshot) => patch(snapshot, conv, (old) => ({ ...old, outbox: how(old.outbox) })));
  }

  function set(/** @type {string} */ conv, /** @type {string} */ guid, /** @type {Partial<Unsent>} */ facts) {
    change(conv, (outbox) =>
      outbox.map((unsent) => (unsent.guid === guid ? { ...unsent, ...facts } : unsent)),
    );
    const now = line(conv, facts.guid ?? guid);
    if (!now || now.state === "sent" || now.guid !== guid) kept.forgetUnsent(me(), guid);
    if (now && now.state !== "sent") kept.keepUnsent(me(), conv, now);
  }

  function enqueue(/** @type {string} */ conv, /** @type {string} */ guid) {
    const before = lines.get(conv) ?? Promise.resolve();
    lines.set(
      conv,
      // A failed attempt does not keep the next message from being attempted.
      before.catch(() => {}).then(() => attempt(conv, guid)),
    );
  }

  async function attempt(/** @type {string} */ conv, /** @type {string} */ guid) {
    const unsent = line(conv, guid);
    if (unsent?.state !== "sending") return;
    const before = waitsBefore(conv, guid)[0];
    if (before) return wait(conv, guid, before.why ?? "");
    try {
      const message = await post(conv, wanted(unsent));
      if ("held" in message) {
        waits = 0;
        set(conv, guid, { state: "held", held: message.held.id, why: t("This message waits for approval.") });
        return;
      }
      state.update((snapshot) => addStored(snapshot, conv, message));
      waits = 0;
      kept.forgetUnsent(me(), guid);
      onSent();
    } catch (error) {
      if (!(error instanceof ApiError)) {
        set(conv, guid, { state: "failed", why: t("Something went wrong. Try again."), again: true });
        throw error;
      }
      if (error.status === 409) set(conv, guid, { state: "sent" });
      else if (error.passing) wait(conv, guid, error.message, error.retryAfter ?? 0);
      else set(conv, guid, { state: "failed", why: error.message, again: false });
    }
  }

  /** Marks a message as waiting; it is sent again after a while, and when the feed is live again. */
  function wait(
    /** @type {string} */ conv,
    /** @type {string} */ guid,
    /** @type {string} */ why,
    /** @type {number} */ retryAfter = 0,
  ) {
    set(conv, guid, { state: "waiting", why, again: true });
    if (isPlanned) return;
    isPlanned = true;
    const ms = Math.min(Math.max(RETRY_FIRST_MS * 2 ** waits, retryAfter * 1000), RETRY_MOST_MS);
    waits += 1;
    later(() => {
      isPlanned = false;
      retryAll();
    }, ms);
  }

  function post(
    /** @type {string} */ conv,
    /** @type {import("../chats/chat_calls.js").NewMessage} */ message,
  ) {
    if (!isChat(conv)) return api.postMessage(conv.slice(2), message);
    return api.postDirectMessage(otherIn(conv, me()) ?? "", message);
  }

  /**
   * Sends a message again: under the same guid if it may have been stored, under a new one if it was refused,
   * since the server would refuse the old guid again.
   */
  function again(/** @type {string} */ conv, /** @type {string} */ guid) {
    const next = line(conv, guid)?.again ? guid : newGuid();
    set(conv, guid, { guid: next, state: "sending", why: undefined, again: undefined });
    enqueue(conv, next);
  }

  /** Sends a message again, and first the waiting ones that were written before it. */
  function retry(/** @type {string} */ conv, /** @type {string} */ guid) {
    for (const before of waitsBefore(conv, guid)) again(conv, before.guid);
    again(conv, guid);
  }

  /** Sends all waiting messages again. */
  function retryAll() {
    for (const { conv, outbox } of Object.values(state.get().snapshot?.conversations ?? {})) {
      for (const { guid, state: how } of outbox) if (how === "waiting") again(conv, guid);
    }
  }

  /** Forgets what is kept of messages that the log holds: the feed may bring one before its post is answered. */
  function forgetArrived() {
    for (const { conv, unsent } of kept.unsent(me())) {
      const isIt = (/** @type {{ source_guid: string }} */ { source_guid: guid }) => guid === unsent.guid;
      if (state.get().snapshot?.conversations[conv]?.messages.some(isIt))
        kept.forgetUnsent(me(), unsent.guid);
    }
  }

  return {
    forgetArrived,

    send(
      /** @type {string} */ conv,
      /** @type {string} */ text,
      /** @type {import("../sync/types.js").Attachment[]} */ attachments = [],
    ) {
      const at = Math.floor(Date.now() / 1000);
      written += 1;
      /** @type {Unsent} */
      const unsent = { guid: newGuid(), text, attachments, at, order: written, state: "sending" };
      kept.keepUnsent(me(), conv, unsent);
      change(conv, (outbox) => [...outbox, unsent]);
      enqueue(conv, unsent.guid);
    },

    retry,
    retryAll,

    /** Whether a message waits, is being sent, or was refused. */
    hasUnsent: () =>
      Object.values(state.get().snapshot?.conversations ?? {}).some(({ outbox }) =>
        outbox.some(({ state: how }) => how !== "sent"),
      ),

    discard(/** @type {string} */ conv, /** @type {string} */ guid) {
      change(conv, (outbox) => outbox.filter((unsent) => unsent.guid !== guid));
      kept.forgetUnsent(me(), guid);
    },

    /**
     * Takes up the unsent messages of an earlier visit: they wait to be sent, or, after a day, for a person
     * to decide.
     */
    restore() {
      const now = Math.floor(Date.now() / 1000);
      forgetArrived();
      for (const { conv, unsent } of kept.unsent(me()))
        if (!line(conv, unsent.guid)) change(conv, (outbox) => [...outbox, left(unsent, now)]);
    },
  };
}

/** How an unsent message of an earlier visit is taken up. @returns {Unsent} */
function left(/** @type {Unsent} */ unsent, /** @type {number} */ now) {
  if (unsent.state === "failed" || unsent.state === "held") return unsent;
  if (now - unsent.at < KNOWN_SECONDS) return { ...unsent, state: "waiting", again: true };
  return {
    ...unsent,
    state: "failed",
    again: true,
    why: t("This was written more than a day ago. Send it anyway?"),
  };
}

/** The body to post; empty text and empty attachments are left out. */
function wanted(/** @type {Unsent} */ { guid, text, attachments }) {
  return { source_guid: guid, ...(text && { text }), ...(attachments.length > 0 && { attachments }) };
}

/**
 * A random id. `crypto.randomUUID` works in secure contexts only; a server at home may have no certificate.
 */
export function newGuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
