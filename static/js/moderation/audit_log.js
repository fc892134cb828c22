/** The window with what the owner and admins of a group did, the newest first. */

import { memberOf } from "../groups/groups.js";
import { reasonOf } from "../text/reason.js";
import { exactTime, isoTime } from "../text/time.js";
import { openDialog } from "../ui/dialog.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { ruleName } from "./rule_list.js";

/** @typedef {import("../groups/group_calls.js").AuditEntry} AuditEntry */

/** Entries on a page; one with fewer is the last. */
const PAGE = 50;

/** The sentences by act. @type {Record<string, (names: { name: string, other: string, rule: string }) => string>} */
const WORDS = {
  banned: (names) => t("{name} banned {other}.", names),
  unbanned: (names) => t("{name} lifted the ban of {other}.", names),
  timed_out: (names) => t("{name} timed {other} out.", names),
  timeout_ended: (names) => t("{name} ended the timeout of {other}.", names),
  report_resolved: (names) => t("{name} resolved a report about {other}.", names),
  member_removed: (names) => t("{name} removed {other} from the group.", names),
  admin_made: (names) => t("{name} made {other} an admin.", names),
  admin_unmade: (names) => t("{name} removed {other} as an admin.", names),
  owner_changed: (names) => t("{name} made {other} the owner of the group.", names),
  request_approved: (names) => t("{name} approved the request of {other}.", names),
  request_denied: (names) => t("{name} denied the request of {other}.", names),
  message_deleted: ({ name }) => t("{name} deleted a message.", { name }),
  rule_created: ({ name, rule }) => t("{name} made the rule {rule}.", { name, rule }),
  rule_changed: ({ name, rule }) => t("{name} changed the rule {rule}.", { name, rule }),
  rule_deleted: ({ name, rule }) => t("{name} deleted the rule {rule}.", { name, rule }),
  message_refused: (names) => t("The rule {rule} refused a text of {other}.", names),
  message_reported: (names) => t("The rule {rule} reported a message of {other}.", names),
  message_held: (names) => t("The rule {rule} held a message of {other}.", names),
  held_approved: (names) => t("{name} approved a message of {other}.", names),
  held_denied: (names) => t("{name} denied a message of {other}.", names),
  appeal_granted: (names) => t("{name} granted the appeal of {other}.", names),
  appeal_denied: (names) => t("{name} dismissed the appeal of {other}.", names),
  timed_out_by_rule: (names) => t("The rule {rule} timed {other} out.", names),
  invite_created: ({ name }) => t("{name} made an invite.", { name }),
  invite_ended: ({ name }) => t("{name} ended an invite.", { name }),
  topic_created: ({ name }) => t("{name} made a topic.", { name }),
  topic_changed: ({ name }) => t("{name} changed a topic.", { name }),
  topic_removed: ({ name }) => t("{name} removed a topic.", { name }),
  settings_changed: ({ name }) => t("{name} changed the settings of the group.", { name }),
  settings_changed_by_operators: () => t("The operators of this server changed the settings of the group."),
};

export function openAuditLog(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const status = h("p", { class: "quiet", role: "status" });
  const list = h("ol", { class: "pinned audit" });
  let oldest = "";
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: look }, t("Show more"));
  const dialog = openDialog({
    title: t("Audit log"),
    content: () => [h("div", { class: "dialog-form" }, status, list, more)],
  });
  dialog.classList.add("dialog-wide");

  async function look() {
    more.hidden = true;
    setText(status, t("Loading…"));
    try {
      const found = await app.groups.audit(group.id, oldest);
      oldest = found.at(-1)?.id ?? oldest;
      list.append(...found.map((entry) => item(group, entry)));
      setText(status, list.childElementCount === 0 ? t("Nothing yet.") : "");
      more.hidden = found.length < PAGE;
    } catch (error) {
      setText(status, reasonOf(error));
      more.hidden = false;
    }
  }

  look();
}

function item(
  /** @type {import("../sync/types.js").Group} */ group,
  /** @type {AuditEntry} */ { by, rule, act, target, reason, at },
) {
  const nameOf = (/** @type {string | null} */ id) =>
    (id && memberOf(group, id)?.nickname) || t("A former member");
  const named = by.rule ?? rule;
  const names = {
    name: nameOf(by.user_id),
    other: nameOf(target),
    rule: named ? ruleName(named.name, by.kind === "operator") : "",
  };
  const words = WORDS[wordsFor(by, act)];
  return h(
    "li",
    {},
    h(
      "div",
      { class: "pinned-message" },
      h("span", { class: "pinned-name", dir: "auto" }, words?.(names) ?? act),
      reason !== null && h("span", { class: "pinned-text", dir: "auto" }, reason),
      h("time", { class: "quiet", datetime: isoTime(at) }, exactTime(at)),
    ),
  );
}

/** The key of the sentence for an act: other words than those for members, if a rule or an operator did it. */
function wordsFor(/** @type {AuditEntry["by"]} */ { rule, kind }, /** @type {string} */ act) {
  if (rule && act === "timed_out") return "timed_out_by_rule";
  if (kind === "operator" && act === "settings_changed") return "settings_changed_by_operators";
  return act;
}
