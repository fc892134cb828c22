/**
 * The section for the rules of the open group, for those who keep them: the list, and a text to try them on.
 */

import { h, reconcile, setText } from "../dom.js";
import { may } from "../permissions.js";
import { inRow, t } from "../words.js";
import { confirm } from "./confirm.js";
import { openForm } from "./dialog_form.js";
import { lines } from "./field.js";
import { createGroupLists } from "./group_lists.js";
import { ACTIONS, KINDS, openRule } from "./rule_form.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../group_calls.js").Rule} Rule */

export function createRules(/** @type {import("../app.js").App} */ app) {
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
    reconcile(rows, rules.map(row));
  }

  /** Saves a rule, then loads the list again; throws the refusal, which the window shows. */
  async function save(/** @type {string | undefined} */ id, /** @type {object} */ rule) {
    const group = lists.group();
    if (!group) return;
    await app.groups.saveRule(group.id, id, rule);
    lists.reload(group);
  }

  const edit = (/** @type {Rule | undefined} */ rule = undefined) =>
    openRule(rule, (content) => save(rule?.id, content));

  function tryText() {
    const group = lists.group();
    if (!group) return;
    const text = lines({ label: t("Text"), name: "text" });
    const found = h("p", { class: "quiet", role: "status" });
    openForm({
      title: t("Try a text"),
      asks: [text.node, found],
      act: t("Try"),
      refusal: t("Close"),
      async onSubmit() {
        setText(found, "");
        const matching = await app.groups.tryRules(group.id, text.input.value);
        const names = matching.map(({ name, enabled }) => (enabled ? name : t("{name} (off)", { name })));
        setText(
          found,
          names.length === 0
            ? t("No rule matches by its words, patterns or links.")
            : t("Matched by: {names}", { names: inRow(names) }),
        );
      },
    });
  }

  function askToDelete(/** @type {Rule} */ { id, name }) {
    confirm({
      title: t("Delete {name}?", { name }),
      words: t("The rule does not run any more. What it did stays."),
      act: t("Delete"),
      onSure: () => lists.change((group) => app.groups.deleteRule(group, id)),
    });
  }

  /** @returns {import("../dom.js").Row} */
  function row(/** @type {Rule} */ rule) {
    const { id, name, enabled, kind, action } = rule;
    const turn = () =>
      lists.change((group) => app.groups.saveRule(group, id, { ...rule, enabled: !enabled }));
    const button = (
      /** @type {string} */ words,
      /** @type {string} */ label,
      /** @type {() => unknown} */ onclick,
    ) => h("button", { class: "button", type: "button", "aria-label": label, onclick }, words);
    const build = () =>
      h(
        "li",
        { class: "group-bot" },
        h(
          "div",
          { class: "bot-words" },
          h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
          h("span", { class: "bot-line" }, KINDS[kind] ?? kind),
          h("span", { class: "bot-line" }, enabled ? (ACTIONS[action] ?? action) : t("Off")),
          h(
            "p",
            { class: "unsent-actions" },
            button(t("Edit"), t("Edit the rule {name}", { name }), () => edit(rule)),
            enabled
              ? button(t("Switch off"), t("Switch the rule {name} off", { name }), turn)
              : button(t("Switch on"), t("Switch the rule {name} on", { name }), turn),
            button(t("Delete"), t("Delete the rule {name}", { name }), () => askToDelete(rule)),
          ),
        ),
      );
    return { key: id, sign: JSON.stringify(rule), build };
  }

  return { node, show: lists.show };
}

/** Whether a user keeps the rules of a group. */
const sees = (/** @type {Group} */ group, /** @type {string} */ me) => may(group, me, "manage_rules");
