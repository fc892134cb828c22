/**
 * What is asked for again whenever something happens, one question after the other.
 *
 * Two questions at the same time may be answered the other way round, and what is shown then
 * is older than what was shown before, for good.
 */

/**
 * Runs this one at a time. Whoever calls while it runs has it run once more behind, for all of
 * them together; what comes back is over when nothing waits any more.
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
