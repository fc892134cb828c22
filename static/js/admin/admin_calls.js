/**
 * The REST calls of operators, one function each; `api.js` sends them and turns failures into errors.
 */

/** @typedef {"admin" | "moderator" | "auditor"} OperatorRole */
/**
 * @typedef {{ id: string, name: string, email: string, email_verified: boolean, phone_number: string | null,
 *   image_url: string | null, created_at: number, disabled_at: number | null,
 *   deactivated_at: number | null, waiting: "confirmation" | "approval" | null, kind: "member" | "guest", expires_at: number | null, role: OperatorRole | null, tokens: number, last_used_at: number | null, groups: number }} AdminUser
 */
/** @typedef {{ user_id: string, name: string | null }} NamedPerson */
/**
 * Somebody who waits for an account; `about` is null for one who came by a provider.
 * @typedef {{ user: AdminUser, about: string | null, created_at: number }} AccountRequest
 */
/**
 * An operators' invitation, with which people create accounts.
 * @typedef {{ id: string, url: string, name: string | null, uses: number, max_uses: number, expires_at: number | null,
 *   state: "open" | "expired" | "used_up" | "ended", created_by: NamedPerson,
 *   created_at: number }} AccountInvite
 */
/**
 * A mail that waits or was given up.
 * @typedef {{ id: string, kind: string, user: NamedPerson, to: string, state: "waiting" | "dead", created_at: number,
 *   attempts: number, next_attempt_at: number | null, dead_at: number | null, last_error: string | null,
 *   can_retry: boolean }} AdminMail
 */
/**
 * @typedef {{ mails: AdminMail[], before: string | null, counts: { waiting: number, dead: number },
 *   configured: boolean, sender: string | null }} AdminMails
 */
/** @typedef {{ name?: string, max_uses?: number, expires_in?: number | null, reason: string }} NewAccountInvite */
/**
 * @typedef {{ id: string, name: string, image_url: string | null, type: string, members: number, bots: number,
 *   messages: number, shared: boolean, owner: NamedPerson, created_at: number, updated_at: number,
 *   archived_at: number | null, frozen: import("../sync/types.js").Frozen | null,
 *   visibility: "hidden" | "searchable" }} AdminGroup
 */
/**
 * @typedef {{ id: string, at: number, act: string, by: NamedPerson | null, machine: string | null,
 *   from: string | null, target: NamedPerson | null, group_id: string | null, reason: string | null, before: string | null,
 *   after: string | null }} AuditEntry
 */
/**
 * @typedef {{ id: string, name: string | null, made_by: NamedPerson, created_at: number, expires_at: number | null,
 *   last_used_at: number | null }} ScimToken
 */
/**
 * @typedef {{ id: string, name: string, external_id: string | null, members: number, role: OperatorRole | null,
 *   created_at: number, updated_at: number }} DirectoryGroup
 */
/**
 * @typedef {{ id: string, state: "open" | "resolved", subject: "message" | "user" | "group",
 *   conversation_id: string | null, about: NamedPerson | null, reasons: Record<string, number>, count: number,
 *   created_at: number, resolution: { action: string, reason: string, by: NamedPerson, at: number } | null }} ListedReport
 */
/**
 * @typedef {ListedReport & { message: import("../sync/types.js").Message | null, earlier_texts: string[],
 *   filings: { by: NamedPerson | null, rule: string | null, reason: string, text: string | null }[] }} OperatorReport
 */
/** @typedef {{ value: string | null, source: "option" | "environment" | "setting" | "default" }} Setting */
/** @typedef {Record<"name" | "greeting" | "contact" | "registration" | "password_login" | "second_factor" | "directory" | "guests" | "mail_shows_text" | "dm_from", Setting>} AdminSettings */
/**
 * @typedef {{ name?: string | null, greeting?: string | null, contact?: string | null,
 *   password_login?: string, second_factor?: string, directory?: string, guests?: string, mail_shows_text?: string, dm_from?: string,
 *   reason: string }} SettingsChange
 */
