//! What a message names, as it was called then.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{CalendarEventId, UserId};

/// An event under the name that it had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedEvent {
    /// Which one.
    pub id: CalendarEventId,
    /// Called what.
    pub name: String,
}

/// How many voted for an option of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollOutcome {
    /// The words of the option.
    pub title: String,
    /// How many voted for it.
    pub votes: u32,
}

/// A user under the name that they had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedUser {
    /// Who.
    pub id: UserId,
    /// Called what.
    pub name: String,
}
