//! The kinds of events for which bots are called back.

use serde::{Deserialize, Serialize};

/// A kind of event to which a bot can subscribe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BotEvent {
    /// A message was posted. Bots that subscribe to nothing hear only these.
    #[default]
    Message,
    /// A message was edited, or shows other link previews.
    MessageUpdate,
    /// A message was deleted.
    MessageDeleted,
    /// A like was given, changed or taken back.
    Reaction,
    /// Somebody joined or left, or a membership changed (such as the nickname).
    Membership,
    /// A message was pinned.
    Pin,
    /// A message was unpinned.
    Unpin,
    /// A poll was created.
    PollCreate,
    /// Somebody voted.
    PollUpdate,
    /// A poll ended.
    PollFinished,
    /// A calendar event was created.
    EventCreate,
    /// A calendar event was changed.
    EventUpdate,
    /// A calendar event was cancelled.
    EventDelete,
    /// Somebody answered a calendar event, or took the answer back.
    EventRsvp,
    /// A reminder of a calendar event came due.
    EventReminder,
}

impl BotEvent {
    /// All kinds.
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

    /// The name of the kind in the API.
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

    /// The kind with this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// Whether it is [`BotEvent::Message`], the default.
    pub fn is_message(&self) -> bool {
        *self == Self::Message
    }
}
