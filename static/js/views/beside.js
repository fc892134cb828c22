/**
 * What stays beside a conversation when somebody goes on to the next one.
 *
 * Owns one rule: where the members have a place of their own, whoever opened them sees those of
 * every group that is opened from there, until they close them. Where they cover the
 * conversation (`shell.css`), the next one is shown by itself.
 */

import { hrefOf, membersHref } from "../route.js";

/** @typedef {import("../route.js").Route} Route */

const hasPlace = matchMedia("(min-width: 1080px)");

/** Of which group the members are shown here. @returns {string | null} */
const membersOf = (/** @type {Route} */ route) =>
  route.name === "group" && route.panel === "members" ? route.groupId : null;

/** Runs whenever the members get such a place, or lose it. */
export const onPlaceChange = (/** @type {() => void} */ run) => hasPlace.addEventListener("change", run);

/** The address of a conversation, for somebody who is here. */
export function hrefFrom(/** @type {Route} */ here, /** @type {string} */ conv) {
  const stays = hasPlace.matches && membersOf(here) !== null && conv.startsWith("g:");
  return stays ? membersHref(conv.slice(2)) : hrefOf(conv);
}

/** Whether the members were there before, of another group. */
export function staysBeside(/** @type {Route} */ before, /** @type {Route} */ now) {
  const [group, next] = [membersOf(before), membersOf(now)];
  return group !== null && next !== null && group !== next;
}
