/**
 * What a person can do about their account: sessions, password, applications, deletion.
 *
 * Owns what each of them changes on this page. Keeps nothing: the views load everything again each time they
 * are opened, since other devices change the same things.
 */

import { t } from "../words/words.js";

const DELETED = t("Your account was deleted.");

/** @typedef {import("../sync/types.js").Token} Token */

export function createAccountActs(
  /** @type {import("../sync/api.js").Api} */ api,
  /** @type {(notice: string) => void} */ leave,
) {
  return {
    tokens: api.tokens,
    applications: api.applications,
    registerApplication: api.registerApplication,
    removeApplication: api.removeApplication,
    changePassword: api.changePassword,

    /** Removes bots and applications that somebody else may have made. */
    async removeActors(/** @type {import("../sync/api.js").Remaining} */ { bots, applications }) {
      for (const { client_id } of applications) await api.removeApplication(client_id);
      for (const { bot_id } of bots) await api.rest.post("/v3/bots/destroy", { bot_id });
    },

    /**
     * Makes a token, which this answer alone has.
     * @returns {Promise<{ access_token: string }>}
     */
    makeToken: (/** @type {{ name: string, scopes: string[], expires_in?: number }} */ form) =>
      api.rest.post("/auth/tokens", form),

    /** Ends another session, or an application's access. */
    endToken: (/** @type {Token} */ token) => api.endToken(token.id),

    async deleteAccount(/** @type {{ password: string }} */ form) {
      await api.deleteAccount(form);
      leave(DELETED);
    },
  };
}

/** @typedef {ReturnType<typeof createAccountActs>} AccountActs */
