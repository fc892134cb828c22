//! Chats in JSON (specification, section 2, Chat).

use schemars::JsonSchema;
use serde::Serialize;

use crate::instance::Instance;
use crate::message::DirectMessage;
use crate::original::OriginalChat;
use crate::schema::scalars::TextId;
use domain::chat::CHAT_POLICY;
use domain::ids::UserId;
use domain::message::MessageJson;
use domain::message_requests::RequestState;
use domain::revision::Deleter;
use domain::time::Timestamp;
use domain::user::Profile;

/// A chat as one of its two users sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Chat")]
pub struct ChatJson {
    /// When the first message was sent. Unix time in seconds.
    created_at: u64,
    /// When the newest message was sent. Unix time in seconds.
    updated_at: u64,
    /// Number of messages that paging can reach.
    messages_count: u64,
    /// The newest message.
    #[schemars(with = "DirectMessage<'_>")]
    last_message: MessageJson,
    /// The other user of the chat.
    other_user: OtherUser,
    /// Minutes after sending during which senders may edit a message; 2147483647 means forever.
    message_edit_period: u32,
    /// Seconds after sending during which senders may delete a message; 2147483647 means forever.
    message_deletion_period: u32,
    /// Who may delete a message: always `sender`.
    message_deletion_mode: Vec<&'static str>,
    /// Until when you muted this chat; null if it is not muted. Unix time in seconds; 253402300800
    /// means until you unmute it.
    muted_until: Option<u64>,
    /// Present if the other user began the chat with a request to you that you have not accepted:
    /// `open`, or `declined`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["open", "declined"]))]
    request: Option<&'static str>,
    /// Number of messages that you have not read; in lists of chats only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_count: Option<u64>,
    /// Number of unread messages that mention you or reply to you, at most 1000; in lists of chats
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_mentions: Option<u64>,
    /// Fields for existing clients.
    #[serde(flatten)]
    pub original: Option<OriginalChat>,
}

/// The other user of a chat.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OtherUser {
    /// URL of the user's picture; null if they have none.
    avatar_url: Option<String>,
    /// The user's id as a number, unlike all other ids; as text under `/compat/v3` and on a
    /// compatibility host.
    id: OtherUserId,
    /// The user's id as text.
    user_id: TextId,
    /// The user's name.
    name: String,
    /// `guest` if the user is a guest; absent for everybody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["guest"]))]
    kind: Option<&'static str>,
}

/// The id of the other user, in one of two forms.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum OtherUserId {
    /// A number, as in the specification.
    Number(u64),
    /// Text, like all other ids.
    Text(TextId),
}

/// The state of a chat that is shown beside its users.
#[derive(Debug)]
pub struct ChatSummary {
    /// When the first message was sent. Unix time in seconds.
    pub created_at: u64,
    /// When the newest message was sent. Unix time in seconds.
    pub updated_at: u64,
    /// Number of messages that paging can reach.
    pub count: u64,
    /// JSON of the newest message.
    pub last: MessageJson,
    /// Until when the reader muted the chat; None if it is not muted or the mute is over.
    pub muted: Option<Timestamp>,
    /// What became of the request with which the other user began the chat.
    pub request: Option<RequestState>,
}

/// The form in which the id of the other user is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// A number, as in the specification.
    Number,
    /// Text, like all other ids.
    Text,
}

/// Builds the JSON of a chat with this other user.
pub fn resource(
    log: ChatSummary,
    other: (UserId, IdForm),
    profile: &Profile,
    instance: &Instance,
) -> ChatJson {
    ChatJson {
        created_at: log.created_at,
        updated_at: log.updated_at,
        messages_count: log.count,
        last_message: log.last,
        other_user: other_user(other.0, other.1, profile, instance),
        message_edit_period: CHAT_POLICY.edit_minutes,
        message_deletion_period: CHAT_POLICY.delete_seconds,
        message_deletion_mode: CHAT_POLICY.deleters().map(Deleter::as_str).collect(),
        muted_until: log.muted.map(Timestamp::seconds),
        request: log.request.map(RequestState::as_str),
        unread_count: None,
        unread_mentions: None,
        original: None,
    }
}

/// Builds the JSON of the other user of a chat.
pub fn other_user(
    other: UserId,
    form: IdForm,
    profile: &Profile,
    instance: &Instance,
) -> OtherUser {
    OtherUser {
        avatar_url: profile.image.as_ref().map(|image| instance.image_url(image)),
        id: match form {
            IdForm::Number => OtherUserId::Number(other.get()),
            IdForm::Text => OtherUserId::Text(other.into()),
        },
        user_id: other.into(),
        name: profile.name.as_str().to_owned(),
        kind: profile.kind().mark(),
    }
}
