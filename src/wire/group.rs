//! Groups in JSON.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::attachment::{self, AttachmentResource};
use crate::group_bodies::{HIDDEN, SEARCHABLE};
use crate::instance::Instance;
use crate::join_request::{self, QuestionResource};
use crate::members_json::MembersJson;
use crate::membership::{self, MemberResource};
use crate::old_form::{self, MessageForm};
use crate::original::OriginalGroup;
use crate::permissions;
use crate::schema::scalars::TextId;
use domain::group::Freeze;
use domain::group::{Group, GroupKind};
use domain::ids::{GroupId, UserId};
use domain::limits::GROUP_MEMBERS;
use domain::message::{Author, Message};
use domain::revision::Deleter;
use domain::scopes::{Scope, ScopeSet};
use domain::text::{Description, GroupName};
use domain::time::Timestamp;
use domain::user::Unread;

/// Whether a group's JSON contains its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// All members.
    Shown,
    /// `null` in place of the members.
    Omitted,
}

/// A group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
pub struct GroupResource<'a> {
    #[serde(flatten)]
    settings: GroupSettings<'a>,
    #[serde(flatten)]
    original: Option<OriginalGroup>,
    /// The group's messages, in summary.
    messages: GroupMessages<'a>,
    /// Number of messages that you have not read; in lists of groups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread_count: Option<u64>,
    /// Number of unread messages that mention you or reply to you, at most 1000; in lists of groups
    /// only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread_mentions: Option<u64>,
    /// What you may do in the group, by the names of the table of permissions; only where one group
    /// is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    may: Option<Vec<&'static str>>,
}

/// A group without its messages.
#[derive(Debug, Serialize, JsonSchema)]
struct GroupSettings<'a> {
    /// The group's id.
    id: TextId,
    /// The same as `id`.
    group_id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// The type of group, which decides what plain members may do: `private`, `closed` or
    /// `announcement`.
    #[schemars(extend("enum" = GroupKind::ALL.map(GroupKind::as_str)))]
    r#type: &'static str,
    /// What the group is about; null if it has no description, and empty under `/compat`.
    description: Option<&'a str>,
    /// URL of the group's picture; null if it has none.
    image_url: Option<String>,
    /// Id of the group's owner.
    creator_user_id: TextId,
    /// When it was created. Unix time in seconds.
    created_at: u64,
    /// When the settings, the owner or the set of members last changed. Unix time in seconds.
    updated_at: u64,
    /// Whether only the owner and admins may change settings and add people: in every type but
    /// `private`.
    office_mode: bool,
    /// Maximum number of members.
    max_members: usize,
    /// Minutes after sending during which senders may edit a message; 0 means never, 2147483647
    /// means forever.
    message_edit_period: u32,
    /// Seconds after sending during which senders may delete a message; 0 means never, 2147483647
    /// means forever.
    message_deletion_period: u32,
    /// Who may delete messages: `sender` (their own), `admin` (owner and admins, those of others),
    /// both or nobody.
    message_deletion_mode: Vec<&'static str>,
    /// Who may mention everybody: `admins` (includes the owner) or `members`.
    mention_all: &'static str,
    /// Seconds between two posts of one plain member; 0 while slow mode is off.
    slow_mode: u32,
    /// Whether the owner or an admin decides who joins.
    requires_approval: bool,
    /// Whether people who ask to join answer a question.
    show_join_question: bool,
    /// The question; null if there is none.
    join_question: Option<QuestionResource<'a>>,
    /// `searchable` if strangers find the group in the directory and join it from there, otherwise
    /// `hidden`.
    #[schemars(extend("enum" = [HIDDEN, SEARCHABLE]))]
    visibility: &'static str,
    /// When the owner archived the group; null if it is not archived. Unix time in seconds.
    archived_at: Option<u64>,
    /// Present if operators of the server froze the group; null otherwise.
    frozen: Option<FrozenResource<'a>>,
    /// URL with which anyone can join; absent while sharing is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_url: Option<String>,
    /// The members; `null` if `omit=memberships` was requested, and in lists whose response would
    /// exceed 8 MiB.
    members: Option<Vec<MemberResource<'a>>>,
}

