/** The REST calls about polls. */

/**
 * @typedef {object} Poll
 * @property {PollData} data
 * @property {string[] | null} user_votes the ids of the options that I voted for
 */
/**
 * @typedef {object} PollData
 * @property {string} id
 * @property {string} subject
 * @property {string} owner_id
 * @property {number} expiration seconds; when it ends
 * @property {string} status `active`, `past` or `deleted`
 * @property {{ id: string, title: string, votes?: number, voter_ids?: string[] }[]} options
 * @property {string} type `single` or `multi`
 * @property {string} visibility `public` or `anonymous`
 */
/**
 * @typedef {object} NewPoll
 * @property {string} subject
 * @property {{ title: string }[]} options
 * @property {number} expiration seconds; when it ends
 * @property {string} type
 * @property {string} visibility
 */
/** @typedef {{ get(path: string): Promise<any>, post(path: string, body: object): Promise<any> }} Calls */

const at = encodeURIComponent;

export const pollCalls = (/** @type {Calls} */ { get, post }) => ({
  /** The polls of a group, newest first. @returns {Promise<Poll[]>} */
  polls: async (/** @type {string} */ group) => (await get(`/v3/poll/${at(group)}`)).polls,
  /** @returns {Promise<Poll>} */
  poll: async (/** @type {string} */ group, /** @type {string} */ poll) =>
    (await get(`/v3/poll/${at(group)}/${at(poll)}`)).poll,
  makePoll: (/** @type {string} */ group, /** @type {NewPoll} */ poll) => post(`/v3/poll/${at(group)}`, poll),
  vote: (/** @type {string} */ group, /** @type {string} */ poll, /** @type {string[]} */ votes) =>
    post(`/v3/poll/${at(group)}/${at(poll)}`, { votes }),
  endPoll: (/** @type {string} */ group, /** @type {string} */ poll) =>
    post(`/v3/poll/${at(group)}/${at(poll)}/end`, {}),
});
