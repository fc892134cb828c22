/**
 * The window that goes anywhere by a few letters: to conversations, people and commands, and to messages that
 * the server finds by their words.
 *
 * Owns what can be reached and the keys inside the window. The commands themselves are done elsewhere.
 */

import { botsHref } from "../bots_route.js";
import { convOfPair } from "../chats.js";
import { h, reconcile, setText } from "../dom.js";
import { excerpt, wordsFor } from "../excerpt.js";
import { ranked } from "../finding.js";
import { icon } from "../icons.js";
import { nameOf, pictureOf } from "../naming.js";
import { accountHref, applicationsHref, chatHref, convOf, membersHref, messageHref } from "../route.js";
import { listed } from "../store.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";
import { hrefFrom } from "./beside.js";
import { openDialog } from "./dialog.js";
import { openNewGroup } from "./new_group.js";
import { acquaintances, openNewMessage } from "./new_message.js";
import { openShortcuts } from "./shortcuts.js";

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

/** @typedef {import("../app.js").App} App */
/**
 * @typedef {object} Goal
 * @property {string} key
 * @property {string} name
 * @property {string} kind
 * @property {import("../excerpt.js").Part[]} [parts] the name's parts with the words that were found; for messages
 * @property {() => Element} picture
 * @property {() => void} go
 */

export function openPalette(/** @type {App} */ app) {
  const goals = goalsOf(app);
  const list = h("ul", {
    class: "palette-rows",
    id: "palette-rows",
    role: "listbox",
    "aria-label": t("Results"),
  });
  const nothing = h("p", { class: "quiet palette-nothing", role: "status" });
  const input = h("input", {
    class: "input",
    type: "text",
    role: "combobox",
    "aria-label": t("Go to"),
    "aria-controls": "palette-rows",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: t("A conversation, a person, a message, or what to do"),
    oninput: show,
    onkeydown: pressed,
  });
  /** @type {Goal[]} */
  let found = [];
  let chosen = 0;
  let close = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function show() {
    found = ranked(goals, input.value, ({ name }) => name).slice(0, MOST);
    choose(0);
    setText(nothing, found.length === 0 ? t("Nothing was found.") : "");
    clearTimeout(timer);
    const words = wordsFor(input.value);
    if (words !== "") timer = setTimeout(() => look(words, AGAIN_MS), PAUSE_MS);
  }

  /**
   * Appends the messages that the server finds; searches again later if there are none. Without a network
   * nothing is found.
   */
  async function look(/** @type {string} */ words, /** @type {number} */ again) {
    const messages = await app.searchMessages(words).catch(() => []);
    if (words !== wordsFor(input.value) || !input.isConnected) return;
    if (messages.length === 0 && again <= AGAIN_AT_MOST_MS)
      timer = setTimeout(() => look(words, 2 * again), again);
    found = [...found, ...messages.map((message) => goalOf(app, message))];
    choose(chosen);
    setText(nothing, found.length === 0 ? t("Nothing was found.") : "");
  }

  function choose(/** @type {number} */ at) {
    chosen = Math.max(0, Math.min(at, found.length - 1));
    reconcile(
      list,
      found.map((goal, place) => ({
        key: goal.key,
        sign: place === chosen,
        build: () => rowOf(goal, place === chosen, () => take(goal)),
      })),
    );
    const row = list.children[chosen];
    if (row) input.setAttribute("aria-activedescendant", row.id);
    else input.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  function take(/** @type {Goal} */ goal) {
    close();
    goal.go();
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && event.key !== "Enter") return;
    if (event.isComposing) return;
    event.preventDefault();
    if (step) choose(chosen + step);
    else if (found[chosen]) take(found[chosen]);
  }

  const dialog = openDialog({
    title: t("Go to"),
    content(end) {
      close = end;
      return [h("div", { class: "palette" }, input, nothing, list)];
    },
  });
  dialog.classList.add("palette-dialog");
  show();
}

