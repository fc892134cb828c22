/**
 * The words of the client as types: what the wire carries and what the store keeps.
 *
 * Only JSDoc, no code: `tsc --checkJs` reads it, browsers never load it. Wire types
 * name the fields this client uses; the server may send more.
 */

/**
 * @typedef {object} User
 * @property {string} id
 * @property {string} name
 * @property {string | null} [email]
 * @property {string | null} [phone_number]
 * @property {string | null} [image_url]
 */

/**
 * @typedef {object} Member
 * @property {string} [id] the membership's own id, not the user's
 * @property {string} user_id
 * @property {string} nickname
 * @property {string | null} [image_url]
 * @property {string[]} [roles] `["admin","owner"]`, `["admin"]` or `["user"]`
 */

/**
 * @typedef {{ type: string, url?: string, name?: string } & Record<string, unknown>} Attachment
 */

/**
 * @typedef {object} Message
 * @property {string} id
 * @property {string} source_guid
 * @property {number} created_at seconds
 * @property {string} user_id
 * @property {string} name
 * @property {string | null} [avatar_url]
 * @property {string | null} text
 * @property {boolean} [system]
 * @property {string[]} favorited_by
 * @property {Attachment[]} attachments
 * @property {string} [sender_type]
 */

/**
 * @typedef {object} Group
 * @property {string} id
 * @property {string} name
 * @property {string | null} [description]
 * @property {string | null} [image_url]
 * @property {string} creator_user_id
 * @property {number} created_at seconds
 * @property {number} [updated_at] seconds
 * @property {Member[] | null} [members]
 * @property {string | null} [share_url]
 * @property {{ count: number } | null} [messages]
 */

/**
 * @typedef {{ group: Group, messages: Message[], n: number, read_n: number, unread: number }} SyncedGroup
 * @typedef {{ c: string, user: User, groups: SyncedGroup[] }} Sync what `GET /v3/sync` answers
 */

/**
 * A durable event, as the push socket carries it.
 * @typedef {{ c: string, conv: string, n: number, type: string, at?: number, data: any }} Event
 */

/**
 * A message of mine that the log does not hold yet.
 * @typedef {object} Unsent
 * @property {string} guid becomes the message's `source_guid`
 * @property {string} text empty when there are only attachments
 * @property {Attachment[]} attachments
 * @property {number} at seconds
 * @property {"sending" | "failed" | "sent"} state `sent`: stored, but its event has not come yet
 * @property {string} [why] a sentence for a person
 * @property {boolean} [again] worth trying by itself once the server is back
 */

/**
 * What opens an account: a log-in, or an application.
 * @typedef {object} Token
 * @property {string} id
 * @property {string | null} application
 * @property {number} created_at
 * @property {number | null} last_used_at
 * @property {boolean} current
 */

/**
 * @typedef {object} Application
 * @property {string} client_id
 * @property {string} name
 * @property {string} callback_url
 */

/**
 * One conversation as the store keeps it. Direct messages will be another `kind`.
 * @typedef {object} Conversation
 * @property {string} conv `g:<group id>`, the name of its stream
 * @property {"group"} kind
 * @property {Group} group
 * @property {Message[]} messages oldest first, without holes up to the newest
 * @property {boolean} complete nothing older is to be had
 * @property {number} n events up to here are applied
 * @property {number} lineN the `n` of the newest message
 * @property {number} readN
 * @property {number} unread messages of others after `readN`
 * @property {Event[] | null} filling heard before the group itself was loaded; null once it is
 * @property {Unsent[]} outbox
 */

/**
 * @typedef {object} Snapshot
 * @property {User} user
 * @property {Readonly<Record<string, Conversation>>} conversations by `conv`
 */

export {};
