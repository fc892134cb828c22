/**
 * The types of the client: what the wire carries and what the store keeps.
 *
 * Only JSDoc, no code: `tsc --checkJs` reads it, browsers never load it. Wire types name the fields this
 * client uses; the server may send more.
 */

/**
 * @typedef {object} User
 * @property {string} id
 * @property {string} name
 * @property {string | null} [email]
 * @property {boolean} [email_verified] only of my own account, where the server sends mail
 * @property {string} [entered_email] an address that I entered and have not confirmed
 * @property {string | null} [phone_number]
 * @property {string | null} [image_url]
 * @property {"guest"} [kind] only of guests
 * @property {MissingFactor} [second_factor] only of my own account, while it lacks one that the server asks for
 */

/** @typedef {{ until: number }} MissingFactor until when a second factor has to be set up, in seconds */

/**
 * @typedef {object} Member
 * @property {string} [id] the membership's own id, not the user's
 * @property {string} user_id
 * @property {string} nickname
 * @property {string} [name] the account's name, outside the group
 * @property {"guest"} [kind] only of guests
 * @property {string | null} [image_url]
 * @property {boolean} [muted] whether the member wants no notices of this group
 * @property {number | null} [muted_until] seconds; when the muting ends
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
 * @property {{ type: string, data: any }} [event] what a system message announces, for programs
 * @property {string} [caused_by] the user whose act a system message announces
 * @property {number} [edited_at] seconds; absent unless it was edited
 * @property {number} [deleted_at] seconds; the content of a deleted message is gone
 * @property {string} [deletion_actor] `sender`, `admin`, or `system` for an operator
 * @property {number} [reply_count] replies in the thread that it began; absent while there are none
 * @property {number | null} [pinned_at] seconds; since when it is pinned
 * @property {string[]} favorited_by
 * @property {Reaction[]} [reactions] those of `favorited_by`, grouped by emoji; absent while nobody likes it
 * @property {Attachment[]} attachments
 * @property {LinkPreview[]} [link_previews] of the pages to which it links; absent while there are none
 * @property {string} [sender_type] `user`, `bot` or `system`
 * @property {number} [n] in chats: its number in the conversation, or an upper bound of it
 */

/**
 * The sign of a like: an emoji; without a `code` it is a picture that only other clients know.
 * @typedef {{ type: string, code?: string, pack_id?: number, pack_index?: number }} Sign
 */

/**
 * A sign and the users who reacted with it.
 * @typedef {Sign & { user_ids: string[] }} Reaction
 */

/**
 * The title, description and picture of a linked page.
 * @typedef {{ url: string, title: string, description: string | null, image_url: string | null }} LinkPreview
 */

/**
 * A user as others see them.
 * @typedef {{ id: string, name: string, imageUrl?: string | null, isGuest?: boolean }} Person
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
 * @property {Member[] | null} [members] null in a list that leaves them out
 * @property {boolean} [muted] whether I have muted it, which counts without `members`
 * @property {number} [timed_out_until] seconds; until when I was timed out when everything was loaded
 * @property {string | null} [share_url] absent while nobody can join by a link
 * @property {"admins" | "members"} [mention_all] who may mention everybody
 * @property {GroupType} [type] what plain members may do
 * @property {number} [slow_mode] seconds between two posts of one plain member; 0 while it is off
 * @property {"hidden" | "searchable"} [visibility] whether the directory lists the group
 * @property {boolean} [requires_approval] whether the owner or an admin decides who joins
 * @property {boolean} [show_join_question] whether people who ask to join answer the question
 * @property {{ text: string } | null} [join_question]
 * @property {string[]} [message_deletion_mode] who may delete messages: `sender`, `admin`
 * @property {number | null} [archived_at] seconds; since when the group is archived
 * @property {Frozen | null} [frozen] set while the operators have frozen the group
 * @property {GroupMessages | null} [messages]
 * @property {{ id: string, name: string }} [parent] the group of a topic; the conversation of a topic has a group that is
 *   made of both
 * @property {number | null} [muted_until] seconds; when my muting of a topic ends
 */

/**
 * A topic of a group. Its ids are numbers on the wire.
 * @typedef {object} Topic
 * @property {number} id
 * @property {number} parent_id the id of the group
 * @property {string} topic its name
 * @property {string | null} description
 * @property {string | null} avatar_url
 * @property {"private" | "announcement"} type what plain members may do
 * @property {number} creator_user_id
 * @property {number} created_at seconds
 * @property {number} updated_at seconds
 * @property {number | null} [muted_until] seconds; when my muting ends
 */

/**
 * A topic in a list, for one reader.
 * @typedef {Topic & { messages: { count: number, last_message_id: string | null, last_message_created_at: number | null,
 *   preview?: { nickname?: string, text?: string | null, attachments?: Attachment[] } | null } }} ListedTopic
 */

/** @typedef {"private" | "closed" | "announcement"} GroupType */
/** @typedef {{ at: number, reason: string }} Frozen since when, in seconds, and why */

/**
 * @typedef {object} GroupMessages
 * @property {number} count
 * @property {string | null} [last_message_id]
 * @property {number | null} [last_message_created_at] seconds
 */

/**
 * A chat as lists show it. The other user's id is a number on the wire, so the client takes it from the
 * conversation's id.
 * @typedef {object} Chat
 * @property {{ conversation_id: string } & Partial<Message>} last_message
 * @property {number} [messages_count]
 * @property {{ name: string, avatar_url: string | null, kind?: "guest" }} other_user
 * @property {RequestState} [request] while it is a message request to me that I have not accepted
 * @property {number | null} [muted_until] seconds; when my muting ends
 */

/** @typedef {"open" | "declined"} RequestState */

