/**
 * The bots that I made: their handles in addresses, and how events change the list.
 *
 * Pure. Bots of others are ignored: their events carry no `bot_id`.
 */

/** @typedef {import("../sync/types.js").Event} Event */

/**
 * @typedef {object} Bot
 * @property {string} bot_id the secret with which it posts
 * @property {string} group_id
 * @property {string} name
 * @property {string | null} avatar_url
 * @property {string | null} callback_url
 * @property {boolean} active
 * @property {string | null} [client_id] the application with which it is deleted; only in answers with its settings
 */

/**
 * A bot's handle in the page's address. With the id itself, anybody who sees the address or the browser's
 * history could post as the bot; the id cannot be computed from this hash.
 */
export function handleOf(/** @type {string} */ botId) {
  let left = 0xdead_beef;
  let right = 0x41c6_ce57;
  for (const char of botId) {
    const code = char.codePointAt(0) ?? 0;
    left = Math.imul(left ^ code, 0x9e37_79b1);
    right = Math.imul(right ^ code, 0x5f35_6495);
  }
  return [left, right].map((half) => (half >>> 0).toString(36).padStart(7, "0")).join("");
}

/** @returns {Bot | null} */
export function findBot(/** @type {Bot[] | null | undefined} */ bots, /** @type {string} */ handle) {
  return bots?.find((bot) => handleOf(bot.bot_id) === handle) ?? null;
}

/** Whether callbacks are sent for the bot. */
export const isCalledBack = (/** @type {Bot} */ { active, callback_url: url }) => active && Boolean(url);

/** The list with this bot added or updated. @returns {Bot[]} */
export function withBot(/** @type {Bot[]} */ bots, /** @type {Bot} */ bot) {
  const at = bots.findIndex((known) => known.bot_id === bot.bot_id);
  return at < 0 ? [...bots, bot] : bots.with(at, { ...bots[at], ...bot });
}

/** The list after an event; the same list if the event concerns none of them. */
export function heard(/** @type {Bot[]} */ bots, /** @type {Event} */ { conv, type, data }) {
  if (type === "group.delete") return without(bots, (bot) => `g:${bot.group_id}` === conv);
  if (!data?.bot_id) return bots;
  if (type === "bot.delete") return without(bots, (bot) => bot.bot_id === data.bot_id);
  return type === "bot.create" || type === "bot.update" ? withBot(bots, data) : bots;
}

function without(/** @type {Bot[]} */ bots, /** @type {(bot: Bot) => boolean} */ isGone) {
  return bots.some(isGone) ? bots.filter((bot) => !isGone(bot)) : bots;
}

/** The bots by group, then by name. @returns {Bot[]} */
export function sorted(/** @type {Bot[]} */ bots, /** @type {(groupId: string) => string} */ nameOfGroup) {
  const place = (/** @type {Bot} */ bot) => `${nameOfGroup(bot.group_id)}\u0000${bot.name}`;
  return [...bots].sort((a, b) => place(a).localeCompare(place(b)));
}
