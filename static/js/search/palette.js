/**
 * The window that goes anywhere by a few letters: to conversations, people and commands, and to messages that
 * the server finds by their words.
 *
 * Owns what can be reached and the keys inside the window. The commands themselves are done elsewhere.
 */

import {
  accountHref,
  applicationsHref,
  archivedHref,
  chatHref,
  convOf,
  mentionsHref,
  messageHref,
  panelHref,
  requestsHref,
  savedHref,
  searchHref,
} from "../app/route.js";
import { openShortcuts } from "../app/shortcuts.js";
import { botsHref } from "../bots/bots_route.js";
import { convWithId } from "../chats/chats.js";
import { openNewMessage } from "../chats/new_message.js";
import { fullNameOf } from "../conversation/naming.js";
import { openFolders } from "../conversation_list/folders.js";
import { hrefFrom } from "../details/beside.js";
import { openNewGroup } from "../groups/new_group.js";
import { avatar } from "../people/avatar.js";
import { logOut } from "../sign_in/log_out.js";
import { archivedGroups, findable, openRequests } from "../sync/store.js";
import { saidIn } from "../text/system_line.js";
import { openDialog } from "../ui/dialog.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { composes } from "../ui/input_method.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { excerpt, placesIn, wordsFor } from "./excerpt.js";
import { ranked } from "./finding.js";
import { createGoalList, placesOf } from "./goal_list.js";
import { foundHere } from "./local_search.js";
import { prepareSearch } from "./search_state.js";

/** How many conversations, people and commands are listed at most. */
const MOST = 40;
/** How long the user has to stop typing before messages are searched, in milliseconds. */
const PAUSE_MS = 200;
/**
 * The search index may lag behind: an empty search for messages is repeated after this pause, then after
 * twice as long, and so on up to `AGAIN_AT_MOST_MS`. In milliseconds.
 */
const AGAIN_MS = 1_000;
const AGAIN_AT_MOST_MS = 8_000;

/** The key of the item that leads to the search. */
const SEARCH = "search";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("./goal_list.js").Goal & { go: () => void }} Goal */

export function openPalette(/** @type {App} */ app) {
  const goals = goalsOf(app);
  /** @type {ReturnType<typeof createGoalList<Goal>>} */
  const list = createGoalList({ id: "palette", onPick: take });
  const nothing = h("p", { class: "quiet palette-nothing", role: "status" });
  const input = h("input", {
    ...list.facts,
    "aria-label": t("Go to"),
    placeholder: t("Search for conversations, people, messages and actions"),
    oninput: show,
    onkeydown: pressed,
  });
  /** @type {Goal[]} */
  let found = [];
  let close = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function show() {
    found = ranked(goals, input.value, ({ name }) => name).slice(0, MOST);
    const typed = input.value.trim();
    if (typed !== "") found = [...found, searchGoal(app, typed)];
    list.show(input, found);
    say(false);
    clearTimeout(timer);
    const words = wordsFor(input.value);
    if (words !== "") timer = setTimeout(() => look(words, AGAIN_MS), PAUSE_MS);
  }

  /** Says what is missing from the results. */
  function say(/** @type {boolean} */ isLocal) {
    const none = found.every(({ key }) => key === SEARCH) ? t("Nothing was found.") : "";
    setText(nothing, isLocal ? t("No connection: only messages on this device were searched.") : none);
  }

  /**
   * Appends the messages that the server finds; searches again later if there are none. If the request fails,
   * searches those on this device.
   */
  async function look(/** @type {string} */ words, /** @type {number} */ again) {
    const answer = await app.searchMessages(words).catch(() => null);
    if (words !== wordsFor(input.value) || !input.isConnected) return;
    const { snapshot } = app.state.get();
    const messages = answer ?? (snapshot ? foundHere(snapshot, words) : []);
    if (answer?.length === 0 && again <= AGAIN_AT_MOST_MS)
      timer = setTimeout(() => look(words, 2 * again), again);
    found = [...found, ...messages.map((message) => goalOf(app, message))];
    list.show(input, found, true);
    say(answer === null);
  }

  function take(/** @type {Goal} */ goal) {
    close();
    goal.go();
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (list.pressed(input, event) || event.key !== "Enter" || composes(event)) return;
    event.preventDefault();
    const goal = list.chosen();
    if (goal) take(goal);
  }

  const dialog = openDialog({
    title: t("Go to"),
    content(end) {
      close = end;
      return [h("div", { class: "palette" }, input, nothing, list.node)];
    },
  });
  dialog.classList.add("palette-dialog");
  show();
}

