/**
 * The page for operators about their rules, which apply in all groups and chats: the list, and a text to try them on.
 * Each change asks for a reason.
 */

import { openRule } from "../moderation/rule_form.js";
import { openTrial, ruleRow } from "../moderation/rule_list.js";
import { reasonOf } from "../text/reason.js";
import { openForm } from "../ui/dialog_form.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("../groups/group_calls.js").Rule} Rule */

export function createAdminRules(/** @type {import("./admin_calls.js").AdminCalls} */ calls) {
  const trouble = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "quiet", role: "status" });
  const rows = h("ul", { class: "group-bots" });
  const add = h("button", { class: "button", type: "button", onclick: () => edit() }, t("Add a rule…"));
  const onclick = () => openTrial(calls.tryRules);
  const test = h("button", { class: "button", type: "button", onclick }, t("Try a text…"));
  const node = h(
    "section",
    { "aria-label": t("Rules") },
    h("h3", {}, t("Rules")),
    h(
      "p",
      { class: "quiet" },
      t(
        "They apply to what everybody but operators writes in groups, before the rules of the group. Rules that refuse also apply to direct messages.",
      ),
    ),
    trouble,
    status,
    rows,
    h("p", { class: "unsent-actions" }, add, test),
  );
  let mayChange = false;

  async function load() {
    setText(trouble, "");
    try {
      const { rules } = await calls.rules();
      reconcile(rows, rules.map(row));
      test.hidden = rules.length === 0;
      setText(status, rules.length === 0 ? t("There is no rule yet.") : "");
    } catch (error) {
      setText(trouble, reasonOf(error));
    }
  }

  async function save(/** @type {string | undefined} */ id, /** @type {object} */ rule) {
    await calls.saveRule(id, rule);
    load();
  }

  const edit = (/** @type {Rule | undefined} */ rule = undefined) =>
    openRule(rule, (content) => save(rule?.id, content), { reason: reasonField() });

  function row(/** @type {Rule} */ rule) {
    const { id, name, enabled } = rule;
    const turn = () =>
      askForReason(
        enabled ? t("Switch off the rule {name}", { name }) : t("Switch on the rule {name}", { name }),
        enabled ? t("Switch off") : t("Switch on"),
        (reason) => save(id, { ...rule, enabled: !enabled, reason }),
      );
    const remove = () =>
      askForReason(t("Delete {name}?", { name }), t("Delete"), async (reason) => {
        await calls.deleteRule(id, reason);
        load();
      });
    return ruleRow(rule, mayChange ? { edit: () => edit(rule), turn, remove } : null);
  }

  return {
    node,
    /** Loads the list; `role` decides whether rules can be changed. */
    load(/** @type {import("./admin_calls.js").OperatorRole} */ role) {
      mayChange = role !== "auditor";
      add.hidden = !mayChange;
      return load();
    },
  };
}

function askForReason(
  /** @type {string} */ title,
  /** @type {string} */ act,
  /** @type {(reason: string) => Promise<unknown>} */ run,
) {
  const reason = reasonField();
  openForm({
    title,
    asks: [reason.node],
    act,
    async onSubmit(close) {
      const why = reason.read();
      if (why === null) return;
      await run(why);
      close();
    },
  });
}
