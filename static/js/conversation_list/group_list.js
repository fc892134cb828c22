/**
 * The side of the page: the tabs of folders, the way to message requests, the user's conversations, pinned ones first,
 * then those with the last activity, the ways to archived groups, messages for the user and saved messages, and below
 * them who the user is.
 *
 * Owns the list, the search by name, and moving through the list with the arrow keys. `list_row.js` draws a
 * row.
 */

import { accountHref, archivedHref, convOf, mentionsHref, requestsHref, savedHref } from "../app/route.js";
import {
  openConversationMenu,
  openFolders,
  openFormerGroups,
  openGroupFinder,
  openNewGroup,
  openNewMessage,
  openPalette,
  openPictureDialog,
} from "../app/windows.js";
import { isRequest } from "../chats/chats.js";
import { nameOf } from "../conversation/naming.js";
import { onPlaceChange } from "../details/beside.js";
import { isArchived } from "../groups/standstill.js";
import { unreadMentionsOf } from "../mentions/mentions.js";
import { avatar } from "../people/avatar.js";
import { createFinder } from "../search/finder.js";
import { logOut } from "../sign_in/log_out.js";
import { archivedGroups, findable, openRequests } from "../sync/store.js";
import { isTopic, topicsOf, withTopicsShown } from "../topics/topics.js";
import { h, rowOf, setText } from "../ui/dom.js";
import { icon, mark } from "../ui/icons.js";
import { createVirtualList } from "../ui/virtual_list.js";
import { t } from "../words/words.js";
import { createApartLink } from "./apart_link.js";
import { NOTHING_ARRANGED, pinOf } from "./conversation_list.js";
import { createFolderTabs } from "./folder_tabs.js";
import { countWords, listRow, ROW_FOLD, summary } from "./list_row.js";
import { listView } from "./list_view.js";
import { watchRowMenus } from "./row_menu.js";

/** The id of the list, which the tabs of the folders control. */
const LIST = "conversations";
/** @type {import("./list_view.js").ListView} */
const NOTHING = {
  list: NOTHING_ARRANGED,
  all: [],
  folder: undefined,
  shown: [],
  withTopics: (some) => [...some],
};

