/**
 * The open conversation: its head, its messages, and the composer.
 *
 * Owns the head and what is shown when there is no conversation to show. The messages belong to the timeline,
 * writing belongs to the composer.
 */

import { CLOSES } from "../app/page_history.js";
import {
  accountHref,
  archivedHref,
  convOf,
  homeHref,
  hrefOf,
  panelHref,
  panelOf,
  requestsHref,
} from "../app/route.js";
import {
  openEdit,
  openEmojiPicker,
  openMessageDetails,
  openNewGroup,
  openToolsMenu,
} from "../app/windows.js";
import { isChat, isRequest } from "../chats/chats.js";
import { createRequestBar } from "../chats/request_bar.js";
import { createComposer } from "../composer/composer.js";
import { createReplyBar } from "../composer/reply_bar.js";
import { createDropZone } from "../files/drop_zone.js";
import { may } from "../groups/permissions.js";
import { isArchived } from "../groups/standstill.js";
import { createTimeoutBar } from "../moderation/timeout_bar.js";
import { avatar } from "../people/avatar.js";
import { createBlockedBar } from "../people/blocked_bar.js";
import { isPresent } from "../people/presence.js";
import { watchPictures } from "../pictures/picture_opening.js";
import { seenNow } from "../sync/past.js";
import { mentionable, mentionsIn, pictureIn } from "../text/mentioning.js";
import { oneLine } from "../text/one_line.js";
import { isSaidByCard } from "../text/system_line.js";
import { createTimeline } from "../timeline/timeline.js";
import { isTopic, parentConvOf } from "../topics/topics.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon, mark } from "../ui/icons.js";
import { canType } from "../ui/input_method.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { memberWords, nameOf, pictureOf } from "./naming.js";
import { createReadOnlyBar } from "./read_only_bar.js";
import { createSlowModeBar } from "./slow_mode_bar.js";
import { typingWords } from "./typing.js";

/** @typedef {import("../sync/state.js").State} State */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

