/**
 * The REST calls about groups and their members, besides those that load groups or add members (`api.js`).
 */

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Member} Member */
/**
 * @typedef {{ id: string, user_id: string, nickname: string, image_url: string | null,
 *   reason: { question: { text: string }, answer: { response: string }, method: string } }} JoinRequest a request to
 *   become a member; `id` is that of the membership
 */
/**
 * @typedef {{ id: string, url: string, name: string | null, uses: number, max_uses: number | null,
 *   expires_at: number | null, approval: "ask" | "skip" | null, guest?: boolean, email?: string, state: string,
 *   created_by: string }} Invite a link with which people join
 */
/** @typedef {{ email: string, sent: boolean, url: string }} EmailInvite an invite for the owner of an address */
/**
 * @typedef {{ user_id: string, name: string, reason: string | null, until: number | null, by: string,
 *   created_at: number }} Ban a user who is kept out of a group
 */
/** @typedef {{ user_id: string, reason: string | null, until: number, by: string | null }} Timeout a member who may only read */
/** @typedef {{ may: string[], timed_out_until: number | null, timeouts?: Timeout[] }} Permissions */
/** @typedef {{ reason: string | null, until: number | null, delete_since?: number }} NewBan */
/**
 * @typedef {{ id: string, message: import("../sync/types.js").Message, earlier_texts: string[], reasons: Record<string, number>,
 *   texts: string[], rules: { id: string, name: string, by_operators: boolean }[], count: number }} Report a reported message; `message` is a
 *   copy
 */
/** @typedef {{ action: string, note?: string, until?: number }} NewResolution */
/**
 * @typedef {{ id: string, name: string, enabled: boolean, kind: string, action: string, timeout: number | null,
 *   message: string | null, exempt: import("../moderation/rule_exemptions.js").Exempt, words?: string[], allow?: string[], patterns?: string[],
 *   links?: string | null, hosts?: string[], invites?: boolean, limit?: number, count?: number, seconds?: number,
 *   hours?: number, messages?: number, without?: string[], types?: string[] }} Rule a rule of a group or of the operators; the fields
 *   after `exempt` are those of its kind
 */
/**
 * @typedef {{ id: string, name: string, description: string, avatar_url: string | null, members_count: number,
 *   requires_approval: boolean, membership_state: string | null }} FoundGroup a group in the directory
 */
/**
 * @typedef {{ group_id: string, name: string, image_url: string | null, state: "requested_pending" | "denied",
 *   user_count: number }} SentRequest my request to join a group
 */
/** @typedef {{ id: string, name: string }} RuleName */
/**
 * @typedef {{ id: string, user_id: string, name: string, act: "ban" | "timeout", reason: string | null,
 *   until: number | null, text: string, created_at: number }} Appeal of a user who is banned or timed out
 */
/**
 * @typedef {{ id: string, rule: string, rule_name: string, by_operators: boolean, user_id: string, message: import("../sync/types.js").Message,
 *   created_at: number, expires_at: number }} Held a message that waits for approval
 */
/**
 * @typedef {{ id: string, at: number, by: { user_id: string | null, kind: string, rule: RuleName | null }, rule: RuleName | null,
 *   act: string, target: string | null, reason: string | null }} AuditEntry what the owner, an admin or a rule did
 */
/** @typedef {{ name?: string, description?: string, image_url?: string, share?: boolean, group_type?: import("../sync/types.js").GroupType, mention_all?: "admins" | "members", slow_mode?: number, requires_approval?: boolean, show_join_question?: boolean, join_question?: { text: string }, visibility?: "hidden" | "searchable" }} GroupChanges */
/** @typedef {{ get(path: string): Promise<any>, post(path: string, body: object): Promise<any>, put(path: string, body: object): Promise<any>, remove(path: string): Promise<any> }} Calls */

/**
 * @typedef {object} Invited the group behind a share link
 * @property {{ id: string, name: string, description: string | null, image_url: string | null, members_count: number,
 *   requires_approval?: boolean, show_join_question?: boolean, join_question?: { text: string } | null }} group
 * @property {{ user_id: string, nickname: string, image_url: string | null } | null} invited_by null for a group in
 *   the directory
 * @property {boolean} [guest] whether somebody without an account becomes a guest with it
 *
 * @typedef {{ kind: "valid", invited: Invited } | { kind: "dead" } | { kind: "unknown", why: string }} Checked a
 *   share link, as the server was asked about it
 */

