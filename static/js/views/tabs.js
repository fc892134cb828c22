/** Tabs of a page: links in a row, which scrolls where it is wider than the screen. */

/** Marks whether a tab is the open one, and scrolls the row to it. */
export function markTab(/** @type {HTMLElement} */ tab, /** @type {boolean} */ isOpen) {
  if (!isOpen) {
    tab.removeAttribute("aria-current");
    return;
  }
  tab.setAttribute("aria-current", "page");
  // A page that opens has no size before it is drawn.
  requestAnimationFrame(() => tab.scrollIntoView({ block: "nearest", inline: "nearest" }));
}
