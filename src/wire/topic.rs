//! Topics of a group in JSON, in the form of the original service, and the bodies that make and change
//! them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::attachment;
use crate::fields::{Fields, Problems};
use crate::group::{self, GroupMessages, Preview};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::group::{NewTopic, Topic, TopicKind, TopicLog, TopicUpdate};
use domain::ids::GroupId;
use domain::text::{Description, GroupName};
use domain::time::Timestamp;

/// A topic of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Topic")]
pub struct TopicResource<'a> {
    /// The topic's id, a number. Its messages, pins, polls and events are at the paths of a group with
    /// this id.
    id: u64,
    /// Id of the group, a number.
    parent_id: u64,
    /// The topic's name.
    topic: &'a GroupName,
    /// What the topic is about; null if it has no description.
    description: Option<&'a Description>,
    /// URL of the topic's picture; null if it has none.
    avatar_url: Option<String>,
    /// `private` if all members post, `announcement` if only the owner and admins do.
    #[schemars(extend("enum" = TopicKind::ALL.map(TopicKind::as_str)))]
    r#type: &'static str,
    /// Always null on this server.
    like_icon: Option<()>,
    /// Id of the member who made it, a number.
    creator_user_id: u64,
    /// When it was made. Unix time in seconds.
    created_at: u64,
    /// When it last changed. Unix time in seconds.
    updated_at: u64,
}

impl<'a> TopicResource<'a> {
    /// Builds a topic.
    pub fn of(group: GroupId, topic: &'a Topic, instance: &Instance) -> Self {
        Self {
            id: topic.id.get(),
            parent_id: group.get(),
            topic: &topic.name,
            description: topic.description.as_ref(),
            avatar_url: topic.image.as_ref().map(|image| instance.image_url(image)),
            r#type: topic.kind.as_str(),
            like_icon: None,
            creator_user_id: topic.creator.get(),
            created_at: topic.created_at.seconds(),
            updated_at: topic.updated_at.seconds(),
        }
    }
}

/// A topic with the state of its log, for one reader.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TopicInList")]
pub struct ListedTopic<'a> {
    #[serde(flatten)]
    topic: TopicResource<'a>,
    /// The topic's messages, in summary.
    messages: GroupMessages<'a>,
    /// Until when you muted the topic, or the whole group; null if you did not. Unix time in seconds.
    muted_until: Option<u64>,
    /// Number of messages that you have not read.
    unread_count: u64,
    /// Number of unread messages that mention you or reply to you, at most 1000.
    unread_mentions: u64,
    /// Id of the newest message that you have read; null if there is none.
    last_read_message_id: Option<TextId>,
    /// When you read it. Unix time in seconds; null if you have read none.
    last_read_at: Option<u64>,
}

impl<'a> ListedTopic<'a> {
    /// Builds a topic with the state of its log.
    pub fn of(group: GroupId, topic: &'a Topic, log: &'a TopicLog, instance: &Instance) -> Self {
        Self {
            topic: TopicResource::of(group, topic, instance),
            messages: group::messages(log.count, log.last.as_deref(), Preview::Whole, instance),
            muted_until: log.muted.map(Timestamp::seconds),
            unread_count: log.unread.unread,
            unread_mentions: log.unread.mentions,
            last_read_message_id: log.read.map(TextId::from),
            last_read_at: log.read_at.map(Timestamp::seconds),
        }
    }
}

/// A topic that was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemovedTopic {
    /// The topic's id, a number.
    id: u64,
    /// Id of the group, a number.
    parent_id: u64,
}

impl RemovedTopic {
    /// Builds the ids of a removed topic.
    pub const fn of(group: GroupId, topic: GroupId) -> Self {
        Self { id: topic.get(), parent_id: group.get() }
    }
}

/// Reads a topic to be made.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>, instance: &Instance) -> Result<NewTopic, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.required("topic", GroupName::parse);
    let read = read_fields(&mut fields, instance);
    problems.or(name.map(|name| NewTopic {
        name,
        description: read.description.flatten(),
        image: read.image.flatten(),
        kind: read.kind.unwrap_or_default(),
    }))
}

/// Reads a change of a topic. An absent or `null` field changes nothing; an empty description or
/// picture is removed.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_update(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<TopicUpdate, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let name = fields.parsed("topic", GroupName::parse);
    let read = read_fields(&mut fields, instance);
    problems.or(Some(TopicUpdate { name, ..read }))
}

/// Reads what a new topic and a change have in common, without the name.
fn read_fields(fields: &mut Fields<'_>, instance: &Instance) -> TopicUpdate {
    let is_given =
        |fields: &Fields<'_>, field| fields.value(field).is_some() || fields.is_emptied(field);
    let has_description = is_given(fields, "description");
    let has_image = is_given(fields, "avatar_url");
    let description = has_description.then(|| fields.parsed("description", Description::parse));
    let image = has_image.then(|| attachment::read_image(fields, "avatar_url", instance));
    let kind = fields.parsed("group_type", |name: String| {
        TopicKind::named(&name).ok_or("must be private or announcement")
    });
    if fields.value("like_icon").is_some() {
        fields.wrong("like_icon", "is not served");
    }
    TopicUpdate { name: None, description, image, kind }
}