/// A summary of the messages of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupMessages<'a> {
    /// Number of messages that paging can reach.
    count: u64,
    /// Id of the newest message; null if there is none.
    last_message_id: Option<TextId>,
    /// When the newest message was sent; null if there is none. Unix time in seconds.
    last_message_created_at: Option<u64>,
    /// When the newest message last changed; null if there is none. Unix time in seconds. Under
    /// `/compat` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-null-or-absent" = true))]
    last_message_updated_at: Option<Option<u64>>,
    /// A preview of the newest message.
    preview: MessagePreview<'a>,
}

/// A preview of the newest message of a group; its fields are null if there is none.
#[derive(Debug, Serialize, JsonSchema)]
struct MessagePreview<'a> {
    /// Name of the sender.
    nickname: Option<&'a str>,
    /// Text of the message; null if it has none.
    text: Option<&'a str>,
    /// URL of the sender's picture; null if they have none, and empty under `/compat`.
    image_url: Option<String>,
    /// Attachments of the message; empty in lists that would otherwise be too large.
    attachments: Vec<AttachmentResource<'a>>,
}

/// The response to joining a group.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it is written piece by piece, since the group is kept as bytes")]
pub struct JoinedGroup<'a> {
    /// The group that was joined.
    group: GroupResource<'a>,
}

/// A group that was disbanded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DisbandedGroup {
    /// Id of the disbanded group.
    group_id: TextId,
}

impl From<GroupId> for DisbandedGroup {
    fn from(id: GroupId) -> Self {
        Self { group_id: id.into() }
    }
}

/// The cached JSON of a group with its members, without its messages. It is made on first use and
/// valid until the group changes, which posts do not do.
#[derive(Debug, Default)]
pub struct GroupJson {
    specified: OnceLock<Bytes>,
    old: OnceLock<Bytes>,
    members: OnceLock<Arc<MembersJson>>,
    /// The members as they were shown before the group changed.
    earlier: Option<Arc<MembersJson>>,
}

impl GroupJson {
    /// Returns an empty cache for a group that has changed. Members who did not change are not
    /// encoded again.
    pub fn following(earlier: &Self) -> Self {
        let members = earlier.members.get().or(earlier.earlier.as_ref());
        Self { earlier: members.cloned(), ..Self::default() }
    }

    fn of(&self, whole: DurableGroup<'_>, instance: &Instance) -> &Bytes {
        let kept = match whole.form {
            MessageForm::Specified => &self.specified,
            MessageForm::Old => &self.old,
        };
        kept.get_or_init(|| Bytes::from(self.encode(whole, instance)))
    }

    /// Encodes a group like [`group_json`], with the members from the cache.
    fn encode(&self, whole: DurableGroup<'_>, instance: &Instance) -> Vec<u8> {
        let members = self.members.get_or_init(|| {
            let members = whole.group.members.values();
            Arc::new(MembersJson::of(members, self.earlier.as_deref(), instance))
        });
        let mut json = group_json(whole, Members::Omitted, instance);
        json.truncate(json.len() - b"null".len());
        json.reserve(members.json.len() + 1);
        json.extend_from_slice(&members.json);
        json.push(b']');
        json
    }
}

/// Encodes a group up to its messages and without the closing brace.
fn group_json(whole: DurableGroup<'_>, members: Members, instance: &Instance) -> Vec<u8> {
    let mut settings = settings(whole.group, members, instance);
    if whole.form == MessageForm::Old {
        settings.description.get_or_insert_default();
    }
    let mut json = encoded(&settings);
    json.pop();
    json
}

fn encoded(shown: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shown).expect("texts, numbers and lists are always JSON")
}

/// A freeze of a group by operators.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FrozenResource<'a> {
    /// Since when. Unix time in seconds.
    at: u64,
    /// Why, in words for the members.
    reason: &'a str,
}

/// Builds the JSON of a freeze.
pub fn frozen(freeze: &Freeze) -> FrozenResource<'_> {
    FrozenResource { at: freeze.at.seconds(), reason: &freeze.reason }
}

