/**
 * The words for deliveries of callbacks, and pages of deliveries merged into one list.
 *
 * Pure. The server decides the states; this file only names them.
 */

import { compareIds } from "../sync/messages.js";
import { t } from "../words/words.js";

/** @typedef {"pending" | "delivered" | "failed" | "parked" | "dead"} State */

/**
 * @typedef {object} Delivery
 * @property {string} id counted from 1 for each bot
 * @property {string | null} message_id null when members changed
 * @property {string} [event] what is delivered: `message`, `reaction` and so on
 * @property {State} state
 * @property {number} attempt how many attempts have ended
 * @property {number | null} status the listener's HTTP status in the last attempt; null without an answer
 * @property {number} latency_ms
 * @property {number} at seconds
 * @property {number | null} next_at seconds; when the next attempt is due
 * @property {string | null} answer the beginning of the answer, or why there was none
 */

/**
 * @typedef {Delivery & { request: { url: string | null, headers: Record<string, string>, body: string } | null }}
 *   OpenDelivery with the request as it was signed; null when the message is gone
 */

/** @type {Record<State, { label: string, means: string }>} */
export const STATES = {
  pending: { label: t("Pending"), means: t("Its first attempt is due.") },
  delivered: { label: t("Delivered"), means: t("The listener accepted it.") },
  failed: { label: t("Failed"), means: t("It is retried automatically. Later messages wait for it.") },
  parked: { label: t("Parked"), means: t("It is retried automatically. Later messages do not wait for it.") },
  dead: { label: t("Dead"), means: t("Delivery was given up. It is sent again only if you replay it.") },
};

/** Whether the delivery will still change by itself. */
export const isOpen = (/** @type {Delivery} */ { state }) => state !== "delivered" && state !== "dead";

/* Pages. */

/**
 * Merges the newest page into the loaded list. Deliveries that no longer match the filter disappear, and
 * older pages stay only where they join without a hole.
 * @param {Delivery[]} list newest first
 * @param {Delivery[]} fresh the newest page
 * @param {boolean} isAll whether `fresh` had fewer deliveries than its limit, so that there are no older ones
 */
export function refreshed(list, fresh, isAll) {
  const last = fresh.at(-1);
  if (isAll || !last) return { list: fresh, isWhole: true };
  const ids = new Set(fresh.map(({ id }) => id));
  const isJoined = list.some(({ id }) => ids.has(id));
  const rest = isJoined ? list.filter(({ id }) => compareIds(id, last.id) < 0) : [];
  return { list: [...fresh, ...rest], isWhole: false };
}

/** The list with an older page appended. */
export function withOlder(/** @type {Delivery[]} */ list, /** @type {Delivery[]} */ page) {
  const known = new Set(list.map(({ id }) => id));
  return [...list, ...page.filter(({ id }) => !known.has(id))];
}

/* Words. */

export function attemptsWords(/** @type {number} */ attempts) {
  if (attempts === 0) return t("no attempt yet");
  return attempts === 1 ? t("1 attempt") : t("{attempts} attempts", { attempts });
}

export function latencyWords(/** @type {number} */ ms) {
  return ms < 1000 ? t("{it} ms", { it: ms }) : t("{it} s", { it: Math.round(ms / 100) / 10 });
}

/** The outcome of the last attempt: "500 in 12 ms"; empty before the first one. */
export function outcomeWords(
  /** @type {Pick<Delivery, "status" | "latency_ms"> & { attempt?: number }} */ {
    attempt,
    status,
    latency_ms: ms,
  },
) {
  if (attempt === 0) return "";
  return status === null
    ? t("no answer after {it}", { it: latencyWords(ms) })
    : t("{status} in {it}", { status, it: latencyWords(ms) });
}

/** The time until `at`: "in 25 s". */
export function untilWords(/** @type {number} */ at, /** @type {number} */ now) {
  const seconds = Math.ceil(at - now);
  if (seconds <= 0) return t("now");
  if (seconds < 90) return t("in {seconds} s", { seconds });
  if (seconds < 90 * 60) return t("in {it} min", { it: Math.round(seconds / 60) });
  return t("in {it} h", { it: Math.round(seconds / 3600) });
}

/** The time until the next attempt: "in 25 s"; empty if there is none. */
export function nextWords(/** @type {Delivery} */ { next_at: next }, /** @type {number} */ now) {
  return next === null ? "" : untilWords(next, now);
}

export function replayedWords(/** @type {number} */ count) {
  if (count === 0) return t("There was nothing to replay.");
  return count === 1
    ? t("1 delivery is being sent again.")
    : t("{count} deliveries are being sent again.", { count });
}

/** Indents JSON; returns any other text unchanged. */
export function pretty(/** @type {string} */ text) {
  // Ids have more digits than a JavaScript number holds exactly, so such a text is not parsed.
  if (/[:[,]\s*-?\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * When a 410 switched the bot off, if the last attempt got one; else null.
 * @returns {number | null} seconds
 */
export function goneAt(/** @type {Delivery[]} */ deliveries) {
  const ended = deliveries.filter(({ attempt }) => attempt > 0);
  const last = Math.max(...ended.map(({ at }) => at));
  const gone = ended.some(({ at, state, status }) => at === last && state === "dead" && status === 410);
  return gone ? last : null;
}

/** The events for which bots get callbacks. */
export const EVENT_WORDS = {
  message: t("A message"),
  "message.update": t("A message was edited"),
  "message.deleted": t("A message was deleted"),
  reaction: t("A reaction"),
  membership: t("Members changed"),
  pin: t("A message was pinned"),
  unpin: t("A message was unpinned"),
};

/** @type {Record<string, string | undefined>} */
const OTHERS = { ...EVENT_WORDS, message: undefined };

/** The name of the delivered event; empty for a message. */
export const eventWords = (/** @type {Delivery} */ { event }) => OTHERS[event ?? ""] ?? "";
