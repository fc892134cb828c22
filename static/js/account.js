/**
 * What a person can do about their account: log-ins, password, applications, the end.
 *
 * Owns what follows on this page from each of them. Keeps nothing: the views ask again
 * each time they are opened, since other devices change the same things.
 */

import { t } from "./words.js";

const DELETED = t("Your account is deleted.");

/** @typedef {import("./types.js").Token} Token */

export function createAccountActs(
  /** @type {import("./api.js").Api} */ api,
  /** @type {(notice: string) => void} */ leave,
) {
  return {
    tokens: api.tokens,
    applications: api.applications,
    registerApplication: api.registerApplication,
    removeApplication: api.removeApplication,
    changePassword: api.changePassword,

    /** Ends a log-in or an application's access; one's own is logging out. */
    async endToken(/** @type {Token} */ token) {
      await api.endToken(token.id);
      if (token.current) leave("");
    },

    async deleteAccount(/** @type {{ password: string }} */ form) {
      await api.deleteAccount(form);
      leave(DELETED);
    },
  };
}

/** @typedef {ReturnType<typeof createAccountActs>} AccountActs */
