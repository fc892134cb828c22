/**
 * Addresses of the pages for operators.
 */

/** @typedef {"overview" | "people" | "requests" | "invitations" | "groups" | "reports" | "rules" | "mail" | "audit" | "directory" | "settings"} AdminPart */
/** @typedef {{ name: "admin", part: AdminPart, id: string | null }} AdminRoute `id` is that of a person or a group */

const ROUTE =
  /^#\/admin(?:\/(people|requests|invitations|groups|reports|rules|mail|audit|directory|settings))?(?:\/(\d+))?$/;

/** @returns {AdminRoute | null} */
export function parseAdminRoute(/** @type {string} */ hash) {
  const found = ROUTE.exec(hash);
  if (!found) return null;
  const [, part = "overview", id = null] = found;
  if (id && part !== "people" && part !== "groups") return null;
  return { name: "admin", part: /** @type {AdminPart} */ (part), id };
}

export const adminHref = "#/admin";
export const adminPartHref = (/** @type {AdminPart} */ part) =>
  part === "overview" ? adminHref : `${adminHref}/${part}`;
export const adminPersonHref = (/** @type {string} */ id) => `${adminHref}/people/${id}`;
export const adminGroupHref = (/** @type {string} */ id) => `${adminHref}/groups/${id}`;
