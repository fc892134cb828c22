/**
 * A setting of the user to choose from a list, which is saved as soon as it is chosen.
 *
 * Owns when the choice is shown: once its value is loaded.
 */

import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { choice } from "../ui/field.js";
import { t } from "../words/words.js";

/**
 * @param {object} parts
 * @param {string} parts.label
 * @param {string} parts.hint
 * @param {{ value: string, label: string }[]} parts.options
 * @param {() => Promise<string | null>} parts.load resolves to the value, or null where the setting does not count
 * @param {(value: string) => Promise<string>} parts.save resolves to the value that counts now
 */
export function createSettingChoice({ label, hint, options, load, save }) {
  const select = choice({ label, hint, options });
  const alert = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const node = h("div", { hidden: true }, select.node, alert, outcome);
  let chosen = "";
  select.input.addEventListener("change", change);

  async function change() {
    setText(alert, "");
    setText(outcome, "");
    select.input.disabled = true;
    try {
      chosen = await save(select.input.value);
      setText(outcome, t("Saved."));
    } catch (error) {
      setText(alert, reasonOf(error));
    } finally {
      select.input.value = chosen;
      select.input.disabled = false;
    }
  }

  return {
    node,
    /** Loads the value. Returns whether the setting is shown. */
    async load() {
      setText(outcome, "");
      // If this fails, the rest of the page says that the server cannot be reached.
      const value = await load().catch(() => null);
      if (value !== null) select.input.value = chosen = value;
      node.hidden = value === null;
      return !node.hidden;
    },
  };
}
