/**
 * The REST calls of the client, one function each.
 *
 * Owns the envelope, the token header and the turning of failures into `ApiError` with a sentence a person
 * can read. Keeps no state and never retries: only the caller knows whether a call is worth repeating.
 */

import { chatCalls, pageQuery } from "../chats/chat_calls.js";
import { sendFile } from "../files/send_file.js";
import { groupCalls } from "../groups/group_calls.js";
import { searchCalls } from "../search/search_calls.js";
import { language, t } from "../words/words.js";

/** The size in bytes from which a file is uploaded in parts; a smaller one is sent again faster than resumed. */
const IN_PARTS_FROM = 1 << 20;

/** @typedef {import("./types.js").User} User */
/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Member} Member */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Sync} Sync */
/** @typedef {{ code: string, methods: string[] }} Verification a log-in that needs the second factor */
/** @typedef {import("./types.js").Token} Token */
/** @typedef {import("./types.js").Application} Application */
/** @typedef {{ bots: { bot_id: string, name: string }[], applications: Application[] }} Remaining */
/** @typedef {{ nickname: string, guid: string } & ({ user_id: string } | { email: string } | { phone_number: string })} Invitation */

/** Words for what somebody needs first, before they can log in, create an account or use it. @type {Record<string, string>} */
const NEEDS = {
  confirmation: t("Confirm your address first, with the link in the mail."),
  approval: t("The operators have not approved this account yet. You can log in once they do."),
  invite: t("You need an invitation to create an account."),
  second_factor: t("This server asks for a second factor. Set one up in your account."),
};

/** A call that failed. `status` 0 means that no answer came. */
export class ApiError extends Error {
  constructor(
    /** @type {number} */ status,
    /** @type {string[]} */ problems,
    /** @type {number | null} */ retryAfter = null,
    needs = "",
  ) {
    super(NEEDS[needs] ?? (problems.length > 0 ? problems.map(sentence).join(" ") : fallback(status)));
    this.name = "ApiError";
    this.status = status;
    this.problems = problems;
    /** How many seconds the server asks to wait; null if it does not say. */
    this.retryAfter = retryAfter;
    /** What the caller has to do first; "" if the server does not say. */
    this.needs = needs;
  }

