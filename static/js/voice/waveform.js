/**
 * The shape of a sound: how loud it is from beginning to end.
 *
 * Pure.
 */

/** How many bars a shape has. */
export const BARS = 40;
/** The height of silence: a bar is always visible. */
const LEAST = 0.08;

/** The shape while the sound is not loaded. */
export const FLAT = Array.from({ length: BARS }, () => LEAST);

/** The height of each bar, from `LEAST` to 1: the loudest one is 1. @returns {number[]} */
export function shapeOf(/** @type {ArrayLike<number>} */ samples, bars = BARS) {
  const loudness = Array.from({ length: bars }, (_, at) => {
    const from = Math.floor((at * samples.length) / bars);
    const to = Math.floor(((at + 1) * samples.length) / bars);
    return effective(samples, from, to);
  });
  const most = Math.max(...loudness);
  return loudness.map((one) => (most === 0 ? LEAST : Math.max(LEAST, one / most)));
}

/** The effective value (root mean square) of a part of the samples. */
function effective(
  /** @type {ArrayLike<number>} */ samples,
  /** @type {number} */ from,
  /** @type {number} */ to,
) {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += samples[at] ** 2;
  return to > from ? Math.sqrt(sum / (to - from)) : 0;
}

/** The commands of an SVG path that draws the shape on a field of `3 * bars` by 24. */
export const pathOf = (/** @type {number[]} */ shape) =>
  shape
    .map((height, at) => {
      const half = Math.max(0.5, 11 * height);
      return `M${3 * at + 1.5} ${(12 - half).toFixed(1)}V${(12 + half).toFixed(1)}`;
    })
    .join("");
