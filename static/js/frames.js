/**
 * When the page is drawn: at most once for each frame that is shown.
 *
 * Owns only the moment. What is drawn is said by whoever asks for it.
 */

/** A page that nobody looks at has no frames; its title and marks still follow this soon. */
const UNSEEN_MS = 250;

/** Runs once, before the next frame is shown. */
export function beforeNextFrame(/** @type {() => void} */ run) {
  const once = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
}
