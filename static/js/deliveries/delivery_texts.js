/**
 * The texts of the messages behind deliveries, which name messages by id alone.
 *
 * Owns which messages were looked up. Messages in the snapshot are not requested; the others are loaded by
 * the page, since deliveries follow the order of the group's messages. Nothing is known of a group that I
 * have left.
 */

import { compareIds } from "../sync/messages.js";
import { oneLine } from "../text/one_line.js";

const PAGE = 100;
/**
 * The most pages loaded per call. Filtered deliveries may lie far apart; messages beyond that show their id
 * only.
 */
const PAGES = 5;

/** @typedef {import("../sync/types.js").Message} Message */

/**
 * @param {object} parts
 * @param {Pick<import("../sync/api.js").Api, "messages">} parts.api
 * @param {(groupId: string) => Message[]} parts.known the messages that are loaded already
 */
export function createTexts({ api, known }) {
  /** Texts by message id. @type {Map<string, string>} */
  const texts = new Map();
  /** The ids of messages that were looked up, found or not. @type {Set<string>} */
  const asked = new Set();

  const keep = (/** @type {Message} */ message) => {
    texts.set(message.id, message.system ? oneLine(message) : `${message.name}: ${oneLine(message)}`);
  };

  async function page(/** @type {string} */ groupId, /** @type {string[]} */ missing) {
    const beforeId = String(BigInt(missing[missing.length - 1]) + 1n);
    try {
      return await api.messages(groupId, { beforeId, limit: PAGE });
    } catch (error) {
      // The failure may pass, so the next refresh tries again.
      if (/** @type {any} */ (error)?.passing) for (const id of missing) asked.delete(id);
      return [];
    }
  }

  return {
    /** The author and text in one line, "Ana: rope at six"; empty while not known. */
    of: (/** @type {string} */ id) => texts.get(id) ?? "",

    /** Looks up the texts that are not known yet. */
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

/** One store for all pages of a session. @type {WeakMap<object, Texts>} */
const stores = new WeakMap();

/** The texts of messages for the pages about a person's bots. */
export function textsOf(/** @type {import("../bots/bots.js").BotActs} */ bots) {
  const known = stores.get(bots);
  const texts = known ?? createTexts({ api: bots, known: bots.known });
  if (!known) stores.set(bots, texts);
  return texts;
}
