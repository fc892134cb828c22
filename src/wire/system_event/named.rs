//! The users, groups, polls and calendar events that system messages refer to, with their names at
//! that time.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schema::scalars::TextId;
use domain::message_state::Deleter;
use domain::named::{NamedEvent, NamedTopic, NamedUser, PollOutcome};

/// The calendar event that a system message refers to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventName<'a> {
    /// The event's id.
    pub(super) id: TextId,
    /// Name of the event when the message was sent.
    pub(super) name: &'a str,
}

/// A user to whom a message about a poll or a calendar event refers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventPerson<'a> {
    /// The user's id.
    pub(super) id: TextId,
    /// Name of the user when the message was sent.
    pub(super) nickname: &'a str,
}

impl<'a> From<&'a NamedUser> for EventPerson<'a> {
    fn from(user: &'a NamedUser) -> Self {
        Self { id: user.id.into(), nickname: &user.name }
    }
}

impl<'a> From<&'a NamedEvent> for EventName<'a> {
    fn from(event: &'a NamedEvent) -> Self {
        Self { id: event.id.into(), name: &event.name }
    }
}

/// The group that a system message refers to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventConversation {
    /// The group's id.
    pub(super) id: String,
}

/// The topic that a system message refers to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventTopic<'a> {
    /// The topic's id.
    pub(super) id: u64,
    /// Name of the topic when the message was sent.
    pub(super) name: &'a str,
}

impl<'a> From<&'a NamedTopic> for EventTopic<'a> {
    fn from(topic: &'a NamedTopic) -> Self {
        Self { id: topic.id.get(), name: &topic.name }
    }
}

/// The poll that a system message refers to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventPoll<'a> {
    /// The poll's id.
    pub(super) id: TextId,
    /// The poll's question.
    pub(super) subject: &'a str,
}

/// An option of a poll that ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PollOutcome")]
pub struct EventOption<'a> {
    /// The option's id in its poll.
    pub(super) id: String,
    /// Text of the option.
    pub(super) title: &'a str,
    /// Number of votes for the option.
    pub(super) votes: u32,
}

/// A user to whom a system message refers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventUser<'a> {
    /// The user's id.
    pub(super) id: u64,
    /// The user's nickname in the group when the message was sent.
    pub(super) nickname: &'a str,
}

impl<'a> From<&'a NamedUser> for EventUser<'a> {
    fn from(user: &'a NamedUser) -> Self {
        Self { id: user.id.get(), nickname: &user.name }
    }
}

impl<'a> From<(u8, &'a PollOutcome)> for EventOption<'a> {
    fn from((number, PollOutcome { title, votes }): (u8, &'a PollOutcome)) -> Self {
        Self { id: number.to_string(), title, votes: *votes }
    }
}

/// The role in which a user deleted a message.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum DeletionActor {
    /// The sender of the message.
    Sender,
    /// The owner or an admin of the group.
    Admin,
    /// An operator of the server, after a report.
    System,
}

impl From<Deleter> for DeletionActor {
    fn from(deleter: Deleter) -> Self {
        match deleter {
            Deleter::Sender => Self::Sender,
            Deleter::Admin => Self::Admin,
            Deleter::System => Self::System,
        }
    }
}
