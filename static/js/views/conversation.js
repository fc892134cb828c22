/**
 * The open conversation: its title, its lines, and where to write.
 *
 * Owns what stands there when there is nothing to show. The lines are the timeline's,
 * writing is the composer's.
 */

import { fillWith, h, setText } from "../dom.js";
import { icon, mark } from "../icons.js";
import { groupHref, homeHref, membersHref } from "../route.js";
import { convOfGroup } from "../store.js";
import { typingWords } from "../typing.js";
import { avatar } from "./avatar.js";
import { createComposer } from "./composer.js";
import { openNewGroup } from "./new_group.js";
import { createTimeline } from "./timeline.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../types.js").Conversation} Conversation */

export function createConversation(/** @type {import("../app.js").App} */ app) {
  const timeline = createTimeline(app);
  const composer = createComposer({
    upload: app.uploadPicture,
    onSend(conv, text, attachments) {
      timeline.stick();
      app.send(conv, text, attachments);
    },
    onTyping: app.typing,
  });

  const picture = h("span", { class: "head-avatar" });
  const title = h("h2", { class: "head-title", tabindex: "-1" });
  const subtitle = h("p", { class: "head-subtitle" });
  const people = h("a", { class: "button-icon", "aria-label": "Members", title: "Members" }, icon("people"));
  const open = h(
    "section",
    { class: "conversation", "aria-label": "Conversation" },
    h(
      "header",
      { class: "head" },
      h(
        "a",
        { class: "button-icon head-back", href: homeHref, "aria-label": "Back to all groups" },
        icon("back"),
      ),
      picture,
      h("div", { class: "head-words" }, title, subtitle),
      people,
    ),
    timeline.node,
    composer.node,
  );
  const blank = h("section", { class: "blank", "aria-label": "Conversation" });
  const node = h("div", { class: "conversation-place" }, blank, open);
  let shownHead = "";
  let shownBlank = "";

  function show(/** @type {State} */ state) {
    const { route, snapshot } = state;
    const conv = route.name === "group" ? convOfGroup(route.groupId) : null;
    const known = conv ? snapshot?.conversations[conv] : null;
    const conversation = known && !known.filling ? known : null;
    open.hidden = !conversation;
    blank.hidden = Boolean(conversation);
    if (conversation && snapshot) {
      head(conversation, snapshot.user.id, typingWords(conversation, state.typing));
      const panelOpen = route.name === "group" && route.panel === "members";
      people.setAttribute("href", (panelOpen ? groupHref : membersHref)(conversation.group.id));
      people.setAttribute("aria-expanded", String(panelOpen));
      composer.show(conversation);
      timeline.show(conversation, snapshot.user.id);
    } else {
      timeline.hide();
      explain(!snapshot || known ? "waiting" : conv ? "gone" : "none");
    }
  }

  function head(
    /** @type {Conversation} */ { group },
    /** @type {string} */ me,
    /** @type {string} */ typing,
  ) {
    const others = (group.members ?? []).filter((member) => member.user_id !== me);
    const names = ["You", ...others.map((member) => member.nickname)];
    const facts = { id: group.id, name: group.name, imageUrl: group.image_url };
    const sign = JSON.stringify([facts, names, typing]);
    if (sign === shownHead) return;
    shownHead = sign;
    setText(title, group.name);
    setText(subtitle, typing || (names.length === 1 ? "Only you so far" : names.join(", ")));
    subtitle.classList.toggle("head-typing", typing !== "");
    picture.replaceChildren(avatar({ ...facts, shape: "group", size: "small" }));
  }

  function explain(/** @type {"waiting" | "gone" | "none"} */ why) {
    if (why === shownBlank) return;
    shownBlank = why;
    fillWith(blank, ...BLANKS[why](app));
  }

  return {
    node,
    show,
    /** Where this person most likely wants to go on. */
    focus() {
      const blankAction = /** @type {HTMLElement | null} */ (blank.querySelector("button, a"));
      (open.hidden ? blankAction : composer.input)?.focus();
    },
    focusTitle: () => title.focus(),
    focusMembersLink: () => people.focus(),
  };
}

/** @type {Record<"waiting" | "gone" | "none", (app: import("../app.js").App) => Node[]>} */
const BLANKS = {
  waiting: () => [],
  gone: () => [
    h("h2", {}, "This group is not here"),
    h("p", {}, "It may have ended, or you are no longer a member of it."),
    h("a", { class: "button", href: homeHref }, "Back to all groups"),
  ],
  none: (app) => [
    mark(),
    h("h2", {}, "Good to see you"),
    h("p", {}, "Choose a group to read and write, or start a new one."),
    h(
      "button",
      { class: "button button-primary", type: "button", onclick: () => openNewGroup(app) },
      "New group",
    ),
  ],
};
