/** A row of the side that leads to the conversations that stand apart, with their number. */

import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

/**
 * @param {object} parts
 * @param {import("../app/route.js").Route["name"]} parts.route the name of the address to which it leads
 * @param {string} parts.href
 * @param {import("../ui/icons.js").IconName} parts.sign
 * @param {string} parts.label
 * @param {(event: KeyboardEvent) => void} parts.onkeydown
 */
export function createApartLink({ route: name, href, sign, label, onkeydown }) {
  const count = h("span", { class: "apart-count" });
  const node = h(
    "a",
    { class: "group apart-link", href, hidden: true, onkeydown },
    h("span", { class: "apart-sign" }, icon(sign)),
    h("span", { class: "group-name" }, label),
    " ",
    count,
  );

  return {
    node,
    /** Shows how many there are, and marks the row while their page or one of them (`isInside`) is open. */
    show(
      /** @type {import("../app/route.js").Route} */ route,
      /** @type {number} */ length,
      /** @type {boolean} */ isInside,
    ) {
      node.hidden = length === 0;
      setText(count, String(length));
      if (route.name === name) node.setAttribute("aria-current", "page");
      else if (isInside) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
    },
  };
}
