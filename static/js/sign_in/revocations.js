/**
 * Tokens that the server still has to revoke: a log-out without a connection ends at the server once the line
 * is back.
 *
 * Owns the list of these tokens in localStorage. A browser that refuses storage keeps it as long as the page.
 */

import { ApiError } from "../sync/api.js";

const KEY = "coterie.revocations";
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;

/**
 * @param {object} parts
 * @param {(token: string) => Promise<unknown>} parts.revoke
 * @param {() => Pick<Storage, "getItem" | "setItem" | "removeItem">} parts.storage
 * @param {(run: () => void, ms: number) => unknown} [parts.later]
 */
export function createRevocations({ revoke, storage, later = setTimeout }) {
  /** The tokens of this page, for browsers that refuse storage. @type {string[]} */
  let own = [];
  /** @type {Set<string>} */
  const running = new Set();
  let failures = 0;
  let isPlanned = false;

  /** @returns {string[]} */
  function tokens() {
    try {
      const stored = JSON.parse(storage().getItem(KEY) ?? "[]");
      return [...new Set([...own, ...(Array.isArray(stored) ? stored : [])])];
    } catch {
      return own;
    }
  }

  function keep(/** @type {string[]} */ all) {
    own = all;
    try {
      if (all.length > 0) storage().setItem(KEY, JSON.stringify(all));
      else storage().removeItem(KEY);
    } catch {
      // Storage refused: `own` serves this visit.
    }
  }

  /** Revokes one token; a token that the server refuses has ended already. Returns whether it has ended. */
  async function attempt(/** @type {string} */ token) {
    if (running.has(token)) return false;
    running.add(token);
    try {
      await revoke(token);
      failures = 0;
      keep(tokens().filter((one) => one !== token));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.passing) {
        plan();
        return false;
      }
      keep(tokens().filter((one) => one !== token));
      return true;
    } finally {
      running.delete(token);
    }
  }

  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    const ms = Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS);
    failures += 1;
    later(() => {
      isPlanned = false;
      resume();
    }, ms);
  }

  /** Tries all tokens again, when the page starts and when the network may be back. */
  function resume() {
    return Promise.all(tokens().map(attempt));
  }

  return {
    /** Revokes a token now, or once the server can be reached. Resolves with whether it has ended. */
    add(/** @type {string} */ token) {
      keep([...tokens(), token]);
      return attempt(token);
    },
    resume,
  };
}
