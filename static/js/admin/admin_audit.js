/** What operators did and why, newest first. */

import { fullTime, isoTime } from "../text/time.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createAdminList } from "./admin_list.js";
import { adminGroupHref } from "./admin_route.js";
import { actName } from "./operator_acts.js";

/** @typedef {import("./admin_calls.js").AuditEntry} AuditEntry */

export const createAdminAudit = (/** @type {import("./admin_calls.js").AdminCalls} */ calls) =>
  createAdminList({
    label: t("Audit log"),
    none: t("No operator has done anything yet."),
    load: (_, before) => calls.audit("", before),
    row,
  });

function row(/** @type {AuditEntry} */ entry) {
  const build = () =>
    h(
      "li",
      { class: "key" },
      h(
        "div",
        { class: "key-words" },
        h("p", { class: "key-name" }, [actName(entry.act), ...target(entry)].join(": ")),
        h("p", {}, entry.reason ?? ""),
        entry.group_id &&
          h(
            "p",
            {},
            h("a", { href: adminGroupHref(entry.group_id) }, t("Group {id}", { id: entry.group_id })),
          ),
        h(
          "p",
          { class: "quiet" },
          h("time", { datetime: isoTime(entry.at) }, fullTime(entry.at)),
          ` · ${by(entry)}`,
          entry.from ? ` · ${entry.from}` : "",
          entry.after ? ` · ${entry.before} → ${entry.after}` : "",
        ),
      ),
    );
  return { key: entry.id, sign: entry.id, build };
}

const target = (/** @type {AuditEntry} */ { target }) => (target ? [target.name ?? target.user_id] : []);

const by = (/** @type {AuditEntry} */ { by, machine }) =>
  by ? (by.name ?? by.user_id) : t("on the machine, {account}", { account: machine ?? "" });