export function createConversation(/** @type {import("../app/app.js").App} */ app) {
  const replyBar = createReplyBar({ onLetGo: () => composer.input.focus() });
  const timeline = createTimeline(app, {
    answer({ key, mine, author, text, attachments }) {
      const name = mine ? t("You") : author.name;
      replyBar.answer({ id: key, name, text: oneLine({ text, attachments }), gone: false });
      composer.input.focus();
    },
    about: ({ key }) => shown && openMessageDetails(app, seenNow(shown), key),
  });
  const composer = createComposer({
    label: (conversation) => t("Message to {name}", { name: nameOf(conversation) }),
    placeholder: t("Message"),
    upload: app.upload,
    link: (conv, file) =>
      app.fileLink(conv, file).catch((error) => {
        app.complain(error.message);
        return null;
      }),
    drafts: app.drafts,
    commands: app.commands,
    names: () => (shown ? mentionable(shown, me()) : []),
    pictureOf: (id) => (shown ? pictureIn(shown, id) : null),
    tone: app.emojiTone.get,
    onSend(conv, text, attachments) {
      timeline.stick();
      const mentions = shown?.conv === conv ? mentionsIn(text, shown, me()) : [];
      app.send(conv, text, [...replyBar.take(conv), ...mentions, ...attachments]);
    },
    onTyping: app.typing,
    onEmoji: (insert) => openEmojiPicker(app, { title: t("Add an emoji"), onChoose: insert }),
    onTrouble: app.complain,
    onEditLast: editLast,
    onEscape: () => replyBar.giveUp(),
  });
  const blockedBar = createBlockedBar(app);
  const requestBar = createRequestBar(app);
  const timeoutBar = createTimeoutBar(app, () => show(app.state.get()));
  const slowModeBar = createSlowModeBar();
  const readOnlyBar = createReadOnlyBar(app);
  const readersBar = h("p", { class: "blocked-bar", role: "status" });

  const place = h("span", { class: "avatar-place head-avatar" });
  const called = h("bdi", { class: "ends" });
  const titleLink = h("a", { class: "head-link", title: t("Details") }, called);
  const title = h("h2", { class: "head-title", tabindex: "-1" }, titleLink);
  const subtitle = h("p", { class: "head-subtitle" });
  const detailsLink = h(
    "a",
    { class: "button-icon", "aria-label": t("Details"), title: t("Details") },
    icon("info"),
  );
  /** @type {Conversation | null} */
  let shown = null;
  const tool = (
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {(conversation: Conversation) => unknown} */ run,
  ) => {
    const facts = { class: "button-icon", type: "button", "aria-label": label, title: label };
    return h("button", { ...facts, onclick: () => shown && run(shown) }, icon(sign));
  };
  const opens =
    (/** @type {Exclude<import("../app/route.js").Panel, "thread">} */ panel) =>
    (/** @type {Conversation} */ { conv }) =>
      panelOf(app.state.get().route) === panel
        ? pages.close(hrefOf(conv))
        : pages.goTo(panelHref(conv, panel));
  const polls = tool("poll", t("Polls"), opens("polls"));
  const search = tool("search", t("Search in this conversation"), opens("search"));
  const tools = [
    tool("pin", t("Pinned messages"), opens("pinned")),
    tool("gallery", t("Gallery"), opens("gallery")),
    polls,
    tool("calendar", t("Events"), opens("events")),
    tool("bell", t("Notifications"), opens("notices")),
  ];
  // Where the tools do not fit beside the title, a menu offers them.
  const more = tool("more", t("More"), () => openToolsMenu(more, [search, ...tools]));
  more.classList.add("head-more");
  more.setAttribute("aria-haspopup", "menu");
  more.setAttribute("aria-expanded", "false");
  more.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    openToolsMenu(more, [search, ...tools], event.key === "ArrowUp");
  });
  const back = h("a", { class: "button-icon head-back", ...CLOSES }, icon("back"));
  watchPictures(timeline.node, app, () => shown && seenNow(shown));
  const open = h(
    "section",
    { class: "conversation", "aria-label": t("Conversation") },
    h(
      "header",
      { class: "head" },
      back,
      place,
      h("div", { class: "head-words" }, title, subtitle),
      h("div", { class: "head-tools" }, search, ...tools),
      more,
      detailsLink,
    ),
    timeline.node,
    replyBar.node,
    composer.node,
    slowModeBar.node,
    blockedBar.node,
    requestBar.node,
    readOnlyBar.node,
    readersBar,
    timeoutBar.node,
  );
  createDropZone(open, {
    words: t("Drop files to add them"),
    isOpen: () => !composer.node.hidden,
    onFiles: composer.addFiles,
  });
  const blank = h("section", { class: "blank", "aria-label": t("Conversation") });
  const node = h("div", { class: "conversation-place" }, blank, open);
  let shownHead = "";
  let shownBlank = "";

  function show(/** @type {State} */ state) {
    const { route, snapshot } = state;
    const conv = convOf(route);
    const known = conv ? snapshot?.conversations[conv] : null;
    const conversation = known && !known.filling ? known : null;
    const isGone = snapshot && !snapshot.isPartial && !known;
    if (isGone && isTopic(shown) && shown.conv === conv) return leaveTopic(shown);
    open.hidden = !conversation;
    blank.hidden = Boolean(conversation);
    shown = conversation;
    if (conversation && snapshot) {
      head(conversation, state, snapshot.user.id);
      const isOpen = panelOf(route) === "details";
      const { group, other } = conversation;
      for (const link of [titleLink, detailsLink]) {
        link.setAttribute("href", (isOpen ? hrefOf : panelHref)(conversation.conv));
        link.toggleAttribute("data-closes", isOpen);
        link.setAttribute("aria-expanded", String(isOpen));
      }
      const above = listWith(conversation);
      back.setAttribute("href", above.href);
      back.setAttribute("aria-label", above.label);
      polls.hidden = !group;
      const blocked = other && snapshot.blocked.includes(other.id) ? other : null;
      const request = conversation.request && !blocked ? conversation : null;
      const hadFocus = [requestBar, readOnlyBar].some((bar) => bar.node.contains(document.activeElement));
      composer.show(conversation);
      replyBar.show(conversation.conv);
      const posts = !group || may(group, snapshot.user.id, "post");
      const isReadOnly = readOnlyBar.show(group, snapshot.user.id);
      const isShut = timeoutBar.show(isReadOnly ? undefined : group, state);
      composer.node.hidden = blocked !== null || request !== null || !posts || isShut;
      slowModeBar.show(composer.node.hidden ? null : conversation, snapshot.user.id);
      blockedBar.show(blocked);
      requestBar.show(request);
      readersBar.hidden = posts || isReadOnly;
      setText(readersBar, readersWords(conversation));
      const isLed = route.name === "group" || route.name === "chat";
      timeline.show(conversation, snapshot.user.id, isLed ? (route.message ?? "") : "", state.visit);
      // The buttons that had the focus are gone.
      const isBarGone = hadFocus && !request && !isReadOnly;
      if (isBarGone && canType()) focus();
      else if (isBarGone) title.focus();
    } else {
      timeline.hide();
      slowModeBar.show(null, "");
      explain(!snapshot || known || (conv && snapshot.isPartial) ? "waiting" : absence(conv, snapshot));
    }
  }

  /** Leaves a topic that there is no more for its group. */
  function leaveTopic(/** @type {import("../topics/topics.js").TopicConversation} */ { topic }) {
    shown = null;
    pages.replace(hrefOf(parentConvOf(topic)));
  }

  /** Opens the window that edits the user's newest message. */
  function editLast() {
    const { conv, messages } = shown ?? {};
    const last = messages?.findLast(
      (one) => one.user_id === me() && !one.system && !one.deleted_at && !isSaidByCard(one),
    );
    if (!conv || !last) return;
    const { id, text, attachments } = last;
    openEdit(
      { key: id, text: text ?? "", attachments },
      { edit: (_, said) => app.editMessage(conv, id, said) },
    );
  }

  const me = () => app.state.get().snapshot?.user.id ?? "";

  function head(
    /** @type {Conversation} */ conversation,
    /** @type {State} */ state,
    /** @type {string} */ me,
  ) {
    const picture = pictureOf(conversation);
    const types = typingWords(conversation, state.typing);
    const online = isPresent(conversation, state);
    const words = types || standing(conversation, online, me);
    const name = nameOf(conversation);
    const sign = JSON.stringify([name, picture, words, types, online]);
    if (sign === shownHead) return;
    shownHead = sign;
    setText(called, name);
    setText(subtitle, words);
    subtitle.classList.toggle("head-typing", types !== "");
    fillWith(place, avatar({ ...picture, size: "small" }), online && h("span", { class: "present" }));
  }

  function explain(/** @type {keyof typeof BLANKS} */ why) {
    if (why === shownBlank) return;
    shownBlank = why;
    fillWith(blank, ...BLANKS[why](app));
  }

  /** Focuses the composer, the button that unblocks or takes out of the archive, the title, or the first link or button of an empty page. */
  function focus() {
    const blankAction = /** @type {HTMLElement | null} */ (blank.querySelector("button, a"));
    const bar = [blockedBar, readOnlyBar].find(({ node, button }) => !node.hidden && !button.hidden);
    const place = composer.node.hidden ? (bar?.button ?? title) : composer.input;
    (open.hidden ? blankAction : place)?.focus();
  }

  return {
    node,
    show,
    focus,
    focusTitle: () => title.focus(),
    focusDetails: () => detailsLink.focus(),
  };
}

