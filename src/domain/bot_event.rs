//! What bots are called back for.

use serde::{Deserialize, Serialize};

/// A kind of event that a bot may ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BotEvent {
    /// Somebody said something: what bots hear that ask for nothing.
    #[default]
    Message,
    /// A message says something else.
    MessageUpdate,
    /// A message says nothing any more.
    MessageDeleted,
    /// A like came, became another or went.
    Reaction,
    /// Somebody came, went or is called something else.
    Membership,
    /// A message was pinned.
    Pin,
    /// A message is pinned no more.
    Unpin,
    /// A poll began.
    PollCreate,
    /// Somebody voted.
    PollUpdate,
    /// A poll is over.
    PollFinished,
    /// Something is planned.
    EventCreate,
    /// Something else is planned.
    EventUpdate,
    /// An event is cancelled.
    EventDelete,
    /// Somebody said whether they come.
    EventRsvp,
    /// An event begins soon.
    EventReminder,
}

impl BotEvent {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Message,
        Self::MessageUpdate,
        Self::MessageDeleted,
        Self::Reaction,
        Self::Membership,
        Self::Pin,
        Self::Unpin,
        Self::PollCreate,
        Self::PollUpdate,
        Self::PollFinished,
        Self::EventCreate,
        Self::EventUpdate,
        Self::EventDelete,
        Self::EventRsvp,
        Self::EventReminder,
    ];

    /// As clients name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::MessageUpdate => "message.update",
            Self::MessageDeleted => "message.deleted",
            Self::Reaction => "reaction",
            Self::Membership => "membership",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::PollCreate => "poll.create",
            Self::PollUpdate => "poll.update",
            Self::PollFinished => "poll.finished",
            Self::EventCreate => "event.create",
            Self::EventUpdate => "event.update",
            Self::EventDelete => "event.delete",
            Self::EventRsvp => "event.rsvp",
            Self::EventReminder => "event.reminder",
        }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// Whether it is the one that bots hear anyway.
    pub fn is_message(&self) -> bool {
        *self == Self::Message
    }
}
