/**
 * Whether the panel of details stays open when the user goes from one conversation to the next.
 *
 * Owns one rule: where the panel has a column of its own, it stays open for each group the user goes to,
 * until they close it. Where the panel covers the conversation (`shell.css`), the next conversation is opened
 * without it.
 */

import { convOf, homeHref, hrefOf, panelHref, panelOf } from "../app/route.js";
import { pages } from "../ui/window.js";

/** @typedef {import("../app/route.js").Route} Route */

const hasPlace = matchMedia("(min-width: 1080px)");

/** The id of the group whose details the route shows, or null. @returns {string | null} */
const detailsOf = (/** @type {Route} */ route) =>
  route.name === "group" && route.panel === "details" ? route.groupId : null;

/** Whether the panel has a column of its own, so that it covers nothing. */
export const isBeside = () => hasPlace.matches;

/** Calls `run` whenever the panel gains or loses its own column. */
export const onPlaceChange = (/** @type {() => void} */ run) => hasPlace.addEventListener("change", run);

/**
 * Returns the address of a conversation for a link on the page `here`, with the panel if it stays
 * open.
 */
export function hrefFrom(/** @type {Route} */ here, /** @type {string} */ conv) {
  const stays = hasPlace.matches && detailsOf(here) !== null && conv.startsWith("g:");
  return stays ? panelHref(conv) : hrefOf(conv);
}

/** Whether the panel was open before too, for another group. */
export function staysBeside(/** @type {Route} */ before, /** @type {Route} */ now) {
  const [group, next] = [detailsOf(before), detailsOf(now)];
  return group !== null && next !== null && group !== next;
}

/** The address to which the panel closes: the details if a link there led to this page, or the conversation. */
export function closingHref(/** @type {import("../app/route.js").Route} */ route) {
  const conv = convOf(route);
  if (!conv) return homeHref;
  const isBelow = panelOf(route) !== "details" && pages.from() === panelHref(conv);
  return isBelow ? panelHref(conv) : hrefOf(conv);
}
