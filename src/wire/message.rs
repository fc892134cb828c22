//! Messages in JSON: the specification's fields, and those that existing clients read. The
//! one place that knows what a message looks like, in groups and in chats.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::domain::addressing::{EVERYBODY, OLD_EVERYBODY, in_units};
use crate::domain::attachment::Attachment;
use crate::domain::ids::{Conversation, GroupId, Pair, UserId};
use crate::domain::likes::Likers;
use crate::domain::message::{Author, Message, MessageJson, ShownMessage};
use crate::domain::text::{MessageText, SourceGuid};
use crate::domain::time::Timestamp;
use crate::wire::as_text::{as_author, as_ids, as_pinner, as_text};
use crate::wire::attachment::{self, AttachmentResource};
use crate::wire::instance::Instance;
use crate::wire::link_preview::{self, LinkPreviewResource};
use crate::wire::reaction::{self, ReactionResource};
use crate::wire::schema::scalars::{ChatName, TextId};
use crate::wire::system_event::named::DeletionActor;
use crate::wire::system_event::{SystemEvent, iso};

/// A message as it goes out.
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
    /// Grows with time in its conversation.
    id: TextId,
    /// What the sender's client called it.
    #[schemars(with = "SourceGuid")]
    source_guid: &'a str,
    /// When it was written. Unix time in seconds.
    created_at: u64,
    /// When it last changed. Unix time in seconds.
    updated_at: u64,
    /// Who wrote it: a user, a bot, or `system`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "String")]
    user_id: &'a Author,
    /// The group that it is in.
    group_id: TextId,
    /// The sender's nickname in the group.
    name: &'a str,
    /// The sender's picture.
    avatar_url: Option<String>,
    /// What it says.
    #[schemars(with = "Option<MessageText>")]
    text: Option<&'a str>,
    /// Whether it is a system message about the group.
    system: bool,
    /// Who likes it, with whichever sign.
    #[serde(serialize_with = "as_ids")]
    #[schemars(with = "Vec<TextId>")]
    favorited_by: &'a Likers,
    /// The same by sign; absent while nobody likes it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reactions: Vec<ReactionResource<'a>>,
    /// What it carries.
    attachments: Vec<AttachmentResource<'a>>,
    /// The same as `user_id`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "String")]
    sender_id: &'a Author,
    /// What kind of sender it was.
    sender_type: SenderType,
    /// Always the same.
    #[schemars(extend("const" = PLATFORM))]
    platform: &'static str,
    /// What happened, of a system message and of one that carries a poll or an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<SystemEvent<'a>>,
    /// Since when it is pinned. Unix time in seconds.
    pinned_at: Option<u64>,
    /// Who pinned it; empty while nobody has.
    #[serde(serialize_with = "as_pinner")]
    #[schemars(with = "String")]
    pinned_by: Option<UserId>,
    /// Answers of the thread that it began; absent while there are none.
    #[serde(skip_serializing_if = "is_none")]
    reply_count: u64,
    /// When the newest of them was written. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_reply_at: Option<u64>,
    /// Of the pages to which it links; absent while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    link_previews: Vec<LinkPreviewResource<'a>>,
    /// When it was deleted; `text` is `null` then. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    /// In which part whoever deleted it acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_actor: Option<DeletionActor>,
}

/// What existing clients expect as `platform`.
const PLATFORM: &str = "gm";

/// What kind of sender a message has.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum SenderType {
    /// Somebody with an account.
    User,
    /// A bot.
    Bot,
    /// This server.
    System,
}

/// A message between two users.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DirectMessage")]
pub struct DirectMessage<'a> {
    /// Grows with time in its conversation.
    id: TextId,
    /// What the sender's client called it.
    #[schemars(with = "SourceGuid")]
    source_guid: &'a str,
    /// To whom.
    recipient_id: Option<TextId>,
    /// Who wrote it.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "TextId")]
    user_id: &'a Author,
    /// What the sender is called.
    name: &'a str,
    /// The sender's picture.
    avatar_url: Option<String>,
    /// What it says.
    #[schemars(with = "Option<MessageText>")]
    text: Option<&'a str>,
    /// Who likes it, with whichever sign.
    #[serde(serialize_with = "as_ids")]
    #[schemars(with = "Vec<TextId>")]
    favorited_by: &'a Likers,
    /// The same by sign; absent while nobody likes it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reactions: Vec<ReactionResource<'a>>,
    /// What it carries.
    attachments: Vec<AttachmentResource<'a>>,
    /// When it was written. Unix time in seconds.
    created_at: u64,
    /// Both users, the smaller id first.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "ChatName")]
    conversation_id: Pair,
    /// The same as `user_id`.
    #[serde(serialize_with = "as_author")]
    #[schemars(with = "TextId")]
    sender_id: &'a Author,
    /// What kind of sender it was.
    sender_type: SenderType,
    /// When it last changed. Unix time in seconds.
    updated_at: u64,
    /// What happened, of one that carries an event of the calendar.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<SystemEvent<'a>>,
    /// Since when it is pinned. Unix time in seconds.
    pinned_at: Option<u64>,
    /// Who pinned it; empty while nobody has.
    #[serde(serialize_with = "as_pinner")]
    #[schemars(with = "String")]
    pinned_by: Option<UserId>,
    /// Answers of the thread that it began; absent while there are none.
    #[serde(skip_serializing_if = "is_none")]
    reply_count: u64,
    /// When the newest of them was written. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_reply_at: Option<u64>,
    /// Of the pages to which it links; absent while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    link_previews: Vec<LinkPreviewResource<'a>>,
    /// When it was deleted; `text` is `null` then. Unix time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    /// In which part whoever deleted it acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_actor: Option<DeletionActor>,
}

