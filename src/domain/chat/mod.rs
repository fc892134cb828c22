//! A chat: the direct messages of two people, and what each fact does to it.
//!
//! It exists as soon as the first message is in it. Who may write to whom is decided
//! before a message comes here: blocks and floods belong to the two users.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::addressing::{Company, People};
use crate::domain::audience::Audience;
use crate::domain::calendar::{Calendar, CalendarChange};
use crate::domain::dedup::GuidMemory;
use crate::domain::ids::{Pair, UserId};
use crate::domain::likes::LikeChange;
use crate::domain::message::Message;
use crate::domain::pins::Pins;
use crate::domain::revision::Revision;
use crate::domain::time::{Moment, Timestamp};

mod planning;
mod revising;
mod writing;

pub use revising::CHAT_POLICY;
pub use writing::{Sender, WriteRefusal};

/// A fact about one chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChatFact {
    /// A message is in the log. Its recipient is the one of the two who did not write it.
    Posted(Arc<Message>),
    /// One of the two likes a message.
    Liked(LikeChange),
    /// One of the two likes a message no more.
    Unliked(LikeChange),
    /// A message says something else, or nothing any more.
    Revised(Arc<Revision>),
    /// Something happened to an event of the calendar.
    Planned(Arc<CalendarChange>),
}

impl ChatFact {
    /// Whether the two hear of it (see [`crate::domain::event::Fact::is_audible`]).
    pub fn is_audible(&self) -> bool {
        match self {
            Self::Posted(_)
            | Self::Liked(_)
            | Self::Unliked(_)
            | Self::Revised(_)
            | Self::Planned(_) => true,
        }
    }
}

/// A message that is known under its guid, in full: a repeat is answered with it.
#[derive(Debug, Clone)]
pub struct StoredMessage(Arc<Message>);

impl GuidMemory<StoredMessage> {
    /// Has a message that is known in full say what it says now.
    fn revise(&mut self, revision: &Revision, at: Timestamp) {
        let stored = self.values_mut().find(|it| it.0.id == revision.message);
        if let Some(stored) = stored {
            stored.0 = Arc::new(stored.0.revised(revision, at));
        }
    }
}

impl From<&Arc<Message>> for StoredMessage {
    fn from(message: &Arc<Message>) -> Self {
        Self(Arc::clone(message))
    }
}

/// One chat, as its room knows it: what is decided, durable or not.
#[derive(Debug, Clone)]
pub struct Chat {
    /// The two users of the chat.
    pub pair: Pair,
    /// Since when: the first message. `None` while there is none.
    pub created_at: Option<Timestamp>,
    /// Messages in its log.
    pub count: u64,
    /// Guids of the last minute.
    pub guids: GuidMemory<StoredMessage>,
    /// Which messages are pinned.
    pub pins: Pins,
    /// What is planned.
    pub calendar: Calendar,
}

impl People for Pair {
    fn includes(&self, user: UserId) -> bool {
        self.other(user).is_some()
    }
}

impl Chat {
    /// A chat in which nothing was said.
    pub fn silent(pair: Pair) -> Self {
        let (guids, pins) = (GuidMemory::default(), Pins::default());
        let calendar = Calendar::default();
        Self { pair, created_at: None, count: 0, guids, pins, calendar }
    }

    /// Puts a chat together from what was kept of it: since when, how many messages, and
    /// the guids of the last minute.
    pub fn assembled(
        pair: Pair,
        created_at: Option<Timestamp>,
        count: u64,
        guids: GuidMemory<StoredMessage>,
    ) -> Self {
        Self { created_at, count, guids, ..Self::silent(pair) }
    }

    /// The company in which one of the two says something. The other one is everybody.
    fn company<'a>(&'a self, answered: Option<&'a Message>, here: &'a [UserId]) -> Company<'a> {
        Company { people: &self.pair, may_mention_all: true, answered, here }
    }

    /// Who may hear of any fact of it: the two.
    pub fn audience(&self) -> Audience {
        Audience::of([self.pair.low(), self.pair.high()])
    }

    /// Makes a fact true. Deterministic: ids, times and names are inside the fact.
    pub fn apply(&mut self, at: Timestamp, fact: &ChatFact, now: Moment) {
        match fact {
            ChatFact::Posted(message) => {
                debug_assert_eq!(message.count, self.count + 1, "counted without a hole");
                self.created_at.get_or_insert(at);
                self.count = message.count;
                self.guids.remember(message, now.mono);
            }
            ChatFact::Revised(revision) => {
                self.pins.apply(revision);
                self.guids.revise(revision, at);
                self.calendar.revised(revision);
            }
            ChatFact::Planned(change) => self.calendar.apply(at, change),
            // Likes are kept beside the messages, by the room.
            ChatFact::Liked(_) | ChatFact::Unliked(_) => {}
        }
    }
}