fn settings<'a>(group: &'a Group, members: Members, instance: &Instance) -> GroupSettings<'a> {
    let settings = &group.settings;
    let token = settings.share_token.as_ref();
    GroupSettings {
        id: group.id.into(),
        group_id: group.id.into(),
        name: &settings.name,
        r#type: settings.kind.as_str(),
        description: settings.description.as_ref().map(Description::as_str),
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        creator_user_id: group.creator.into(),
        created_at: group.created_at.seconds(),
        updated_at: group.updated_at.seconds(),
        office_mode: settings.kind.office_mode(),
        max_members: GROUP_MEMBERS,
        message_edit_period: settings.revising.edit_minutes,
        message_deletion_period: settings.revising.delete_seconds,
        message_deletion_mode: settings.revising.deleters().map(Deleter::as_str).collect(),
        mention_all: settings.mention_all.as_str(),
        slow_mode: settings.slow_mode,
        requires_approval: settings.admission.requires_approval,
        show_join_question: settings.admission.shows_question,
        join_question: join_request::question(&settings.admission),
        visibility: if settings.is_searchable { SEARCHABLE } else { HIDDEN },
        archived_at: settings.archived_at.map(Timestamp::seconds),
        frozen: settings.frozen.as_ref().map(frozen),
        share_url: token.map(|token| instance.share_url(group.id, token)),
        members: match members {
            Members::Shown => {
                Some(group.members.values().map(|it| membership::member(it, instance)).collect())
            }
            Members::Omitted => None,
        },
    }
}

/// A group with a summary of its messages, as far as they are durable; the room may have decided
/// more.
#[derive(Debug, Clone, Copy)]
pub struct DurableGroup<'a> {
    /// The group's settings and members.
    pub group: &'a Group,
    /// The group's cached JSON, if the caller has a cache for it.
    pub group_json: Option<&'a GroupJson>,
    /// Number of messages that paging can reach.
    pub count: u64,
    /// The newest message; None if there is none.
    pub last: Option<&'a Message>,
    /// The form in which the group and its newest message are shown.
    pub form: MessageForm,
    /// The user to whom the group is shown in the old form.
    pub reader: Option<UserId>,
}

impl<'a> DurableGroup<'a> {
    /// A group whose newest message is shown as in the specification.
    pub const fn specified(
        group: &'a Group,
        group_json: Option<&'a GroupJson>,
        count: u64,
        last: Option<&'a Message>,
    ) -> Self {
        Self { group, group_json, count, last, form: MessageForm::Specified, reader: None }
    }

    /// The group without its newest message, unless these scopes show messages.
    #[must_use]
    pub fn shown_with(self, scopes: ScopeSet) -> Self {
        let last = self.last.filter(|_| scopes.has(Scope::MessagesRead));
        Self { last, ..self }
    }
}

/// Appends the JSON of a group.
pub fn write_shown(
    json: &mut Vec<u8>,
    whole: DurableGroup<'_>,
    members: Members,
    instance: &Instance,
) {
    match members {
        Members::Shown => {
            shown_in_parts(whole, instance).iter().for_each(|part| json.extend_from_slice(part));
        }
        Members::Omitted => {
            json.extend_from_slice(&group_json(whole, members, instance));
            write_messages(json, whole, Preview::Whole, instance);
        }
    }
}

/// Returns the JSON of a group in two parts, with what this reader may do in it.
pub fn shown_to_member(
    whole: DurableGroup<'_>,
    (reader, now): (UserId, Timestamp),
    instance: &Instance,
) -> [Bytes; 2] {
    let [group, end] = shown_in_parts(whole, instance);
    let member = whole.group.member(reader).filter(|_| whole.form == MessageForm::Specified);
    let Some(member) = member else { return [group, end] };
    let mut end = end.to_vec();
    end.pop();
    end.extend_from_slice(b",\"may\":");
    end.extend_from_slice(&encoded(&permissions::names(whole.group, member, now)));
    end.push(b'}');
    [group, Bytes::from(end)]
}

/// Returns the JSON of a group in two parts. The first holds the settings and all members, and is
/// shared by all requests for the group.
pub fn shown_in_parts(whole: DurableGroup<'_>, instance: &Instance) -> [Bytes; 2] {
    let group = match whole.group_json {
        Some(group_json) => group_json.of(whole, instance).clone(),
        None => Bytes::from(group_json(whole, Members::Shown, instance)),
    };
    let mut end = Vec::with_capacity(1024);
    write_messages(&mut end, whole, Preview::Whole, instance);
    [group, Bytes::from(end)]
}