  /** Whether the same call may succeed later. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Makes a sentence of an error text, which the server writes in lower case without a full stop. */
function sentence(/** @type {string} */ reason) {
  const text = reason.trim();
  if (text === "") return "";
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended[0].toUpperCase() + ended.slice(1);
}

function fallback(/** @type {number} */ status) {
  if (status === 0) return t("The server cannot be reached. Check your connection.");
  if (status === 404) return t("This does not exist, or you have no access to it.");
  if (status === 429) return t("Too many requests. Try again in a moment.");
  if (status >= 500) return t("The server is not available right now. Try again in a moment.");
  return t("The request failed ({status}).", { status });
}

/** `boot.js` may have sent this request before the client was loaded. */
const SNAPSHOT = "/v3/sync";

/**
 * `early` gives the answer that `boot.js` already asked for with this token. `onFactorMissing` is called when the
 * account of the session can be used only once it has a second factor.
 * @param {{ token?: () => string | null, onUnauthorized?: () => void, onFactorMissing?: () => void,
 *   onUnreached?: () => void, base?: string, early?: (token: string) => Promise<Response> | null, fetch?: typeof globalThis.fetch }} [options]
 */
export function createApi({
  token = () => null,
  onUnauthorized = () => {},
  onFactorMissing = () => {},
  onUnreached = () => {},
  early = () => null,
  base = "",
  fetch = globalThis.fetch,
} = {}) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, headers?: Record<string, string>, as?: string | null }} [extra] `as` is another
   *   token than that of the session
   * @returns {Promise<any>} the `response` of the envelope; null for 204 and 304
   */
  async function call(method, path, { body, headers = {}, as = token() } = {}) {
    if (body) headers["Content-Type"] = "application/json";
    const answer = await ask(method, path, { body: body ? JSON.stringify(body) : undefined, headers, as });
    return answer?.response ?? null;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: string, headers?: Record<string, string>, as?: string | null }} extra
   * @returns {Promise<any>} the whole envelope; null for 204 and 304
   */
  async function ask(method, path, { body, headers = {}, as = token() }) {
    const sentToken = as;
    if (sentToken) headers["X-Access-Token"] = sentToken;
    /** @type {Response} */
    let answer;
    try {
      const asked = path.startsWith(SNAPSHOT) && sentToken ? early(sentToken) : null;
      answer = await (asked ?? fetch(base + path, { method, headers, body, cache: "no-store" }));
    } catch {
      onUnreached();
      throw new ApiError(0, []);
    }
    if (answer.status === 304 || answer.status === 204) return null;
    const { status, headers: told } = answer;
    const envelope = await answer.json().catch(() => null);
    return judged({ status, envelope, retryAfter: told.get("Retry-After") }, path, sentToken);
  }

  /**
   * Returns the envelope of a success, and throws an `ApiError` for anything else.
   * @param {{ status: number, envelope: any, retryAfter: string | null }} answer
   * @param {string} path
   * @param {string | null} sentToken
   */
  function judged({ status, envelope, retryAfter }, path, sentToken) {
    const isGood = status >= 200 && status < 300;
    // The body was cut off, so it is unknown whether the call took effect.
    if (isGood && !envelope) throw new ApiError(0, []);
    if (isGood) return envelope;
    // A late 401 for the token of an earlier session says nothing about this session.
    const isOfSession = sentToken !== null && sentToken === token();
    if (status === 401 && isOfSession) onUnauthorized();
    const { errors = [], details } = envelope?.meta ?? {};
    // The pages for operators may need the factor where everything else does not.
    const isForAll = !path.startsWith("/v3/admin/");
    if (status === 403 && details?.needs === "second_factor" && isForAll && isOfSession) onFactorMissing();
    throw new ApiError(status, errors, Number(retryAfter) || null, details?.needs);
  }

  /** The body of an answer that comes without an envelope. @returns {Promise<Blob>} */
  async function bytes(/** @type {string} */ path) {
    const sentToken = token();
    const headers = sentToken ? { "X-Access-Token": sentToken } : undefined;
    const answer = await fetch(base + path, { headers, cache: "no-store" }).catch(() => {
      throw new ApiError(0, []);
    });
    if (answer.ok) return answer.blob();
    const envelope = await answer.json().catch(() => null);
    return judged({ status: answer.status, envelope, retryAfter: null }, path, sentToken);
  }

  /** Sends a file. @returns {Promise<any>} the whole envelope */
  async function upload(
    /** @type {string} */ path,
    /** @type {Blob} */ file,
    /** @type {import("../files/send_file.js").Way} */ way,
    /** @type {Record<string, string>} */ headers = {},
    /** @type {"POST" | "PATCH"} */ method = "POST",
  ) {
    const sentToken = token();
    if (sentToken) headers["X-Access-Token"] = sentToken;
    return judged(await sendFile(base + path, file, headers, way, method), path, sentToken);
  }

  /** The calls that upload a file to this path in parts. @returns {import("../files/upload_in_parts.js").Calls} */
  const inParts = (/** @type {string} */ path) => ({
    begin: async (length) => {
      const headers = { "Upload-Complete": "?0", "Upload-Length": String(length) };
      return (await call("POST", path, { headers })).upload;
    },
    look: async (id) => (await get(`/v3/uploads/${at(id)}`)).upload,
    add: async (id, offset, rest, way) => {
      const headers = { "Upload-Complete": "?1", "Upload-Offset": String(offset) };
      return (await upload(`/v3/uploads/${at(id)}`, rest, way, headers, "PATCH")).response.upload;
    },
    end: (id) => remove(`/v3/uploads/${at(id)}`),
  });

  const get = (/** @type {string} */ path) => call("GET", path);
  const post = (/** @type {string} */ path, /** @type {object} */ body) => call("POST", path, { body });
  /**
   * Posts so that a repeat is harmless: the server knows the guid for a minute, and the Idempotency-Key for a
   * day.
   */
  const postOnce = (/** @type {string} */ path, /** @type {string} */ guid, /** @type {object} */ body) =>
    call("POST", path, { body, headers: { "Idempotency-Key": guid } });
  const put = (/** @type {string} */ path, /** @type {object} */ body) => call("PUT", path, { body });
  const at = encodeURIComponent;
  const remove = (/** @type {string} */ path) => call("DELETE", path);
  const rest = { call, get, post, put, remove, bytes };

  return {
    /** What the calls are made of that are loaded later. */
    rest,
    ...groupCalls(rest),
    ...chatCalls({ get, post, postOnce, remove }),
    ...searchCalls({ get }),

    /** `conversation` is a group's id, or `<user id>+<user id>`. @returns {Promise<{ message: Message }>} */
    editMessage: (
      /** @type {string} */ conversation,
      /** @type {string} */ message,
      /** @type {string} */ text,
    ) => call("PUT", `/v3/conversations/${at(conversation)}/messages/${at(message)}`, { body: { text } }),
    deleteMessage: (/** @type {string} */ conversation, /** @type {string} */ message) =>
      remove(`/v3/conversations/${at(conversation)}/messages/${at(message)}`),

    /** The drafts of all conversations. @returns {Promise<import("../composer/drafts.js").Draft[]>} */
    drafts: async () => (await get("/v3/drafts")).drafts,
    /** Keeps a draft; one without text and attachments deletes the one before. */
    keepDraft: (
      /** @type {string} */ conversation,
      /** @type {import("../composer/drafts.js").Content} */ { text, attachments },
    ) =>
      call("PUT", `/v3/drafts/${at(conversation)}`, {
        body: text === "" ? { attachments } : { text, attachments },
      }),

    /** How the list of conversations is arranged. @returns {Promise<import("../conversation_list/conversation_list.js").ConversationList>} */
    conversationList: () => get("/v3/conversation_list"),
    /** Replaces parts of the arrangement. @returns {Promise<import("../conversation_list/conversation_list.js").ConversationList>} */
    arrangeList: (
      /** @type {Partial<import("../conversation_list/conversation_list.js").ConversationList>} */ parts,
    ) => put("/v3/conversation_list", parts),

    /**
     * @returns {Promise<{ user: User, access_token: string } | { waiting: "confirmation" | "approval" }>} what an
     *   account waits for that cannot be used yet
     */
    register: (/** @type {object} */ form) =>
      call("POST", "/auth/register", { body: form, headers: { "Accept-Language": language } }),
    /** Makes the first admin. @returns {Promise<{ user: User, access_token: string }>} */
    setUp: (/** @type {object} */ form) =>
      call("POST", "/auth/setup", { body: form, headers: { "Accept-Language": language } }),
    /**
     * @returns {Promise<{ user: User, access_token: string } | { verification: Verification }>} a
     *   verification if the account needs the second factor
     */
    login: (/** @type {object} */ form) => post("/auth/login", form),
    /** @returns {Promise<{ user: User, access_token: string, device?: string }>} */
    verify: (/** @type {object} */ form) => post("/auth/login/verify", form),
    /** Ends the session of this token, which need not be that of the page. */
    revoke: (/** @type {string} */ token) => call("POST", "/auth/logout", { body: {}, as: token }),
    /**
     * What the server offers to people without an account.
     * @returns {Promise<{ registration: import("../sign_in/registration.js").RegistrationMode, domains?: string[], password?: string, mail: boolean, contact: string | null,
     *   name: string | null, greeting: string | null, setup: { code: boolean, empty: boolean } | null,
     *   passkeys?: boolean, guests?: boolean, providers?: import("../security/identity_calls.js").Provider[] }>}
     */
    options: () => get("/auth/options"),
    /** An operators' invitation that makes an account. @returns {Promise<{ invite: { expires_at: number | null } }>} */
    accountInvitation: (/** @type {string} */ token) => get(`/auth/invites/${at(token)}`),

    /** @returns {Promise<Token[]>} */
    tokens: () => get("/auth/tokens"),
    endToken: (/** @type {string} */ id) => remove(`/auth/tokens/${at(id)}`),
    /** @returns {Promise<Remaining>} the bots and applications that still act for me */
    changePassword: (/** @type {{ current_password: string, new_password: string }} */ form) =>
      call("POST", "/auth/password", { body: form, headers: { "Accept-Language": language } }),
    deleteAccount: (/** @type {{ password: string }} */ body) => call("DELETE", "/auth/account", { body }),

    /** @returns {Promise<Application[]>} */
    applications: () => get("/oauth/applications"),
    /** @returns {Promise<Application>} */
    registerApplication: (/** @type {{ name: string, callback_url: string, scopes: string[] }} */ form) =>
      post("/oauth/applications", form),
    removeApplication: (/** @type {string} */ id) => remove(`/oauth/applications/${at(id)}`),

    /** The snapshot, with more messages of the conversation with the id `open`. @returns {Promise<Sync>} */
    sync: (open = "") => get(SNAPSHOT + (open && `?open=${at(open)}`)),
    /**
     * The groups, chats or topics of a snapshot after the first ones.
     * @returns {Promise<Partial<Sync>>}
     */
    syncAfter: (/** @type {"groups" | "chats" | "topics"} */ part, /** @type {number} */ skip) =>
      get(`${SNAPSHOT}?parts=${part}&skip=${skip}`),

    /** @returns {Promise<Group>} */
    group: (/** @type {string} */ id) => get(`/v3/groups/${at(id)}`),
    /** @returns {Promise<Group>} */
    createGroup: (/** @type {{ name: string, description?: string }} */ form) => post("/v3/groups", form),

    /** @returns {Promise<User>} */
    updateUser: (
      /** @type {{ avatar_url?: string, name?: string, email?: string, phone_number?: string | null, password?: string }} */ changes,
    ) => call("POST", "/v3/users/update", { body: changes, headers: { "Accept-Language": language } }),
    /** My own account. @returns {Promise<User & { sms: boolean, operator?: string }>} */
    me: () => get("/v3/users/me"),
    smsOn: (/** @type {number} */ hours) => post("/v3/users/sms_mode", { duration: hours }),
    smsOff: () => post("/v3/users/sms_mode/delete", {}),

    /** @returns {Promise<string>} the picture's URL */
    async uploadPicture(
      /** @type {Blob} */ file,
      /** @type {import("../files/send_file.js").Way} */ way = {},
    ) {
      return (await upload("/pictures", file, way)).payload.url;
    },

    /**
     * Uploads a file, in parts from `IN_PARTS_FROM` bytes on.
     * @returns {Promise<import("./types.js").Attachment>} the attachment for a message
     */
    async uploadFile(
      /** @type {string} */ conversation,
      /** @type {File} */ file,
      /** @type {import("../files/send_file.js").Way} */ way,
    ) {
      const path = `/v3/conversations/${at(conversation)}/files?name=${at(file.name)}`;
      if (file.size >= IN_PARTS_FROM) {
        const { uploadInParts } = await import("../files/upload_in_parts.js");
        return uploadInParts(inParts(path), file, way);
      }
      return (await upload(path, file, way)).response.file;
    },

    /** The content of a file of a conversation. */
    fileContent: (/** @type {string} */ conversation, /** @type {string} */ file) =>
      bytes(`/v3/files/${at(conversation)}/${at(file)}`),

    /** @returns {Promise<string>} a path with which the file can be fetched without a token, for an hour */
    async fileLink(/** @type {string} */ conversation, /** @type {string} */ file) {
      const { url } = await post(`/v3/files/${at(conversation)}/${at(file)}/link`, {});
      // The URL names the server's public origin; only the path is kept, since this page may be served from
      // another one.
      const { pathname, search } = new URL(url);
      return pathname + search;
    },

    /** The server's key for push subscriptions. @returns {Promise<string>} */
    pushKey: async () => (await get("/v3/push/key")).key,

    /** Registers this device for push notices. @returns {Promise<string>} the device's id at the server */
    addDevice: async (/** @type {PushSubscriptionJSON} */ subscription) =>
      (await post("/v3/push/devices", subscription)).registration_id,

    /** Removes a device; one that the server does not know counts as removed. @returns {Promise<void>} */
    async removeDevice(/** @type {string} */ id) {
      try {
        await remove(`/v3/push/devices/${at(id)}`);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
    },

    /**
     * One page of messages: newest first, or oldest first after `afterId`; empty when there are no more.
     * @returns {Promise<Message[]>}
     */
    async messages(
      /** @type {string} */ groupId,
      /** @type {{ beforeId?: string, afterId?: string, limit: number }} */ page,
    ) {
      const found = await get(`/v3/groups/${at(groupId)}/messages?${pageQuery(page)}`);
      return found?.messages ?? [];
    },

    /** The message, or where it waits for approval. @returns {Promise<Message | { held: { id: string } }>} */
    async postMessage(
      /** @type {string} */ groupId,
      /** @type {import("../chats/chat_calls.js").NewMessage} */ message,
    ) {
      const path = `/v3/groups/${at(groupId)}/messages`;
      const answer = await postOnce(path, message.source_guid, { message });
      return answer.message ?? { held: answer.held };
    },

    /** @returns {Promise<string>} the id with which the outcome is asked for */
    async addMembers(/** @type {string} */ groupId, /** @type {Invitation[]} */ members) {
      return (await post(`/v3/groups/${at(groupId)}/members/add`, { members })).results_id;
    },

    /** The added members; null while the outcome is not known. @returns {Promise<Member[] | null>} */
    async addResults(/** @type {string} */ groupId, /** @type {string} */ resultsId) {
      try {
        return (await get(`/v3/groups/${at(groupId)}/members/results/${at(resultsId)}`)).members;
      } catch (error) {
        if (error instanceof ApiError && error.status === 503) return null;
        throw error;
      }
    },
  };
}

/** @typedef {ReturnType<typeof createApi>} Api */
