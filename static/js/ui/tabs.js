/** Tabs in a row, which scrolls where it is wider than the screen: links of a page, or choices above a list. */

/** Marks whether a tab is the open one, and scrolls the row to it. */
export function markTab(/** @type {HTMLElement} */ tab, /** @type {boolean} */ isOpen) {
  if (!isOpen) {
    tab.removeAttribute("aria-current");
    return;
  }
  tab.setAttribute("aria-current", "page");
  scrollToTab(tab);
}

/** Scrolls the row to a tab. */
export function scrollToTab(/** @type {HTMLElement} */ tab) {
  // A page that opens has no size before it is drawn.
  requestAnimationFrame(() => tab.scrollIntoView({ block: "nearest", inline: "nearest" }));
}

/**
 * The tab to which a key leads from the one with the focus (the tabs pattern of WAI-ARIA); undefined if it leads to none.
 * @param {KeyboardEvent} event
 * @param {readonly HTMLElement[]} tabs
 */
export function tabGoal({ key, ctrlKey, altKey, metaKey, target }, tabs) {
  const at = tabs.indexOf(/** @type {HTMLElement} */ (target));
  if (at < 0 || ctrlKey || altKey || metaKey) return undefined;
  const turn = getComputedStyle(tabs[at]).direction === "rtl" ? -1 : 1;
  const goals = {
    ArrowRight: at + turn,
    ArrowLeft: at - turn,
    Home: 0,
    End: -1,
  };
  const goal = goals[/** @type {keyof typeof goals} */ (key)];
  return goal === undefined ? undefined : tabs.at(goal % tabs.length);
}