/// A message that somebody likes, in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LikedMessage")]
pub struct LikedMessage<'a> {
    #[serde(flatten)]
    message: GroupMessage<'a>,
    /// When you liked it (ISO 8601); in `likes/mine` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    liked_at: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The JSON of a message, with those who like it.
pub fn json(
    conversation: impl Into<Conversation>,
    message: &Message,
    likers: &Likers,
    instance: &Instance,
) -> MessageJson {
    let shown = shown(conversation.into(), message, likers, instance);
    MessageJson::new(to_raw_value(&shown).expect("texts, numbers and lists are always JSON"))
}

/// The same as a value, for dialects that add to it.
pub fn value(
    conversation: impl Into<Conversation>,
    message: &Message,
    likers: &Likers,
    instance: &Instance,
) -> Value {
    let shown = shown(conversation.into(), message, likers, instance);
    serde_json::to_value(&shown).expect("texts, numbers and lists are always JSON")
}

/// Whether clients from before the specification are shown a message in another form.
pub fn has_old_form(message: &Message) -> bool {
    message.is_deleted() || message.attachments.iter().any(|it| it.mentions().is_some())
}

/// The JSON of a message for clients from before the specification: they have no word for a
/// deleted one, so its text says so, and they count places in the text in another unit.
pub fn in_old_form(
    conversation: impl Into<Conversation>,
    message: &Message,
    likers: &Likers,
    instance: &Instance,
) -> MessageJson {
    let mut shown = value(conversation, message, likers, instance);
    make_old_form(&mut shown, message);
    MessageJson::new(to_raw_value(&shown).expect("texts, numbers and lists are always JSON"))
}

/// Gives the value of a message the form of clients from before the specification.
pub fn make_old_form(shown: &mut Value, message: &Message) {
    if let Some((_, actor)) = message.state.deleted {
        shown["text"] = json!(actor.words());
    }
    let text = message.text.as_deref().unwrap_or_default();
    for (index, attachment) in message.attachments.iter().enumerate() {
        if let Attachment::Mentions { user_ids, loci, .. } = attachment {
            let old = |id: &String| if id == EVERYBODY { OLD_EVERYBODY } else { id }.to_owned();
            let user_ids: Vec<String> = user_ids.iter().map(old).collect();
            let shown = &mut shown["attachments"][index];
            shown["user_ids"] = json!(user_ids);
            shown["loci"] = json!(in_units(text, loci));
        }
    }
}

/// A message that nobody likes yet, with its JSON.
pub fn fresh(
    conversation: impl Into<Conversation>,
    message: Arc<Message>,
    instance: &Instance,
) -> ShownMessage {
    let json = json(conversation, &message, Likers::NOBODY, instance);
    ShownMessage { message, json }
}

fn shown<'a>(
    conversation: Conversation,
    message: &'a Message,
    likers: &'a Likers,
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
    likers: &'a Likers,
    instance: &Instance,
) -> GroupMessage<'a> {
    GroupMessage {
        id: message.id.into(),
        source_guid: &message.source_guid,
        created_at: message.created_at(),
        updated_at: message.updated_at(),
        user_id: &message.author,
        group_id: group_id.into(),
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        system: message.author == Author::System,
        favorited_by: likers,
        reactions: reaction::shown(likers),
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        sender_id: &message.author,
        sender_type: sender_type(&message.author),
        platform: PLATFORM,
        event: message.line.as_ref().map(|line| SystemEvent::of(group_id.into(), line, instance)),
        pinned_at: message.state.pinned.map(|pin| pin.at.seconds()),
        pinned_by: message.state.pinned.map(|pin| pin.by),
        reply_count: message.state.thread.count,
        last_reply_at: message.state.thread.last_at.map(Timestamp::seconds),
        link_previews: link_preview::shown(message, instance),
        deleted_at: deletion(message).0,
        deletion_actor: deletion(message).1,
    }
}

fn in_chat<'a>(
    pair: Pair,
    message: &'a Message,
    likers: &'a Likers,
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
        reactions: reaction::shown(likers),
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
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
        link_previews: link_preview::shown(message, instance),
        deleted_at: deletion(message).0,
        deletion_actor: deletion(message).1,
    }
}

/// When a message was deleted, and in which part whoever did it acted.
fn deletion(message: &Message) -> (Option<u64>, Option<DeletionActor>) {
    let (at, actor) = message.state.deleted.unzip();
    (at.map(Timestamp::seconds), actor.map(DeletionActor::from))
}

/// A message in a list of liked ones, with the time of the reader's like if it is theirs.
pub fn listed<'a>(
    group: GroupId,
    message: &'a Message,
    likers: &'a Likers,
    liked_at: Option<Timestamp>,
    instance: &Instance,
) -> LikedMessage<'a> {
    let message = in_group(group, message, likers, instance);
    LikedMessage { message, liked_at: liked_at.map(iso) }
}

/// What kind of sender it was.
const fn sender_type(author: &Author) -> SenderType {
    match author {
        Author::Member(_) => SenderType::User,
        Author::Bot(_) => SenderType::Bot,
        Author::System => SenderType::System,
    }
}
