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
 * @property {string} [name] what they are called elsewhere
 * @property {string | null} [image_url]
 * @property {boolean} [muted] they want no notices of this group
 * @property {number | null} [muted_until] seconds; until when
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
 * @property {{ type: string, data: any }} [event] what happened, in the form that programs read
 * @property {number} [updated_at] seconds; later than `created_at` once it was edited
 * @property {number} [deleted_at] seconds; nothing is left of what it said
 * @property {string} [deletion_actor] `sender` or `admin`
 * @property {number} [reply_count] answers of the thread that it began; absent while there are none
 * @property {number | null} [pinned_at] seconds; since when it is pinned
 * @property {string[]} favorited_by
 * @property {Reaction[]} [reactions] the same by sign; absent while nobody likes it
 * @property {Attachment[]} attachments
 * @property {LinkPreview[]} [link_previews] of the pages to which it links; absent while there are none
 * @property {string} [sender_type] `user`, `bot` or `system`
 * @property {number} [n] in chats: at most this is its number in the conversation
 */

/**
 * A sign, and who gave it; without a `code` it is a picture that other clients know.
 * @typedef {{ type: string, code?: string, user_ids: string[] }} Reaction
 */

/**
 * What a page says of itself.
 * @typedef {{ url: string, title: string, description: string | null, image_url: string | null }} LinkPreview
 */

/**
 * Somebody as others see them.
 * @typedef {{ id: string, name: string, imageUrl?: string | null }} Person
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
 * @property {Member[] | null} [members] null where a list had no room for them
 * @property {string | null} [share_url] absent while nobody can join by a link
 * @property {"admins" | "members"} [mention_all] who may mention everybody
 * @property {boolean} [office_mode] only the owner and admins change settings and add people
 * @property {{ count: number } | null} [messages]
 */

/**
 * A chat as lists show it. The other's id is a number here, so it is read from the
 * conversation's.
 * @typedef {object} Chat
 * @property {{ conversation_id: string }} last_message
 * @property {number} [messages_count]
 * @property {{ name: string, avatar_url: string | null }} other_user
 * @property {number | null} [muted_until] seconds; until when I muted it
 */

/**
 * @typedef {{ messages: Message[], n: number, read_n: number, unread: number, group?: Group, chat?: Chat }} Synced
 * @typedef {Synced & { group: Group }} SyncedGroup
 * @typedef {Synced & { chat: Chat, other_read_n: number, other_unread: number }} SyncedChat
 */

/**
 * What `GET /v3/sync` answers.
 * @typedef {object} Sync
 * @property {string} c
 * @property {User} user
 * @property {SyncedGroup[]} groups
 * @property {SyncedChat[]} [chats]
 * @property {import("./drafts.js").Draft[]} [drafts]
 * @property {true} [more_drafts] there are more than fit
 * @property {{ blocked_user_id: string }[]} [blocks]
 * @property {true} [more_blocks] there are more than fit
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
 * @property {number} order which of those written in one visit
 * @property {"sending" | "waiting" | "failed" | "sent"} state `waiting`: goes out by itself once
 *   it can; `failed`: somebody has to look; `sent`: stored, but its event has not come yet
 * @property {string} [why] a sentence for a person
 * @property {boolean} [again] nobody knows that it was refused: it goes out under the same guid
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
 * Messages without a hole between them, some way before the newest.
 * @typedef {{ messages: Message[], complete: boolean }} Past
 */

/**
 * What every conversation keeps.
 * @typedef {object} Log
 * @property {string} conv `g:<group id>` or `d:<user id>+<user id>`, the name of its stream
 * @property {Message[]} messages oldest first, without holes up to the newest
 * @property {boolean} complete nothing older is to be had
 * @property {number} n events up to here are applied
 * @property {number} messageN the `n` of the newest message
 * @property {number} readN
 * @property {number} unread messages of others after `readN`
 * @property {number} count all messages that there are, loaded or not
 * @property {Event[] | null} filling heard before the group itself was loaded; null once it is
 * @property {Unsent[]} outbox
 * @property {boolean} [copied] it is what this device kept, and the server has not been asked yet
 * @property {boolean} held somebody reads further up, so that nothing loaded is let go
 * @property {Past | null} [past] a stretch further up that somebody was led to
 * @property {Readonly<Record<string, boolean>>} pendingLikes by message: that I like it or not, until the server says so
 */

/**
 * One conversation as the store keeps it.
 * @typedef {Log & { kind: "group", group: Group, other?: undefined }} GroupConversation
 * @typedef {Log & { kind: "chat", other: Person, otherReadN: number, mutedUntil?: number | null, group?: undefined }} ChatConversation
 * @typedef {GroupConversation | ChatConversation} Conversation
 */

/**
 * @typedef {object} Snapshot
 * @property {User} user
 * @property {Readonly<Record<string, Conversation>>} conversations by `conv`
 * @property {readonly string[]} blocked user ids of those I keep away
 * @property {number} [copiedAt] seconds: this is what the device kept then; absent once the server has answered
 */

export {};
