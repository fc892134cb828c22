/**
 * The window that changes a group's name and description, and who may change settings and mention everyone.
 */

import { h } from "../dom.js";
import { isAdmin } from "../groups.js";
import { t } from "../words.js";
import { openForm } from "./dialog_form.js";
import { allRight, field } from "./field.js";
import { descriptionProblem, nameProblem } from "./new_group.js";

export function openEditGroup(
  /** @type {import("../app.js").App} */ app,
  /** @type {import("../types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", value: group.name });
  const about = field({
    label: t("Description (optional)"),
    name: "description",
    autocomplete: "off",
    value: group.description ?? "",
  });
  const office = h("input", { type: "checkbox", checked: Boolean(group.office_mode) });
  // Only for admins: other members would lock themselves out.
  const tick =
    isAdmin(group, me) &&
    h("label", { class: "tick" }, office, t("Only the owner and admins change settings and add people"));

  const everybody = h("input", { type: "checkbox", checked: group.mention_all === "members" });
  const mentions =
    isAdmin(group, me) && h("label", { class: "tick" }, everybody, t("Everyone may mention @everyone"));

  openForm({
    title: t("Name and description"),
    asks: [name.node, about.node, tick, mentions],
    act: t("Save"),
    onSubmit: save,
  });

  async function save(/** @type {() => void} */ close) {
    const facts = { name: name.input.value.trim(), description: about.input.value.trim() };
    const fine = allRight([
      [name, nameProblem(facts.name)],
      [about, descriptionProblem(facts.description)],
    ]);
    if (!fine) return;
    const mentionAll = /** @type {"members" | "admins"} */ (everybody.checked ? "members" : "admins");
    const rules = { office_mode: office.checked, mention_all: mentionAll };
    const settings = isAdmin(group, me) ? { ...facts, ...rules } : facts;
    await app.groups.change(group.id, settings);
    close();
  }
}
