/** The calls about accounts at providers, with which people log in. */

/** @typedef {{ id: string, name: string }} Provider */
/** @typedef {{ id: string, provider: string | null, issuer: string, email: string | null, created_at: number }} Identity */
/** @typedef {{ link: { email: string, provider: string } } | { verification: import("../sync/api.js").Verification }} Waiting */

/** The page of a provider where somebody logs in; the browser comes back to the path that is open. */
export const startHref = (/** @type {Provider} */ { id }) =>
  `/auth/oidc/${encodeURIComponent(id)}/start?return=${encodeURIComponent(location.pathname + location.search)}`;

/** The page that leads on to a provider after a log-out. */
export const leaveHref = (/** @type {string} */ id) => `/auth/oidc/${encodeURIComponent(id)}/logout`;

/** Where the browser comes back to after it linked or proved an identity. */
const BACK = "/#/account";

export const identityCalls = (/** @type {import("../sync/api.js").Api["rest"]} */ { call }) => ({
  /** @returns {Promise<Identity[]>} */
  list: () => call("GET", "/auth/identities", {}),
  unlink: (/** @type {string} */ id) => call("DELETE", `/auth/identities/${encodeURIComponent(id)}`, {}),
  /** Begins to link an account at a provider. @returns {Promise<{ url: string }>} where to log in */
  link: (/** @type {Provider} */ { id }) =>
    call("POST", `/auth/oidc/${encodeURIComponent(id)}/link`, { body: { return: BACK } }),
  /** Begins to prove who I am at a provider. @returns {Promise<{ url: string }>} where to log in */
  prove: (/** @type {Provider} */ { id }) =>
    call("POST", `/auth/oidc/${encodeURIComponent(id)}/proof`, { body: { return: BACK } }),
  /**
   * Ends a log-in through a provider.
   * @returns {Promise<Waiting | { access_token: string, provider?: string }>}
   */
  finish: (/** @type {{ code: string, password?: string, totp?: string, recovery?: string }} */ body) =>
    call("POST", "/auth/oidc/finish", { body, as: null }),
});

/** @typedef {ReturnType<typeof identityCalls>} IdentityCalls */