export function createGroupList(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {HTMLElement} */ connection,
) {
  const rows = h("ul", { class: "groups", id: LIST, onkeydown: walk });
  watchRowMenus(rows, (conv, at) => openConversationMenu(app, conv, at));
  rows.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest(`.${ROW_FOLD}`) : null;
    if (button) fold(button.closest("li")?.dataset.key ?? "");
  });
  const tabs = createFolderTabs({ controls: LIST, choose: app.folder.choose });
  const requests = createApartLink({
    route: "requests",
    href: requestsHref,
    sign: "message",
    label: t("Message requests"),
    onkeydown: walk,
  });
  const archived = createApartLink({
    route: "archived",
    href: archivedHref,
    sign: "archive",
    label: t("Archived"),
    onkeydown: walk,
  });
  const creates = h(
    "div",
    {},
    h("p", { class: "quiet" }, t("Create a group and add the people you want to talk to.")),
    h(
      "button",
      { class: "button button-primary", type: "button", onclick: () => openNewGroup(app) },
      t("Create a group"),
    ),
  );
  const empty = h(
    "div",
    { class: "groups-empty" },
    h("p", {}, t("No conversations yet.")),
    h("p", { class: "quiet" }, t("Do you have an invitation link? Open it in this browser.")),
    creates,
  );
  const inFolder = h("p", {});
  const emptyFolder = h(
    "div",
    { class: "groups-empty", hidden: true },
    inFolder,
    h("p", { class: "quiet" }, t("To add a conversation, open its menu and choose Folders…")),
    h(
      "button",
      { class: "button", type: "button", onclick: () => leaveFolder() },
      t("Show all conversations"),
    ),
  );
  const waiting = h("div", { class: "groups-waiting", "aria-hidden": "true" });
  for (let i = 0; i < 5; i += 1) waiting.append(h("span"));

  const goTo = headButton("search", t("Go to (Ctrl K)"), () => openPalette(app));
  const newGroup = headButton("plus", t("New group"), () => openNewGroup(app));
  const newMessage = headButton("compose", t("New message"), () => openNewMessage(app));
  const forMe = h("span", {});
  const unread = h(
    "span",
    { class: "unread", hidden: true },
    h("span", { class: "hidden" }, t("Unread: ")),
    forMe,
  );
  const mentions = sideLink(mentionsHref, "mention", t("For you"), " ", unread);
  const saved = sideLink(savedHref, "bookmark", t("Saved messages"));
  const folders = sideButton("folder", t("Folders"), () => openFolders(app));
  const former = sideButton("leave", t("Groups you left"), () => openFormerGroups(app));
  const findGroups = sideButton("people", t("Find groups"), () => openGroupFinder(app));
  const me = h("p", { class: "me-name" });
  const meAvatar = h("button", {
    class: "me-picture",
    type: "button",
    "aria-label": t("Your picture"),
    title: t("Your picture"),
    onclick: () => openPictureDialog({ title: t("Your picture"), onSave: app.setAvatar }),
  });
  let shownMe = "";
  const account = h(
    "a",
    { class: "button-icon", href: accountHref, "aria-label": t("Account"), title: t("Account") },
    icon("account"),
  );
  const logout = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Log out"),
      title: t("Log out"),
      onclick: () => logOut(app),
    },
    icon("leave"),
  );
  const finder = createFinder(t("Find a conversation"), () => app.state.touch());
  const nobody = h("p", { class: "quiet groups-nobody", role: "status" });
  const place = h(
    "nav",
    { class: "side-list", "aria-label": t("Conversations") },
    requests.node,
    rows,
    nobody,
    empty,
    emptyFolder,
    waiting,
    archived.node,
    mentions,
    saved,
    folders,
    findGroups,
    former,
  );
  const list = createVirtualList(rows, place);
  onPlaceChange(app.state.touch);
  const node = h(
    "div",
    { class: "side" },
    h(
      "div",
      { class: "side-head" },
      h("p", { class: "brand", "aria-hidden": "true" }, mark(), "Coterie"),
      goTo,
      newMessage,
      newGroup,
    ),
    finder.node,
    tabs.node,
    place,
    h(
      "section",
      { class: "side-foot", "aria-label": t("You") },
      meAvatar,
      h("div", { class: "me" }, me, connection),
      account,
      logout,
    ),
  );

  function show(/** @type {import("../sync/state.js").State} */ state) {
    const { snapshot } = state;
    const view = snapshot ? listView(snapshot, app.folder.get()) : NOTHING;
    const { all, folder, list: arrangement } = view;
    waiting.hidden = snapshot !== null;
    const isGuest = snapshot?.user.kind === "guest";
    former.hidden = folders.hidden = mentions.hidden = saved.hidden = snapshot === null;
    findGroups.hidden = snapshot === null || isGuest;
    newGroup.hidden = creates.hidden = isGuest;
    empty.hidden = snapshot === null || all.length > 0;
    const now = Date.now() / 1000;
    const me = snapshot?.user.id ?? "";
    const matching = finder.among(all, nameOf, snapshot ? findable(snapshot).filter(isElsewhere) : []);
    const isSearch = matching !== all;
    const folded = app.foldedTopics.get();
    const open = convOf(state.route);
    // What is searched for is found in every folder.
    const found = isSearch || !snapshot ? matching : withTopicsShown(snapshot, view.shown, folded, open);
    emptyFolder.hidden = !folder || all.length === 0 || isSearch || found.length > 0;
    if (folder) setText(inFolder, t("No conversations in {name}.", { name: folder.name }));
    setText(nobody, matching.length === 0 && all.length > 0 ? t("No results.") : "");
    tabs.show(view, open);
    list.show({
      keys: found.map(({ conv }) => conv),
      row(at) {
        const one = found[at];
        const { conv } = one;
        const topics = snapshot && !isSearch ? topicsOf(snapshot, conv) : [];
        const isNested = isTopic(one) && !isSearch;
        const place = { pin: pinOf(arrangement, conv), hasMenu: true, isNested, topics };
        const isFolded = folded.has(conv);
        return listRow(summary(one, state, me, now, app.drafts.content(conv), { ...place, isFolded }));
      },
    });
    showApart(state);
    if (snapshot) showMe(snapshot.user);
  }

  /** Shows the ways to requests, to archived groups, to messages for the user and to saved messages. */
  function showApart(/** @type {import("../sync/state.js").State} */ { snapshot, route }) {
    const open = snapshot?.conversations[convOf(route) ?? ""];
    requests.show(route, snapshot ? openRequests(snapshot).length : 0, isRequest(open));
    archived.show(route, snapshot ? archivedGroups(snapshot).length : 0, isArchived(open?.group));
    for (const [link, name] of /** @type {const} */ ([
      [mentions, "mentions"],
      [saved, "saved"],
    ])) {
      if (route.name === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const count = snapshot ? unreadMentionsOf(snapshot, convOf(route)) : 0;
    unread.hidden = count === 0;
    setText(forMe, countWords(count));
  }

  /** Shows all conversations, with the focus on the tab that says so. */
  function leaveFolder() {
    app.folder.choose("");
    tabs.focusFirst();
  }

  function showMe(/** @type {import("../sync/types.js").User} */ { id, name, image_url: imageUrl }) {
    const sign = JSON.stringify([id, name, imageUrl]);
    if (sign === shownMe) return;
    shownMe = sign;
    setText(me, name);
    meAvatar.replaceChildren(avatar({ id, name, imageUrl, size: "small" }));
  }

  /** The row below the focused one, or above it: requests stand above the list, archived groups below it. */
  function neighbour(/** @type {number} */ step) {
    const focused = document.activeElement;
    const links = [...rows.querySelectorAll("a")];
    const [above, below] = [requests, archived].map(({ node }) => (node.hidden ? null : node));
    if (focused === above) return step > 0 ? (links.at(0) ?? below) : null;
    if (focused === below) return step < 0 ? (links.at(-1) ?? above) : null;
    return list.fromFocus(step)?.querySelector("a") ?? (step < 0 ? above : below);
  }

  /** Hides the topics of a group, or shows them; the button that was pressed is another one then. */
  function fold(/** @type {string} */ conv) {
    app.foldedTopics.turn(conv);
    show(app.state.get());
    /** @type {HTMLElement | null | undefined} */ (rowOf(rows, conv)?.querySelector(`.${ROW_FOLD}`))?.focus();
  }

  function walk(/** @type {KeyboardEvent} */ event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && neighbour(step);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
  }

  return {
    node,
    show,
    /** Sets the focus after the account page was closed. */
    focusAccount: () => account.focus(),
    /** Sets the focus after the requests were closed; on "New group" once there are none. */
    focusRequests: () => (requests.node.hidden ? newGroup : requests.node).focus(),
    /** Sets the focus after the archived groups were closed; on "New group" once there are none. */
    focusArchived: () => (archived.node.hidden ? newGroup : archived.node).focus(),
    /** Sets the focus after the messages for the user were closed. */
    focusMentions: () => mentions.focus(),
    /** Sets the focus after the saved messages were closed. */
    focusSaved: () => saved.focus(),
    /**
     * Sets the focus on the row of a conversation that was just left, or else on the first row or on "New
     * group".
     */
    focus(/** @type {string} */ conv) {
      const link = list.reveal(conv)?.querySelector("a") ?? rows.querySelector("a") ?? newGroup;
      link.focus();
    },
  };
}

/** Whether a conversation is found by its name only: it is a topic, or an archived group. */
const isElsewhere = (/** @type {import("../sync/types.js").Conversation} */ one) =>
  isTopic(one) || isArchived(one.group);

/** A row below the conversations that leads to a page. */
const sideLink = (
  /** @type {string} */ href,
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {(Node | string)[]} */ ...content
) => h("a", { class: "side-more", href }, icon(sign), ...content);

/** A row below the conversations that opens a window. */
const sideButton = (
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {string} */ label,
  /** @type {() => void} */ onclick,
) => h("button", { class: "side-more", type: "button", onclick }, icon(sign), label);

function headButton(
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {string} */ label,
  /** @type {() => void} */ onclick,
) {
  return h(
    "button",
    { class: "button-icon", type: "button", "aria-label": label, title: label, onclick },
    icon(sign),
  );
}
