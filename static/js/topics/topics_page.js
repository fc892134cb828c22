/**
 * The page of the panel with the topics of a group: to open one; to make, change and remove them for those who may.
 */

import { hrefOf } from "../app/route.js";
import { pictureOf } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { avatar } from "../people/avatar.js";
import { h, reconcile } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { askToRemoveTopic, openEditTopic, openNewTopic } from "./topic_form.js";
import { topicsOf } from "./topics.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/types.js").GroupConversation} GroupConversation */
/** @typedef {import("./topics.js").TopicConversation} TopicConversation */

/** @returns {import("../details/details.js").Page} */
export function topicsPage(/** @type {App} */ app, /** @type {GroupConversation} */ { conv }) {
  const list = h("ul", { class: "topics" });
  const nothing = h("p", { class: "quiet", role: "status" });
  const about = h(
    "p",
    { class: "quiet" },
    t("A topic is a conversation of its own for all members of the group."),
  );
  const make = h(
    "button",
    { class: "button button-wide", type: "button", onclick: makeOne },
    icon("plus"),
    t("Make a topic"),
  );

  const group = () => app.state.get().snapshot?.conversations[conv]?.group;

  function makeOne() {
    const known = group();
    if (known) openNewTopic(app, known);
  }

  function show() {
    const { snapshot } = app.state.get();
    const known = group();
    if (!snapshot || !known) return;
    const manages = may(known, snapshot.user.id, "manage_topics");
    const topics = topicsOf(snapshot, conv);
    const hadFocus = list.contains(document.activeElement);
    make.hidden = !manages;
    nothing.textContent = topics.length === 0 ? t("No topics yet.") : "";
    reconcile(
      list,
      topics.map((topic) => row(app, topic, manages)),
    );
    // The topic whose button had the focus is gone.
    if (hadFocus && document.activeElement === document.body)
      /** @type {HTMLElement} */ (list.querySelector("a") ?? make).focus();
  }

  const stop = app.state.onChange(show);
  show();
  return {
    title: t("Topics"),
    nodes: [h("div", { class: "panel-page" }, about, make, nothing, list)],
    leave: stop,
  };
}

/** @returns {import("../ui/dom.js").Row} */
function row(/** @type {App} */ app, /** @type {TopicConversation} */ topic, /** @type {boolean} */ manages) {
  const { conv, group } = topic;
  const { name, description } = group;
  const picture = pictureOf(topic);
  /** The topic as it is when a button is pressed. */
  const now = () => app.state.get().snapshot?.conversations[conv]?.group ?? group;
  const button = (
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {() => unknown} */ onclick,
  ) =>
    h(
      "button",
      { class: "button-icon", type: "button", "aria-label": label, title: label, onclick },
      icon(sign),
    );
  const build = () =>
    h(
      "li",
      { class: "topic-row" },
      h(
        "a",
        { class: "topic-link", href: hrefOf(conv) },
        avatar({ ...picture, size: "small" }),
        h(
          "span",
          { class: "topic-words" },
          h("bdi", { class: "topic-name" }, name),
          description && h("span", { class: "quiet topic-about", dir: "auto" }, description),
        ),
      ),
      manages && button("compose", t("Edit {name}", { name }), () => openEditTopic(app, now())),
      manages && button("end", t("Remove {name}", { name }), () => askToRemoveTopic(app, now())),
    );
  return { key: conv, sign: JSON.stringify([name, description, picture, manages]), build };
}
