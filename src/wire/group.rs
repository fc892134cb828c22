//! Groups in JSON.

use std::sync::OnceLock;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::group::Group;
use crate::domain::ids::GroupId;
use crate::domain::limits::GROUP_MEMBERS;
use crate::domain::message::Message;
use crate::domain::revision::Deleter;
use crate::domain::text::{Description, GroupName};
use crate::domain::user::Unread;
use crate::wire::attachment::{self, AttachmentResource};
use crate::wire::instance::Instance;
use crate::wire::membership::{self, MemberResource};
use crate::wire::schema::scalars::TextId;

/// Whether a list of groups carries their members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// In full.
    Shown,
    /// `null` instead.
    Omitted,
}

/// A group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
pub struct GroupResource<'a> {
    #[serde(flatten)]
    settings: GroupSettings<'a>,
    /// What is said in it.
    messages: GroupMessages<'a>,
    /// Messages that you have not read; in lists of groups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread_count: Option<u64>,
    /// How many of these mention you or answer you, up to 1000; in lists of groups only.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread_mentions: Option<u64>,
}

/// A group but for its messages.
#[derive(Debug, Serialize, JsonSchema)]
struct GroupSettings<'a> {
    /// Names the group.
    id: TextId,
    /// The same as `id`.
    group_id: TextId,
    /// What it is called.
    name: &'a GroupName,
    /// What kind of group it is.
    #[schemars(extend("const" = PRIVATE))]
    r#type: &'static str,
    /// What it is about.
    description: &'a Option<Description>,
    /// The picture of the group.
    image_url: Option<String>,
    /// The owner.
    creator_user_id: TextId,
    /// When it was created. Unix time in seconds.
    created_at: u64,
    /// When it last changed. Unix time in seconds.
    updated_at: u64,
    /// Only owner and admins change settings and add people.
    office_mode: bool,
    /// How many members it may have.
    max_members: usize,
    /// Minutes in which senders may edit a message; 0 is never, 2147483647 for ever.
    message_edit_period: u32,
    /// Seconds in which senders may delete a message; 0 is never, 2147483647 for ever.
    message_deletion_period: u32,
    /// Who may delete a message: `sender`, `admin` (owner and admins, what others wrote), both
    /// or nobody.
    message_deletion_mode: Vec<&'static str>,
    /// Who may mention everybody: `admins` (and the owner) or `members`.
    mention_all: &'static str,
    /// By which anyone can join, while sharing is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_url: Option<String>,
    /// `null` when `omit=memberships` was asked for, and in lists where there would be more
    /// than 8 MiB.
    members: Option<Vec<MemberResource<'a>>>,
}

/// The one type of group.
const PRIVATE: &str = "private";

/// What is said in a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct GroupMessages<'a> {
    /// Messages that paging can reach.
    count: u64,
    /// The newest message.
    last_message_id: Option<TextId>,
    /// When it was written. Unix time in seconds.
    last_message_created_at: Option<u64>,
    /// What it says.
    preview: MessagePreview<'a>,
}

/// The newest message of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct MessagePreview<'a> {
    /// Who wrote it.
    nickname: Option<&'a str>,
    /// What they wrote.
    text: Option<&'a str>,
    /// The picture of who wrote it.
    image_url: Option<String>,
    /// What it carries; none where the list is too long.
    attachments: Vec<AttachmentResource<'a>>,
}

/// The answer to joining.
#[derive(Debug, JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is written piece by piece, since the group is kept as bytes")]
pub struct JoinedGroup<'a> {
    /// The group that one is in now.
    group: GroupResource<'a>,
}

/// Names a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DisbandedGroup {
    /// The group that is no more.
    group_id: TextId,
}

impl From<GroupId> for DisbandedGroup {
    fn from(id: GroupId) -> Self {
        Self { group_id: id.into() }
    }
}

/// The JSON of a group with its members, but for its messages: made when it is first
/// wanted, and good until the group changes. Posts do not change it.
#[derive(Debug, Default)]
pub struct GroupJson(OnceLock<Bytes>);

impl GroupJson {
    fn of(&self, group: &Group, instance: &Instance) -> &Bytes {
        self.0.get_or_init(|| Bytes::from(group_json(group, Members::Shown, instance)))
    }
}

/// Everything up to the messages, without the end of the object.
fn group_json(group: &Group, members: Members, instance: &Instance) -> Vec<u8> {
    let mut json = encoded(&settings(group, members, instance));
    json.pop();
    json
}

