/**
 * Suggestions while the user writes: commands of bots, after a `/` at the beginning, people, after an `@`, and
 * emoji, after a `:`.
 *
 * Owns the list above the field and its keys: arrows choose, Enter and Tab accept, Escape closes. A source
 * decides what is suggested.
 */

import { h, setText } from "../ui/dom.js";
import { composes } from "../ui/input_method.js";

/**
 * @typedef {object} Suggestion
 * @property {string} text replaces what was typed when the suggestion is accepted
 * @property {() => Node[]} build makes the content of its row
 */
/**
 * @typedef {object} Source
 * @property {string} label the name of the list
 * @property {(count: number) => string} counted
 * @property {(before: string, after: string) => string | null} begun returns what was typed of a suggestion,
 *   with its `/` or `@`, at the end of the text before the caret; null if nothing was
 * @property {(begun: string, conv: string) => Suggestion[] | Promise<Suggestion[]>} offered
 */

/** How many suggestions are shown at most: as many as fit at once. */
export const MOST = 8;

/** How many lists there are: each has ids of its own. */
let made = 0;

/**
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.input
 * @param {Source[]} parts.sources
 * @param {() => void} parts.onTake called once an accepted suggestion is in the field
 */
export function createSuggestions({ input, sources, onTake }) {
  /** @type {Suggestion[]} */
  let shown = [];
  let chosen = 0;
  let conv = "";
  made += 1;
  const id = `commands-${made}`;
  const list = h("div", { class: "command-list", id, role: "listbox", hidden: true });
  const told = h("p", { class: "hidden", role: "status" });

  /** Returns what was typed of a suggestion, and its source; null if nothing was or text is selected. */
  function begun() {
    const { value, selectionStart: at, selectionEnd: end } = input;
    if (at !== end) return null;
    for (const source of sources) {
      const text = source.begun(value.slice(0, at), value.slice(at));
      if (text !== null) return { source, text };
    }
    return null;
  }

  async function look() {
    const from = conv;
    const now = begun();
    if (!now) return close();
    const offered = await now.source.offered(now.text, from);
    const still = begun();
    if (from !== conv || still?.source !== now.source || still.text !== now.text) return;
    show(offered.slice(0, MOST), now.source);
  }

  function show(/** @type {Suggestion[]} */ suggestions, /** @type {Source | null} */ source) {
    shown = suggestions;
    chosen = 0;
    list.replaceChildren(...suggestions.map(row));
    list.hidden = suggestions.length === 0;
    if (source) list.setAttribute("aria-label", source.label);
    setText(told, source && suggestions.length > 0 ? source.counted(suggestions.length) : "");
    mark();
  }

  function row(/** @type {Suggestion} */ { build }, /** @type {number} */ at) {
    return h(
      "div",
      {
        class: "command-row",
        id: `${id}-${at}`,
        role: "option",
        // Keeps the focus in the field.
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: () => take(at),
      },
      ...build(),
    );
  }

  function mark() {
    for (const [at, node] of [...list.children].entries()) {
      node.setAttribute("aria-selected", String(at === chosen));
    }
    if (list.hidden) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  }

  function close() {
    if (!list.hidden || shown.length > 0) show([], null);
  }

  function take(/** @type {number} */ at) {
    const now = begun();
    const { text } = shown[at];
    close();
    if (!now) return;
    const to = input.selectionEnd;
    const space = input.value[to] === " " ? "" : " ";
    input.setRangeText(text + space, to - now.text.length, to, "end");
    onTake();
    input.focus();
  }

  return {
    node: h("div", { class: "command-place" }, list, told),
    look,
    close,
    show(/** @type {string} */ now) {
      conv = now;
      close();
    },
    /** Handles a key. Returns whether it was for the list. */
    pressed(/** @type {KeyboardEvent} */ event) {
      if (list.hidden || composes(event)) return false;
      const isWhole = shown[chosen].text === begun()?.text;
      if (event.key === "ArrowDown") chosen = (chosen + 1) % shown.length;
      else if (event.key === "ArrowUp") chosen = (chosen + shown.length - 1) % shown.length;
      else if (event.key === "Escape") close();
      else if (event.key === "Tab" && !event.shiftKey) take(chosen);
      // Enter sends a suggestion that is typed completely.
      else if (event.key === "Enter" && !event.shiftKey && !isWhole) take(chosen);
      else return false;
      event.preventDefault();
      mark();
      return true;
    },
  };
}
