/**
 * The calls behind links in mails: a new password for somebody who lost theirs.
 *
 * They name the language of the page, in which the server writes the mails.
 */

import { language } from "../words/words.js";

const headers = () => ({ "Accept-Language": language });

export const recoveryCalls = (/** @type {import("../sync/api.js").Api["rest"]} */ { call }) => ({
  /** Requests a mail with a link for a new password. */
  request: (/** @type {string} */ email) =>
    call("POST", "/auth/recover", { body: { email }, headers: headers(), as: null }),
  /** Ends every session after a change that the owner did not make, and mails a link for a new password. */
  protest: (/** @type {string} */ secret) =>
    call("POST", `/auth/protest/${encodeURIComponent(secret)}`, { headers: headers(), as: null }),
  /**
   * Confirms an address with a link; a new account that waits for it needs its password.
   * @param {string} secret
   * @param {{ password?: string }} body
   * @returns {Promise<{ email: string }>}
   */
  confirm: (secret, body) =>
    call("POST", `/auth/confirm/${encodeURIComponent(secret)}`, { body, headers: headers(), as: null }),
  /** Turns mails about missed messages off with a link from one of them. */
  unsubscribe: (/** @type {string} */ secret) =>
    call("POST", `/auth/unsubscribe/${encodeURIComponent(secret)}`, { as: null }),
  /** Requests the mail that confirms my address. */
  requestConfirmation: () => call("POST", "/auth/confirm", { headers: headers() }),
  /** Sets a new password with a link. @returns {Promise<{ email: string }>} the address to log in with */
  recover: (/** @type {string} */ secret, /** @type {string} */ password) =>
    call("POST", `/auth/recover/${encodeURIComponent(secret)}`, {
      body: { password },
      headers: headers(),
      as: null,
    }),
});
