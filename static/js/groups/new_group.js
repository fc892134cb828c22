/** The window that makes a group: asks for its name and description, and for people that one knows. */

import { groupHref } from "../app/route.js";
import { acquaintances } from "../chats/new_message.js";
import { createPeopleChoice } from "../people/people_choice.js";
import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, field } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

const MAX_NAME = 140;
const MAX_DESCRIPTION = 255;

export function openNewGroup(/** @type {import("../app/app.js").App} */ app) {
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", placeholder: t("Climbers") });
  const about = field({
    label: t("Description (optional)"),
    name: "description",
    autocomplete: "off",
  });

  const { snapshot } = app.state.get();
  const people = snapshot ? acquaintances(snapshot) : [];
  const known = createPeopleChoice({ label: t("People (optional)"), people });
  /** Once the group is made, another try only adds people. @type {{ id: string } | undefined} */
  let group;

  openForm({
    title: t("New group"),
    asks: [name.node, about.node, people.length > 0 && known.node],
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
    group ??= await app.createGroup(facts.description ? facts : { name: facts.name });
    const chosen = known.chosen().map(({ id, name: nickname }) => ({ nickname, user_id: id }));
    if (chosen.length > 0) await app.addMembers(group.id, chosen);
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
