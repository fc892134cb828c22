/**
 * Whether the panel of members stays open when the user goes from one conversation to the next.
 *
 * Owns one rule: where the panel has a column of its own, it stays open for each group the user goes to,
 * until they close it. Where the panel covers the conversation (`shell.css`), the next conversation is opened
 * without it.
 */

import { hrefOf, membersHref } from "../route.js";

/** @typedef {import("../route.js").Route} Route */

const hasPlace = matchMedia("(min-width: 1080px)");

/** The id of the group whose members the route shows, or null. @returns {string | null} */
const membersOf = (/** @type {Route} */ route) =>
  route.name === "group" && route.panel === "members" ? route.groupId : null;

/** Calls `run` whenever the panel of members gains or loses its own column. */
export const onPlaceChange = (/** @type {() => void} */ run) => hasPlace.addEventListener("change", run);

/**
 * Returns the address of a conversation for a link on the page `here`, with the panel of members if it stays
 * open.
 */
export function hrefFrom(/** @type {Route} */ here, /** @type {string} */ conv) {
  const stays = hasPlace.matches && membersOf(here) !== null && conv.startsWith("g:");
  return stays ? membersHref(conv.slice(2)) : hrefOf(conv);
}

/** Whether the panel of members was open before too, for another group. */
export function staysBeside(/** @type {Route} */ before, /** @type {Route} */ now) {
  const [group, next] = [membersOf(before), membersOf(now)];
  return group !== null && next !== null && group !== next;
}
