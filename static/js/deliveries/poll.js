/**
 * Polls the server gently: one request at a time, and none while nobody looks.
 *
 * Owns when a request is made. The caller makes it and says how long to wait until the next.
 */

const UNSEEN_MS = 2_000;
const SOON_MS = 400;

/**
 * @param {(isCurrent: () => boolean) => Promise<number>} ask resolves to the milliseconds until the
 *   next request; must ignore its answer once `isCurrent` returns false
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
    /** Starts polling, with a request at once. */
    start() {
      isOn = true;
      clearTimeout(timer);
      return turn();
    },
    /** Stops polling; a running request becomes outdated. */
    stop() {
      isOn = false;
      round += 1;
      clearTimeout(timer);
    },
    /** Makes the next request soon, since something happened. */
    soon() {
      if (isOn) plan(SOON_MS);
    },
  };
}

/** @typedef {ReturnType<typeof createPoll>} Poll */
