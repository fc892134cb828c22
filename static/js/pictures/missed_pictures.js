/**
 * Loads pictures again that failed: each a few times by itself, and once more when the connection is back.
 */

/** The pauses before the retries of a picture, in milliseconds. After the last, it may well be gone. */
const AGAIN_MS = [2_000, 8_000, 32_000];

/** Starts to retry the pictures of a page. Called once. */
export function createMissedPictures(/** @type {Document} */ page) {
  /** The number of failures of each picture. @type {WeakMap<HTMLImageElement, number>} */
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
    // A failed picture is hidden, and a hidden one would not be loaded lazily.
    image.loading = "eager";
    const { src } = image;
    image.src = src;
  }

  return {
    /** Retries all missing pictures at once. Called when the connection is back. */
    lineIsBack() {
      for (const image of page.images) {
        asked.delete(image);
        askAgain(image);
      }
    },
  };
}
