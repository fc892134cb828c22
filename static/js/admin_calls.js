/**
 * The REST calls of operators, one function each; `api.js` sends them and turns failures into errors.
 */

/** @typedef {"admin" | "moderator" | "auditor"} OperatorRole */
/**
 * @typedef {{ id: string, name: string, email: string, email_verified: boolean, phone_number: string | null,
 *   image_url: string | null, created_at: number, disabled_at: number | null, role: OperatorRole | null,
 *   tokens: number, last_used_at: number | null, groups: number }} AdminUser
 */
/** @typedef {{ user_id: string, name: string | null }} NamedPerson */
/**
 * @typedef {{ id: string, name: string, image_url: string | null, type: string, members: number, bots: number,
 *   messages: number, shared: boolean, owner: NamedPerson, created_at: number, updated_at: number }} AdminGroup
 */
/**
 * @typedef {{ id: string, at: number, act: string, by: NamedPerson | null, machine: string | null,
 *   from: string | null, target: NamedPerson | null, reason: string | null, before: string | null,
 *   after: string | null }} AuditEntry
 */
/** @typedef {{ value: string | null, source: "option" | "environment" | "setting" | "default" }} Setting */
/** @typedef {Record<"name" | "greeting" | "contact" | "registration", Setting>} AdminSettings */
/**
 * @typedef {{ name?: string | null, greeting?: string | null, contact?: string | null, reason: string }}
 *   SettingsChange
 */
/** @typedef {"disable" | "enable" | "logout"} PersonAct */

/** The query of a list, without what is empty. */
function query(/** @type {Record<string, string | null>} */ parts) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (value) search.set(name, value);
  const text = search.toString();
  return text && `?${text}`;
}

/** @param {import("./api.js").Api["rest"]} calls */
export function adminCalls({ get, post, put }) {
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
    /** Makes a link for a new password. @returns {Promise<{ url: string }>} */
    recover: (/** @type {string} */ id, /** @type {string} */ reason) => post(of(id, "recover"), { reason }),
    /** @returns {Promise<AdminUser>} */
    setRole: (
      /** @type {string} */ id,
      /** @type {OperatorRole | null} */ role,
      /** @type {string} */ reason,
    ) => post(of(id, "role"), { role, reason }),
    /** @returns {Promise<{ groups: AdminGroup[], before: string | null }>} */
    groups: (/** @type {string} */ q, /** @type {string | null} */ before) =>
      get(`/v3/admin/groups${query({ q, before })}`),
    /** @returns {Promise<AdminSettings>} */
    settings: () => get("/v3/admin/settings"),
    /** @returns {Promise<AdminSettings>} */
    setSettings: (/** @type {SettingsChange} */ change) => put("/v3/admin/settings", change),
    setRegistration: (/** @type {string} */ mode, /** @type {string} */ reason) =>
      put("/v3/admin/registration", { mode, reason }),
    /** @returns {Promise<{ entries: AuditEntry[], before: string | null }>} */
    audit: (/** @type {string} */ target, /** @type {string | null} */ before) =>
      get(`/v3/admin/audit${query({ target, before })}`),
  };
}

/** @typedef {ReturnType<typeof adminCalls>} AdminCalls */
