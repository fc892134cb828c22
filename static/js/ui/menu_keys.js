/** The keys of an open menu (the menu button pattern of WAI-ARIA). */

/**
 * The index of the item to which a key leads; -1 if it leads to none.
 * @param {KeyboardEvent} event
 * @param {readonly HTMLElement[]} items
 * @param {number} [across] how many items, the first ones, stand side by side in a row above the others
 */
export function menuGoal(event, items, across = 0) {
  const { key, ctrlKey, altKey, metaKey } = event;
  if (ctrlKey || altKey || metaKey) return -1;
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const { length } = items;
  const isAcross = at < across;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  if (key === "ArrowDown") return isAcross && across < length ? across : (at + 1) % length;
  if (key === "ArrowUp") return isAcross || at <= 0 ? length - 1 : at === across ? 0 : at - 1;
  if (key === "ArrowRight" || key === "ArrowLeft") {
    if (!isAcross) return -1;
    const isRtl = getComputedStyle(items[at]).direction === "rtl";
    const by = (key === "ArrowRight") === isRtl ? -1 : 1;
    return (at + by + across) % across;
  }
  return byLetter(key, items, at);
}

/** The next item that begins with the letter. */
function byLetter(
  /** @type {string} */ key,
  /** @type {readonly HTMLElement[]} */ items,
  /** @type {number} */ at,
) {
  const letter = key.toLocaleLowerCase();
  if ([...letter].length !== 1 || letter === " ") return -1;
  const begins = (/** @type {HTMLElement} */ one) => one.textContent?.toLocaleLowerCase().startsWith(letter);
  const after = items.findIndex((one, place) => place > at && begins(one));
  return after < 0 ? items.findIndex(begins) : after;
}
