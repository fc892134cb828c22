/** The names of the acts of operators. */

import { t } from "../words/words.js";

/** @type {Record<string, string>} */
const ACTS = {
  user_added: t("Account created"),
  request_approved: t("Request for an account approved"),
  request_refused: t("Request for an account refused"),
  invite_created: t("Invitation made"),
  invite_ended: t("Invitation ended"),
  user_disabled: t("Account disabled"),
  user_enabled: t("Account enabled"),
  user_logged_out: t("Logged out everywhere"),
  password_reset: t("Password set"),
  recovery_link_made: t("Link for a new password made"),
  factors_reset: t("Two-factor log-in turned off"),
  role_set: t("Role changed"),
  kind_set: t("Guest made a member"),
  settings_changed: t("Settings changed"),
  scim_token_made: t("Token of the directory made"),
  scim_token_ended: t("Token of the directory ended"),
  directory_created: t("Account created by the directory"),
  directory_changed: t("Account changed by the directory"),
  directory_deactivated: t("Account deactivated by the directory"),
  directory_activated: t("Account activated by the directory"),
  directory_deleted: t("Account removed by the directory"),
  directory_restored: t("Account brought back by the directory"),
  directory_group_created: t("Group created by the directory"),
  directory_group_changed: t("Group changed by the directory"),
  directory_group_deleted: t("Group deleted by the directory"),
  directory_group_mapped: t("Group of the directory mapped to a role"),
  report_read: t("Report read"),
  report_resolved: t("Report resolved"),
  group_frozen: t("Group frozen"),
  group_unfrozen: t("Group unfrozen"),
  group_unlisted: t("Group taken out of the directory"),
  group_destroyed: t("Group deleted"),
  rule_created: t("Rule made"),
  rule_changed: t("Rule changed"),
  rule_deleted: t("Rule deleted"),
  mail_retried: t("Mail sent again"),
  mail_tested: t("Test mail sent"),
  backup_taken: t("Backup taken"),
  clock_accepted: t("Clock accepted"),
};

export const actName = (/** @type {string} */ act) => ACTS[act] ?? act;
