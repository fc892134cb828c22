/**
 * How several pictures stand together: in rows of equal width, in each of which the pictures are as high as each
 * other.
 *
 * Pure.
 */

/** The height of a row that looks best, as a part of its width. */
const GOOD_HEIGHT = 0.5;
/** The most pictures in one row. */
const ROW_MOST = 4;

/**
 * The number of pictures in each row, chosen so that the rows' heights come closest to `GOOD_HEIGHT` and few rows
 * are needed.
 * @param {number[]} ratios width divided by height of each picture
 * @returns {number[]}
 */
export function rowsOf(ratios) {
  /** The best rows for the pictures from each index on. @type {{ cost: number, rows: number[] }[]} */
  const best = [];
  best[ratios.length] = { cost: 0, rows: [] };
  for (let from = ratios.length - 1; from >= 0; from -= 1) {
    best[from] = { cost: Infinity, rows: [] };
    let sum = 0;
    for (let count = 1; count <= ROW_MOST && from + count <= ratios.length; count += 1) {
      sum += ratios[from + count - 1];
      const rest = best[from + count];
      const cost = costOf(1 / sum) + rest.cost;
      if (cost < best[from].cost) best[from] = { cost, rows: [count, ...rest.rows] };
    }
  }
  return best[0].rows;
}

/** How far a row's height is from a good one, and its share of the whole height. */
const costOf = (/** @type {number} */ height) => Math.log(height / GOOD_HEIGHT) ** 2 + height / 2;
