/**
 * A field that narrows a long list by name. It shows once there is enough to look through:
 * a page does not hold all rows of a long list, so that the browser cannot find them.
 */

import { h } from "../dom.js";

const SHOWN_FROM = 20;

/**
 * @param {string} label what is looked for
 * @param {() => void} onChange
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
     * Those whose name has what is written in the field; all, while the list is short.
     * @template Some
     * @param {readonly Some[]} all
     * @param {(one: Some) => string} nameOf
     */
    among(all, nameOf) {
      node.hidden = all.length < SHOWN_FROM;
      const wanted = node.hidden ? "" : node.value.trim().toLocaleLowerCase();
      return wanted === "" ? all : all.filter((one) => nameOf(one).toLocaleLowerCase().includes(wanted));
    },
    clear() {
      node.value = "";
    },
  };
}
