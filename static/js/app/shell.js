/**
 * The page of a signed-in user: the conversations at the side, an open one, and its members.
 *
 * Owns which of these are shown (one at a time on a phone), the page's title, and where the focus goes when
 * the address changes. Each part is a view of its own.
 */

import { createConversation } from "../conversation/conversation.js";
import { nameOf } from "../conversation/naming.js";
import { createGroupList } from "../conversation_list/group_list.js";
import { closingHref, staysBeside } from "../details/beside.js";
import { createInvitation } from "../invites/invitation.js";
import { unreadCount } from "../sync/store.js";
import { h } from "../ui/dom.js";
import { createDone } from "../ui/done.js";
import { fadeOut } from "../ui/exit_motion.js";
import { canType, composes } from "../ui/input_method.js";
import { createTrouble } from "../ui/trouble.js";
import { openerOf, pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { createAnnouncer } from "./announcer.js";
import { createConnection } from "./connection.js";
import { createLater } from "./later.js";
import { convOf, panelOf } from "./route.js";

/** @typedef {import("../sync/state.js").State} State */

/** The width below which `shell.css` shows one part at a time. */
const isNarrow = matchMedia("(max-width: 719px)");

export function createShell(/** @type {import("./app.js").App} */ app) {
  const connection = createConnection();
  const announcer = createAnnouncer(app);
  const list = createGroupList(app, connection.status);
  const conversation = createConversation(app);
  const details = createLater({
    load: async () => (await import("../details/details.js")).createDetails(app),
    isOpen: ({ route }) => panelOf(route) !== null,
    isPage: false,
  });
  const account = createLater({
    load: async () => (await import("../account/account_view.js")).createAccount(app),
    isOpen: ({ route }) => route.name === "account",
  });
  const botsOfGroup = createLater({
    load: async () => (await import("../bots/bots_view.js")).createBotsOfGroup(app),
    isOpen: ({ route }) => route.name === "bots",
  });
  const bot = createLater({
    load: async () => (await import("../bots/bot_page.js")).createBotPage(app),
    isOpen: ({ route }) => route.name === "bot",
  });
  const admin = createLater({
    load: async () => (await import("../admin/admin.js")).createAdmin(app),
    isOpen: ({ route }) => route.name === "admin",
  });
  const requests = createLater({
    load: async () => (await import("../chats/message_requests.js")).createMessageRequests(),
    isOpen: ({ route }) => route.name === "requests",
  });
  const archived = createLater({
    load: async () => (await import("../groups/archived_groups.js")).createArchivedGroups(),
    isOpen: ({ route }) => route.name === "archived",
  });
  const saved = createLater({
    load: async () => (await import("../saved/saved_page.js")).createSavedPage(app),
    isOpen: ({ route }) => route.name === "saved",
  });
  const mentions = createLater({
    load: async () => (await import("../mentions/mentions_page.js")).createMentionsPage(app),
    isOpen: ({ route }) => route.name === "mentions",
  });
  const factorBar = createLater({
    load: async () => (await import("../security/factor_bar.js")).createFactorBar(),
    isOpen: ({ snapshot }) => Boolean(snapshot?.user.second_factor),
    isPage: false,
  });
  const invitation = createInvitation(app);
  const trouble = createTrouble(app);
  const done = createDone(app);

  const main = h(
    "main",
    { class: "main", id: "main", tabindex: "-1" },
    connection.banner,
    conversation.node,
    account.node,
    botsOfGroup.node,
    bot.node,
    admin.node,
    requests.node,
    archived.node,
    saved.node,
    mentions.node,
    trouble.node,
    done.node,
  );
  const skip = h(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        focusMain(app.state.get().route);
      },
    },
    t("Skip to the conversation"),
  );
  // A phone shows one part at a time; the heading is the same in all of them.
  const title = h("h1", { class: "hidden", tabindex: "-1" }, "Coterie");
  const node = h(
    "div",
    { class: "shell" },
    skip,
    h("header", { class: "hidden" }, title),
    factorBar.node,
    list.node,
    main,
    details.node,
    announcer.node,
  );

  // On the document, since the focus may be nowhere: the element that had it is gone.
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const isHere = target === document.body || (target instanceof Node && node.contains(target));
    if (!isHere || !node.isConnected || document.querySelector("dialog[open]")) return;
    const { route } = app.state.get();
    if (event.key !== "Escape" || composes(event) || event.defaultPrevented || !panelOf(route)) return;
    pages.close(closingHref(route));
  });

  /** @type {import("./route.js").Route} */
  let shownRoute = { name: "home" };
  /** What had the focus in the conversation when the panel opened. @type {HTMLElement | null} */
  let opener = null;
  /** Focuses what replaced it. */
  let focusAgain = () => {};

  function show(/** @type {State} */ state) {
    const { route } = state;
    node.dataset.view = route.name;
    // On a phone, the list is the main content of the start page.
    if (route.name === "home" && isNarrow.matches) list.node.setAttribute("role", "main");
    else list.node.removeAttribute("role");
    const panel = panelOf(route) ? "open" : "none";
    const shownPanel = node.querySelector(":scope > .panel");
    if (panel === "none" && node.dataset.panel === "open" && shownPanel instanceof HTMLElement)
      fadeOut(shownPanel);
    node.dataset.panel = panel;
    connection.show(state);
    factorBar.show(state);
    // Before it is shown, since the conversation measures itself.
    conversation.node.hidden = route.name !== "home" && convOf(route) === null;
    conversation.show(state);
    // Showing the conversation may have marked messages as read: with the older state, the list would show
    // them as unread for a frame.
    const seen = app.state.get();
    list.show(seen);
    account.show(state);
    botsOfGroup.show(state);
    bot.show(state);
    admin.show(state);
    requests.show(state);
    archived.show(state);
    saved.show(state);
    mentions.show(state);
    details.show(state);
    announcer.show(state);
    invitation.show(state);
    trouble.show(state);
    done.show(state);
    document.title = titleOf(seen);
    if (route !== shownRoute) {
      const before = shownRoute;
      shownRoute = route;
      moveFocus(before, route);
    }
  }

  function focusMain(
    /** @type {import("./route.js").Route} */ route,
    /** @type {import("./route.js").Route} */ before = { name: "home" },
  ) {
    if (route.name === "account") account.focus();
    else if (route.name === "admin") admin.focus();
    else if (route.name === "requests") requests.focus(before);
    else if (route.name === "archived") archived.focus(before);
    else if (route.name === "saved") saved.focus(before);
    else if (route.name === "mentions") mentions.focus(before);
    else if (route.name === "bots") botsOfGroup.focus();
    else if (route.name === "bot") bot.focus({ name: "home" });
    else conversation.focus();
  }

  function moveFocus(
    /** @type {import("./route.js").Route} */ before,
    /** @type {import("./route.js").Route} */ now,
  ) {
    if (now.name === "home" && now.panel) {
      details.focus();
    } else if (now.name === "home") {
      const conv = convOf(before);
      if (conv) list.focus(conv);
      if (before.name === "account") list.focusAccount();
      if (before.name === "requests") list.focusRequests();
      if (before.name === "archived") list.focusArchived();
      if (before.name === "saved") list.focusSaved();
      if (before.name === "mentions") list.focusMentions();
    } else if (now.name === "bot") {
      bot.focus(before);
    } else if (now.name !== "group" && now.name !== "chat") {
      focusMain(now, before);
    } else if (now.message) {
      // The message to which the address leads takes the focus once it is loaded.
    } else if (panelOf(now) && !staysBeside(before, now)) {
      if (!panelOf(before) && document.activeElement instanceof HTMLElement) {
        opener = document.activeElement;
        focusAgain = openerOf(opener);
      }
      details.focus();
    } else if (panelOf(before) && convOf(before) === convOf(now)) {
      if (opener?.isConnected && main.contains(opener)) return opener.focus();
      focusAgain();
      if (!main.contains(document.activeElement)) conversation.focusDetails();
    } else if (canType()) {
      conversation.focus();
    } else {
      conversation.focusTitle();
    }
  }

  return { node, show };
}

function titleOf(/** @type {State} */ { snapshot, route }) {
  if (!snapshot) return "Coterie";
  if (route.name === "account") return t("Account · Coterie");
  if (route.name === "admin") return t("Administration · Coterie");
  if (route.name === "requests") return t("Message requests · Coterie");
  if (route.name === "archived") return t("Archived groups · Coterie");
  if (route.name === "saved") return t("Saved messages · Coterie");
  if (route.name === "mentions") return t("For you · Coterie");
  if (route.name === "bots" || route.name === "bot") return t("Bots · Coterie");
  const unread = unreadCount(snapshot);
  const open = snapshot.conversations[convOf(route) ?? ""];
  const called = open ? nameOf(open) : "";
  const name = called ? `${called} · Coterie` : "Coterie";
  return unread > 0 ? `(${unread}) ${name}` : name;
}
