/**
 * Who may do what in a group: the table of the server, which a test of the server compares with this one. For
 * each act: the owner, an admin, and a plain member of a private, a closed and an announcement group. Archived and
 * frozen groups leave less.
 */

import { isOwner, memberOf } from "./groups.js";
import { isArchived } from "./standstill.js";

/** @typedef {import("../sync/types.js").Group} Group */

const TABLE = {
  read: "yes yes yes yes yes",
  react: "yes yes yes yes yes",
  vote: "yes yes yes yes yes",
  answer_events: "yes yes yes yes yes",
  report: "yes yes yes yes yes",
  rename: "yes yes yes yes yes",
  leave: "no yes yes yes yes",
  post: "yes yes yes yes no",
  make_polls: "yes yes yes yes no",
  make_events: "yes yes yes yes no",
  make_bots: "yes yes yes yes no",
  post_as_bot: "yes yes yes yes no",
  mention_all: "yes yes mention_all mention_all no",
  change_group: "yes yes yes no no",
  share: "yes yes yes no no",
  pin: "yes yes yes no no",
  add_members: "yes yes yes no no",
  change_type: "yes yes no no no",
  manage_topics: "yes yes no no no",
  copy: "yes yes no no no",
  decide_requests: "yes yes no no no",
  list_members: "yes yes no no no",
  read_history: "yes yes no no no",
  delete_messages: "message_deletion_mode message_deletion_mode no no no",
  end_polls: "yes yes no no no",
  change_events: "yes yes no no no",
  remove_bots: "yes yes no no no",
  remove_members: "yes yes no no no",
  ban: "yes yes no no no",
  time_out: "yes yes no no no",
  decide_reports: "yes yes no no no",
  read_audit: "yes yes no no no",
  manage_rules: "yes yes no no no",
  manage_invites: "yes yes no no no",
  remove_admins: "yes no no no no",
  change_roles: "yes no no no no",
  step_down: "no yes no no no",
  hand_over: "yes no no no no",
  archive: "yes no no no no",
  disband: "yes no no no no",
};

/** @typedef {keyof typeof TABLE} Act */

/** What a member may do in a group that is archived or frozen, if the table lets them: to read, report and leave. */
const LOOKS = ["read", "report", "leave", "list_members", "read_history", "read_audit"];

/** What an archived group leaves of the table. @type {ReadonlySet<string>} */
const IN_ARCHIVED = new Set([...LOOKS, "copy", "hand_over", "archive", "disband"]);

/** What a frozen group leaves of the table: what looks after it. A copy would be a way around. @type {ReadonlySet<string>} */
const IN_FROZEN = new Set([
  ...LOOKS,
  "delete_messages",
  "remove_members",
  "remove_admins",
  "ban",
  "time_out",
  "decide_reports",
]);

/** What guests may never do. */
const NOT_FOR_GUESTS = new Set(["add_members", "share", "manage_invites", "make_bots"]);

const KINDS = ["private", "closed", "announcement"];

/** Whether I, or the member with this id, may do something in a group. */
export function may(/** @type {Group} */ group, /** @type {string} */ id, /** @type {Act} */ act) {
  if (memberOf(group, id)?.kind === "guest" && NOT_FOR_GUESTS.has(act)) return false;
  if (isArchived(group) && !IN_ARCHIVED.has(act)) return false;
  if (group.frozen && !IN_FROZEN.has(act)) return false;
  const cell = TABLE[act].split(" ")[column(group, id)];
  if (cell === "mention_all") return group.mention_all === "members";
  if (cell === "message_deletion_mode") return group.message_deletion_mode?.includes("admin") ?? true;
  return cell === "yes";
}

function column(/** @type {Group} */ group, /** @type {string} */ id) {
  if (isOwner(group, id)) return 0;
  if (memberOf(group, id)?.roles?.includes("admin")) return 1;
  return 2 + Math.max(0, KINDS.indexOf(group.type ?? ""));
}
