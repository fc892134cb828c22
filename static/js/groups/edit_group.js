/**
 * The window that changes a group's name and description, who may change settings and mention everyone, slow mode,
 * and how people join.
 */

import { countChars } from "../text/text.js";
import { durationInWords } from "../text/time.js";
import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { allRight, check, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { descriptionProblem, nameProblem } from "./new_group.js";
import { may } from "./permissions.js";

/** What plain members may do, by the type of the group. */
const TYPES = {
  private: t("Post, change the group and add people"),
  closed: t("Post"),
  announcement: t("Read: only the owner and admins post"),
};

/** The greatest length of the question, in characters. */
const MOST = 255;

/** The pauses of slow mode that are offered, in seconds. */
const PAUSES = [10, 30, 60, 300, 900, 3600, 21_600];

/** The options of slow mode, with the pause that the group has. */
function pauses(/** @type {number} */ own) {
  const all = own === 0 || PAUSES.includes(own) ? PAUSES : [...PAUSES, own].sort((a, b) => a - b);
  const named = all.map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }));
  return [{ value: "0", label: t("Off") }, ...named];
}

export function openEditGroup(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const name = field({ label: t("Name"), name: "name", autocomplete: "off", value: group.name });
  const about = field({
    label: t("Description (optional)"),
    name: "description",
    autocomplete: "off",
    value: group.description ?? "",
  });
  const type = choice({
    label: t("What members may do"),
    options: Object.entries(TYPES).map(([value, label]) => ({ value, label })),
    value: group.type ?? "private",
  });

  const everybody = h("input", { type: "checkbox", checked: group.mention_all === "members" });
  const isAdmin = may(group, me, "change_type");
  const mentions = isAdmin && h("label", { class: "tick" }, everybody, t("Everyone may mention @everyone"));

  const slowMode = choice({
    label: t("Slow mode"),
    hint: t("How long members wait between two messages. It does not apply to the owner and admins."),
    options: pauses(group.slow_mode ?? 0),
    value: String(group.slow_mode ?? 0),
  });
  const approval = check({
    label: t("Approve new members"),
    hint: t("The owner and admins decide about people who ask to join, and whom members add."),
  });
  approval.input.checked = group.requires_approval ?? false;
  const asking = check({
    label: t("Ask people a question"),
    hint: t("They answer it when they ask to join."),
  });
  asking.input.checked = group.show_join_question ?? false;
  const question = field({
    label: t("The question"),
    name: "question",
    autocomplete: "off",
    placeholder: t("Why do you want to join this group?"),
    value: group.join_question?.text ?? "",
  });
  const showQuestion = () => {
    question.node.hidden = !asking.input.checked;
  };
  asking.input.addEventListener("change", showQuestion);
  showQuestion();
  const listing = check({
    label: t("List the group in the directory"),
    hint: t("Everybody on this server finds it, and joins or asks to join."),
  });
  listing.input.checked = group.visibility === "searchable";
  const admission = isAdmin && h("div", {}, listing.node, approval.node, asking.node, question.node);
  openForm({
    title: t("Name and description"),
    asks: [name.node, about.node, isAdmin && type.node, isAdmin && slowMode.node, mentions, admission],
    act: t("Save"),
    onSubmit: save,
  });

  async function save(/** @type {() => void} */ close) {
    const facts = { name: name.input.value.trim(), description: about.input.value.trim() };
    const words = question.input.value.trim();
    const fine = allRight([
      [name, nameProblem(facts.name)],
      [about, descriptionProblem(facts.description)],
      [question, countChars(words) > MOST && t("At most {MOST} characters.", { MOST })],
    ]);
    if (!fine) return;
    const mentionAll = /** @type {"members" | "admins"} */ (everybody.checked ? "members" : "admins");
    const groupType = /** @type {import("../sync/types.js").GroupType} */ (type.input.value);
    const pause = Number(slowMode.input.value);
    const visibility = /** @type {"hidden" | "searchable"} */ (
      listing.input.checked ? "searchable" : "hidden"
    );
    const rules = {
      visibility,
      group_type: groupType,
      mention_all: mentionAll,
      slow_mode: pause,
      requires_approval: approval.input.checked,
      show_join_question: asking.input.checked,
      ...(words === (group.join_question?.text ?? "") ? {} : { join_question: { text: words } }),
    };
    const settings = isAdmin ? { ...facts, ...rules } : facts;
    await app.groups.change(group.id, settings);
    close();
  }
}
