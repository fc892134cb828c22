/** A page of the client whose code is loaded when it is first opened. */

import { h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { arrived } from "./loading.js";
import { homeHref } from "./route.js";

/** @typedef {import("../sync/state.js").State} State */

/**
 * @template {unknown[]} How
 * @typedef {object} View
 * @property {HTMLElement} node
 * @property {(state: State) => void} show
 * @property {(...how: How) => void} focus
 */

/**
 * Makes a placeholder that loads the page when it is opened, then replaces itself and forwards all calls.
 * @template {unknown[]} How
 * @param {object} parts
 * @param {() => Promise<View<How>>} parts.load
 * @param {(state: State) => boolean} parts.isOpen
 * @param {boolean} [parts.isPage] whether it fills the page, so that loading and failure are shown in it
 * @returns {View<How>}
 */
export function createLater({ load, isOpen, isPage = true }) {
  const waiting = h("p", { class: "quiet", role: "status" }, t("Loading…"));
  const again = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => last && come(last.route) },
    t("Try again"),
  );
  const back = h("a", { href: homeHref }, t("Back to all conversations"));
  const node = h("div", { class: "later", hidden: true }, ...(isPage ? [waiting, again, back] : []));
  /** @type {View<How> | null} */
  let view = null;
  /** @type {State | null} */
  let last = null;
  /** The route for which loading failed: the same route does not try again by itself. @type {unknown} */
  let missed = null;
  let isComing = false;
  /** @type {How | null} */
  let focus = null;

  async function come(/** @type {unknown} */ route) {
    isComing = true;
    waiting.hidden = false;
    again.hidden = true;
    view = await arrived(load);
    isComing = false;
    if (!view) {
      missed = route;
      waiting.hidden = true;
      again.hidden = false;
    }
    if (!view || !last) return;
    node.replaceWith(view.node);
    view.show(last);
    if (focus && isOpen(last)) view.focus(...focus);
    focus = null;
  }

  return {
    node,
    show(state) {
      last = state;
      node.hidden = !isPage || !isOpen(state);
      if (view) view.show(state);
      else if (isOpen(state) && !isComing && state.route !== missed) come(state.route);
      else if (!isOpen(state)) focus = null;
    },
    focus(...how) {
      if (view) view.focus(...how);
      else focus = how;
    },
  };
}
