/**
 * The section for the rules of the open group, for those who keep them: the list, and a text to try them on.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { may } from "../groups/permissions.js";
import { convOfGroup } from "../sync/store.js";
import { topicsOf } from "../topics/topics.js";
import { confirm } from "../ui/confirm.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { sparedNames } from "./rule_exemptions.js";
import { openRule } from "./rule_form.js";
import { openTrial, ruleRow } from "./rule_list.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Rule} Rule */

export function createRules(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {Rule[]} */ ([]),
    load: ({ id }) => app.groups.rules(id),
    mayChange: (type) => /^rule\.(create|update|delete)$/.test(type),
    draw,
    sees,
  });
  const add = h("button", { class: "button", type: "button", onclick: () => edit() }, t("Add a rule…"));
  const test = h("button", { class: "button", type: "button", onclick: tryText }, t("Try a text…"));
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Rules"), hidden: true },
    h("h3", {}, t("Rules")),
    h(
      "p",
      { class: "quiet" },
      t("The server checks the messages of members and their bots, but not those of the owner and admins."),
    ),
    rows,
    h("p", { class: "unsent-actions" }, add, test),
    lists.trouble,
  );

  function draw(/** @type {Rule[]} */ rules, /** @type {Group | null} */ group, /** @type {string} */ me) {
    node.hidden = group === null || !sees(group, me);
    test.hidden = rules.length === 0;
    const topics = topicsIn(group);
    reconcile(
      rows,
      rules.map((rule) => row(rule, sparedNames(rule, topics))),
    );
  }

  /** Saves a rule, then loads the list again; throws the refusal, which the window shows. */
  async function save(/** @type {string | undefined} */ id, /** @type {object} */ rule) {
    const group = lists.group();
    if (!group) return;
    await app.groups.saveRule(group.id, id, rule);
    lists.reload(group);
  }

  const edit = (/** @type {Rule | undefined} */ rule = undefined) =>
    openRule(rule, (content) => save(rule?.id, content), { topics: topicsIn(lists.group()) });

  /** The topics that a rule of the group can spare. */
  function topicsIn(/** @type {Group | null} */ group) {
    const { snapshot } = app.state.get();
    const topics = snapshot && group ? topicsOf(snapshot, convOfGroup(group.id)) : [];
    return topics.map(({ group: { id, name } }) => ({ id, name }));
  }

  function tryText() {
    const group = lists.group();
    if (group) openTrial((text) => app.groups.tryRules(group.id, text));
  }

  function askToDelete(/** @type {Rule} */ { id, name }) {
    confirm({
      title: t("Delete {name}?", { name }),
      words: t("The rule does not run any more. What it did stays."),
      act: t("Delete"),
      onSure: () => lists.change((group) => app.groups.deleteRule(group, id)),
    });
  }

  function row(/** @type {Rule} */ rule, /** @type {string[]} */ spared) {
    const { id, enabled } = rule;
    const turn = () =>
      lists.change((group) => app.groups.saveRule(group, id, { ...rule, enabled: !enabled }));
    return ruleRow(rule, { edit: () => edit(rule), turn, remove: () => askToDelete(rule) }, spared);
  }

  return { node, show: lists.show };
}

/** Whether a user keeps the rules of a group. */
const sees = (/** @type {Group} */ group, /** @type {string} */ me) => may(group, me, "manage_rules");
