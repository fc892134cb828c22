//! Messages in JSON: the specification's fields, and those that existing clients read. The
//! one place that knows what a message looks like, in groups and in chats.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Serialize, Serializer};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use crate::domain::ids::{Conversation, GroupId, MessageId, Pair, UserId};
use crate::domain::message::{
    Author, Message, MessageJson, NamedUser, NewMessage, ShownMessage, SystemMessage,
};
use crate::domain::text::{MessageText, SourceGuid};
use crate::domain::time::Timestamp;
use crate::wire::attachment::{self, AttachmentResource};
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// A message as it goes out.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    InGroup(GroupMessage<'a>),
    InChat(DirectMessage<'a>),
}

/// A group message as it goes out (specification, section 2).
#[derive(Serialize)]
struct GroupMessage<'a> {
    #[serde(serialize_with = "as_text")]
    id: MessageId,
    source_guid: &'a str,
    created_at: u64,
    updated_at: u64,
    #[serde(serialize_with = "as_text")]
    user_id: &'a Author,
    #[serde(serialize_with = "as_text")]
    group_id: GroupId,
    name: &'a str,
    avatar_url: Option<String>,
    text: Option<&'a str>,
    system: bool,
    #[serde(serialize_with = "as_texts")]
    favorited_by: &'a [UserId],
    attachments: Vec<AttachmentResource<'a>>,
    #[serde(serialize_with = "as_text")]
    sender_id: &'a Author,
    sender_type: &'static str,
    platform: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Value>,
}

/// A direct message as it goes out (specification, section 2).
#[derive(Serialize)]
struct DirectMessage<'a> {
    #[serde(serialize_with = "as_text")]
    id: MessageId,
    source_guid: &'a str,
    recipient_id: Option<String>,
    #[serde(serialize_with = "as_text")]
    user_id: &'a Author,
    name: &'a str,
    avatar_url: Option<String>,
    text: Option<&'a str>,
    #[serde(serialize_with = "as_texts")]
    favorited_by: &'a [UserId],
    attachments: Vec<AttachmentResource<'a>>,
    created_at: u64,
    #[serde(serialize_with = "as_text")]
    conversation_id: Pair,
    #[serde(serialize_with = "as_text")]
    sender_id: &'a Author,
    sender_type: &'static str,
}

/// Writes an id as text, as every id but a few is written.
pub(super) fn as_text<T: Display, S: Serializer>(id: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(id)
}

fn as_texts<T: Display, S: Serializer>(ids: &&[T], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(ids.iter().map(T::to_string))
}

/// The JSON of a message, with those who like it.
pub fn json(
    conversation: impl Into<Conversation>,
    message: &Message,
    favorited_by: &[UserId],
    instance: &Instance,
) -> MessageJson {
    let shown = shown(conversation.into(), message, favorited_by, instance);
    MessageJson::new(to_raw_value(&shown).expect("texts, numbers and lists are always JSON"))
}

/// The same as a value, for dialects that add to it.
pub fn value(
    conversation: impl Into<Conversation>,
    message: &Message,
    favorited_by: &[UserId],
    instance: &Instance,
) -> Value {
    let shown = shown(conversation.into(), message, favorited_by, instance);
    serde_json::to_value(&shown).expect("texts, numbers and lists are always JSON")
}

/// A message that nobody likes yet, with its JSON.
pub fn fresh(
    conversation: impl Into<Conversation>,
    message: Arc<Message>,
    instance: &Instance,
) -> ShownMessage {
    let json = json(conversation, &message, &[], instance);
    ShownMessage { message, json }
}

fn shown<'a>(
    conversation: Conversation,
    message: &'a Message,
    favorited_by: &'a [UserId],
    instance: &Instance,
) -> Shown<'a> {
    match conversation {
        Conversation::Group(group) => {
            Shown::InGroup(in_group(group, message, favorited_by, instance))
        }
        Conversation::Chat(pair) => Shown::InChat(in_chat(pair, message, favorited_by, instance)),
    }
}

fn in_group<'a>(
    group_id: GroupId,
    message: &'a Message,
    favorited_by: &'a [UserId],
    instance: &Instance,
) -> GroupMessage<'a> {
    GroupMessage {
        id: message.id,
        source_guid: &message.source_guid,
        created_at: message.created_at(),
        updated_at: message.created_at(),
        user_id: &message.author,
        group_id,
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        system: message.author == Author::System,
        favorited_by,
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        sender_id: &message.author,
        sender_type: sender_type(&message.author),
        platform: "gm",
        event: message.line.as_ref().map(|line| event(group_id, line, instance)),
    }
}

