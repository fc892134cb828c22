/**
 * The menu of the tools that do not fit into the head of a conversation (the menu button pattern of WAI-ARIA).
 *
 * Owns the menu while it is open: its keys, and where the focus goes. The tools are buttons of the head; choosing
 * an item clicks the button.
 */

import { h } from "../ui/dom.js";
import { menuGoal } from "../ui/menu_keys.js";

/** Closes the menu of a button, while it is open. @type {WeakMap<HTMLElement, () => void>} */
const open = new WeakMap();

/**
 * Opens the menu below its button, or closes it.
 * @param {HTMLElement} button
 * @param {readonly HTMLElement[]} tools
 * @param {boolean} [fromEnd] whether the last item takes the focus instead of the first one
 */
export function openToolsMenu(button, tools, fromEnd = false) {
  const known = open.get(button);
  if (known) return known();
  const items = tools.filter((tool) => !tool.hidden).map(item);
  const node = h(
    "div",
    { class: "head-menu", id: "head-menu", role: "menu", "aria-label": button.title, onkeydown: pressed },
    ...items,
  );

  function item(/** @type {HTMLElement} */ tool) {
    const facts = { class: "command-row", type: "button", role: "menuitem", tabindex: "-1" };
    const onclick = () => {
      close();
      tool.click();
    };
    return h("button", { ...facts, onclick }, tool.firstElementChild?.cloneNode(true), tool.title);
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    // Letters are shortcuts of the page elsewhere.
    event.stopPropagation();
    if (event.key === "Tab") return close();
    const next = menuGoal(event, items);
    if (next < 0 && event.key !== "Escape") return;
    event.preventDefault();
    if (next < 0) close();
    else items[next].focus();
  }

  /** Closes the menu when the pointer or the focus goes elsewhere. */
  function left(/** @type {Event} */ { target }) {
    const isInside = target instanceof Node && (node.contains(target) || button.contains(target));
    if (!isInside) end();
  }

  /** Closes the menu when the head has room for the tools again. */
  function resized() {
    if (button.getClientRects().length === 0) end();
  }

  function end() {
    open.delete(button);
    node.remove();
    button.setAttribute("aria-expanded", "false");
    button.removeAttribute("aria-controls");
    for (const type of ["pointerdown", "focusin"]) document.removeEventListener(type, left);
    removeEventListener("resize", resized);
  }

  function close() {
    end();
    button.focus();
  }

  open.set(button, close);
  button.after(node);
  button.setAttribute("aria-expanded", "true");
  button.setAttribute("aria-controls", node.id);
  for (const type of ["pointerdown", "focusin"]) document.addEventListener(type, left);
  addEventListener("resize", resized);
  items.at(fromEnd ? -1 : 0)?.focus();
}
