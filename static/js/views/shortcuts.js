/**
 * The window that tells which keys do what.
 */

import { h } from "../dom.js";
import { openDialog } from "./dialog.js";

const COMMAND = navigator.userAgent.includes("Mac") ? "⌘" : "Ctrl";

/** @type {[title: string, keys: [keys: string[], does: string][]][]} */
const SHORTCUTS = [
  [
    "Everywhere",
    [
      [[COMMAND, "K"], "Go to a conversation, a person or an act"],
      [["Alt", "↓"], "The next conversation"],
      [["Alt", "↑"], "The conversation before"],
      [["Esc"], "Close what is open"],
      [["?"], "Show this list"],
    ],
  ],
  [
    "Writing",
    [
      [["Enter"], "Send"],
      [["Shift", "Enter"], "A new line"],
    ],
  ],
  [
    "Reading",
    [
      [["End"], "The newest message"],
      [["↑", "↓"], "From line to line, once one has the focus"],
      [["←", "→"], "From one act of a line to the next"],
    ],
  ],
];

export function openShortcuts() {
  openDialog({
    title: "Keyboard shortcuts",
    content: () => [
      h(
        "div",
        { class: "shortcuts" },
        ...SHORTCUTS.flatMap(([title, keys]) => [h("h3", {}, title), table(keys)]),
      ),
    ],
  });
}

const table = (/** @type {[keys: string[], does: string][]} */ keys) =>
  h(
    "dl",
    {},
    ...keys.map(([names, does]) =>
      h("div", {}, h("dt", {}, ...names.map((name) => h("kbd", {}, name))), h("dd", {}, does)),
    ),
  );
