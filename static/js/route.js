/**
 * Addresses of the page: what is shown lives in the URL's hash, so that going back,
 * reloading and bookmarks work without help from the server.
 *
 * Owns the form of these addresses. Does not decide what a view looks like.
 */

/**
 * @typedef {{ name: "home" }
 *   | { name: "group", groupId: string, panel: "members" | null }
 *   | { name: "account", part: "you" | "applications" }} Route
 */

/** @returns {Route} */
export function parseRoute(/** @type {string} */ hash) {
  const account = /^#\/account(\/applications)?$/.exec(hash);
  if (account) return { name: "account", part: account[1] ? "applications" : "you" };
  const found = /^#\/groups\/(\d+)(\/members)?$/.exec(hash);
  if (!found) return { name: "home" };
  return { name: "group", groupId: found[1], panel: found[2] ? "members" : null };
}

export const homeHref = "#/";
export const accountHref = "#/account";
export const applicationsHref = "#/account/applications";
export const groupHref = (/** @type {string} */ id) => `#/groups/${id}`;
export const membersHref = (/** @type {string} */ id) => `#/groups/${id}/members`;
