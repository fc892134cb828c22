/**
 * The addresses of the page. The URL's hash names the view, so that going back, reloading and bookmarks work
 * without help from the server.
 *
 * Owns the form of these addresses; `#/g/…/m/…` is short for `#/groups/…/messages/…`. Does not decide what a
 * view looks like.
 */

import { parseBotsRoute } from "./bots_route.js";

/**
 * @typedef {import("./bots_route.js").BotsRoute
 *   | { name: "home" }
 *   | { name: "group", groupId: string, panel: "members" | null, message?: string }
 *   | { name: "chat", conv: string, message?: string }
 *   | { name: "link", page: "recover" | "protest" | "confirm", secret: string }
 *   | { name: "account", part: "you" | "applications" | "bots" }} Route
 */

/** @returns {Route} */
export function parseRoute(/** @type {string} */ hash) {
  const bots = parseBotsRoute(hash);
  if (bots) return bots;
  const account = /^#\/account(?:\/(applications|bots))?$/.exec(hash);
  if (account) return { name: "account", part: /** @type {"applications" | "bots"} */ (account[1]) ?? "you" };
  const chat = /^#\/(?:chats|c)\/(\d+\+\d+)(?:\/(?:messages|m)\/(\d+))?$/.exec(hash);
  if (chat) return { name: "chat", conv: `d:${chat[1]}`, ...(chat[2] && { message: chat[2] }) };
  const link = /^#\/(recover|protest|confirm)(?:\/([A-Za-z0-9-]+))?$/.exec(hash);
  if (link)
    return {
      name: "link",
      page: /** @type {"recover" | "protest" | "confirm"} */ (link[1]),
      secret: link[2] ?? "",
    };
  const found = /^#\/(?:groups|g)\/(\d+)(?:(\/members)|\/(?:messages|m)\/(\d+))?$/.exec(hash);
  if (!found) return { name: "home" };
  const [, groupId, panel, message] = found;
  return { name: "group", groupId, panel: panel ? "members" : null, ...(message && { message }) };
}

/** The conversation that is open at this address, or null. */
export function convOf(/** @type {Route} */ route) {
  if (route.name === "chat") return route.conv;
  return route.name === "group" ? `g:${route.groupId}` : null;
}

/** The group of a share link, its token, and the id of the member who passed it on; null for other paths. */
export function parseInvitation(/** @type {string} */ path) {
  const found = /^\/join_group\/(\d+)\/([^/?]+)\/?(?:\?from=(\d+))?$/.exec(path);
  return found && { groupId: found[1], token: decodeURIComponent(found[2]), from: found[3] ?? "" };
}

/** @typedef {NonNullable<ReturnType<typeof parseInvitation>>} Invitation */

export const homeHref = "#/";
/** The address of the page that requests a link for a new password. */
export const recoverHref = "#/recover";
export const accountHref = "#/account";
export const applicationsHref = "#/account/applications";
export const groupHref = (/** @type {string} */ id) => `#/groups/${id}`;
export const chatHref = (/** @type {string} */ conv) => `#/chats/${conv.slice(2)}`;
export const hrefOf = (/** @type {string} */ conv) =>
  conv.startsWith("d:") ? chatHref(conv) : groupHref(conv.slice(2));
/** The address of a message in its conversation, to which a link to the message leads. */
export const messageHref = (/** @type {string} */ conv, /** @type {string} */ id) =>
  `${hrefOf(conv)}/messages/${id}`;
export const membersHref = (/** @type {string} */ id) => `#/groups/${id}/members`;
