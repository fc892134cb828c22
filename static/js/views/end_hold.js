/**
 * Holds a scrolling list at its end after a jump.
 *
 * A scrolling that was under way goes on for a moment where the browser makes its frames,
 * and what is left of it arrives after the jump as if the reader had gone up again. So the
 * end is held until nothing came for some frames, or the reader really goes elsewhere.
 */

/** What is left comes with the next frame or the one after. */
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

  /** Goes to the end, if one is not there. */
  function go() {
    if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 1) return;
    // Nothing that cannot be scrolled goes on scrolling.
    if (frames > 0) scroller.style.overflow = "hidden";
    scroller.scrollTop = scroller.scrollHeight;
    scroller.style.overflow = "";
  }

  function release() {
    frames = 0;
  }

  // First of all who listen: a key may begin the next jump.
  for (const act of ["wheel", "touchmove", "pointerdown", "keydown"])
    scroller.addEventListener(act, release, { capture: true, passive: true });

  return {
    go,
    /** From now on the end is held. */
    begin() {
      frames = FRAMES;
      if (!isWatching) requestAnimationFrame(look);
      isWatching = true;
    },
    /** A scrolling came: whether it was undone, since it was none of the reader's. */
    undoes() {
      if (frames <= 0) return false;
      frames = FRAMES;
      if (isDrawn()) go();
      return true;
    },
  };
}
