/**
 * The REST calls about what one wants notices of.
 */

/**
 * @typedef {object} NoticeSettings
 * @property {string} level `all`, `mentions` or `none`
 * @property {number | null} muted_until seconds; until when the group or the chat is muted
 * @property {number | null} all_muted_until seconds; until when everything is
 */
/**
 * @typedef {object} Calls
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body: object) => Promise<any>} post
 * @property {(path: string, body: object) => Promise<any>} put
 */

const at = encodeURIComponent;

/** Until when something is muted that nobody said the end of. */
export const FOR_EVER = 253_402_300_800;

export const noticeCalls = (/** @type {Calls} */ { get, post, put }) => ({
  /** @returns {Promise<NoticeSettings>} */
  noticeSettings: (/** @type {string} */ conversation) =>
    get(`/v3/conversations/${at(conversation)}/notifications`),
  /** @returns {Promise<NoticeSettings>} */
  setLevel: (/** @type {string} */ conversation, /** @type {string} */ level) =>
    put(`/v3/conversations/${at(conversation)}/notifications`, { level }),
  /** For so many minutes; null until I say otherwise. */
  muteFor: (/** @type {string} */ group, /** @type {number | null} */ duration) =>
    post(`/v3/groups/${at(group)}/memberships/mute`, { duration }),
  /** For so many minutes; null until I say otherwise, 0 no longer. */
  muteChat: (/** @type {string} */ conversation, /** @type {number | null} */ duration) =>
    put(`/v3/conversations/${at(conversation)}/notifications`, { duration }),
  muteAll: (/** @type {number | null} */ duration) => post("/v3/memberships/mute_all", { duration }),
  unmuteAll: () => post("/v3/memberships/unmute_all", {}),
});
