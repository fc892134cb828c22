//! Messages in JSON: the specification's fields, and those that existing clients read.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::domain::ids::{GroupId, UserId};
use crate::domain::message::{Author, Message, NamedUser, NewMessage, SystemMessage};
use crate::domain::text::{MessageText, SourceGuid};
use crate::domain::time::Timestamp;
use crate::wire::attachment;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;

/// A group message as it goes out (specification, section 2).
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(serialize_with = "as_text")]
    id: u64,
    source_guid: &'a str,
    created_at: u64,
    updated_at: u64,
    user_id: &'a str,
    group_id: &'a str,
    name: &'a str,
    avatar_url: Option<String>,
    text: Option<&'a str>,
    system: bool,
    favorited_by: Vec<String>,
    attachments: Vec<Value>,
    sender_id: &'a str,
    sender_type: &'static str,
    platform: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Value>,
}

pub(super) fn as_text<S: Serializer>(id: &u64, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(id)
}

/// The JSON of a group message.
pub fn group_message(
    group: GroupId,
    message: &Message,
    favorited_by: &[UserId],
    instance: &Instance,
) -> Vec<u8> {
    let mut json = Vec::with_capacity(USUAL_BYTES);
    write_group_message(&mut json, group, message, favorited_by, instance);
    json
}

/// Bytes that the JSON of most messages needs.
const USUAL_BYTES: usize = 1024;

/// Writes the JSON of a group message behind what is there.
pub fn write_group_message(
    json: &mut Vec<u8>,
    group: GroupId,
    message: &Message,
    favorited_by: &[UserId],
    instance: &Instance,
) {
    let group_id = group;
    let (sender, group) = (message.author.to_string(), group.to_string());
    let shown = Shown {
        id: message.id.get(),
        source_guid: &message.source_guid,
        created_at: message.created_at(),
        updated_at: message.created_at(),
        user_id: &sender,
        group_id: &group,
        name: &message.name,
        avatar_url: message.avatar.as_ref().map(|image| instance.image_url(image)),
        text: message.text.as_deref(),
        system: message.author == Author::System,
        favorited_by: favorited_by.iter().map(UserId::to_string).collect(),
        attachments: message.attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
        sender_id: &sender,
        sender_type: sender_type(&message.author),
        platform: "gm",
        event: message.line.as_ref().map(|line| event(group_id, line, instance)),
    };
    serde_json::to_writer(json, &shown).expect("texts, numbers and lists are always JSON");
}

/// A message in a list of liked ones, with the time of the reader's like if it is theirs.
pub fn listed(
    group: GroupId,
    message: &Message,
    favorited_by: &[UserId],
    liked_at: Option<Timestamp>,
    instance: &Instance,
) -> Value {
    let json = group_message(group, message, favorited_by, instance);
    let mut shown: Value = serde_json::from_slice(&json).expect("what was written as JSON is JSON");
    if let Some(liked_at) = liked_at {
        let since = UNIX_EPOCH + Duration::from_millis(liked_at.millis());
        shown["liked_at"] = json!(humantime::format_rfc3339_seconds(since).to_string());
    }
    shown
}

/// What kind of sender it was.
pub const fn sender_type(author: &Author) -> &'static str {
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
    // Clients send an empty text beside an attachment: that is no text.
    let is_empty = fields.value("text").and_then(Value::as_str).is_some_and(str::is_empty);
    let text = if is_empty { None } else { fields.parsed("text", MessageText::parse) };
    if fields.value("text").is_none_or(|_| is_empty) && attachments.is_empty() {
        fields.wrong("text", "is required unless there is an attachment");
    }
    Some(NewMessage { source_guid: source_guid?, text, attachments })
}