/**
 * @typedef {"day" | "week" | "month" | "mine" | "for_me"} LikesList the most liked of a period, those I like, mine that are liked
 */

/**
 * @typedef {{ topic: string, description?: string, avatar_url?: string, group_type?: "private" | "announcement" }} TopicChanges
 *   what a topic is called, and what plain members may do in it
 */

/** @typedef {{ name: string, settings: boolean, topics: boolean, members: boolean }} CopyChoices what a copy of a group takes over */

const at = encodeURIComponent;
const topicPath = (/** @type {string} */ group, /** @type {string} */ topic) =>
  `/v3/groups/${at(group)}/subgroups/${at(topic)}`;

export const groupCalls = (/** @type {Calls} */ { get, post, put, remove }) => ({
  /** @returns {Promise<Group>} */
  updateGroup: (/** @type {string} */ id, /** @type {GroupChanges} */ changes) =>
    post(`/v3/groups/${at(id)}/update`, changes),
  destroyGroup: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/destroy`, {}),
  /** The new group. Its members are added later. @returns {Promise<Group>} */
  copyGroup: (/** @type {string} */ id, /** @type {CopyChoices} */ choices) =>
    post(`/v3/groups/${at(id)}/copy`, choices),
  /** @returns {Promise<Group>} */
  archiveGroup: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/archive`, {}),
  /** @returns {Promise<Group>} */
  unarchiveGroup: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/unarchive`, {}),

  /** The topics of a group, the oldest first. @returns {Promise<import("../sync/types.js").ListedTopic[]>} */
  topics: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}/subgroups`),
  /** @returns {Promise<import("../sync/types.js").ListedTopic>} */
  topic: (/** @type {string} */ id, /** @type {string} */ topic) => get(topicPath(id, topic)),
  /** @returns {Promise<import("../sync/types.js").Topic>} */
  makeTopic: (/** @type {string} */ id, /** @type {TopicChanges} */ facts) =>
    post(`/v3/groups/${at(id)}/subgroups`, facts),
  /** Changes these facts of a topic; an empty description or picture is removed. @returns {Promise<import("../sync/types.js").Topic>} */
  changeTopic: (
    /** @type {string} */ id,
    /** @type {string} */ topic,
    /** @type {Partial<TopicChanges>} */ changes,
  ) => put(topicPath(id, topic), changes),
  removeTopic: (/** @type {string} */ id, /** @type {string} */ topic) => remove(topicPath(id, topic)),
  /** Mutes a topic for some minutes; null mutes it without end. @returns {Promise<{ muted_until: number | null }>} */
  muteTopic: (/** @type {string} */ id, /** @type {string} */ topic, /** @type {number | null} */ duration) =>
    post(`${topicPath(id, topic)}/mute`, duration === null ? {} : { duration }),
  unmuteTopic: (/** @type {string} */ id, /** @type {string} */ topic) =>
    post(`${topicPath(id, topic)}/unmute`, {}),

  /** @returns {Promise<Invited>} */
  invitation: (/** @type {import("../app/route.js").Invitation} */ { groupId, token, from }) =>
    get(`/v3/groups/${at(groupId)}/join/${at(token)}${from ? `?from=${from}` : ""}`),
  /** The group; with `membership` if I only asked to join. @returns {Promise<{ group: Group, membership?: object }>} */
  joinGroup: (
    /** @type {string} */ id,
    /** @type {string | undefined} */ token,
    /** @type {string} */ response = "",
  ) =>
    post(
      `/v3/groups/${at(id)}/join${token ? `/${at(token)}` : ""}`,
      response ? { answer: { response } } : {},
    ),
  /** The groups in the directory with these words, and their number. @returns {Promise<{ groups: FoundGroup[], count: number }>} */
  directory: (/** @type {string} */ words, /** @type {number} */ from = 0) =>
    get(`/v3/directory?q=${at(words)}&from=${from}`),
  /** A group in the directory, as people see it before they join. @returns {Promise<Invited["group"]>} */
  preview: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}/preview`),
  /** My requests to join groups. @returns {Promise<SentRequest[]>} */
  sentRequests: async () => (await get("/v3/groups/pending_memberships")).requests_sent,
  withdrawRequest: (/** @type {string} */ id) => remove(`/v3/groups/${at(id)}/revoke_join`),
  /** The invites of a group that I see. @returns {Promise<Invite[]>} */
  invites: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/invites`)).invites,
  /** @returns {Promise<Invite>} */
  makeInvite: async (/** @type {string} */ id, /** @type {object} */ content) =>
    (await post(`/v3/groups/${at(id)}/invites`, content)).invite,
  /** @returns {Promise<EmailInvite[]>} */
  inviteByEmail: (/** @type {string} */ id, /** @type {string[]} */ emails) =>
    post(`/v3/groups/${at(id)}/invites/email`, { emails }),
  endInvite: (/** @type {string} */ id, /** @type {string} */ invite) =>
    remove(`/v3/groups/${at(id)}/invites/${at(invite)}`),
  /** The groups that I left myself. @returns {Promise<Group[]>} */
  formerGroups: () => get("/v3/groups/former"),
  /** @returns {Promise<Group>} */
  rejoinGroup: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/rejoin`, {}),

  /** Those that I may decide. @returns {Promise<JoinRequest[]>} */
  joinRequests: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}/pending_memberships`),
  decideRequest: (
    /** @type {string} */ groupId,
    /** @type {string} */ membershipId,
    /** @type {boolean} */ approval,
  ) => post(`/v3/groups/${at(groupId)}/members/${at(membershipId)}/approval`, { approval }),
  /** Removes a member, named by the membership's id. Removing my own membership leaves the group. */
  removeMember: (/** @type {string} */ groupId, /** @type {string} */ membershipId) =>
    post(`/v3/groups/${at(groupId)}/members/${at(membershipId)}/remove`, {}),
  /** The bans of a group, for its owner and admins. @returns {Promise<Ban[]>} */
  bans: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/bans`)).bans,
  ban: (/** @type {string} */ id, /** @type {string} */ user, /** @type {NewBan} */ ban) =>
    put(`/v3/groups/${at(id)}/bans/${at(user)}`, ban),
  unban: (/** @type {string} */ id, /** @type {string} */ user) =>
    remove(`/v3/groups/${at(id)}/bans/${at(user)}`),
  /** What I may do in a group, and who is timed out. @returns {Promise<Permissions>} */
  permissions: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}/permissions`),
  timeOut: (
    /** @type {string} */ id,
    /** @type {string} */ membershipId,
    /** @type {{ seconds: number, reason: string | null }} */ timeout,
  ) => put(`/v3/groups/${at(id)}/members/${at(membershipId)}/timeout`, timeout),
  endTimeout: (/** @type {string} */ id, /** @type {string} */ membershipId) =>
    remove(`/v3/groups/${at(id)}/members/${at(membershipId)}/timeout`),
  /** What the owner and admins did, the newest first. @returns {Promise<AuditEntry[]>} */
  audit: async (/** @type {string} */ id, /** @type {string} */ before = "") =>
    (await get(`/v3/groups/${at(id)}/audit${before && `?before=${before}`}`)).entries,
  /** Reports a message to the owner and admins, or to the operators. */
  report: (
    /** @type {string} */ conversation,
    /** @type {string} */ message,
    /** @type {{ reason: string, text?: string }} */ why,
  ) => post(`/v3/conversations/${at(conversation)}/messages/${at(message)}/report`, why),
  /** Reports a person to the operators. */
  reportPerson: (/** @type {string} */ id, /** @type {{ reason: string, text?: string }} */ why) =>
    post(`/v3/users/${at(id)}/report`, why),
  /** Reports a group to the operators. */
  reportGroup: (/** @type {string} */ id, /** @type {{ reason: string, text?: string }} */ why) =>
    post(`/v3/groups/${at(id)}/report`, why),
  /** The newest open reports and appeals that I resolve. @returns {Promise<{ reports: Report[], appeals: Appeal[] }>} */
  reports: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}/reports`),
  /** Appeals against my ban or timeout. */
  appeal: (/** @type {string} */ id, /** @type {string} */ text) =>
    post(`/v3/groups/${at(id)}/appeals`, { text }),
  resolveReport: (
    /** @type {string} */ groupId,
    /** @type {string} */ report,
    /** @type {NewResolution} */ resolution,
  ) => post(`/v3/groups/${at(groupId)}/reports/${at(report)}/resolve`, resolution),
  /** The rules of a group, for its owner and admins. @returns {Promise<Rule[]>} */
  rules: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/rules`)).rules,
  /** Makes a rule, or replaces the one with this id. */
  saveRule: (
    /** @type {string} */ id,
    /** @type {string | undefined} */ rule,
    /** @type {object} */ content,
  ) =>
    rule
      ? put(`/v3/groups/${at(id)}/rules/${at(rule)}`, content)
      : post(`/v3/groups/${at(id)}/rules`, content),
  deleteRule: (/** @type {string} */ id, /** @type {string} */ rule) =>
    remove(`/v3/groups/${at(id)}/rules/${at(rule)}`),
  /** The rules that match a text. @returns {Promise<{ id: string, name: string, enabled: boolean }[]>} */
  tryRules: async (/** @type {string} */ id, /** @type {string} */ text) =>
    (await post(`/v3/groups/${at(id)}/rules/test`, { text })).rules,
  /** The messages that wait for me to approve them, and my own. @returns {Promise<Held[]>} */
  held: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/held`)).held,
  settleHeld: (
    /** @type {string} */ id,
    /** @type {string} */ held,
    /** @type {{ approve: boolean, note?: string }} */ verdict,
  ) => post(`/v3/groups/${at(id)}/held/${at(held)}`, verdict),
  changeRole: (
    /** @type {string} */ groupId,
    /** @type {string} */ membershipId,
    /** @type {"admin" | "user"} */ role,
  ) => post(`/v3/groups/${at(groupId)}/members/${at(membershipId)}/update`, { role }),
  /** @returns {Promise<string>} `200`, or the HTTP status of the refusal */
  changeOwner: async (/** @type {string} */ groupId, /** @type {string} */ ownerId) => {
    const requests = [{ group_id: groupId, owner_id: ownerId }];
    return (await post("/v3/groups/change_owners", { requests })).results[0].status;
  },
  /** @returns {Promise<import("../sync/types.js").Message[]>} */
  liked: async (/** @type {string} */ id, /** @type {LikesList} */ list) => {
    const isOwn = list === "mine" || list === "for_me";
    const path = `/v3/groups/${at(id)}/likes`;
    return (await get(isOwn ? `${path}/${list}` : `${path}?period=${list}`)).messages;
  },
  /**
   * Who has read a message, and when they last read in the group.
   * @returns {Promise<{ user_id: string, read_at: number }[]>}
   */
  readBy: async (/** @type {string} */ id, /** @type {string} */ message) =>
    (await get(`/v3/groups/${at(id)}/messages/${at(message)}/read_by`)).read_by,
  /** @returns {Promise<Member>} */
  rename: (/** @type {string} */ id, /** @type {string} */ nickname) =>
    post(`/v3/groups/${at(id)}/memberships/update`, { membership: { nickname } }),
  /** @returns {Promise<Member>} */
  mute: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/memberships/mute`, {}),
  /** @returns {Promise<Member>} */
  unmute: (/** @type {string} */ id) => post(`/v3/groups/${at(id)}/memberships/unmute`, {}),

  /** The commands of the bots of a group. @returns {Promise<import("../bots/bot_calls.js").Command[]>} */
  commands: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/commands`)).commands,
  /** All bots of a group, no matter who made them. @returns {Promise<import("../bots/bot_calls.js").GroupBot[]>} */
  groupBots: async (/** @type {string} */ id) => (await get(`/v3/groups/${at(id)}/bots`)).bots,
  /** Removes a bot that I made, or any bot where I am owner or admin. */
  removeGroupBot: (/** @type {string} */ id, /** @type {string} */ senderId) =>
    remove(`/v3/groups/${at(id)}/bots/${at(senderId)}`),
});
