/**
 * A list below a search field, of which one row is always chosen: by the arrows in the field or the pointer.
 *
 * Owns the rows and which one is chosen. What is found, and what becomes of it, is the caller's.
 */

import { convOfPair } from "../chats/chats.js";
import { acquaintances } from "../chats/new_message.js";
import { nameOf, pictureOf } from "../conversation/naming.js";
import { avatar } from "../people/avatar.js";
import { findable } from "../sync/store.js";
import { h, reconcile } from "../ui/dom.js";
import { composes } from "../ui/input_method.js";
import { t } from "../words/words.js";

/**
 * @typedef {object} Goal
 * @property {string} key
 * @property {string} name
 * @property {string} kind
 * @property {string} [author] the author of a message
 * @property {import("./excerpt.js").Part[]} [parts] the message's parts with the words that were found
 * @property {() => Element} picture
 */

/**
 * @template {Goal} Some
 * @param {object} parts
 * @param {string} parts.id a prefix for the ids of the list and its rows
 * @param {(goal: Some) => void} parts.onPick called with a click on a row
 */
export function createGoalList({ id, onPick }) {
  const node = h("ul", {
    class: "palette-rows",
    id: `${id}-rows`,
    role: "listbox",
    "aria-label": t("Results"),
  });
  /** What a search field above the list needs beside its own. */
  const facts = {
    class: "input",
    type: "text",
    role: "combobox",
    "aria-controls": node.id,
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  };
  /** @type {Some[]} */
  let found = [];
  let chosen = 0;

  function choose(/** @type {HTMLElement} */ input, /** @type {number} */ at) {
    chosen = Math.max(0, Math.min(at, found.length - 1));
    reconcile(
      node,
      found.map((goal, place) => ({
        key: goal.key,
        sign: place === chosen,
        build: () => rowOf(goal, `${id}-${goal.key}`, place === chosen, () => onPick(goal)),
      })),
    );
    const row = node.children[chosen];
    if (row) input.setAttribute("aria-activedescendant", row.id);
    else input.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  return {
    node,
    facts,
    chosen: () => found[chosen] ?? null,
    /** Shows other rows. The first is chosen then; with `isSame`, the chosen one stays so wherever it is now. */
    show(/** @type {HTMLElement} */ input, /** @type {Some[]} */ goals, isSame = false) {
      const place = goals.findIndex(({ key }) => key === found[chosen]?.key);
      const before = place < 0 ? chosen : place;
      found = goals;
      choose(input, isSame ? before : 0);
    },
    choose: (/** @type {HTMLElement} */ input, /** @type {Some} */ goal) =>
      choose(
        input,
        found.findIndex(({ key }) => key === goal.key),
      ),
    /** Handles the arrows. Returns whether the key was one. */
    pressed(/** @type {HTMLElement} */ input, /** @type {KeyboardEvent} */ event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || composes(event)) return false;
      event.preventDefault();
      choose(input, chosen + step);
      return true;
    },
  };
}

function rowOf(
  /** @type {Goal} */ goal,
  /** @type {string} */ id,
  /** @type {boolean} */ isChosen,
  /** @type {() => void} */ onclick,
) {
  return h(
    "li",
    { class: "palette-row", id, role: "option", "aria-selected": String(isChosen), onclick },
    goal.picture(),
    h(
      "span",
      { class: goal.author ? "palette-name palette-said" : "palette-name" },
      goal.author && h("span", { class: "group-from" }, h("bdi", {}, goal.author), ": "),
      h("bdi", { class: "ends" }, ...wordsOf(goal)),
    ),
    h("span", { class: "palette-kind" }, goal.kind),
  );
}

const wordsOf = (/** @type {Goal} */ { name, parts }) =>
  parts?.map(({ text, isFound }) => (isFound ? h("mark", {}, text) : text)) ?? [name];

/**
 * All conversations in their order, then the people with whom there is no chat. The key is the `conv`.
 * @returns {(Goal & { person: import("../sync/types.js").Person | null })[]}
 */
export function placesOf(/** @type {import("../sync/types.js").Snapshot} */ snapshot) {
  const conversations = findable(snapshot).map((one) => ({
    key: one.conv,
    name: nameOf(one),
    kind: one.group ? (one.group.parent?.name ?? t("Group")) : t("Chat"),
    picture: () => avatar({ ...pictureOf(one), size: "small" }),
    person: null,
  }));
  const known = new Set(conversations.map(({ key }) => key));
  const people = acquaintances(snapshot)
    .map((person) => ({ person, key: convOfPair(snapshot.user.id, person.id) }))
    .filter(({ key }) => !known.has(key))
    .map(({ person, key }) => ({
      key,
      name: person.name,
      kind: t("Person"),
      picture: () => avatar({ ...person, size: "small" }),
      person,
    }));
  return [...conversations, ...people];
}
