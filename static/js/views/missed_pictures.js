/**
 * Pictures that did not arrive come later: each is asked for again a few times by itself, and
 * once more when the line is back.
 */

/** When a picture is asked for again; then it may well be gone. */
const AGAIN_MS = [2_000, 8_000, 32_000];

/** Asks for pictures of this page again. Called once. */
export function createMissedPictures(/** @type {Document} */ page) {
  /** How often each was asked for again. @type {WeakMap<HTMLImageElement, number>} */
  const asked = new WeakMap();

  page.addEventListener("error", ({ target }) => missed(target), { capture: true });

  function missed(/** @type {EventTarget | null} */ image) {
    if (!(image instanceof HTMLImageElement)) return;
    const times = asked.get(image) ?? 0;
    asked.set(image, times + 1);
    if (times < AGAIN_MS.length) setTimeout(askAgain, AGAIN_MS[times], image);
  }

  function askAgain(/** @type {HTMLImageElement} */ image) {
    const isMissing = image.isConnected && image.complete && image.naturalWidth === 0;
    if (!isMissing) return;
    // One that is hidden, because it is missing, is nowhere near.
    image.loading = "eager";
    const { src } = image;
    image.src = src;
  }

  return {
    /** The line is back: everything that is missing is asked for at once. */
    lineIsBack() {
      for (const image of page.images) {
        asked.delete(image);
        askAgain(image);
      }
    },
  };
}
