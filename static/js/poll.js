/**
 * Asking again and again, gently: one question at a time, none while nobody looks.
 *
 * Owns when it is asked. What is asked, and how long to rest after it, is the caller's.
 */

const UNSEEN_MS = 2_000;
const SOON_MS = 400;

/**
 * @param {(isCurrent: () => boolean) => Promise<number>} ask answers with the milliseconds of
 *   rest; what comes after `isCurrent` became false is to be dropped
 * @param {() => boolean} isSeen whether somebody looks
 */
export function createPoll(ask, isSeen) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let round = 0;
  let isOn = false;

  function plan(/** @type {number} */ ms) {
    clearTimeout(timer);
    timer = setTimeout(turn, ms);
  }

  async function turn() {
    timer = undefined;
    round += 1;
    const mine = round;
    const ms = isSeen() ? await ask(() => mine === round) : UNSEEN_MS;
    if (mine === round && timer === undefined) plan(ms);
  }

  return {
    /** Asks at once. */
    start() {
      isOn = true;
      clearTimeout(timer);
      return turn();
    },
    /** What is under way is dropped. */
    stop() {
      isOn = false;
      round += 1;
      clearTimeout(timer);
    },
    /** Something happened: asks before the rest is over. */
    soon() {
      if (isOn) plan(SOON_MS);
    },
  };
}

/** @typedef {ReturnType<typeof createPoll>} Poll */
