//! Messages in JSON: the fields of the specification, and those that existing clients read. This is
//! the only place that knows the form of a message, in groups and in chats.

use std::fmt::Display;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::attachment::{self, AttachmentResource};
use crate::instance::Instance;
use crate::reaction::{ReactionResource, ShownLikers};
use crate::schema::scalars::{ChatName, TextId};
use crate::system_event::named::DeletionActor;
use crate::system_event::{SystemEvent, iso};
use domain::ids::{Conversation, GroupId, Pair, UserId};
use domain::likes::Likers;
use domain::message::{Author, Message, MessageJson, ShownMessage};
use domain::text::{MessageText, SourceGuid};
use domain::time::Timestamp;

/// A message of a group or of a chat.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    InGroup(GroupMessage<'a>),
    InChat(DirectMessage<'a>),
}

/// A message of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct GroupMessage<'a> {
    /// The message's id. Ids increase with time within a conversation.
    id: TextId,
    /// The identifier that the sender's client chose for the message.
    #[schemars(with = "SourceGuid")]
    source_guid: &'a str,
    /// When the message was sent. Unix time in seconds.
    created_at: u64,
    /// When the message was last edited or deleted; if neither, when it was sent. Unix time in
    /// seconds.
    updated_at: u64,
    /// Id of the author: a user or a bot, or `system`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "String")]
    user_id: &'a Author,
    /// Id of the group or the topic.
    group_id: TextId,
    /// Id of the group, if `group_id` is one of its topics; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<TextId>,
    /// Name of the sender: a member's nickname in the group when the message was sent.
    name: &'a str,
    /// URL of the sender's picture; null if they had none.
    avatar_url: Option<String>,
    /// Text of the message; null if it has none or was deleted.
    #[schemars(with = "Option<MessageText>")]
    text: Option<&'a str>,
    /// Whether the message is a system message about the group.
    system: bool,
    /// Ids of the users who like the message, with any reaction. Empty in events if they are more
    /// than 100.
    #[serde(serialize_with = "as_ids")]
    #[schemars(with = "Vec<TextId>")]
    favorited_by: ShownLikers<'a>,
    /// Number of these users; only in events, and only if they are more than 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    favorited_count: Option<usize>,
    /// The same users, grouped by reaction; absent while nobody likes the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reactions: Vec<ReactionResource<'a>>,
    /// Attachments of the message.
    attachments: Vec<AttachmentResource<'a>>,
    /// The same as `user_id`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "String")]
    sender_id: &'a Author,
    /// Type of the sender.
    sender_type: SenderType,
    /// Always `gm`.
    #[schemars(extend("const" = PLATFORM))]
    platform: &'static str,
    /// What happened, in a form for programs; in system messages, and in messages that carry a poll
    /// or a calendar event.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<SystemEvent<'a>>,
    /// When the message was pinned; null if it is not. Unix time in seconds.
    pinned_at: Option<u64>,
    /// Id of the user who pinned the message; empty if it is not pinned.
    #[serde(serialize_with = "as_pinner")]
    #[schemars(with = "String")]
    pinned_by: Option<UserId>,
    /// Number of replies in the thread that this message began, including deleted ones; absent
    /// while there are none.
    #[serde(skip_serializing_if = "is_zero")]
    reply_count: u64,
    /// When the newest of these replies was sent; absent while there are none. Unix time in
    /// seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_reply_at: Option<u64>,
    /// Previews of pages that the text links to; absent while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    link_previews: Vec<LinkPreviewResource<'a>>,
    /// When the message was deleted; absent if it was not. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    /// The role of the user who deleted the message; absent if it was not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_actor: Option<DeletionActor>,
    /// When the message was last edited; absent if it never was, or was deleted. Unix time in
    /// seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<u64>,
    /// Id of the user whose act caused the system message; absent in messages of users and bots, and
    /// if nobody caused it. For this user, it counts as read, as their own messages do.
    #[serde(skip_serializing_if = "Option::is_none")]
    caused_by: Option<TextId>,
}

/// The value of `platform` that existing clients expect.
const PLATFORM: &str = "gm";

/// The type of a message's sender.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SenderType {
    /// A user.
    User,
    /// A bot.
    Bot,
    /// The server.
    System,
}

