/**
 * The tabs above the list of conversations: all of them, and each folder, with their unread conversations.
 *
 * Shown once there is a folder. The arrow keys choose the tab beside the chosen one.
 */

import { h, reconcile, rowOf, setText } from "../ui/dom.js";
import { scrollToTab, tabGoal } from "../ui/tabs.js";
import { t } from "../words/words.js";
import { inFolder, unreadAmong } from "./conversation_list.js";
import { countWords } from "./list_row.js";

/** The key of the tab with all conversations; no folder is called so. */
const ALL = "";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/**
 * @param {object} parts
 * @param {string} parts.controls the id of the list
 * @param {(name: string) => void} parts.choose
 */
export function createFolderTabs({ controls, choose }) {
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": t("Folders"), onkeydown: walk });
  const node = h("nav", { class: "folder-tabs", "aria-label": t("Folders"), hidden: true }, row);
  /** The tab that was last scrolled to. @type {string | null} */
  let shown = null;

  const tabs = () => /** @type {HTMLElement[]} */ ([...row.children]);

  function walk(/** @type {KeyboardEvent} */ event) {
    const next = tabGoal(event, tabs());
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.click();
  }

  const build = (/** @type {string} */ name) => () =>
    h(
      "button",
      {
        class: "tab",
        type: "button",
        role: "tab",
        "aria-controls": controls,
        onclick: () => choose(name),
      },
      h("bdi", {}, name || t("All")),
      h(
        "span",
        { class: "unread" },
        h("span", { class: "hidden" }, t("Unread: ")),
        h("span", { class: "folder-count" }),
      ),
    );

  function mark(/** @type {string} */ name, /** @type {boolean} */ isChosen, /** @type {number} */ unread) {
    const tab = rowOf(row, name);
    if (!tab) return;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    const badge = /** @type {HTMLElement} */ (tab.querySelector(".unread"));
    badge.hidden = unread === 0;
    setText(/** @type {Element} */ (tab.querySelector(".folder-count")), countWords(unread));
    if (!isChosen || shown === name) return;
    shown = name;
    scrollToTab(tab);
  }

  return {
    node,
    focusFirst: () => tabs()[0]?.focus(),
    show(
      /** @type {import("./list_view.js").ListView} */ { list: { folders }, all, folder, withTopics },
      /** @type {string | null} */ open,
    ) {
      node.hidden = folders.length === 0;
      const names = [ALL, ...folders.map(({ name }) => name)];
      reconcile(
        row,
        names.map((name) => ({ key: name, sign: name, build: build(name) })),
      );
      const unread = (/** @type {readonly Conversation[]} */ some) => unreadAmong(withTopics(some), open);
      mark(ALL, !folder, unread(all));
      for (const one of folders) mark(one.name, one === folder, unread(inFolder(all, one)));
    },
  };
}
