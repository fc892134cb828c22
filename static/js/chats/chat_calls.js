/**
 * The REST calls about direct messages and blocks, and about likes, pins, saved messages and read marks in any conversation.
 */

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {{ source_guid: string, text?: string, attachments?: Attachment[] }} NewMessage */

/**
 * @typedef {object} Calls
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body: object) => Promise<any>} post
 * @property {(path: string, guid: string, body: object) => Promise<any>} postOnce
 * @property {(path: string) => Promise<any>} remove
 */

const at = encodeURIComponent;
/** The most messages on a page of a thread. */
const PAGE = 100;

/** The query of a page: messages before `beforeId`, right after `afterId`, or the newest. */
export function pageQuery(
  /** @type {{ beforeId?: string, afterId?: string, limit: number }} */ { beforeId, afterId, limit },
) {
  const before = beforeId ? `&before_id=${at(beforeId)}` : "";
  return `limit=${limit}${before}${afterId ? `&after_id=${at(afterId)}` : ""}`;
}

export const chatCalls = (/** @type {Calls} */ { get, post, postOnce, remove }) => ({
  /** My chats with the most recent activity, at most 100. @returns {Promise<import("../sync/types.js").Chat[]>} */
  chats: () => get("/v3/chats?per_page=100"),

  /**
   * One page of messages: newest first, or oldest first after `afterId`; empty when there are no more.
   * @returns {Promise<Message[]>}
   */
  async directMessages(
    /** @type {string} */ otherId,
    /** @type {{ beforeId?: string, afterId?: string, limit: number }} */ page,
  ) {
    const found = await get(`/v3/direct_messages?other_user_id=${at(otherId)}&${pageQuery(page)}`);
    return found?.direct_messages ?? [];
  },

  /** @returns {Promise<Message>} */
  async postDirectMessage(/** @type {string} */ otherId, /** @type {NewMessage} */ message) {
    const body = { direct_message: { ...message, recipient_id: otherId } };
    return (await postOnce("/v3/direct_messages", message.source_guid, body)).message;
  },

  /** Accepts the message request of a user. */
  acceptRequest: (/** @type {string} */ otherId) => post(`/v3/chats/${at(otherId)}/approve`, {}),
  declineRequest: (/** @type {string} */ otherId) => remove(`/v3/chats/${at(otherId)}`),

  /** The ids of the users whom I block. @returns {Promise<string[]>} */
  blocked: async (/** @type {string} */ me) =>
    (await get(`/v3/blocks?user=${at(me)}`)).blocks.map(
      (/** @type {{ blocked_user_id: string }} */ one) => one.blocked_user_id,
    ),
  block: (/** @type {string} */ me, /** @type {string} */ other) =>
    post("/v3/blocks", { user: me, otherUser: other }),
  unblock: (/** @type {string} */ me, /** @type {string} */ other) =>
    post("/v3/blocks/delete", { user: me, otherUser: other }),

  /**
   * Marks everything up to this message as read.
   * @returns {Promise<{ read_n: number }>}
   */
  markRead: (/** @type {string} */ conversation, /** @type {string} */ message) =>
    post(`/v3/conversations/${at(conversation)}/read`, { message_id: message }),
  /** Marks a message and all later ones as unread. */
  markUnread: (/** @type {string} */ conversation, /** @type {string} */ message) =>
    post(`/v3/conversations/${at(conversation)}/unread`, { message_id: message }),

  /** `conversation` is a group's id, or `<user id>+<user id>`. */
  like: (/** @type {string} */ conversation, /** @type {string} */ message) =>
    post(`/v3/messages/${at(conversation)}/${at(message)}/like`, {}),
  react: (/** @type {string} */ conversation, /** @type {string} */ message, /** @type {string} */ code) =>
    post(`/v3/messages/${at(conversation)}/${at(message)}/like`, { like_icon: { type: "unicode", code } }),
  /** @returns {Promise<{ message: Message }>} */
  pin: (/** @type {string} */ conversation, /** @type {string} */ message, /** @type {boolean} */ isPinned) =>
    post(`/v3/conversations/${at(conversation)}/messages/${at(message)}/${isPinned ? "pin" : "unpin"}`, {}),
  /** Saves a message for myself, or removes it from what I saved. */
  save: (/** @type {string} */ conversation, /** @type {string} */ message, /** @type {boolean} */ isSaved) =>
    post(`/v3/conversations/${at(conversation)}/messages/${at(message)}/${isSaved ? "save" : "unsave"}`, {}),
  /** All replies in the thread that a message began, oldest first. @returns {Promise<Message[]>} */
  async replies(/** @type {string} */ conversation, /** @type {string} */ message) {
    const path = `/v3/conversations/${at(conversation)}/messages/${at(message)}/replies?limit=${PAGE}`;
    /** @type {Message[]} */
    const all = [];
    for (;;) {
      const after = all.at(-1);
      const { messages, count } = await get(after ? `${path}&after_id=${at(after.id)}` : path);
      all.push(...messages);
      if (messages.length === 0 || all.length >= count) return all;
    }
  },
  /** The pinned messages, the newest pin first. @returns {Promise<Message[]>} */
  pinnedInGroup: async (/** @type {string} */ id) =>
    (await get(`/v3/pinned/groups/${at(id)}/messages`)).messages,
  /** @returns {Promise<Message[]>} */
  pinnedInChat: async (/** @type {string} */ otherId) =>
    (await get(`/v3/pinned/direct_messages?other_user_id=${at(otherId)}`)).messages,
  unlike: (/** @type {string} */ conversation, /** @type {string} */ message) =>
    post(`/v3/messages/${at(conversation)}/${at(message)}/unlike`, {}),
});
