/**
 * Holds a scrolling list at its end after a jump.
 *
 * Scrolling that was under way continues for a moment in the browser's own frames, and its remainder arrives
 * after the jump as if the reader had scrolled up again. So the end is held until no scrolling came for some
 * frames, or until the reader scrolls elsewhere.
 */

/** How many frames without scrolling end the hold: the remainder comes with the first or second frame. */
const FRAMES = 3;

export function createEndHold(
  /** @type {HTMLElement} */ scroller,
  /** @type {() => boolean} Whether the end that is meant is in the page. */ isDrawn,
) {
  let frames = 0;
  let isWatching = false;

  function look() {
    if (isDrawn()) frames -= 1;
    isWatching = frames > 0;
    if (isWatching) requestAnimationFrame(look);
  }

  /** Scrolls to the end unless the list is there. */
  function go() {
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 1) return;
    // An element that cannot be scrolled stops its running scrolling.
    if (frames > 0) scroller.style.overflow = "hidden";
    scroller.scrollTop = scroller.scrollHeight;
    scroller.style.overflow = "";
  }

  function release() {
    frames = 0;
  }

  // Registered before other listeners, and capturing: a key may begin the next jump.
  for (const act of ["wheel", "touchmove", "pointerdown", "keydown"])
    scroller.addEventListener(act, release, { capture: true, passive: true });

  return {
    go,
    /** Starts to hold the end. */
    begin() {
      frames = FRAMES;
      if (!isWatching) requestAnimationFrame(look);
      isWatching = true;
    },
    /** Handles a scroll event. Returns whether it was undone because the reader did not cause it. */
    undoes() {
      if (frames <= 0) return false;
      frames = FRAMES;
      if (isDrawn()) go();
      return true;
    },
  };
}
