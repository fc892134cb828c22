/**
 * The section about what operators did to my account, and why.
 *
 * Hidden while they did nothing. Loads the newest entries each time the account is opened.
 */

import { actName } from "../admin/operator_acts.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime } from "../text/time.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../security/factor_calls.js").OwnAct} OwnAct */

export function createOwnAudit(/** @type {import("../security/factor_calls.js").FactorCalls} */ calls) {
  const title = t("Acts of operators");
  const alert = h("p", { class: "alert", role: "alert" });
  const rows = h("ul", { class: "keys" });
  const more = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => add(before) },
    t("Show more"),
  );
  const node = h(
    "section",
    { "aria-label": title, hidden: true },
    h("h3", {}, title),
    h("p", { class: "quiet" }, t("What operators of this server did to your account, and why.")),
    alert,
    rows,
    more,
  );
  /** @type {OwnAct[]} */
  let entries = [];
  /** @type {string | null} */
  let before = null;

  async function add(/** @type {string | null} */ from) {
    setText(alert, "");
    try {
      const page = await calls.audit(from);
      entries = from === null ? page.entries : [...entries, ...page.entries];
      before = page.before;
      reconcile(rows, entries.map(row));
      more.hidden = before === null;
      node.hidden = entries.length === 0;
    } catch (error) {
      node.hidden = false;
      setText(alert, reasonOf(error));
    }
  }

  return { node, load: () => add(null) };
}

/** @returns {import("../ui/dom.js").Row} */
function row(/** @type {OwnAct} */ entry) {
  const by = entry.by ? (entry.by.name ?? entry.by.user_id) : t("on the server's machine");
  const build = () =>
    h(
      "li",
      { class: "key" },
      h(
        "div",
        { class: "key-words" },
        h("p", { class: "key-name" }, actName(entry.act)),
        h("p", {}, entry.reason ?? ""),
        h(
          "p",
          { class: "quiet" },
          h("time", { datetime: isoTime(entry.at) }, fullTime(entry.at)),
          ` · ${by}`,
        ),
      ),
    );
  return { key: entry.id, sign: entry.id, build };
}