fn encoded(shown: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(shown).expect("texts, numbers and lists are always JSON")
}

fn settings<'a>(group: &'a Group, members: Members, instance: &Instance) -> GroupSettings<'a> {
    let settings = &group.settings;
    let token = settings.share_token.as_ref();
    GroupSettings {
        id: group.id.into(),
        group_id: group.id.into(),
        name: &settings.name,
        r#type: PRIVATE,
        description: &settings.description,
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        creator_user_id: group.creator.into(),
        created_at: group.created_at.seconds(),
        updated_at: group.updated_at.seconds(),
        office_mode: settings.office_mode,
        max_members: GROUP_MEMBERS,
        message_edit_period: settings.revising.edit_minutes,
        message_deletion_period: settings.revising.delete_seconds,
        message_deletion_mode: settings.revising.deleters().map(Deleter::as_str).collect(),
        mention_all: settings.mention_all.as_str(),
        share_url: token.map(|token| instance.share_url(group.id, token)),
        members: match members {
            Members::Shown => {
                Some(group.members.values().map(|it| membership::member(it, instance)).collect())
            }
            Members::Omitted => None,
        },
    }
}

/// A group and what is said in it: what is durable, which may be less than the room has
/// decided.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    /// Settings and members.
    pub group: &'a Group,
    /// Its JSON, where somebody keeps that.
    pub group_json: Option<&'a GroupJson>,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest.
    pub last: Option<&'a Message>,
}

/// Writes the JSON of a group behind what is there.
pub fn write_shown(json: &mut Vec<u8>, whole: Whole<'_>, members: Members, instance: &Instance) {
    match members {
        Members::Shown => {
            shown_in_parts(whole, instance).iter().for_each(|part| json.extend_from_slice(part));
        }
        Members::Omitted => {
            json.extend_from_slice(&group_json(whole.group, members, instance));
            write_preview(json, whole, Preview::Whole, instance);
        }
    }
}

/// The same in parts, of which the first is shared by all who ask: it has every member.
pub fn shown_in_parts(whole: Whole<'_>, instance: &Instance) -> [Bytes; 2] {
    let group = match whole.group_json {
        Some(group_json) => group_json.of(whole.group, instance).clone(),
        None => Bytes::from(group_json(whole.group, Members::Shown, instance)),
    };
    let mut end = Vec::with_capacity(1024);
    write_preview(&mut end, whole, Preview::Whole, instance);
    [group, Bytes::from(end)]
}

/// Ends the JSON of a group with its messages.
fn write_preview(json: &mut Vec<u8>, whole: Whole<'_>, preview: Preview, instance: &Instance) {
    json.extend_from_slice(b",\"messages\":");
    let messages = messages(whole.count, whole.last, preview, instance);
    json.extend_from_slice(&encoded(&messages));
    json.push(b'}');
}

/// Writes the JSON of a group in short: without its members, and of its newest message
/// the words only.
pub fn write_short(json: &mut Vec<u8>, whole: Whole<'_>, instance: &Instance) {
    json.extend_from_slice(&group_json(whole.group, Members::Omitted, instance));
    write_preview(json, whole, Preview::Words, instance);
}

/// Writes the JSON of a group as its member sees it in a list, with how much is unread.
pub fn write_listed(
    json: &mut Vec<u8>,
    whole: Whole<'_>,
    (members, preview): (Members, Preview),
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

/// A group as a whole.
pub fn shown<'a>(
    group: &'a Group,
    count: u64,
    last: Option<&'a Message>,
    instance: &Instance,
) -> GroupResource<'a> {
    GroupResource {
        settings: settings(group, Members::Shown, instance),
        messages: messages(count, last, Preview::Whole, instance),
        unread_count: None,
        unread_mentions: None,
    }
}

/// How much of the newest message a group shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// With its attachments.
    Whole,
    /// Without them.
    Words,
}

fn messages<'a>(
    count: u64,
    last: Option<&'a Message>,
    preview: Preview,
    instance: &Instance,
) -> GroupMessages<'a> {
    GroupMessages {
        count,
        last_message_id: last.map(|message| message.id.into()),
        last_message_created_at: last.map(Message::created_at),
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
        attachments: attachments.iter().map(|it| attachment::shown(it, instance)).collect(),
    }
}

/// How a group shows its newest message, as a value.
pub fn preview(last: &Message, instance: &Instance) -> Value {
    let preview = message_preview(Some(last), Preview::Whole, instance);
    serde_json::to_value(&preview).expect("texts and lists are always JSON")
}
