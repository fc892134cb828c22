/**
 * The buttons in the lines of a conversation, with the keyboard: Tab stops once, at the
 * newest, and the arrow keys go from one to the next.
 *
 * Owns which of them can be tabbed to, and that the focus stays where it was when a line
 * is drawn anew.
 */

/** What marks a button as one of these. */
export const CONTROL = "data-control";

export function createMessageControls(/** @type {HTMLElement} */ lines) {
  /** The last one that had the focus: its line and its kind. */
  let held = { key: "", kind: "" };

  const all = () =>
    [...lines.querySelectorAll(`[${CONTROL}]`)].map((node) => /** @type {HTMLElement} */ (node));

  function nameOf(/** @type {Element | null} */ node) {
    const control = node?.closest(`[${CONTROL}]`);
    const key = control?.closest("li")?.dataset.key;
    return control && key ? { key, kind: control.getAttribute(CONTROL) ?? "" } : null;
  }

  function found(/** @type {{ key: string, kind: string }} */ { key, kind }) {
    return all().find((node) => {
      const name = nameOf(node);
      return name?.key === key && name.kind === kind;
    });
  }

  function settle() {
    const controls = all();
    const stop = found(held) ?? controls.at(-1);
    for (const control of controls) control.tabIndex = control === stop ? 0 : -1;
  }

  lines.addEventListener("focusin", ({ target }) => {
    held = nameOf(/** @type {Element} */ (target)) ?? held;
    settle();
  });

  lines.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const controls = all();
    const at = controls.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (!step || at < 0) return;
    event.preventDefault();
    controls[at + step]?.focus();
  });

  return {
    /** Draws, and gives the focus back to the button that took the old one's place. */
    around(/** @type {() => void} */ draw) {
      const focused = lines.contains(document.activeElement) ? nameOf(document.activeElement) : null;
      draw();
      settle();
      if (focused && !lines.contains(document.activeElement)) found(focused)?.focus({ preventScroll: true });
    },
  };
}
