/**
 * When the page is drawn: at most once for each displayed frame.
 *
 * Owns only the moment; the caller draws.
 */

/** A hidden page has no frames; its title and badge are still updated after this many milliseconds. */
const UNSEEN_MS = 250;

/** Calls `run` once, before the next frame. */
export function beforeNextFrame(/** @type {() => void} */ run) {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