fn in_chat<'a>(
    pair: Pair,
    message: &'a Message,
    favorited_by: &'a [UserId],
    instance: &Instance,
) -> DirectMessage<'a> {
    let recipient = message.author.user().and_then(|author| pair.other(author));
    DirectMessage {
        id: message.id,
        source_guid: &message.source_guid,
        recipient_id: recipient.map(|user| user.to_string()),
        user_id: &message.author,
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        favorited_by,
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        created_at: message.created_at(),
        conversation_id: pair,
        sender_id: &message.author,
        sender_type: sender_type(&message.author),
    }
}

/// A message in a list of liked ones, with the time of the reader's like if it is theirs.
pub fn listed(
    group: GroupId,
    message: &Message,
    favorited_by: &[UserId],
    liked_at: Option<Timestamp>,
    instance: &Instance,
) -> Value {
    let mut shown = value(group, message, favorited_by, instance);
    if let Some(liked_at) = liked_at {
        let since = UNIX_EPOCH + Duration::from_millis(liked_at.millis());
        shown["liked_at"] = json!(humantime::format_rfc3339_seconds(since).to_string());
    }
    shown
}

/// What kind of sender it was.
const fn sender_type(author: &Author) -> &'static str {
    match author {
        Author::Member(_) => "user",
        Author::Bot(_) => "bot",
        Author::System => "system",
    }
}

/// The form of system messages that programs read; ids in it are numbers, as existing
/// clients expect.
fn event(group: GroupId, line: &SystemMessage, instance: &Instance) -> Value {
    let user = |it: &NamedUser| json!({"id": it.id.get(), "nickname": it.name});
    let (kind, data) = match line {
        SystemMessage::Added { added, adder } => (
            "membership.announce.added",
            json!({"added_users": added.iter().map(user).collect::<Vec<_>>(), "adder_user": user(adder)}),
        ),
        SystemMessage::Joined { user: it } => {
            ("membership.announce.joined", json!({"user": user(it)}))
        }
        SystemMessage::Rejoined { user: it } => {
            ("membership.announce.rejoined", json!({"user": user(it)}))
        }
        SystemMessage::Left { user: it } => {
            ("membership.notifications.exited", json!({"removed_user": user(it)}))
        }
        SystemMessage::Removed { removed, remover } => (
            "membership.notifications.removed",
            json!({"remover_user": user(remover), "removed_user": user(removed)}),
        ),
        SystemMessage::NicknameChanged { user: it, name } => {
            ("membership.nickname_changed", json!({"user": user(it), "name": name}))
        }
        SystemMessage::NameChanged { user: it, name } => {
            ("group.name_change", json!({"user": user(it), "name": name}))
        }
        SystemMessage::TopicChanged { user: it, topic } => {
            ("group.topic_change", json!({"user": user(it), "topic": topic}))
        }
        SystemMessage::AvatarChanged { user: it, image } => {
            let url = image.as_ref().map(|image| instance.image_url(image));
            ("group.avatar_change", json!({"user": user(it), "avatar_url": url}))
        }
        SystemMessage::OfficeModeChanged { user: it, on } => {
            let kind = if *on { "group.office_mode_enabled" } else { "group.office_mode_disabled" };
            (kind, json!({"user": user(it)}))
        }
        SystemMessage::SharingChanged { user: it, token } => {
            let url = token.as_ref().map(|token| instance.share_url(group, token));
            match url {
                Some(url) => ("group.shared", json!({"user": user(it), "share_url": url})),
                None => ("group.unshared", json!({"user": user(it)})),
            }
        }
        SystemMessage::OwnerChanged { old, new } => {
            ("group.owner_changed", json!({"old_owner": user(old), "new_owner": user(new)}))
        }
        SystemMessage::BotAdded { user: it, bot } => {
            ("bot.add", json!({"user": user(it), "bot": bot}))
        }
        SystemMessage::BotRemoved { user: it, bot } => {
            ("bot.del", json!({"user": user(it), "bot": bot}))
        }
    };
    json!({"type": kind, "data": data})
}

/// Reads the body of a post: `{"message": {…}}`.
///
/// # Errors
/// With every problem at once.
pub fn read_new(body: &Map<String, Value>, instance: &Instance) -> Result<NewMessage, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    if top.value("message").is_none() {
        top.wrong("message", "is required");
    }
    let read = top.object("message").and_then(|mut fields| read_message(&mut fields, instance));
    problems.or(read)
}

pub(super) fn read_message(fields: &mut Fields<'_>, instance: &Instance) -> Option<NewMessage> {
    let source_guid = fields.required_name("source_guid");
    let source_guid =
        source_guid.and_then(|it| fields.checked("source_guid", SourceGuid::parse(it)));
    let attachments = attachment::read_all(fields, instance);
    let text = fields.parsed("text", MessageText::parse);
    if fields.value("text").is_none() && attachments.is_empty() {
        fields.wrong("text", "is required unless there is an attachment");
    }
    Some(NewMessage { source_guid: source_guid?, text, attachments })
}
