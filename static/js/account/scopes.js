/** What a token may be used for, in words. */

import { t } from "../words/words.js";

/** The scopes, in the order of lists: their names in the API, and what they allow. */
export const SCOPES = Object.freeze({
  "profile:read": t("Read profiles and blocks"),
  "profile:write": t("Change your profile and blocks"),
  "groups:read": t("See groups and their members"),
  "groups:write": t("Create, join and leave groups"),
  "groups:manage": t("Manage groups and their members"),
  "messages:read": t("Read messages in groups"),
  "messages:write": t("Write in groups"),
  "dms:read": t("Read direct messages"),
  "dms:write": t("Write direct messages"),
  bots: t("Manage your bots"),
  notices: t("Manage notifications"),
  account: t("Everything about your account"),
  "admin:read": t("Read as an operator"),
  "admin:moderate": t("Moderate as an operator"),
  "admin:write": t("Administer as an operator"),
  scim: t("Manage accounts as a directory"),
});

/** The scopes that applications may have. */
export const OF_APPLICATIONS = Object.freeze(
  Object.keys(SCOPES).filter((scope) => !/^(account|admin:|scim)/.test(scope)),
);

/** The scopes that a new token has at first: none that opens the account. */
export const CHOSEN_AT_FIRST = Object.freeze(["groups:read", "messages:read"]);

/** What these scopes allow, one text each. */
export const scopeWords = (/** @type {string[]} */ scopes) =>
  scopes.map((scope) => SCOPES[/** @type {keyof typeof SCOPES} */ (scope)] ?? scope);
