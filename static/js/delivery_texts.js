/**
 * What the messages behind deliveries say: deliveries name them by their ids alone.
 *
 * Owns what was looked up. What the snapshot has is not asked for; the rest comes by
 * the page, since deliveries follow the group's log. In a group that one has left,
 * nothing is known.
 */

import { compareIds } from "./messages.js";
import { oneLine } from "./one_line.js";

const PAGE = 100;
/** Filtered deliveries may lie far apart; beyond this, a number has to do. */
const PAGES = 5;

/** @typedef {import("./types.js").Message} Message */

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "messages">} parts.api
 * @param {(groupId: string) => Message[]} parts.known what is here already
 */
export function createTexts({ api, known }) {
  /** By message. @type {Map<string, string>} */
  const texts = new Map();
  /** Looked up already, found or not. @type {Set<string>} */
  const asked = new Set();

  const keep = (/** @type {Message} */ message) => {
    texts.set(message.id, message.system ? oneLine(message) : `${message.name}: ${oneLine(message)}`);
  };

  async function page(/** @type {string} */ groupId, /** @type {string[]} */ missing) {
    const beforeId = String(BigInt(missing[missing.length - 1]) + 1n);
    try {
      return await api.messages(groupId, { beforeId, limit: PAGE });
    } catch (error) {
      // Worth another try with the next refreshing.
      if (/** @type {any} */ (error)?.passing) for (const id of missing) asked.delete(id);
      return [];
    }
  }

  return {
    /** "Ana: rope at six"; empty when it is not known. */
    of: (/** @type {string} */ id) => texts.get(id) ?? "",

    /** Looks up what is not known yet. */
    async learn(/** @type {string} */ groupId, /** @type {string[]} */ ids) {
      const isNew = (/** @type {string} */ id) => !texts.has(id) && !asked.has(id);
      if (!ids.some(isNew)) return;
      for (const message of known(groupId)) keep(message);
      let missing = ids.filter(isNew).sort(compareIds);
      for (const id of missing) asked.add(id);
      for (let tries = 0; tries < PAGES && missing.length > 0; tries += 1) {
        const found = await page(groupId, missing);
        for (const message of found) keep(message);
        const oldest = found.at(-1)?.id;
        missing = oldest ? missing.filter((id) => compareIds(id, oldest) < 0) : [];
      }
    },
  };
}

/** @typedef {ReturnType<typeof createTexts>} Texts */
