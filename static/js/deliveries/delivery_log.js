/**
 * The delivery log of the bot that is shown: loading, paging, and refreshing it.
 *
 * Owns what is loaded and when it is refreshed. Changes nothing on the server.
 */

import { reasonOf } from "../text/reason.js";
import { isOpen, refreshed, withOlder } from "./deliveries.js";
import { createPoll } from "./poll.js";

const PAGE = 20;
/** The most deliveries in one answer of the server. */
const MOST = 100;
/** The milliseconds between refreshes: while deliveries are open, and otherwise. */
const BUSY_MS = 3_000;
const CALM_MS = 12_000;

/** @typedef {import("./deliveries.js").Delivery} Delivery */
/** @typedef {import("./deliveries.js").State} State */

/**
 * @typedef {object} Log
 * @property {Delivery[] | null} list null until the first page is loaded
 * @property {boolean} isWhole whether the oldest delivery is loaded
 * @property {string} trouble why loading failed; empty if it did not
 */

/** @type {Log} */
const UNKNOWN = { list: null, isWhole: true, trouble: "" };

/**
 * @param {object} parts
 * @param {Pick<import("../bots/bots.js").BotActs, "deliveries">} parts.api
 * @param {() => boolean} parts.isSeen
 * @param {(log: Log) => void} parts.onChange
 */
export function createDeliveryLog({ api, isSeen, onChange }) {
  let botId = "";
  /** @type {State | null} */
  let filter = null;
  let log = UNKNOWN;
  const poll = createPoll(refresh, isSeen);

  function set(/** @type {Partial<Log>} */ changes) {
    log = { ...log, ...changes };
    onChange(log);
  }

  async function refresh(/** @type {() => boolean} */ isCurrent) {
    const limit = Math.min(Math.max(log.list?.length ?? 0, PAGE), MOST);
    try {
      const fresh = await api.deliveries(botId, { state: filter, limit });
      if (!isCurrent()) return CALM_MS;
      const { list, isWhole } = refreshed(log.list ?? [], fresh, fresh.length < limit);
      const reachesBelow = list.length > fresh.length;
      set({ list, isWhole: reachesBelow ? log.isWhole : isWhole, trouble: "" });
    } catch (error) {
      if (isCurrent()) set({ trouble: wordsOf(error) });
    }
    return log.list?.some(isOpen) ? BUSY_MS : CALM_MS;
  }

  return {
    /**
     * Shows a bot's deliveries, filtered by a state; keeps the loaded ones if neither the bot nor the filter
     * changed.
     */
    open(/** @type {string} */ id, /** @type {State | null} */ state) {
      const isSame = id === botId && state === filter;
      botId = id;
      filter = state;
      if (!isSame) set(UNKNOWN);
      return poll.start();
    },
    close: () => poll.stop(),
    soon: () => poll.soon(),

    async older() {
      const [id, state, before] = [botId, filter, log.list?.at(-1)?.id];
      const page = await api.deliveries(id, { state, before, limit: PAGE });
      if (id !== botId || state !== filter || !log.list) return;
      set({ list: withOlder(log.list, page), isWhole: page.length < PAGE });
    },
  };
}

const wordsOf = (/** @type {unknown} */ error) => reasonOf(error);

/** @typedef {ReturnType<typeof createDeliveryLog>} DeliveryLog */
