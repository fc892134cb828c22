/**
 * The addresses of the page. The URL's hash names the view, so that going back, reloading and bookmarks work
 * without help from the server.
 *
 * Owns the form of these addresses; `#/g/…/m/…` is short for `#/groups/…/messages/…`. Does not decide what a
 * view looks like.
 */

import { parseAdminRoute } from "../admin/admin_route.js";
import { parseBotsRoute } from "../bots/bots_route.js";

/**
 * @typedef {import("../bots/bots_route.js").BotsRoute
 *   | import("../admin/admin_route.js").AdminRoute
 *   | { name: "home", panel?: "search" }
 *   | { name: "setup" }
 *   | { name: "requests" }
 *   | { name: "archived" }
 *   | { name: "saved" }
 *   | { name: "mentions" }
 *   | { name: "group", groupId: string, panel: Panel | null, message?: string, thread?: string }
 *   | { name: "chat", conv: string, panel?: Panel, message?: string, thread?: string }
 *   | { name: "link", page: LinkName, secret: string }
 *   | { name: "account", part: "you" | "applications" | "bots", section?: Section }} Route
 */

/** @typedef {"factors" | "privacy"} Section a section of the account page with an address */

/** @typedef {"recover" | "protest" | "confirm" | "unsubscribe" | "sso"} LinkName a page that a link or a provider leads to */

/**
 * @typedef {"details" | "search" | "gallery" | "pinned" | "polls" | "events" | "topics" | "notices" | "thread"} Panel a page of the panel
 *   beside a conversation
 */

/** What follows the address of a conversation: a page of its panel, or a message. */
const WITHIN =
  "(?:/(?<panel>members|details|search|gallery|pinned|polls|events|topics|notices)|/thread/(?<thread>\\d+)|/(?:messages|m)/(?<message>\\d+)(?<found>/search)?)?";
const GROUP = new RegExp(`^#/(?:groups|g)/(?<id>\\d+)${WITHIN}$`);
const CHAT = new RegExp(`^#/(?:chats|c)/(?<id>\\d+\\+\\d+)${WITHIN}$`);

/** The panel, message and thread of an address. `members` is an earlier name of the details. */
function within(/** @type {Record<string, string | undefined>} */ { panel, thread, message, found }) {
  const shown = found ? "search" : thread ? "thread" : panel === "members" ? "details" : panel;
  return {
    panel: /** @type {Panel | undefined} */ (shown),
    ...(message && { message }),
    ...(thread && { thread }),
  };
}

/** @returns {Route} */
export function parseRoute(/** @type {string} */ hash) {
  const known = parseBotsRoute(hash) ?? parseAdminRoute(hash);
  if (known) return known;
  if (hash === setupHref) return { name: "setup" };
  if (hash === requestsHref) return { name: "requests" };
  if (hash === archivedHref) return { name: "archived" };
  if (hash === savedHref) return { name: "saved" };
  if (hash === mentionsHref) return { name: "mentions" };
  const account = /^#\/account(?:\/(applications|bots))?$/.exec(hash);
  if (account) return { name: "account", part: /** @type {"applications" | "bots"} */ (account[1]) ?? "you" };
  if (hash === factorsHref) return { name: "account", part: "you", section: "factors" };
  if (hash === privacyHref) return { name: "account", part: "you", section: "privacy" };
  const chat = CHAT.exec(hash)?.groups;
  if (chat) {
    const { panel, ...rest } = within(chat);
    return { name: "chat", conv: `d:${chat.id}`, ...(panel && { panel }), ...rest };
  }
  const link = /^#\/(recover|protest|confirm|unsubscribe|sso)(?:\/([\w-]+))?$/.exec(hash);
  if (link)
    return {
      name: "link",
      page: /** @type {LinkName} */ (link[1]),
      secret: link[2] ?? "",
    };
  if (hash === searchHref("")) return { name: "home", panel: "search" };
  const group = GROUP.exec(hash)?.groups;
  if (!group) return { name: "home" };
  const { panel, ...rest } = within(group);
  return { name: "group", groupId: group.id, panel: panel ?? null, ...rest };
}

/** The page of the panel beside the conversation, or null. */
export const panelOf = (/** @type {Route} */ route) =>
  route.name === "group" || route.name === "chat" || route.name === "home" ? (route.panel ?? null) : null;

/** The hash that a path stands for, for pages with a path that people type; "" for others. */
export const hashOf = (/** @type {string} */ path) =>
  path === "/admin" || path === "/setup" ? `#${path}` : "";

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

/** The token of an operators' invitation, as it stands in the path; null for other paths. */
export const parseAccountInvitation = (/** @type {string} */ path) =>
  /^\/invite\/([^/?]+)\/?(?:\?.*)?$/.exec(path)?.[1] ?? null;

export const homeHref = "#/";
/** The address of the first steps of a new server. */
export const setupHref = "#/setup";
/** The address of the message requests. */
export const requestsHref = "#/requests";
/** The address of the archived groups. */
export const archivedHref = "#/archived";
/** The address of the saved messages. */
export const savedHref = "#/saved";
/** The address of the messages for the user. */
export const mentionsHref = "#/mentions";
/** The address of the page that requests a link for a new password. */
export const recoverHref = "#/recover";
export const accountHref = "#/account";
/** The address of the section where one-time codes are set up. */
export const factorsHref = "#/account/factors";
/** The address of the section where people choose who can write to them. */
export const privacyHref = "#/account/privacy";
export const applicationsHref = "#/account/applications";
export const groupHref = (/** @type {string} */ id) => `#/groups/${id}`;
export const chatHref = (/** @type {string} */ conv) => `#/chats/${conv.slice(2)}`;
export const hrefOf = (/** @type {string} */ conv) =>
  conv.startsWith("d:") ? chatHref(conv) : groupHref(conv.slice(2));
/** The address of a message in its conversation, to which a link to the message leads. */
export const messageHref = (/** @type {string} */ conv, /** @type {string} */ id) =>
  `${hrefOf(conv)}/messages/${id}`;
/** The address of a page of the panel beside a conversation. */
export const panelHref = (
  /** @type {string} */ conv,
  /** @type {Exclude<Panel, "thread">} */ panel = "details",
) => `${hrefOf(conv)}/${panel}`;
/** The address of the search beside a conversation, or beside none; with a message that it found. */
export const searchHref = (/** @type {string} */ conv, /** @type {string} */ message = "") => {
  if (conv === "") return "#/search";
  return message === "" ? panelHref(conv, "search") : `${messageHref(conv, message)}/search`;
};
/** The address of the panel with the replies to a message. */
export const threadHref = (/** @type {string} */ conv, /** @type {string} */ id) =>
  `${hrefOf(conv)}/thread/${id}`;
