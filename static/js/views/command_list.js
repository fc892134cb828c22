/**
 * What bots can be told to do, offered while somebody writes `/` at the beginning.
 *
 * Owns the list above the field and its keys: arrows choose, Enter and Tab take, Escape
 * closes. What is offered is asked of the server when it is wanted, and kept for a while.
 */

import { h, setText } from "../dom.js";
import { t } from "../words.js";

/** @typedef {import("../bot_calls.js").Command} Command */

/** So long what was offered is offered again without asking. */
const KEPT_MS = 60_000;
/** As many as one sees at once. */
const MOST = 8;

/**
 * @param {object} parts
 * @param {HTMLTextAreaElement} parts.input
 * @param {(conv: string) => Promise<Command[]>} parts.load
 * @param {() => void} parts.onTake the field says the command now
 */
export function createCommandList({ input, load, onTake }) {
  /** @type {Map<string, { commands: Command[], at: number }>} */
  const kept = new Map();
  /** @type {Command[]} */
  let shown = [];
  let chosen = 0;
  let conv = "";
  const list = h("div", {
    class: "command-list",
    id: "command-list",
    role: "listbox",
    "aria-label": t("Commands"),
    hidden: true,
  });
  const told = h("p", { class: "hidden", role: "status" });

  /** What stands behind the `/`, if a command is being written. */
  function begun() {
    const found = /^\/([a-z0-9_-]*)$/i.exec(input.value);
    return found ? found[1].toLowerCase() : null;
  }

  async function offered(/** @type {string} */ of) {
    const known = kept.get(of);
    if (known && Date.now() - known.at < KEPT_MS) return known.commands;
    const commands = await load(of).catch(() => known?.commands ?? []);
    kept.set(of, { commands, at: Date.now() });
    return commands;
  }

  async function look() {
    const from = conv;
    if (begun() === null || !conv.startsWith("g:")) return close();
    const commands = await offered(from);
    const start = begun();
    if (from !== conv || start === null) return close();
    show(commands.filter(({ name }) => name.startsWith(start)).slice(0, MOST));
  }

  function show(/** @type {Command[]} */ commands) {
    shown = commands;
    chosen = 0;
    list.replaceChildren(...commands.map(row));
    list.hidden = commands.length === 0;
    setText(told, commands.length === 0 ? "" : t("{it} commands", { it: commands.length }));
    mark();
  }

  function row(/** @type {Command} */ command, /** @type {number} */ at) {
    return h(
      "div",
      {
        class: "command-row",
        id: `command-${at}`,
        role: "option",
        // The field keeps the focus.
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: () => take(at),
      },
      h("b", { class: "command-name" }, `/${command.name}`),
      h("span", { class: "command-about", dir: "auto" }, command.description),
      h("bdi", { class: "command-bot" }, command.bot_name),
    );
  }

  function mark() {
    for (const [at, node] of [...list.children].entries()) {
      node.setAttribute("aria-selected", String(at === chosen));
    }
    if (list.hidden) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `command-${chosen}`);
  }

  function close() {
    if (!list.hidden || shown.length > 0) show([]);
  }

  function take(/** @type {number} */ at) {
    input.value = `/${shown[at].name} `;
    close();
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
    /** Whether a key was for the list. */
    pressed(/** @type {KeyboardEvent} */ event) {
      if (list.hidden || event.isComposing) return false;
      const isWhole = shown[chosen].name === begun();
      if (event.key === "ArrowDown") chosen = (chosen + 1) % shown.length;
      else if (event.key === "ArrowUp") chosen = (chosen + shown.length - 1) % shown.length;
      else if (event.key === "Escape") close();
      else if (event.key === "Tab" && !event.shiftKey) take(chosen);
      // Who has written the whole command means to send it.
      else if (event.key === "Enter" && !event.shiftKey && !isWhole) take(chosen);
      else return false;
      event.preventDefault();
      mark();
      return true;
    },
  };
}
