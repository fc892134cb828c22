/**
 * How the votes of a poll are shared among its options.
 *
 * Pure. Shares are whole percent. In a poll with one answer per person they add up to 100; in a poll with
 * several answers each is the part of the voters who chose the option, so that several can be 100.
 */

/** @typedef {import("./poll_calls.js").Poll} Poll */
/** @typedef {{ id: string, votes: number, percent: number, leads: boolean }} Share `leads`: no option has more votes */
/** @typedef {{ voters: number | null, votes: number, shares: Share[] }} Shares `voters` is null where it is unknown */

/** @returns {Shares} */
export function sharesOf(/** @type {Poll} */ { data, user_votes: own }) {
  const counts = data.options.map(({ votes = 0 }) => votes);
  const votes = counts.reduce((sum, one) => sum + one, 0);
  const most = Math.max(0, ...counts);
  const isSingle = data.type === "single";
  const voters = isSingle ? votes : votersOf(data.options, own);
  // Where nobody knows how many have voted, an option has its part of all votes.
  const percents = voters !== null && !isSingle ? counts.map((one) => part(one, voters)) : rounded(counts);
  const shares = data.options.map(({ id }, at) => ({
    id,
    votes: counts[at],
    percent: percents[at],
    leads: most > 0 && counts[at] === most,
  }));
  return { voters, votes, shares };
}

/** The number of people who voted; null in a poll that does not name them. */
function votersOf(/** @type {Poll["data"]["options"]} */ options, /** @type {string[] | null} */ own) {
  if (options.some(({ votes = 0, voter_ids: ids }) => votes > 0 && !ids)) return null;
  const all = new Set(options.flatMap(({ voter_ids: ids = [] }) => ids));
  return Math.max(all.size, own?.length ? 1 : 0);
}

const part = (/** @type {number} */ count, /** @type {number} */ all) =>
  all === 0 ? 0 : Math.round((100 * count) / all);

/** The shares of numbers in whole percent that add up to 100: the largest remainders are rounded up. */
function rounded(/** @type {number[]} */ counts) {
  const all = counts.reduce((sum, one) => sum + one, 0);
  if (all === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (100 * count) / all);
  const whole = exact.map(Math.floor);
  const missing = 100 - whole.reduce((sum, one) => sum + one, 0);
  const order = exact
    .map((value, at) => ({ at, rest: value - whole[at] }))
    .sort((one, other) => other.rest - one.rest || one.at - other.at);
  for (const { at } of order.slice(0, missing)) whole[at] += 1;
  return whole;
}
