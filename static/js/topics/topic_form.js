/** The windows that make and change a topic, and the question before one is removed. */

import { groupHref } from "../app/route.js";
import { descriptionProblem } from "../groups/new_group.js";
import { countChars } from "../text/text.js";
import { confirm } from "../ui/confirm.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** The greatest length of a name, in characters. */
const MOST = 140;

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/types.js").Group} Group */

/** The fields of a topic. */
function topicFields(
  /** @type {Pick<Group, "name" | "description" | "type">} */ { name, description, type },
) {
  const called = field({ label: t("Name"), name: "name", autocomplete: "off", value: name });
  const about = field({
    label: t("Description (optional)"),
    name: "description",
    autocomplete: "off",
    value: description ?? "",
  });
  const posts = choice({
    label: t("Who can post"),
    options: [
      { value: "private", label: t("All members") },
      { value: "announcement", label: t("Only the owner and admins") },
    ],
    value: type === "announcement" ? "announcement" : "private",
  });
  return {
    nodes: [called.node, about.node, posts.node],
    /** What was entered; null if something is wrong, which is shown then. */
    entered() {
      const topic = called.input.value.trim();
      const description = about.input.value.trim();
      const fine = allRight([
        [called, nameProblem(topic)],
        [about, descriptionProblem(description)],
      ]);
      const type = /** @type {"private" | "announcement"} */ (posts.input.value);
      return fine ? { topic, description, group_type: type } : null;
    },
  };
}

/** What is wrong with the name of a topic, or false. */
function nameProblem(/** @type {string} */ name) {
  if (name === "") return t("Enter a name.");
  return countChars(name) > MOST && t("At most {MOST} characters.", { MOST });
}

/** Makes a topic in a group, and opens it. */
export function openNewTopic(/** @type {App} */ app, /** @type {Group} */ group) {
  const fields = topicFields({ name: "", description: "", type: "private" });
  openForm({
    title: t("New topic"),
    asks: fields.nodes,
    act: t("Make a topic"),
    async onSubmit(close) {
      const facts = fields.entered();
      if (!facts) return;
      const { description, ...needed } = facts;
      const made = await app.topics.make(group, description ? facts : needed);
      close();
      pages.goTo(groupHref(String(made.id)));
    },
  });
}

/** Changes the topic that `group` shows. */
export function openEditTopic(/** @type {App} */ app, /** @type {Group} */ group) {
  const fields = topicFields(group);
  openForm({
    title: t("Edit topic"),
    asks: fields.nodes,
    act: t("Save"),
    async onSubmit(close) {
      const facts = fields.entered();
      if (!facts) return;
      await app.topics.change(group, facts);
      close();
    },
  });
}

/** Asks whether to remove a topic with its messages. */
export const askToRemoveTopic = (/** @type {App} */ app, /** @type {Group} */ group) =>
  confirm({
    title: t("Remove the topic {name}?", { name: group.name }),
    words: t("The topic and all its messages are deleted for everybody in the group, for good."),
    act: t("Remove topic"),
    onSure: () => app.topics.remove(group),
  });
