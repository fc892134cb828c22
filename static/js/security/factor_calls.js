/**
 * The calls about the second factor: one-time codes, recovery codes, trusted devices, fresh proof; and until when
 * the server gives an account time to set one up.
 *
 * Owns the secret of this device in localStorage, with which a log-in here needs no second factor. Mails are
 * in the language of the page.
 */

import { language } from "../words/words.js";

/**
 * `required_until`: until when it has to be set up, in seconds; null if it is on, or if the server does not ask for it.
 * @typedef {{ enabled: boolean, since: number | null, recovery_codes: number, required_until: number | null }} FactorState
 */
/** @typedef {{ id: string, name: string, created_at: number, expires_at: number }} TrustedDevice */
/** @typedef {{ user_id: string, name: string | null }} NamedPerson */
/** @typedef {{ id: string, at: number, act: string, by: NamedPerson | null, reason: string | null }} OwnAct */

const KEY = "coterie.trusted";

/** The language of the mail that tells of a change. */
export const mailHeaders = () => ({ "Accept-Language": language });

/** The secret of this device; null if it is not trusted, or the browser refuses storage. */
export function deviceSecret() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function saveDevice(/** @type {string} */ secret) {
  try {
    localStorage.setItem(KEY, secret);
  } catch {
    // The next log-in asks for a code again.
  }
}

/**
 * Names a typed code for the server: six digits are a one-time code, anything else is a recovery code.
 * @returns {{ totp: string } | { recovery: string }}
 */
export function namedCode(/** @type {string} */ typed) {
  const bare = typed.replace(/[\s-]/g, "");
  return /^\d{6}$/.test(bare) ? { totp: bare } : { recovery: typed.trim() };
}

/**
 * My account, with until when it has to have a second factor, in seconds; null for one that lacks none.
 * @returns {import("../sync/types.js").User}
 */
export function withDeadline(
  /** @type {import("../sync/types.js").User} */ user,
  /** @type {number | null} */ until,
) {
  if ((user.second_factor?.until ?? null) === until) return user;
  const { second_factor: _, ...rest } = user;
  return until === null ? rest : { ...rest, second_factor: { until } };
}

export const factorCalls = (/** @type {import("../sync/api.js").Api["rest"]} */ { call }) => ({
  /** @returns {Promise<FactorState>} */
  state: () => call("GET", "/auth/totp", {}),
  /** Makes a secret. @returns {Promise<{ secret: string, uri: string }>} */
  begin: () => call("POST", "/auth/totp", { headers: mailHeaders() }),
  /** Turns the factor on with a first code. @returns {Promise<{ recovery_codes: string[] }>} */
  confirm: (/** @type {string} */ code) =>
    call("POST", "/auth/totp/confirm", { body: { code }, headers: mailHeaders() }),
  /** Replaces the recovery codes. @returns {Promise<{ recovery_codes: string[] }>} */
  renew: (/** @type {object} */ body) =>
    call("POST", "/auth/totp/recovery-codes", { body, headers: mailHeaders() }),
  remove: (/** @type {object} */ body) => call("DELETE", "/auth/totp", { body, headers: mailHeaders() }),
  /** @returns {Promise<TrustedDevice[]>} */
  devices: () => call("GET", "/auth/devices", {}),
  forget: (/** @type {string} */ id) => call("DELETE", `/auth/devices/${encodeURIComponent(id)}`, {}),
  /**
   * What operators did to me, newest first.
   * @returns {Promise<{ entries: OwnAct[], before: string | null }>}
   */
  audit: (/** @type {string | null} */ before) =>
    call("GET", `/auth/audit${before === null ? "" : `?before=${encodeURIComponent(before)}`}`, {}),
  /** Proves again who I am. */
  prove: (/** @type {{ password: string } | { passkey: import("./passkeys.js").ShownPasskey }} */ body) =>
    call("POST", "/auth/fresh", { body }),
});

/** @typedef {ReturnType<typeof factorCalls>} FactorCalls */
