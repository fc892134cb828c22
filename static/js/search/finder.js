/**
 * A search field that filters a long list by name. It appears once the list is long enough: the page does not
 * hold all rows of a long list, so the browser's own search cannot find them.
 */

import { h } from "../ui/dom.js";
import { plain } from "./finding.js";

const SHOWN_FROM = 20;

/**
 * @param {string} label
 * @param {() => void} onChange called with each change of the search
 */
export function createFinder(label, onChange) {
  const node = h("input", {
    class: "input finder",
    type: "search",
    "aria-label": label,
    placeholder: label,
    autocomplete: "off",
    hidden: true,
    oninput: onChange,
  });

  return {
    node,
    /**
     * Returns the items whose name contains the text in the field, ignoring case and accents; all of a short list.
     * `others` are in no list, and are found by their names.
     * @template Some
     * @param {readonly Some[]} all
     * @param {(one: Some) => string} nameOf
     * @param {readonly Some[]} others
     */
    among(all, nameOf, others = []) {
      node.hidden = all.length < SHOWN_FROM;
      const wanted = node.hidden ? "" : plain(node.value);
      if (wanted === "") return all;
      return [...all, ...others].filter((one) => plain(nameOf(one)).includes(wanted));
    },
    clear() {
      node.value = "";
    },
  };
}
