/** The REST calls about the settings of a user, and about notification settings and muting. */

import { language } from "../words/words.js";

/**
 * @typedef {object} NoticeSettings
 * @property {string} level `all`, `mentions` or `none`
 * @property {number | null} muted_until seconds; when the muting of the group or chat ends
 * @property {number | null} all_muted_until seconds; when the muting of everything ends
 */
/**
 * @typedef {object} Calls
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body: object) => Promise<any>} post
 * @property {(path: string, body: object) => Promise<any>} put
 */

const at = encodeURIComponent;

/** The end of a muting without end, in Unix seconds. */
export const FOR_EVER = 253_402_300_800;

/**
 * @typedef {object} OwnSettings
 * @property {string} email_notices `off`, `missed`, `daily` or `weekly`
 * @property {boolean} email_notices_chosen false if that is the default
 * @property {string} dm_from from whom direct messages come: `everyone`, `shared_groups`, `requests` or `nobody`
 * @property {boolean} dm_from_chosen false if that is the default
 */

/** The calls about the settings of a user. */
export const ownSettingCalls = (/** @type {import("../sync/api.js").Api["rest"]} */ { get, call }) => ({
  /** @returns {Promise<OwnSettings>} */
  settings: () => get("/v3/users/me/settings"),
  /** Chooses when mails come, which are in the language of the page. @returns {Promise<OwnSettings>} */
  chooseMails: (/** @type {string} */ choice) =>
    call("PUT", "/v3/users/me/settings", {
      body: { email_notices: choice },
      headers: { "Accept-Language": language },
    }),
  /** @returns {Promise<OwnSettings>} */
  chooseSenders: (/** @type {string} */ choice) =>
    call("PUT", "/v3/users/me/settings", { body: { dm_from: choice } }),
});

export const noticeCalls = (/** @type {Calls} */ { get, post, put }) => ({
  /** @returns {Promise<NoticeSettings>} */
  noticeSettings: (/** @type {string} */ conversation) =>
    get(`/v3/conversations/${at(conversation)}/notifications`),
  /** @returns {Promise<NoticeSettings>} */
  setLevel: (/** @type {string} */ conversation, /** @type {string} */ level) =>
    put(`/v3/conversations/${at(conversation)}/notifications`, { level }),
  /** Mutes a group for some minutes; null mutes it without end. */
  muteFor: (/** @type {string} */ group, /** @type {number | null} */ duration) =>
    post(`/v3/groups/${at(group)}/memberships/mute`, { duration }),
  /** Mutes a chat for some minutes; null mutes it without end, 0 unmutes it. */
  muteChat: (/** @type {string} */ conversation, /** @type {number | null} */ duration) =>
    put(`/v3/conversations/${at(conversation)}/notifications`, { duration }),
  muteAll: (/** @type {number | null} */ duration) => post("/v3/memberships/mute_all", { duration }),
  unmuteAll: () => post("/v3/memberships/unmute_all", {}),
});
