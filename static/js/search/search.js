/**
 * The page of the panel that searches messages: by words, author, conversation, content and time.
 *
 * Owns the fields and the list of results, and which result is shown in the conversation: the arrows in the head
 * lead from one to the next. Without a connection, the messages on this device are searched.
 */

import { searchHref } from "../app/route.js";
import { convWithId } from "../chats/chats.js";
import { fullNameOf, namesIn } from "../conversation/naming.js";
import { avatar } from "../people/avatar.js";
import { findable } from "../sync/store.js";
import { reasonOf } from "../text/reason.js";
import { saidIn } from "../text/system_line.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { composes } from "../ui/input_method.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { excerpt, placesIn, wordsFor } from "./excerpt.js";
import { foundHere } from "./local_search.js";
import { findMessages } from "./message_search.js";
import { begin, last } from "./search_state.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("./search_calls.js").FoundMessage} FoundMessage */

/** How long the user has to stop typing before messages are searched, in milliseconds. */
const PAUSE_MS = 250;
/** The search index may lag behind: the first empty answer is asked again after this time, in milliseconds. */
const AGAIN_MS = 1_000;
const AGAIN_AT_MOST_MS = 4_000;
const DAY_SECONDS = 86_400;

/** @returns {import("../details/details.js").Page} */
export function searchPage(/** @type {App} */ app, /** @type {string} */ home) {
  // Words from another place (no home) are searched in all conversations.
  if (last.home === null && last.typed.words !== "") last.home = home;
  else if (last.home !== home && last.chosen === "") begin(home);
  const { typed } = last;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The number of the latest request; the results of earlier ones are dropped. */
  let asked = 0;

  const words = h("input", {
    class: "input",
    type: "search",
    "aria-label": t("Search messages"),
    placeholder: t("Search messages"),
    autocomplete: "off",
    value: typed.words,
    oninput: () => later(PAUSE_MS),
    onkeydown: pressed,
  });
  const sender = select(t("Sender"), [["", t("Anyone")], ...peopleOf(app)], typed.sender);
  const within = select(t("In"), [["", t("All conversations")], ...placesOf(app)], typed.conv);
  const has = select(
    t("Has"),
    [
      ["", t("Anything")],
      ["image", t("Pictures")],
      ["video", t("Videos")],
      ["file", t("Files")],
      ["link", t("Links")],
    ],
    typed.has,
  );
  const after = day(t("After"), typed.after);
  const before = day(t("Before"), typed.before);
  const state = h("p", { class: "quiet", role: "status" });
  const list = h("ol", { class: "found" });
  const more = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => look(0) },
    t("Show more"),
  );
  const earlier = step("before", t("Previous result"), -1);
  const next = step("after", t("Next result"), 1);

  function select(
    /** @type {string} */ label,
    /** @type {[string, string][]} */ options,
    /** @type {string} */ value,
  ) {
    const made = options.map(([key, name]) => h("option", { value: key, selected: key === value }, name));
    const input = h("select", { class: "input", "aria-label": label, onchange: () => later(0) }, ...made);
    return { input, node: h("label", { class: "search-filter" }, h("span", {}, label), input) };
  }

  function day(/** @type {string} */ label, /** @type {string} */ value) {
    const input = h("input", {
      class: "input",
      type: "date",
      "aria-label": label,
      value,
      onchange: () => later(0),
    });
    return { input, node: h("label", { class: "search-filter" }, h("span", {}, label), input) };
  }

  function step(
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {number} */ by,
  ) {
    const facts = { class: "button-icon", type: "button", "aria-label": label, title: label };
    return h("button", { ...facts, onclick: () => go(by) }, icon(sign));
  }

  function read() {
    Object.assign(typed, {
      words: words.value,
      sender: sender.input.value,
      conv: within.input.value,
      has: has.input.value,
      after: after.input.value,
      before: before.input.value,
    });
  }

  function later(/** @type {number} */ ms) {
    read();
    Object.assign(last, { found: [], count: 0, isMore: false, chosen: "", isDone: false });
    asked += 1;
    clearTimeout(timer);
    timer = setTimeout(() => look(AGAIN_MS), ms);
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (composes(event) || event.key !== "Enter") return;
    event.preventDefault();
    if (last.found.length > 0) go(event.shiftKey ? -1 : 1);
    else later(0);
  }

  /** Asks for the next page. An empty first one is asked for again after `again` milliseconds, if that is not 0. */
  async function look(/** @type {number} */ again) {
    const search = searchFor(typed);
    if (search.words === "" && search.sender === "" && search.has === "") return show();
    asked += 1;
    const mine = asked;
    more.hidden = true;
    if (last.found.length === 0) setText(state, t("Searching messages…"));
    /** @type {unknown} */
    let failure = null;
    const page = await findMessages(app.api.rest, search, last.found.at(-1)?.id).catch((error) => {
      failure = error;
      return null;
    });
    if (mine !== asked) return;
    if (page) add(page.messages, { ...page, isLocal: false });
    else if (last.found.length > 0) return failed(failure);
    else addLocal(search);
    if (page && last.found.length === 0 && again > 0 && again <= AGAIN_AT_MOST_MS)
      timer = setTimeout(() => look(2 * again), again);
  }

  function failed(/** @type {unknown} */ error) {
    setText(state, reasonOf(error));
    setText(more, t("Try again"));
    more.hidden = false;
  }

  function addLocal(/** @type {import("./message_search.js").Search} */ search) {
    const { snapshot } = app.state.get();
    const found = snapshot ? foundHere(snapshot, typed.words, search) : [];
    add(found, { count: found.length, isMore: false, isLocal: true });
  }

  function add(
    /** @type {FoundMessage[]} */ messages,
    /** @type {{ count: number, isMore: boolean, isLocal: boolean }} */ { count, isMore, isLocal },
  ) {
    Object.assign(last, { found: [...last.found, ...messages], count, isMore, isLocal, isDone: true });
    show();
  }

  function show() {
    const { found, count, isLocal, isDone } = last;
    setText(state, stateWords());
    setText(more, t("Show more"));
    more.hidden = isLocal || !isDone || found.length >= count;
    fillWith(list, ...found.map(row));
    earlier.disabled = next.disabled = found.length === 0;
    mark();
  }

  function stateWords() {
    const { found, count, isMore, isLocal, isDone } = last;
    if (!isDone) return "";
    if (isLocal) return t("No connection: only messages on this device were searched.");
    if (found.length === 0) return t("Nothing was found.");
    if (isMore) return t("More than {count} results", { count });
    return count === 1 ? t("1 result") : t("{count} results", { count });
  }

  function row(/** @type {FoundMessage} */ message) {
    const { id, name, user_id: author, avatar_url: imageUrl, created_at: at, text, highlights } = message;
    const conv = convOfFound(message);
    const said = saidIn(message);
    const parts = excerpt(said, placesIn(text ?? "", highlights, said));
    const conversation = app.state.get().snapshot?.conversations[conv];
    return h(
      "li",
      { "data-key": id },
      h(
        "a",
        { class: "found-message", href: searchHref(conv, id), onclick: () => choose(id) },
        avatar({ id: author, name, imageUrl, size: "small" }),
        h(
          "span",
          { class: "found-head" },
          h("bdi", { class: "found-name" }, name),
          !typed.conv && conversation && h("bdi", { class: "found-place" }, fullNameOf(conversation)),
          h("time", { datetime: isoTime(at), title: fullTime(at) }, shortTime(at, Date.now() / 1000)),
        ),
        h(
          "span",
          { class: "found-text", dir: "auto" },
          ...parts.map((part) => (part.isFound ? h("mark", {}, part.text) : part.text)),
        ),
      ),
    );
  }

  function choose(/** @type {string} */ id) {
    last.chosen = id;
    mark();
  }

  function mark() {
    for (const node of list.children) {
      const isChosen = /** @type {HTMLElement} */ (node).dataset.key === last.chosen;
      const link = /** @type {HTMLElement} */ (node.firstElementChild);
      if (isChosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** Shows the next result in its conversation, or the one before; the first one at first. */
  function go(/** @type {number} */ by) {
    const { found, chosen } = last;
    if (found.length === 0) return;
    const at = found.findIndex(({ id }) => id === chosen);
    const to = at < 0 ? 0 : (at + by + found.length) % found.length;
    const message = found[to];
    choose(message.id);
    list.children[to].scrollIntoView({ block: "nearest" });
    const href = searchHref(convOfFound(message), message.id);
    // One entry of the history for all results.
    if (at < 0) pages.goTo(href);
    else pages.replace(href);
    if (to === found.length - 1 && !more.hidden) look(0);
  }

  show();
  if (!last.isDone && (typed.words !== "" || typed.sender !== "" || typed.has !== "")) later(0);
  const filters = h(
    "div",
    { class: "search-filters" },
    sender.node,
    within.node,
    has.node,
    after.node,
    before.node,
  );
  return {
    title: t("Search"),
    tools: [earlier, next],
    nodes: [
      h("div", { class: "panel-page" }, h("div", { role: "search" }, words, filters), state, list, more),
    ],
    focus() {
      words.focus();
      return true;
    },
    leave() {
      asked += 1;
      clearTimeout(timer);
    },
  };
}

const convOfFound = (/** @type {FoundMessage} */ { conversation_id: id }) => convWithId(id);

/** @returns {import("./message_search.js").Search} */
function searchFor(
  /** @type {import("./search_state.js").Typed} */ { words, sender, conv, has, after, before },
) {
  return {
    words: wordsFor(words),
    sender,
    conv,
    has: /** @type {import("./search_calls.js").GalleryKind | ""} */ (has),
    from: after === "" ? null : secondOf(after),
    // Up to the end of the day before.
    to: before === "" ? null : secondOf(before) - 1,
  };
}

/** The first second of a day, in the time zone of this device. */
function secondOf(/** @type {string} */ day) {
  const second = Date.parse(`${day}T00:00`) / 1000;
  return Number.isNaN(second) ? Math.floor(Date.parse(day) / 1000 / DAY_SECONDS) * DAY_SECONDS : second;
}

/** The people in the user's conversations, by name. @returns {[string, string][]} */
function peopleOf(/** @type {App} */ app) {
  const { snapshot } = app.state.get();
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const one of snapshot ? findable(snapshot) : []) {
    for (const [id, name] of namesIn(one)) if (!names.has(id)) names.set(id, name);
  }
  return [...names].sort(([, one], [, other]) => one.localeCompare(other));
}

/** @returns {[string, string][]} */
function placesOf(/** @type {App} */ app) {
  const { snapshot } = app.state.get();
  return snapshot ? findable(snapshot).map((one) => [one.conv, fullNameOf(one)]) : [];
}