/** The list in which a conversation stands. */
function listWith(/** @type {Conversation} */ conversation) {
  if (isRequest(conversation)) return { href: requestsHref, label: t("Back to message requests") };
  if (isArchived(conversation.group)) return { href: archivedHref, label: t("Back to archived groups") };
  return { href: homeHref, label: t("Back to all conversations") };
}

/** Says why no conversation is shown for an address: it names none, or one that the user does not have. */
function absence(
  /** @type {string | null} */ conv,
  /** @type {import("../sync/types.js").Snapshot} */ { conversations, isPartial },
) {
  if (!conv) return Object.keys(conversations).length === 0 && !isPartial ? "fresh" : "none";
  return isChat(conv) ? "stranger" : "gone";
}

/** Says in a few words what the conversation is. */
function standing(
  /** @type {Conversation} */ conversation,
  /** @type {boolean} */ online,
  /** @type {string} */ me,
) {
  if (isRequest(conversation)) return t("Message request");
  if (conversation.group?.parent) return conversation.group.parent.name;
  return conversation.other ? presenceWords(online) : memberWords(conversation, me);
}

/** Says who posts in a conversation in which plain members do not. */
const readersWords = (/** @type {Conversation} */ conversation) =>
  isTopic(conversation)
    ? t("Only the owner and admins can post in this topic.")
    : t("Only the owner and admins can post in this group.");

const presenceWords = (/** @type {boolean} */ online) => (online ? t("Online") : t("Direct messages"));

const newGroup = (/** @type {import("../app/app.js").App} */ app) =>
  app.state.get().snapshot?.user.kind !== "guest" &&
  h(
    "button",
    { class: "button button-primary", type: "button", onclick: () => openNewGroup(app) },
    t("New group"),
  );

/** @type {Record<"waiting" | "gone" | "stranger" | "none" | "fresh", (app: import("../app/app.js").App) => (Node | false)[]>} */
const BLANKS = {
  waiting: () => [h("p", { class: "blank-waiting", role: "status" }, t("Loading…"))],
  gone: () => [
    h("h2", {}, t("Group not found")),
    h("p", {}, t("The group may have been deleted, or you are no longer a member of it.")),
    h("a", { class: "button", href: homeHref }, t("Back to all conversations")),
  ],
  stranger: () => [
    h("h2", {}, t("Chat not found")),
    h("p", {}, t("You share no group with this person, and have not written to each other yet.")),
    h("a", { class: "button", href: homeHref }, t("Back to all conversations")),
  ],
  none: (app) => [
    mark(),
    h("h2", {}, t("Good to see you")),
    h("p", {}, t("Choose a conversation to read and write, or start a new group.")),
    newGroup(app),
  ],
  fresh: (app) => [
    mark(),
    h("h2", {}, t("Good to see you")),
    h("p", {}, t("Start a group and invite people to it by a link. They see your name and picture.")),
    h(
      "div",
      { class: "blank-acts" },
      newGroup(app),
      h("a", { class: "button", href: accountHref }, t("Set up your profile")),
    ),
  ],
};
