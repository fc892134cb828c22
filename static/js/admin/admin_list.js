/**
 * A list of the pages for operators: a search field, the rows, and a button for more.
 *
 * Owns which page is loaded next, and that only the answer to the newest search is shown.
 */

import { reasonOf } from "../text/reason.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { t } from "../words/words.js";

/** How long the search waits for the next letter, in milliseconds. */
const PAUSE = 250;

/**
 * @template Entry
 * @param {object} parts
 * @param {string} parts.label the list's name
 * @param {string} [parts.search] the label of the search field; without one there is none
 * @param {string} parts.none what is shown for an empty list
 * @param {(q: string, before: string | null) => Promise<{ entries: Entry[], before: string | null }>} parts.load
 * @param {(entry: Entry) => import("../ui/dom.js").Row} parts.row
 */
export function createAdminList({ label, search, none, load, row }) {
  const query = field({
    label: search ?? "",
    type: "search",
    name: "q",
    autocomplete: "off",
    maxlength: 100,
  });
  query.node.hidden = !search;
  const trouble = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "quiet", role: "status", tabindex: "-1" });
  const rows = h("ul", { class: "keys" });
  const more = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => come(true) },
    t("Show more"),
  );
  const node = h("section", { "aria-label": label }, query.node, trouble, status, rows, more);
  /** @type {Entry[]} */
  let entries = [];
  /** @type {string | null} */
  let before = null;
  let asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  query.input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => come(false), PAUSE);
  });

  async function come(/** @type {boolean} */ isMore) {
    asked += 1;
    const mine = asked;
    setText(trouble, "");
    try {
      const page = await load(query.input.value.trim(), isMore ? before : null);
      if (mine !== asked) return;
      const first = entries.length;
      entries = isMore ? [...entries, ...page.entries] : page.entries;
      before = page.before;
      show();
      // The button may be gone now: the focus goes to the first new row.
      if (isMore) focusRow(first);
    } catch (error) {
      if (mine === asked) setText(trouble, reasonOf(error));
    }
  }

  function show() {
    reconcile(rows, entries.map(row));
    setText(status, entries.length === 0 && before === null ? none : "");
    more.hidden = before === null;
  }

  const focusRow = (/** @type {number} */ at) =>
    /** @type {HTMLElement | null} */ (rows.children[at]?.querySelector("a, button"))?.focus();

  /** Removes the row with this key. The focus goes to the row that takes its place, or to the last one. */
  function remove(/** @type {string} */ key) {
    const at = entries.findIndex((entry) => row(entry).key === key);
    if (at === -1) return;
    entries = entries.filter((_, place) => place !== at);
    show();
    if (entries.length > 0) focusRow(Math.min(at, entries.length - 1));
    else {
      status.focus();
      if (before !== null) come(false);
    }
  }

  return { node, load: () => come(false), remove };
}
