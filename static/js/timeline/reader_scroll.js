/**
 * Tells scrolling by the reader from scrolling that the layout causes.
 *
 * A list that grows, shrinks or is drawn again sends scroll events too, often a frame later, when its height
 * has changed once more. Only the reader may leave the end of the list.
 */

/** For how long after an input, or after scrolling that followed it, scrolling is the reader's; in milliseconds. */
const LATELY_MS = 1_000;

/** The inputs that scroll. A focus that moves into the list scrolls to the focused element. */
const INPUTS = ["wheel", "touchmove", "keydown", "focusin", "pointerdown"];

export function createReaderScroll(/** @type {HTMLElement} */ scroller) {
  let until = 0;
  /** Whether a button is held that was pressed in the list, on its scroll bar for example. */
  let isHeld = false;
  const measured = () => ({
    top: scroller.scrollTop,
    height: scroller.scrollHeight,
    room: scroller.clientHeight,
  });
  let known = measured();

  for (const input of INPUTS)
    scroller.addEventListener(
      input,
      () => {
        until = performance.now() + LATELY_MS;
        isHeld ||= input === "pointerdown";
      },
      { capture: true, passive: true },
    );
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isHeld = false), true);
  // The browser reports no end of a drag on the scroll bar; the next movement has no button pressed.
  addEventListener("pointermove", ({ buttons }) => (isHeld &&= buttons > 0), {
    capture: true,
    passive: true,
  });

  return {
    /** Notes the position in which the page itself has put the list. */
    note() {
      known = measured();
    },

    /**
     * Whether the reader scrolled up since the last call or note. Without an input it counts only if nothing
     * changed its size: find-in-page and screen readers scroll like this.
     */
    wentUp() {
      const before = known;
      known = measured();
      if (known.top > before.top - 1) return false;
      const isInput = isHeld || performance.now() < until;
      if (isInput) until = performance.now() + LATELY_MS;
      return isInput || (known.height === before.height && known.room === before.room);
    },
  };
}