/// A message between two users.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DirectMessage")]
pub struct DirectMessage<'a> {
    /// The message's id. Ids increase with time within a conversation.
    id: TextId,
    /// The identifier that the sender's client chose for the message.
    #[schemars(with = "SourceGuid")]
    source_guid: &'a str,
    /// Id of the user to whom the message was sent.
    recipient_id: Option<TextId>,
    /// Id of the user who wrote the message.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "TextId")]
    user_id: &'a Author,
    /// The sender's name when the message was sent.
    name: &'a str,
    /// URL of the sender's picture; null if they had none.
    avatar_url: Option<String>,
    /// Text of the message; null if it has none or was deleted.
    #[schemars(with = "Option<MessageText>")]
    text: Option<&'a str>,
    /// Ids of the users who like the message, with any reaction. Empty in events if they are more
    /// than 100.
    #[serde(serialize_with = "as_ids")]
    #[schemars(with = "Vec<TextId>")]
    favorited_by: ShownLikers<'a>,
    /// Number of these users; only in events, and only if they are more than 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    favorited_count: Option<usize>,
    /// The same users, grouped by reaction; absent while nobody likes the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reactions: Vec<ReactionResource<'a>>,
    /// Attachments of the message.
    attachments: Vec<AttachmentResource<'a>>,
    /// When the message was sent. Unix time in seconds.
    created_at: u64,
    /// Ids of both users as `a+b`, the smaller id first.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "ChatName")]
    conversation_id: Pair,
    /// The same as `user_id`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "TextId")]
    sender_id: &'a Author,
    /// Type of the sender.
    sender_type: SenderType,
    /// When the message was last edited or deleted; if neither, when it was sent. Unix time in
    /// seconds.
    updated_at: u64,
    /// What happened, in a form for programs; in messages that carry a calendar event.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<SystemEvent<'a>>,
    /// When the message was pinned; null if it is not. Unix time in seconds.
    pinned_at: Option<u64>,
    /// Id of the user who pinned the message; empty if it is not pinned.
    #[serde(serialize_with = "as_pinner")]
    #[schemars(with = "String")]
    pinned_by: Option<UserId>,
    /// Number of replies in the thread that this message began, including deleted ones; absent
    /// while there are none.
    #[serde(skip_serializing_if = "is_zero")]
    reply_count: u64,
    /// When the newest of these replies was sent; absent while there are none. Unix time in
    /// seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_reply_at: Option<u64>,
    /// Previews of pages that the text links to; absent while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    link_previews: Vec<LinkPreviewResource<'a>>,
    /// When the message was deleted; absent if it was not. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    /// The role of the user who deleted the message; absent if it was not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_actor: Option<DeletionActor>,
    /// When the message was last edited; absent if it never was, or was deleted. Unix time in
    /// seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<u64>,
}

/// A message in a list of liked messages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LikedMessage")]
pub struct LikedMessage<'a> {
    #[serde(flatten)]
    message: GroupMessage<'a>,
    /// When you liked the message (ISO 8601); in `likes/mine` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    liked_at: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Builds the JSON of a message with the users who like it.
pub fn json<'a>(
    conversation: impl Into<Conversation>,
    message: &'a Message,
    likers: impl Into<ShownLikers<'a>>,
    instance: &Instance,
) -> MessageJson {
    let resource = resource(conversation.into(), message, likers.into(), instance);
    MessageJson::new(to_raw_value(&resource).expect("texts, numbers and lists are always JSON"))
}

/// Builds the same as a JSON value, for dialects that add fields.
pub fn value<'a>(
    conversation: impl Into<Conversation>,
    message: &'a Message,
    likers: impl Into<ShownLikers<'a>>,
    instance: &Instance,
) -> Value {
    let resource = resource(conversation.into(), message, likers.into(), instance);
    serde_json::to_value(&resource).expect("texts, numbers and lists are always JSON")
}

/// Returns a message that nobody likes yet, with its JSON.
pub fn fresh(
    conversation: impl Into<Conversation>,
    message: Arc<Message>,
    instance: &Instance,
) -> ShownMessage {
    let json = json(conversation, &message, Likers::NOBODY, instance);
    ShownMessage { message, json }
}

fn resource<'a>(
    conversation: Conversation,
    message: &'a Message,
    likers: ShownLikers<'a>,
    instance: &Instance,
) -> Shown<'a> {
    match conversation {
        Conversation::Group(group) => Shown::InGroup(in_group(group, message, likers, instance)),
        Conversation::Chat(pair) => Shown::InChat(in_chat(pair, message, likers, instance)),
    }
}

fn in_group<'a>(
    group_id: GroupId,
    message: &'a Message,
    likers: ShownLikers<'a>,
    instance: &Instance,
) -> GroupMessage<'a> {
    GroupMessage {
        id: message.id.into(),
        source_guid: &message.source_guid,
        created_at: message.created_at(),
        updated_at: message.updated_at(),
        user_id: &message.author,
        group_id: group_id.into(),
        parent_id: message.parent.map(TextId::from),
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        system: message.author == Author::System,
        favorited_by: likers,
        favorited_count: likers.count(),
        reactions: likers.reactions(),
        attachments: message
            .attachments
            .iter()
            .map(|it| attachment::resource(it, instance))
            .collect(),
        sender_id: &message.author,
        sender_type: sender_type(&message.author),
        platform: PLATFORM,
        event: message.line.as_ref().map(|line| SystemEvent::of(group_id.into(), line, instance)),
        pinned_at: message.state.pinned.map(|pin| pin.at.seconds()),
        pinned_by: message.state.pinned.map(|pin| pin.by),
        reply_count: message.state.thread.count,
        last_reply_at: message.state.thread.last_at.map(Timestamp::seconds),
        link_previews: link_previews(message, instance),
        deleted_at: deletion(message).0,
        deletion_actor: deletion(message).1,
        edited_at: edited_at(message),
        caused_by: message
            .caused_by()
            .filter(|_| message.author == Author::System)
            .map(TextId::from),
    }
}

