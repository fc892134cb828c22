/**
 * The section of the details of a topic: its group, and what the user can do about it.
 *
 * Owns which acts are offered to whom.
 */

import { openPictureDialog } from "../app/windows.js";
import { hrefFrom } from "../details/beside.js";
import { may } from "../groups/permissions.js";
import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { askToRemoveTopic, openEditTopic } from "./topic_form.js";
import { isTopicMuted } from "./topics.js";

/** @typedef {import("../sync/types.js").Group} Group */

export function createTopicSettings(/** @type {import("../app/app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  const act = (
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {(group: Group) => unknown} */ run,
  ) => {
    const word = h("span", {}, label);
    const onclick = () => shown && run(shown);
    const node = h("button", { class: "button button-wide", type: "button", onclick }, icon(sign), word);
    return { node, word };
  };

  const home = h("bdi", {}, t("Group"));
  const homeLink = h("a", { class: "button button-wide" }, icon("people"), h("span", {}, home), icon("next"));
  const edit = act("compose", t("Edit topic"), (group) => openEditTopic(app, group));
  const picture = act("picture", t("Topic picture"), (group) =>
    openPictureDialog({ title: t("Topic picture"), onSave: (file) => app.topics.setPicture(group, file) }),
  );
  const mute = act("bell", t("Mute"), turnNotices);
  const remove = act("end", t("Remove topic"), (group) => askToRemoveTopic(app, group));
  remove.node.classList.add("button-danger");
  const node = h(
    "section",
    { class: "panel-section", hidden: true },
    h("h3", {}, t("This topic")),
    h("div", { class: "panel-acts" }, homeLink, edit.node, picture.node, mute.node, remove.node),
  );

  async function turnNotices(/** @type {Group} */ group) {
    try {
      await app.topics.mute(group, isTopicMuted(group, Date.now() / 1000) ? "over" : null);
    } catch (error) {
      app.complain(t("Nothing was changed. {it}", { it: reasonOf(error) }));
    }
  }

  return {
    node,
    /** Shows a topic; does nothing for a group. */
    show(/** @type {Group} */ group, /** @type {string} */ me) {
      if (!group.parent) return;
      shown = group;
      const manages = may(group, me, "manage_topics");
      for (const one of [edit, picture, remove]) one.node.hidden = !manages;
      setText(home, t("Topic of {group}", { group: group.parent.name }));
      homeLink.setAttribute("href", hrefFrom(app.state.get().route, `g:${group.parent.id}`));
      setText(mute.word, isTopicMuted(group, Date.now() / 1000) ? t("Unmute") : t("Mute"));
    },
  };
}
