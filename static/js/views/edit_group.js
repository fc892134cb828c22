/**
 * The window that changes what a group is called, what it is about, and who may change it.
 */

import { h } from "../dom.js";
import { isAdmin } from "../groups.js";
import { openDialog } from "./dialog.js";
import { allRight, busyForm, field } from "./field.js";
import { descriptionProblem, nameProblem } from "./new_group.js";

export function openEditGroup(
  /** @type {import("../app.js").App} */ app,
  /** @type {import("../types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const name = field({ label: "Name", name: "name", autocomplete: "off", value: group.name });
  const about = field({
    label: "What is it about? (optional)",
    name: "description",
    autocomplete: "off",
    value: group.description ?? "",
  });
  const office = h("input", { type: "checkbox", checked: Boolean(group.office_mode) });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, "Save");

  openDialog({
    title: "Name and description",
    content(close) {
      const form = h(
        "form",
        { class: "dialog-form", novalidate: true },
        name.node,
        about.node,
        // Whoever is no admin would lock themselves out.
        isAdmin(group, me) &&
          h("label", { class: "tick" }, office, "Only the owner and admins change settings and add people"),
        alert,
        h(
          "div",
          { class: "dialog-actions" },
          h("button", { class: "button", type: "button", onclick: close }, "Cancel"),
          submit,
        ),
      );
      form.addEventListener(
        "submit",
        busyForm(submit, alert, () => save(close)),
      );
      return [form];
    },
  });

  async function save(/** @type {() => void} */ close) {
    const facts = { name: name.input.value.trim(), description: about.input.value.trim() };
    const fine = allRight([
      [name, nameProblem(facts.name)],
      [about, descriptionProblem(facts.description)],
    ]);
    if (!fine) return;
    const settings = isAdmin(group, me) ? { ...facts, office_mode: office.checked } : facts;
    await app.groups.change(group.id, settings);
    close();
  }
}
