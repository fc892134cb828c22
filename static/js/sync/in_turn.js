/**
 * Runs a request again whenever something happens, never two at the same time.
 *
 * The answers of two simultaneous requests may arrive in the wrong order; the older one would then stay on
 * the screen.
 */

/**
 * Returns a function that runs `run`, one run at a time. Calls during a run cause one more run after it, for
 * all of them together. The returned promise resolves once no run is due any more.
 * @param {() => Promise<void>} run never rejects
 * @returns {() => Promise<void>}
 */
export function inTurn(run) {
  /** @type {Promise<void> | null} */
  let running = null;
  let isWanted = false;

  async function goOn() {
    while (isWanted) {
      isWanted = false;
      await run();
    }
    running = null;
  }

  return () => {
    isWanted = true;
    running ??= goOn();
    return running;
  };
}
