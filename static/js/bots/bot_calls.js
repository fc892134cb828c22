/**
 * The REST calls about the bots that I made, one function each; `api.js` sends them and turns failures into
 * errors.
 */

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("../deliveries/deliveries.js").Delivery} Delivery */
/** @typedef {import("../deliveries/deliveries.js").OpenDelivery} OpenDelivery */
/** @typedef {import("../deliveries/deliveries.js").State} State */
/** @typedef {Bot & { secret: string }} NewBot */
/** @typedef {import("./bot_commands.js").BotCommand & { bot_name: string, avatar_url: string | null }} Command */
/**
 * @typedef {Bot & { receive_own: boolean, events: string[], post_answers: boolean,
 *   commands: import("./bot_commands.js").BotCommand[], drop_older_than: number | null }} WholeBot
 */
/**
 * @typedef {{ sender_id: string, name: string, avatar_url: string | null, active: boolean, listens: boolean,
 *   events: string[], created_by: { user_id: string, name: string, is_member: boolean } }} GroupBot a bot as
 *   all members see it; `listens` is whether it may read what is said
 */
/** @typedef {{ secret: string, previous_valid_until: number | null }} Rotated */
/** @typedef {{ status: number | null, latency_ms: number, answer: string | null }} Tested */
/** @typedef {{ name: string, group_id: string, callback_url?: string, avatar_url?: string }} BotRequest */
/**
 * @typedef {{ name?: string, callback_url?: string, avatar_url?: string, active?: boolean,
 *   receive_own?: boolean, keep?: true, events?: string[], post_answers?: boolean,
 *   commands?: import("./bot_commands.js").BotCommand[], drop_older_than?: number }} BotChange an
 *   empty URL removes the URL; 0 for `drop_older_than` removes the limit
 */
/** @typedef {{ state: "dead" } | { from_id: string, to_id: string }} Again */

const at = encodeURIComponent;

/** @param {{ get(path: string): Promise<any>, post(path: string, body: object): Promise<any> }} calls */
export function botCalls({ get, post }) {
  const of = (/** @type {string} */ id, /** @type {string} */ rest) => `/v3/bots/${at(id)}${rest}`;

  return {
    /** The bots that I made. @returns {Promise<Bot[]>} */
    bots: () => get("/v3/bots"),
    /** @returns {Promise<NewBot>} */
    createBot: (/** @type {BotRequest} */ bot) => post("/v3/bots", { bot }),
    /** Changes a bot; without a change, only returns its settings. @returns {Promise<WholeBot>} */
    changeBot: (/** @type {string} */ id, /** @type {BotChange} */ change = {}) =>
      post(of(id, "/update"), change),
    destroyBot: (/** @type {string} */ id) => post("/v3/bots/destroy", { bot_id: id }),
    /** @returns {Promise<Rotated>} */
    rotateSecret: (/** @type {string} */ id) => post(of(id, "/secret"), {}),
    /** @returns {Promise<Tested>} */
    testBot: (/** @type {string} */ id) => post(of(id, "/test"), {}),

    /** One page of deliveries, newest first. @returns {Promise<Delivery[]>} */
    async deliveries(
      /** @type {string} */ id,
      /** @type {{ state?: State | null, before?: string, limit: number }} */ { state, before, limit },
    ) {
      const query = new URLSearchParams({ limit: String(limit) });
      if (state) query.set("state", state);
      if (before) query.set("before", before);
      return (await get(of(id, `/deliveries?${query}`))).deliveries;
    },
    /** @returns {Promise<OpenDelivery>} */
    delivery: (/** @type {string} */ id, /** @type {string} */ delivery) =>
      get(of(id, `/deliveries/${at(delivery)}`)),
    /** @returns {Promise<string[]>} the ids of the deliveries that are sent again */
    replayOne: async (/** @type {string} */ id, /** @type {string} */ delivery) =>
      (await post(of(id, `/deliveries/${at(delivery)}/replay`), {})).deliveries,
    /** @returns {Promise<string[]>} the ids of the deliveries that are sent again */
    replayMany: async (/** @type {string} */ id, /** @type {Again} */ again) =>
      (await post(of(id, "/replay"), again)).deliveries,
  };
}