/** @typedef {{ mode: string, source: Setting["source"], domains: string[], show_domains: boolean }} AdminRegistration */
/** @typedef {{ mode: string, domains?: string[], show_domains?: boolean, reason: string }} RegistrationChange */
/** @typedef {"disable" | "enable" | "logout"} PersonAct */
/** @typedef {"freeze" | "unfreeze" | "unlist"} GroupAct `unlist` takes the group out of the directory */

/** The query of a list, without what is empty. */
function query(/** @type {Record<string, string | null>} */ parts) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (value) search.set(name, value);
  const text = search.toString();
  return text && `?${text}`;
}

/** @param {import("../sync/api.js").Api["rest"]} calls */
export function adminCalls({ call, get, post, put, remove }) {
  const of = (/** @type {string} */ id, /** @type {string} */ act) =>
    `/v3/admin/users/${encodeURIComponent(id)}/${act}`;

  return {
    /** @returns {Promise<{ version: string, role: OperatorRole }>} */
    version: () => get("/v3/admin/version"),
    /** @returns {Promise<{ users: AdminUser[], before: string | null }>} */
    users: (/** @type {string} */ q, /** @type {string | null} */ before) =>
      get(`/v3/admin/users${query({ q, before })}`),
    /** @returns {Promise<AdminUser>} */
    user: (/** @type {string} */ id) => get(`/v3/admin/users/${encodeURIComponent(id)}`),
    /** @returns {Promise<AdminUser>} */
    act: (/** @type {string} */ id, /** @type {PersonAct} */ act, /** @type {string} */ reason) =>
      post(of(id, act), { reason }),
    /** The requests for accounts, the oldest first. @returns {Promise<{ requests: AccountRequest[], more: boolean }>} */
    requests: (/** @type {string | null} */ after) => get(`/v3/admin/requests${query({ after })}`),
    /**
     * Decides about a request; a refused account is deleted.
     * @param {string} id that of the user
     * @param {"approve" | "refuse"} action
     * @param {string} reason
     */
    decideRequest: (id, action, reason) =>
      post(`/v3/admin/requests/${encodeURIComponent(id)}`, { action, reason }),
    /** The invitations for accounts, the newest first. @returns {Promise<{ invites: AccountInvite[] }>} */
    invites: () => get("/v3/admin/invites"),
    /** @returns {Promise<{ invite: AccountInvite }>} */
    makeInvite: (/** @type {NewAccountInvite} */ invite) => post("/v3/admin/invites", invite),
    endInvite: (/** @type {string} */ id, /** @type {string} */ reason) =>
      call("DELETE", `/v3/admin/invites/${encodeURIComponent(id)}`, { body: { reason } }),
    /** The mails that wait or were given up, the newest first. @returns {Promise<AdminMails>} */
    mails: (/** @type {string} */ state, /** @type {string | null} */ before) =>
      get(`/v3/admin/mail${query({ state, before })}`),
    /** Sends a mail again. */
    retryMail: (/** @type {string} */ id, /** @type {string} */ reason) =>
      post(`/v3/admin/mail/${encodeURIComponent(id)}/retry`, { reason }),
    /** Sends a test mail, without an address to the operator. @returns {Promise<{ to: string, sender: string }>} */
    testMail: (/** @type {string} */ to, /** @type {string} */ reason) =>
      post("/v3/admin/mail/test", { ...(to && { to }), ...(reason && { reason }) }),
    /** Makes a link for a new password. @returns {Promise<{ url: string }>} */
    recover: (/** @type {string} */ id, /** @type {string} */ reason) => post(of(id, "recover"), { reason }),
    /** Makes a member of a guest. @returns {Promise<AdminUser>} */
    makeMember: (/** @type {string} */ id, /** @type {string} */ reason) =>
      post(of(id, "kind"), { kind: "member", reason }),
    /** @returns {Promise<AdminUser>} */
    setRole: (
      /** @type {string} */ id,
      /** @type {OperatorRole | null} */ role,
      /** @type {string} */ reason,
    ) => post(of(id, "role"), { role, reason }),
    /** @returns {Promise<{ groups: AdminGroup[], before: string | null }>} */
    groups: (/** @type {string} */ q, /** @type {string | null} */ before) =>
      get(`/v3/admin/groups${query({ q, before })}`),
    /** @returns {Promise<AdminGroup>} */
    group: (/** @type {string} */ id) => get(`/v3/admin/groups/${encodeURIComponent(id)}`),
    /** @returns {Promise<AdminGroup>} */
    actOnGroup: (/** @type {string} */ id, /** @type {GroupAct} */ act, /** @type {string} */ reason) =>
      post(`/v3/admin/groups/${encodeURIComponent(id)}/${act}`, { reason }),
    destroyGroup: (/** @type {string} */ id, /** @type {string} */ reason) =>
      call("DELETE", `/v3/admin/groups/${encodeURIComponent(id)}`, { body: { reason } }),
    /** @returns {Promise<{ reports: ListedReport[], before: string | null }>} */
    reports: (/** @type {string} */ state, /** @type {string | null} */ before) =>
      get(`/v3/admin/reports${query({ state, before })}`),
    /** @returns {Promise<OperatorReport>} */
    report: (/** @type {string} */ id) => get(`/v3/admin/reports/${encodeURIComponent(id)}`),
    resolveReport: (/** @type {string} */ id, /** @type {string} */ action, /** @type {string} */ reason) =>
      post(`/v3/admin/reports/${encodeURIComponent(id)}/resolve`, { action, reason }),
    /** @returns {Promise<{ rules: import("../groups/group_calls.js").Rule[] }>} */
    rules: () => get("/v3/admin/rules"),
    /** Saves a rule, or makes one; `rule` has the reason. */
    saveRule: (/** @type {string | undefined} */ id, /** @type {object} */ rule) =>
      id ? put(`/v3/admin/rules/${encodeURIComponent(id)}`, rule) : post("/v3/admin/rules", rule),
    deleteRule: (/** @type {string} */ id, /** @type {string} */ reason) =>
      call("DELETE", `/v3/admin/rules/${encodeURIComponent(id)}`, { body: { reason } }),
    /** The rules that match a text. @returns {Promise<{ name: string, enabled: boolean }[]>} */
    tryRules: async (/** @type {string} */ text) => (await post("/v3/admin/rules/test", { text })).rules,
    /** @returns {Promise<AdminSettings>} */
    settings: () => get("/v3/admin/settings"),
    /** @returns {Promise<AdminSettings>} */
    setSettings: (/** @type {SettingsChange} */ change) => put("/v3/admin/settings", change),
    /** @returns {Promise<AdminRegistration>} */
    registration: () => get("/v3/admin/registration"),
    /** @returns {Promise<AdminRegistration>} */
    setRegistration: (/** @type {RegistrationChange} */ change) => put("/v3/admin/registration", change),
    /** @returns {Promise<{ entries: AuditEntry[], before: string | null }>} */
    audit: (/** @type {string} */ target, /** @type {string | null} */ before) =>
      get(`/v3/admin/audit${query({ target, before })}`),
    /** @returns {Promise<{ tokens: ScimToken[] }>} */
    scimTokens: () => get("/v3/admin/scim_tokens"),
    /** @returns {Promise<{ access_token: string, token: ScimToken }>} */
    makeScimToken: (/** @type {string} */ name, /** @type {string} */ reason) =>
      post("/v3/admin/scim_tokens", { name, reason }),
    /** @returns {Promise<{ groups: DirectoryGroup[] }>} */
    directoryGroups: () => get("/v3/admin/directory_groups"),
    /** Maps a group of the directory on a role. @returns {Promise<DirectoryGroup>} */
    mapGroup: (
      /** @type {string} */ id,
      /** @type {OperatorRole | null} */ role,
      /** @type {string} */ reason,
    ) => put(`/v3/admin/directory_groups/${encodeURIComponent(id)}`, { role, reason }),
    endScimToken: (/** @type {string} */ id) => remove(`/v3/admin/scim_tokens/${encodeURIComponent(id)}`),
  };
}

/** @typedef {ReturnType<typeof adminCalls>} AdminCalls */
