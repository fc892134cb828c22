/**
 * What a person can do with the bots they made, and the list of them.
 *
 * Owns when the list is loaded: when a view shows it, and again when events may have been missed. A new
 * secret stays here until the person confirms that they stored it, since the server tells it only once.
 */

import { convOfGroup } from "../sync/store.js";
import { botCalls } from "./bot_calls.js";
import { heard, withBot } from "./bot_list.js";

/** How many of the newest deliveries are searched for the 410 that switched a bot off. */
const LAST = 100;

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("./bot_calls.js").BotRequest} BotRequest */
/** @typedef {import("./bot_calls.js").BotChange} BotChange */
/** @typedef {import("../sync/types.js").Event} Event */
/** @typedef {{ secret: string, until: number | null }} Fresh `until`: when the previous secret expires */

/** @typedef {import("../app/app.js").App} App */

/** @type {WeakMap<App, BotActs>} */
const known = new WeakMap();

/** What a person can do with their bots; created with the first view that asks for it. @returns {BotActs} */
export function botsOf(/** @type {App} */ app) {
  const acts = known.get(app) ?? createBotActs(app);
  known.set(app, acts);
  return acts;
}

function createBotActs(/** @type {App} */ { api: all, state, onEvent }) {
  const api = { ...all, ...botCalls(all.rest) };
  /** New secrets that were not confirmed yet, by bot id. @type {Map<string, Fresh>} */
  const fresh = new Map();
  /** @type {((event: Event) => void)[]} */
  const listeners = [];
  let connection = state.get().connection;

  async function load() {
    const bots = await api.bots();
    if (state.get().phase === "in") state.set({ bots });
  }

  function keep(/** @type {Bot} */ bot) {
    state.set({ bots: withBot(state.get().bots ?? [], bot) });
  }

  state.onChange((now) => {
    if (now.phase === "out") {
      fresh.clear();
      if (now.bots) state.set({ bots: null });
    }
    const isBack = now.connection === "live" && connection !== "live";
    connection = now.connection;
    // Events may have been missed while the feed was interrupted.
    if (isBack && now.bots) load().catch(() => {});
  });

  onEvent((_, event) => {
    const { bots } = state.get();
    const after = bots && heard(bots, event);
    if (after !== bots) state.set({ bots: after });
    for (const listener of listeners) listener(event);
  });

  return {
    load,
    onEvent: (/** @type {(event: Event) => void} */ listener) => listeners.push(listener),

    /** @returns {Promise<Bot>} */
    async create(/** @type {BotRequest} */ request, /** @type {Blob | undefined} */ picture) {
      const avatar = picture ? { avatar_url: await api.uploadPicture(picture) } : {};
      const { secret, ...bot } = await api.createBot({ ...request, ...avatar });
      fresh.set(bot.bot_id, { secret, until: null });
      keep(bot);
      return bot;
    },

    /** Changes a bot; without a change, only loads its settings. */
    async change(/** @type {string} */ id, /** @type {BotChange} */ change = {}) {
      const bot = await api.changeBot(id, change);
      keep(bot);
      return bot;
    },
    async setPicture(/** @type {string} */ id, /** @type {Blob} */ file) {
      keep(await api.changeBot(id, { avatar_url: await api.uploadPicture(file) }));
    },
    async destroy(/** @type {string} */ id) {
      await api.destroyBot(id);
      fresh.delete(id);
      const { bots } = state.get();
      state.set({ bots: bots?.filter((bot) => bot.bot_id !== id) ?? null });
    },

    async rotate(/** @type {string} */ id) {
      const { secret, previous_valid_until: until } = await api.rotateSecret(id);
      fresh.set(id, { secret, until });
    },
    freshSecret: (/** @type {string} */ id) => fresh.get(id) ?? null,
    secretIsKept: (/** @type {string} */ id) => fresh.delete(id),

    test: api.testBot,

    /** When a 410 switched the bot off, in seconds; null if it was switched off otherwise. */
    async goneAt(/** @type {string} */ id) {
      const newest = await api.deliveries(id, { limit: LAST });
      return (await import("../deliveries/deliveries.js")).goneAt(newest);
    },

    delivery: api.delivery,
    replayOne: api.replayOne,
    replayMany: api.replayMany,
    deliveries: api.deliveries,
    messages: api.messages,
    /** The messages of a group that are loaded already. */
    known: (/** @type {string} */ groupId) =>
      state.get().snapshot?.conversations[convOfGroup(groupId)]?.messages ?? [],
  };
}

/** @typedef {ReturnType<typeof createBotActs>} BotActs */
