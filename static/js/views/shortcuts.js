/** The window with the list of keyboard shortcuts. */

import { h } from "../dom.js";
import { t } from "../words.js";
import { openDialog } from "./dialog.js";

const COMMAND = navigator.userAgent.includes("Mac") ? "⌘" : "Ctrl";

/** @type {[title: string, keys: [keys: string[], does: string][]][]} */
const SHORTCUTS = [
  [
    t("Everywhere"),
    [
      [[COMMAND, "K"], t("Go to a conversation, a person or an act")],
      [["Alt", "↓"], t("The next conversation")],
      [["Alt", "↑"], t("The conversation before")],
      [["Esc"], t("Close what is open")],
      [["?"], t("Show this list")],
    ],
  ],
  [
    t("Writing"),
    [
      [["Enter"], t("Send")],
      [["Shift", "Enter"], t("A new line")],
      [["↑"], t("Edit your newest message, in an empty field")],
    ],
  ],
  [
    t("Reading"),
    [
      [["End"], t("The newest message")],
      [["↑", "↓"], t("From line to line, once one has the focus")],
      [["←", "→"], t("From one act of a line to the next")],
    ],
  ],
];

export function openShortcuts() {
  openDialog({
    title: t("Keyboard shortcuts"),
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
