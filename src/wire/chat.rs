//! Chats in JSON (specification, section 2, Chat).

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::chat::CHAT_POLICY;
use crate::domain::ids::UserId;
use crate::domain::message::MessageJson;
use crate::domain::revision::Deleter;
use crate::domain::time::Timestamp;
use crate::domain::user::Profile;
use crate::wire::instance::Instance;
use crate::wire::message::DirectMessage;
use crate::wire::schema::scalars::TextId;

/// A chat as one of the two sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Chat")]
pub struct ChatJson {
    /// When the first message was written. Unix time in seconds.
    created_at: u64,
    /// When the newest message was written. Unix time in seconds.
    updated_at: u64,
    /// Messages that paging can reach.
    messages_count: u64,
    /// The newest message.
    #[schemars(with = "DirectMessage<'_>")]
    last_message: MessageJson,
    /// The other one of the two.
    other_user: OtherUser,
    /// Minutes in which one may edit what one wrote; 2147483647 for ever.
    message_edit_period: u32,
    /// Seconds in which one may delete what one wrote; 2147483647 for ever.
    message_deletion_period: u32,
    /// Who may delete a message: `sender`.
    message_deletion_mode: Vec<&'static str>,
    /// Until when you muted this chat. Unix time in seconds; 253402300800 is until you say
    /// otherwise, null is not muted.
    muted_until: Option<u64>,
    /// Messages that you have not read; in lists of chats only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_count: Option<u64>,
    /// How many of these mention you or answer you, up to 1000; in lists of chats only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_mentions: Option<u64>,
}

/// How a chat shows the other one of the two.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OtherUser {
    /// Their picture.
    avatar_url: Option<String>,
    /// A number, unlike every other id; a text under `/compat/v3` and on a compatibility host.
    id: OtherUserId,
    /// The same as `id`, as text.
    user_id: TextId,
    /// What they are called.
    name: String,
}

/// The id of the other user.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum OtherUserId {
    /// As the specification has it.
    Number(u64),
    /// As every other id.
    Text(TextId),
}

/// What a chat shows beside the people in it.
#[derive(Debug)]
pub struct Log {
    /// Unix seconds of the first message.
    pub created_at: u64,
    /// Unix seconds of the newest message.
    pub updated_at: u64,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest message, in JSON.
    pub last: MessageJson,
    /// Until when whoever looks at it muted it, if that is not over.
    pub muted: Option<Timestamp>,
}

/// How the id of the other user is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// As the specification has it.
    Number,
    /// As every other id.
    Text,
}

/// A chat with this person.
pub fn shown(
    log: Log,
    other: (UserId, IdForm),
    profile: &Profile,
    instance: &Instance,
) -> ChatJson {
    ChatJson {
        created_at: log.created_at,
        updated_at: log.updated_at,
        messages_count: log.count,
        last_message: log.last,
        other_user: other_user(other, profile, instance),
        message_edit_period: CHAT_POLICY.edit_minutes,
        message_deletion_period: CHAT_POLICY.delete_seconds,
        message_deletion_mode: CHAT_POLICY.deleters().map(Deleter::as_str).collect(),
        muted_until: log.muted.map(Timestamp::seconds),
        unread_count: None,
        unread_mentions: None,
    }
}

/// The other one of a chat.
pub fn other_user(
    (other, form): (UserId, IdForm),
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
    }
}
