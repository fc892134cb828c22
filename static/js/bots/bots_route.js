/**
 * Addresses of the pages about bots.
 */

/** @typedef {"overview" | "deliveries" | "settings"} BotTab */

/**
 * @typedef {{ name: "bots", groupId: string } | { name: "bot", handle: string, tab: BotTab, delivery: string | null }}
 *   BotsRoute the bots of one group, or one bot
 */

const ONE = /^#\/bots\/([0-9a-z]{14})(?:\/(deliveries|settings))?(?:\/(\d{1,20}))?$/;

/** @returns {BotsRoute | null} */
export function parseBotsRoute(/** @type {string} */ hash) {
  const group = /^#\/groups\/(\d+)\/bots$/.exec(hash);
  if (group) return { name: "bots", groupId: group[1] };
  const one = ONE.exec(hash);
  if (!one) return null;
  const [, handle, tab = "overview", delivery = null] = one;
  if (delivery && tab !== "deliveries") return null;
  return { name: "bot", handle, tab: /** @type {BotTab} */ (tab), delivery };
}

export const botsHref = "#/account/bots";
export const botsOfGroupHref = (/** @type {string} */ groupId) => `#/groups/${groupId}/bots`;
export const botHref = (/** @type {string} */ handle, /** @type {BotTab} */ tab = "overview") =>
  tab === "overview" ? `#/bots/${handle}` : `#/bots/${handle}/${tab}`;
export const deliveryHref = (/** @type {string} */ handle, /** @type {string} */ id) =>
  `#/bots/${handle}/deliveries/${id}`;