fn in_chat<'a>(
    pair: Pair,
    message: &'a Message,
    likers: ShownLikers<'a>,
    instance: &Instance,
) -> DirectMessage<'a> {
    let recipient = message.author.user().and_then(|author| pair.other(author));
    DirectMessage {
        id: message.id.into(),
        source_guid: &message.source_guid,
        recipient_id: recipient.map(TextId::from),
        user_id: &message.author,
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        favorited_by: likers,
        favorited_count: likers.count(),
        reactions: likers.reactions(),
        attachments: message
            .attachments
            .iter()
            .map(|it| attachment::resource(it, instance))
            .collect(),
        created_at: message.created_at(),
        conversation_id: pair,
        sender_id: &message.author,
        sender_type: sender_type(&message.author),
        updated_at: message.updated_at(),
        event: message.line.as_ref().map(|line| SystemEvent::of(pair.into(), line, instance)),
        pinned_at: message.state.pinned.map(|pin| pin.at.seconds()),
        pinned_by: message.state.pinned.map(|pin| pin.by),
        reply_count: message.state.thread.count,
        last_reply_at: message.state.thread.last_at.map(Timestamp::seconds),
        link_previews: link_previews(message, instance),
        deleted_at: deletion(message).0,
        deletion_actor: deletion(message).1,
        edited_at: edited_at(message),
    }
}

/// Returns when a message was last edited; `None` if it was not, or was deleted.
fn edited_at(message: &Message) -> Option<u64> {
    let at = message.state.edited_at.filter(|_| !message.is_deleted());
    at.map(Timestamp::seconds)
}

/// Returns when a message was deleted, and the role of the user who deleted it.
fn deletion(message: &Message) -> (Option<u64>, Option<DeletionActor>) {
    let (at, actor) = message.state.deleted.unzip();
    (at.map(Timestamp::seconds), actor.map(DeletionActor::from))
}

/// Builds a message in a list of liked messages; `liked_at` is when the reader liked it, if the
/// list is theirs.
pub fn listed<'a>(
    group: GroupId,
    message: &'a Message,
    likers: &'a Likers,
    liked_at: Option<Timestamp>,
    instance: &Instance,
) -> LikedMessage<'a> {
    let message = in_group(group, message, likers.into(), instance);
    LikedMessage { message, liked_at: liked_at.map(iso) }
}

const fn sender_type(author: &Author) -> SenderType {
    match author {
        Author::Member(_) => SenderType::User,
        Author::Bot(_) => SenderType::Bot,
        Author::System => SenderType::System,
    }
}

/// Writes the author of a message: the id of the user or bot, or `system`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn as_author<S: Serializer>(author: &&Author, out: S) -> Result<S::Ok, S::Error> {
    match author {
        Author::Member(user) | Author::Bot(user) => TextId::from(*user).serialize(out),
        Author::System => out.collect_str(author),
    }
}

/// Writes the id of the user who pinned a message; an empty string if it is not pinned.
pub(super) fn as_pinner<S: Serializer>(by: &Option<UserId>, out: S) -> Result<S::Ok, S::Error> {
    match by {
        Some(user) => TextId::from(*user).serialize(out),
        None => out.serialize_str(""),
    }
}

/// Writes the ids of the users who like a message, as far as they are named.
pub(super) fn as_ids<S: Serializer>(likers: &ShownLikers<'_>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(likers.named().ids().map(TextId::from))
}

/// Writes an id that consists of two ids, such as that of a chat, in its text form.
pub(super) fn as_text<T: Display, S: Serializer>(id: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(id)
}

/// The preview of a web page that a message links to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkPreview")]
pub(super) struct LinkPreviewResource<'a> {
    /// The link, as written in the text.
    url: &'a str,
    /// Title of the page.
    title: &'a str,
    /// Description of the page; null if it gives none.
    description: Option<&'a str>,
    /// URL of the page's picture, stored on this server; null if there is none.
    image_url: Option<String>,
}

/// Builds the JSON of a message's link previews.
fn link_previews<'a>(message: &'a Message, instance: &Instance) -> Vec<LinkPreviewResource<'a>> {
    let previews = message.state.previews.iter();
    let shown = previews.map(|preview| LinkPreviewResource {
        url: &preview.url,
        title: &preview.title,
        description: preview.description.as_deref(),
        image_url: preview.image.as_ref().map(|image| instance.image_url(image)),
    });
    shown.collect()
}
