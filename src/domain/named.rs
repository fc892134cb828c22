//! Users and groups that messages refer to, with the names of that time.

use serde::{Deserialize, Serialize};

use crate::ids::{CalendarEventId, GroupId, UserId};

/// A calendar event with its name at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedEvent {
    /// The event's id.
    pub id: CalendarEventId,
    /// The event's name.
    pub name: String,
}

/// The result of one option of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollOutcome {
    /// The text of the option.
    pub title: String,
    /// The number of votes for the option.
    pub votes: u32,
}

/// A user with their name at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedUser {
    /// The user's id.
    pub id: UserId,
    /// The user's name.
    pub name: String,
}

/// A topic of a group with its name at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTopic {
    /// The topic's id.
    pub id: GroupId,
    /// The topic's name.
    pub name: String,
}
