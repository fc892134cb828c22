/** The window with the list of keyboard shortcuts. */

import { openDialog } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

const COMMAND = navigator.userAgent.includes("Mac") ? "⌘" : "Ctrl";

/** @type {[title: string, keys: [keys: string[], does: string][]][]} */
const SHORTCUTS = [
  [
    t("Everywhere"),
    [
      [[COMMAND, "K"], t("Go to a conversation, a person or an action")],
      [["Alt", "↓"], t("Next conversation")],
      [["Alt", "↑"], t("Previous conversation")],
      [["Shift", "F10"], t("The menu of a conversation in the list")],
      [["Esc"], t("Close the open window")],
      [["?"], t("Show this list")],
    ],
  ],
  [
    t("Writing"),
    [
      [["Enter"], t("Send")],
      [["Shift", "Enter"], t("A new line")],
      [["↑"], t("Edit your newest message, in an empty field")],
      [[COMMAND, "B"], t("Bold")],
      [[COMMAND, "I"], t("Italic")],
      [[COMMAND, "K"], t("A link with the selected words")],
      [[":"], t("An emoji by its name")],
    ],
  ],
  [
    t("Reading"),
    [
      [["End"], t("The newest message")],
      [["↑", "↓"], t("Move between lines, once a line has the focus")],
      [["←", "→"], t("Move between message actions")],
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