/** @returns {Goal} */
function goalOf(/** @type {App} */ app, /** @type {import("./search_calls.js").FoundMessage} */ message) {
  const { conversation_id: id, text, highlights } = message;
  const said = saidIn(message);
  const conv = convWithId(id);
  const { snapshot } = app.state.get();
  const conversation = snapshot && findable(snapshot).find((one) => one.conv === conv);
  const parts = excerpt(said, placesIn(text ?? "", highlights, said));
  return {
    key: `message-${message.id}`,
    name: `${message.name}: ${said}`,
    author: message.name,
    parts,
    kind: conversation ? fullNameOf(conversation) : "",
    picture: () =>
      avatar({ id: message.user_id, name: message.name, imageUrl: message.avatar_url, size: "small" }),
    go() {
      pages.goTo(messageHref(conv, message.id));
    },
  };
}

/** Leads to the search in all conversations. @returns {Goal} */
const searchGoal = (/** @type {App} */ app, /** @type {string} */ words) => ({
  key: SEARCH,
  name: t("Search messages for {words}", { words }),
  kind: "",
  picture: () => h("span", { class: "palette-sign" }, icon("search")),
  go() {
    prepareSearch(words);
    pages.goTo(searchHref(convOf(app.state.get().route) ?? ""));
  },
});

/** Returns conversations in listed order, then people without a chat, then commands. @returns {Goal[]} */
function goalsOf(/** @type {App} */ app) {
  const { snapshot, route } = app.state.get();
  if (!snapshot) return [];
  const goto = (/** @type {string} */ href) => () => pages.goTo(href);
  const meet =
    (/** @type {import("../sync/types.js").Person} */ person, /** @type {string} */ conv) => () => {
      app.people.meet(person);
      pages.goTo(chatHref(conv));
    };
  const places = placesOf(snapshot).map(({ person, ...place }) => ({
    ...place,
    go: person ? meet(person, place.key) : goto(hrefFrom(route, place.key)),
  }));
  return [...places, ...actsOf(app, convOf(route), goto)];
}

/** @returns {Goal[]} */
function actsOf(
  /** @type {App} */ app,
  /** @type {string | null} */ conv,
  /** @type {(href: string) => () => void} */ goto,
) {
  const act = (
    /** @type {string} */ name,
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {() => void} */ go,
  ) => ({
    key: name.replaceAll(" ", "-"),
    name,
    kind: "",
    picture: () => h("span", { class: "palette-sign" }, icon(sign)),
    go,
  });
  const group = conv?.startsWith("g:") ? conv.slice(2) : "";
  const { snapshot } = app.state.get();
  const isGuest = snapshot?.user.kind === "guest";
  const hasArchived = snapshot !== null && archivedGroups(snapshot).length > 0;
  const hasRequests = snapshot !== null && openRequests(snapshot).length > 0;
  return [
    ...(group ? [act(t("Members of this group"), "people", goto(panelHref(`g:${group}`)))] : []),
    act(t("New message"), "compose", () => openNewMessage(app)),
    ...(isGuest ? [] : [act(t("New group"), "plus", () => openNewGroup(app))]),
    act(t("Folders"), "folder", () => openFolders(app)),
    ...(hasRequests ? [act(t("Message requests"), "message", goto(requestsHref))] : []),
    ...(hasArchived ? [act(t("Archived groups"), "archive", goto(archivedHref))] : []),
    act(t("For you"), "mention", goto(mentionsHref)),
    act(t("Saved messages"), "bookmark", goto(savedHref)),
    act(t("Account"), "account", goto(accountHref)),
    act(t("Appearance"), "account", goto(accountHref)),
    ...(isGuest ? [] : [act(t("Bots"), "bot", goto(botsHref))]),
    act(t("Your applications"), "copy", goto(applicationsHref)),
    act(t("Keyboard shortcuts"), "compose", openShortcuts),
    act(t("Log out"), "leave", () => logOut(app)),
  ];
}