/// Completes the JSON of a group with the summary of its messages.
fn write_messages(
    json: &mut Vec<u8>,
    whole: DurableGroup<'_>,
    preview: Preview,
    instance: &Instance,
) {
    json.extend_from_slice(b",\"messages\":");
    let mut messages = messages(whole.count, whole.last, preview, instance);
    match whole.form {
        MessageForm::Specified => json.extend_from_slice(&encoded(&messages)),
        MessageForm::Old => {
            messages.last_message_updated_at = Some(whole.last.map(Message::updated_at));
            messages.preview.image_url.get_or_insert_default();
            json.extend_from_slice(&encoded(&in_old_form(&messages, whole.last)));
            let original = encoded(&OriginalGroup::of(whole.group, whole.reader, instance));
            json.push(b',');
            json.extend_from_slice(&original[1..original.len() - 1]);
        }
    }
    json.push(b'}');
}

/// The summary of messages, with the newest one in the old form.
fn in_old_form(messages: &GroupMessages<'_>, last: Option<&Message>) -> Value {
    let mut shown = serde_json::to_value(messages).expect("it can be written as JSON");
    if let Some(last) = last {
        old_form::make(&mut shown["preview"], last.state.deleted.map(|(_, actor)| actor));
        if last.author == Author::System {
            shown["preview"]["nickname"] = json!(old_form::SYSTEM_NAME);
        }
    }
    shown
}

/// Appends the short JSON of a group: without members, and without the attachments of the newest
/// message.
pub fn write_short(json: &mut Vec<u8>, whole: DurableGroup<'_>, instance: &Instance) {
    json.extend_from_slice(&group_json(whole, Members::Omitted, instance));
    write_messages(json, whole, Preview::Words, instance);
}

/// Appends the JSON of a group in a member's list, with the member's unread counts.
pub fn write_listed(
    json: &mut Vec<u8>,
    whole: DurableGroup<'_>,
    members: Members,
    preview: Preview,
    unread: &Unread,
    instance: &Instance,
) {
    match preview {
        Preview::Whole => write_shown(json, whole, members, instance),
        Preview::Words => write_short(json, whole, instance),
    }
    json.pop();
    let Unread { unread, mentions, .. } = unread;
    let counts = format!(",\"unread_count\":{unread},\"unread_mentions\":{mentions}}}");
    json.extend_from_slice(counts.as_bytes());
}

/// Builds a group with its members and a summary of its messages.
pub fn resource<'a>(
    group: &'a Group,
    count: u64,
    last: Option<&'a Message>,
    instance: &Instance,
) -> GroupResource<'a> {
    GroupResource {
        settings: settings(group, Members::Shown, instance),
        original: None,
        messages: messages(count, last, Preview::Whole, instance),
        unread_count: None,
        unread_mentions: None,
        may: None,
    }
}

/// How much of the newest message a group's JSON shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// The message with its attachments.
    Whole,
    /// The message without its attachments.
    Words,
}

/// Builds the summary of the messages of a group or a topic.
pub(crate) fn messages<'a>(
    count: u64,
    last: Option<&'a Message>,
    preview: Preview,
    instance: &Instance,
) -> GroupMessages<'a> {
    GroupMessages {
        count,
        last_message_id: last.map(|message| message.id.into()),
        last_message_created_at: last.map(Message::created_at),
        last_message_updated_at: None,
        preview: message_preview(last, preview, instance),
    }
}

fn message_preview<'a>(
    last: Option<&'a Message>,
    preview: Preview,
    instance: &Instance,
) -> MessagePreview<'a> {
    let carrying = last.filter(|_| preview == Preview::Whole);
    let attachments = carrying.map_or(&[][..], |message| &message.attachments);
    let picture = last.and_then(|message| message.avatar.as_ref());
    MessagePreview {
        nickname: last.map(|message| &*message.name),
        text: last.and_then(|message| message.text.as_deref()),
        image_url: picture.map(|image| instance.image_url(image)),
        attachments: attachments.iter().map(|it| attachment::resource(it, instance)).collect(),
    }
}

/// Returns the preview of a group's newest message as a JSON value.
pub fn preview(last: &Message, instance: &Instance) -> Value {
    let preview = message_preview(Some(last), Preview::Whole, instance);
    serde_json::to_value(&preview).expect("texts and lists are always JSON")
}