function rowOf(/** @type {Goal} */ goal, /** @type {boolean} */ isChosen, /** @type {() => void} */ onclick) {
  return h(
    "li",
    {
      class: "palette-row",
      id: `palette-${goal.key}`,
      role: "option",
      "aria-selected": String(isChosen),
      onclick,
    },
    goal.picture(),
    h("span", { class: "palette-name" }, h("bdi", { class: "ends" }, ...wordsOf(goal))),
    h("span", { class: "palette-kind" }, goal.kind),
  );
}

const wordsOf = (/** @type {Goal} */ { name, parts }) =>
  parts?.map(({ text, isFound }) => (isFound ? h("mark", {}, text) : text)) ?? [name];

/** @returns {Goal} */
function goalOf(/** @type {App} */ app, /** @type {import("../search_calls.js").FoundMessage} */ message) {
  const { conversation_id: id, text, highlights } = message;
  const conv = id.includes("+") ? `d:${id}` : `g:${id}`;
  const { snapshot } = app.state.get();
  const conversation = snapshot && listed(snapshot).find((one) => one.conv === conv);
  const parts = excerpt(text ?? "", highlights);
  return {
    key: `message-${message.id}`,
    name: `${message.name}: ${text}`,
    parts: [{ text: `${message.name}: `, isFound: false }, ...parts],
    kind: conversation ? nameOf(conversation) : "",
    picture: () =>
      avatar({ id: message.user_id, name: message.name, imageUrl: message.avatar_url, size: "small" }),
    go() {
      location.hash = messageHref(conv, message.id);
    },
  };
}

/** Returns conversations in listed order, then people without a chat, then commands. @returns {Goal[]} */
function goalsOf(/** @type {App} */ app) {
  const { snapshot, route } = app.state.get();
  if (!snapshot) return [];
  const goto = (/** @type {string} */ href) => () => {
    location.hash = href;
  };
  const conversations = listed(snapshot).map((one) => ({
    key: one.conv,
    name: nameOf(one),
    kind: one.group ? t("Group") : t("Chat"),
    picture: () => avatar({ ...pictureOf(one), size: "small" }),
    go: goto(hrefFrom(route, one.conv)),
  }));
  const known = new Set(conversations.map(({ key }) => key));
  const people = acquaintances(snapshot)
    .map((person) => ({ person, conv: convOfPair(snapshot.user.id, person.id) }))
    .filter(({ conv }) => !known.has(conv))
    .map(({ person, conv }) => ({
      key: conv,
      name: person.name,
      kind: t("Person"),
      picture: () => avatar({ ...person, size: "small" }),
      go() {
        app.people.meet(person);
        location.hash = chatHref(conv);
      },
    }));
  return [...conversations, ...people, ...actsOf(app, convOf(route), goto)];
}

/** @returns {Goal[]} */
function actsOf(
  /** @type {App} */ app,
  /** @type {string | null} */ conv,
  /** @type {(href: string) => () => void} */ goto,
) {
  const act = (
    /** @type {string} */ name,
    /** @type {import("../icons.js").IconName} */ sign,
    /** @type {() => void} */ go,
  ) => ({
    key: name.replaceAll(" ", "-"),
    name,
    kind: "",
    picture: () => h("span", { class: "palette-sign" }, icon(sign)),
    go,
  });
  const group = conv?.startsWith("g:") ? conv.slice(2) : "";
  return [
    ...(group ? [act(t("Members of this group"), "people", goto(membersHref(group)))] : []),
    act(t("New message"), "compose", () => openNewMessage(app)),
    act(t("New group"), "plus", () => openNewGroup(app)),
    act(t("Account"), "account", goto(accountHref)),
    act(t("Appearance"), "account", goto(accountHref)),
    act(t("Bots"), "bot", goto(botsHref)),
    act(t("Applications you make"), "copy", goto(applicationsHref)),
    act(t("Keyboard shortcuts"), "compose", openShortcuts),
    act(t("Log out"), "leave", () => app.logout()),
  ];
}
