/** The window that copies a group: asks for the name of the copy, and what it takes over. */

import { groupHref } from "../app/route.js";
import { convOfGroup } from "../sync/store.js";
import { topicsOf } from "../topics/topics.js";
import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { allRight, check, field } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { membersToCopy } from "./groups.js";
import { nameProblem } from "./new_group.js";

export function openCopyGroup(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const { snapshot } = app.state.get();
  const me = snapshot?.user.id ?? "";
  const topicCount = snapshot ? topicsOf(snapshot, convOfGroup(group.id)).length : 0;
  const memberCount = membersToCopy(group, me).length;

  const name = field({ label: t("Name"), name: "name", autocomplete: "off", value: group.name });
  const about = h(
    "p",
    { class: "quiet" },
    t("Description and picture are copied. Messages, rules, bots and links are not."),
  );
  const settings = check({
    label: t("Settings"),
    hint: t("What members may do, slow mode and how people join."),
  });
  settings.input.checked = true;
  const topics = check({
    label: t("Topics: {count}", { count: topicCount }),
    hint: t("Without their messages."),
  });
  topics.input.checked = true;
  const members = check({
    label: t("Members: {count}", { count: memberCount }),
    hint: t("They are added a moment later. Guests and people who block you are not."),
  });
  topics.node.hidden = topicCount === 0;
  members.node.hidden = memberCount === 0;
  openForm({
    title: t("Copy this group"),
    asks: [name.node, about, h("div", {}, settings.node, topics.node, members.node)],
    act: t("Copy"),
    async onSubmit(close) {
      const called = name.input.value.trim();
      if (!allRight([[name, nameProblem(called)]])) return;
      const copy = await app.groups.copy(group.id, {
        name: called,
        settings: settings.input.checked,
        topics: topics.input.checked,
        members: members.input.checked,
      });
      close();
      pages.goTo(groupHref(copy.id));
    },
  });
}
