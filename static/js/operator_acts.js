/** The names of the acts of operators. */

import { t } from "./words.js";

/** @type {Record<string, string>} */
const ACTS = {
  user_added: t("Account created"),
  user_disabled: t("Account disabled"),
  user_enabled: t("Account enabled"),
  user_logged_out: t("Logged out everywhere"),
  password_reset: t("Password set"),
  recovery_link_made: t("Link for a new password made"),
  factors_reset: t("Two-factor log-in turned off"),
  role_set: t("Role changed"),
  settings_changed: t("Settings changed"),
  backup_taken: t("Backup taken"),
  clock_accepted: t("Clock accepted"),
};

export const actName = (/** @type {string} */ act) => ACTS[act] ?? act;
