/** The window that makes a group: asks for its name and description. */

import { groupHref } from "../route.js";
import { countChars } from "../text.js";
import { t } from "../words.js";
import { openForm } from "./dialog_form.js";
import { allRight, field } from "./field.js";
import { pages } from "./window.js";

const MAX_NAME = 140;
const MAX_DESCRIPTION = 255;

export function openNewGroup(/** @type {import("../app.js").App} */ app) {
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", placeholder: t("Climbers") });
  const about = field({
    label: t("Description (optional)"),
    name: "description",
    autocomplete: "off",
  });

  openForm({
    title: t("New group"),
    asks: [name.node, about.node],
    act: t("Create group"),
    onSubmit: create,
  });

  async function create(/** @type {() => void} */ close) {
    const facts = { name: name.input.value.trim(), description: about.input.value.trim() };
    const fine = allRight([
      [name, nameProblem(facts.name)],
      [about, descriptionProblem(facts.description)],
    ]);
    if (!fine) return;
    const group = await app.createGroup(facts.description ? facts : { name: facts.name });
    close();
    pages.goTo(groupHref(group.id));
  }
}

/** Returns what is wrong with a group's name, or false. */
export function nameProblem(/** @type {string} */ name) {
  if (name === "") return t("Give the group a name.");
  return countChars(name) > MAX_NAME && t("Use at most {NAME} characters.", { NAME: MAX_NAME });
}

/** Returns what is wrong with a group's description, or false. */
export function descriptionProblem(/** @type {string} */ description) {
  return (
    countChars(description) > MAX_DESCRIPTION &&
    t("Use at most {DESCRIPTION} characters.", { DESCRIPTION: MAX_DESCRIPTION })
  );
}
