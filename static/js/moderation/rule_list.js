/** A list of rules, of a group or of the operators: its rows, and the window that tries the rules on a text. */

import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { lines } from "../ui/field.js";
import { inRow, t } from "../words/words.js";
import { ACTIONS, KINDS } from "./rule_form.js";

/** @typedef {import("../groups/group_calls.js").Rule} Rule */

/**
 * A rule, and the acts of those who keep the rules; `acts` is null for those who only read. `spared` are the names of
 * the topics in which it does not run.
 * @param {Rule} rule
 * @param {{ edit: () => unknown, turn: () => unknown, remove: () => unknown } | null} acts
 * @param {readonly string[]} spared
 * @returns {import("../ui/dom.js").Row}
 */
export function ruleRow(rule, acts, spared = []) {
  const { id, name, enabled, kind, action } = rule;
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
        spared.length > 0 &&
          h("span", { class: "bot-line" }, t("Not in {topics}", { topics: inRow(spared) })),
        acts &&
          h(
            "p",
            { class: "unsent-actions" },
            button(t("Edit"), t("Edit the rule {name}", { name }), acts.edit),
            enabled
              ? button(t("Switch off"), t("Switch off the rule {name}", { name }), acts.turn)
              : button(t("Switch on"), t("Switch on the rule {name}", { name }), acts.turn),
            button(t("Delete"), t("Delete the rule {name}", { name }), acts.remove),
          ),
      ),
    );
  return { key: id, sign: JSON.stringify([rule, acts !== null, spared]), build };
}

/** Opens the window that tries the rules on a text. */
export function openTrial(
  /** @type {(text: string) => Promise<{ name: string, enabled: boolean }[]>} */ tryRules,
) {
  const text = lines({ label: t("Text"), name: "text" });
  const found = h("p", { class: "quiet", role: "status" });
  openForm({
    title: t("Try a text"),
    asks: [text.node, found],
    act: t("Try"),
    refusal: t("Close"),
    async onSubmit() {
      setText(found, "");
      const matching = await tryRules(text.input.value);
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

/** The name of a rule in a group, which says if it is one of the operators. */
export const ruleName = (/** @type {string} */ rule, /** @type {boolean} */ isOfOperators) =>
  isOfOperators ? t("{rule} (server)", { rule }) : rule;