/**
 * @typedef {{ messages: Message[], n: number, read_n: number, unread: number, unread_mentions?: number, last_message?: Partial<Message>, group?:
 * Group, chat?: Chat }} Synced
 * @typedef {Synced & { group: Group, muted?: boolean, timed_out_until?: number }} SyncedGroup
 * @typedef {Synced & { chat: Chat, other_read_n: number, other_unread: number }} SyncedChat
 * @typedef {Synced & { topic: Topic, muted_until?: number | null }} SyncedTopic
 */

/**
 * The answer of `GET /v3/sync`.
 * @typedef {object} Sync
 * @property {string} c
 * @property {User} user
 * @property {SyncedGroup[]} groups
 * @property {SyncedChat[]} [chats]
 * @property {SyncedTopic[]} [topics] of the groups
 * @property {import("../composer/drafts.js").Draft[]} [drafts]
 * @property {import("../conversation_list/conversation_list.js").ConversationList} [conversation_list]
 * @property {true} [more_groups] there are more than fit
 * @property {true} [more_chats] there are more than fit
 * @property {true} [more_topics] there are more than fit
 * @property {true} [more_drafts] there are more than fit
 * @property {{ conv: string, message_id: string }[]} [saved] the saved messages, the newest first; absent while there are none
 * @property {{ blocked_user_id: string }[]} [blocks]
 * @property {true} [more_blocks] there are more than fit
 */

/**
 * A durable event, as the push socket carries it. `alert` is the text of a notice; null if I want none.
 * @typedef {{ c: string, conv: string, n: number, type: string, at?: number, data: any, alert?: string | null }} Event
 */

/**
 * A message of mine that the log does not hold yet.
 * @typedef {object} Unsent
 * @property {string} guid becomes the message's `source_guid`
 * @property {string} text empty when there are only attachments
 * @property {Attachment[]} attachments
 * @property {number} at seconds; when it was written
 * @property {number} order grows with each message written during one visit
 * @property {"sending" | "waiting" | "failed" | "held" | "sent"} state `waiting`: sent again automatically;
 *   `failed`: a person has to decide; `held`: waits for approval; `sent`: stored, but its event has not come yet
 * @property {string} [held] the id under which it waits for approval
 * @property {string} [why] a sentence for a person
 * @property {boolean} [again] whether it may have been stored, so that a retry keeps its guid
 */

/**
 * An access token: of a log-in, or of an application.
 * @typedef {object} Token
 * @property {string} id
 * @property {"log-in" | "application" | "own"} kind
 * @property {string | null} application
 * @property {string | null} device
 * @property {number} created_at
 * @property {number | null} expires_at
 * @property {number | null} last_used_at
 * @property {boolean} current
 * @property {string[]} scopes
 */

/**
 * @typedef {object} Application
 * @property {string} client_id
 * @property {string} name
 * @property {string} callback_url
 * @property {string[]} scopes what it may ask for
 */

/**
 * Consecutive messages further up than the newest ones. `complete` means that nothing is older.
 * @typedef {{ messages: Message[], complete: boolean }} Past
 */

/**
 * What groups and chats have in common.
 * @typedef {object} Log
 * @property {string} conv `g:<group id>` or `d:<user id>+<user id>`, the name of its stream
 * @property {Message[]} messages oldest first, without holes up to the newest
 * @property {Message} [short] the newest message as the snapshot's short form tells of it, while none is loaded
 * @property {boolean} complete whether the oldest message is loaded
 * @property {number} n events up to here are applied
 * @property {number} messageN the `n` of the newest message
 * @property {number} readN the `n` up to which I have read
 * @property {number} unread messages of others after `readN`
 * @property {number} [mentions] those of them that mention me or reply to me, or more: see `unreadMentions`
 * @property {number} count all messages of the conversation, loaded or not; Infinity while unknown
 * @property {Event[] | null} filling events received before the group itself was loaded; null once it is
 * @property {Unsent[]} outbox
 * @property {boolean} [copied] whether it comes from this device's copy, before the server has answered
 * @property {boolean} held whether somebody reads further up, so that no loaded message is let go
 * @property {Past | null} [past] a stretch further up to which somebody jumped
 * @property {Readonly<Record<string, boolean>>} pendingLikes by message id: whether I like it, until the server
 * confirms
 */

/**
 * A conversation in the store.
 * @typedef {Log & { kind: "group", group: Group, topic?: Topic, topicsAt?: number, other?: undefined, request?: undefined }} GroupConversation
 *   the main conversation of a group, or with `topic` one of its topics; `topicsAt` is when the newest message of its
 *   topics was sent, in seconds
 * @typedef {Log & { kind: "chat", other: Person, otherReadN: number, mutedUntil?: number | null, request?: RequestState,
 * group?: undefined, topic?: undefined }} ChatConversation
 * @typedef {GroupConversation | ChatConversation} Conversation
 */

/**
 * @typedef {object} Snapshot
 * @property {User} user
 * @property {Readonly<Record<string, Conversation>>} conversations by `conv`
 * @property {readonly string[]} blocked ids of the users whom I block
 * @property {import("../saved/saved.js").Saved} [saved] the messages that I saved; absent while there are none
 * @property {boolean} [isPartial] whether conversations are still to come that did not fit into the snapshot
 * @property {import("../conversation_list/conversation_list.js").ConversationList} [conversationList] as the server has it; absent until it
 *   is loaded
 * @property {readonly import("../conversation_list/conversation_list.js").ListChange[]} [listChanges] changes of it that the server has not
 *   confirmed, oldest first
 * @property {number} [copiedAt] seconds: when this device kept the copy; absent once the server has answered
 */

export {};
