//! What a system message names.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::message_state::Deleter;
use crate::domain::named::{NamedEvent, NamedUser, PollOutcome};
use crate::wire::schema::scalars::TextId;

/// The event of the calendar that a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventName<'a> {
    /// Its id.
    pub(super) id: TextId,
    /// What it was called then.
    pub(super) name: &'a str,
}

/// Somebody whom a message about a poll or an event names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventPerson<'a> {
    /// Who it is.
    pub(super) id: TextId,
    /// What they were called then.
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

/// The group that a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventConversation {
    /// Its id.
    pub(super) id: String,
}

/// The poll that a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventPoll<'a> {
    /// Its id.
    pub(super) id: TextId,
    /// What was asked.
    pub(super) subject: &'a str,
}

/// An option of a poll that is over.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventOption<'a> {
    /// Names it in its poll.
    pub(super) id: String,
    /// The words.
    pub(super) title: &'a str,
    /// How many voted for it.
    pub(super) votes: u32,
}

/// Somebody whom a system message names.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EventUser<'a> {
    /// Who it is.
    pub(super) id: u64,
    /// What they were called in the group.
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

/// In which part somebody deleted a message.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum DeletionActor {
    /// They wrote it.
    Sender,
    /// They look after the group.
    Admin,
}

impl From<Deleter> for DeletionActor {
    fn from(deleter: Deleter) -> Self {
        match deleter {
            Deleter::Sender => Self::Sender,
            Deleter::Admin => Self::Admin,
        }
    }
}
