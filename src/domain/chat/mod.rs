//! A chat: the direct messages of two people, and what each fact changes in it.
//!
//! It exists once it has a first message. Who may write to whom is decided before a message comes
//! here: blocks and flood limits belong to the two users.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::addressees::{AddressContext, Participants};
use crate::audience::Audience;
use crate::calendar::{Calendar, CalendarChange};
use crate::dedup::GuidMemory;
use crate::ids::{Pair, UserId};
use crate::likes::LikeChange;
use crate::message::Message;
use crate::pins::Pins;
use crate::revision::Revision;
use crate::time::{Moment, Timestamp};

mod conversation;
mod messages;

pub use conversation::CHAT_POLICY;
pub use messages::{Sender, WriteRefusal, text_only};

/// A fact about one chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChatFact {
    /// A message was written. Its recipient is the one of the two who did not write it.
    Posted(Arc<Message>),
    /// One of the two likes a message.
    Liked(LikeChange),
    /// One of the two took a like back.
    Unliked(LikeChange),
    /// A message was edited, deleted, pinned, unpinned or got link previews.
    Revised(Arc<Revision>),
    /// A calendar event was made, changed, cancelled or answered, or its reminder came due.
    Planned(Arc<CalendarChange>),
}

impl ChatFact {
    /// Whether the two hear of it (see [`crate::event::Fact::is_audible`]).
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

/// A recent message, kept in full under its guid: a repeat is answered with it.
#[derive(Debug, Clone)]
pub struct StoredMessage(Arc<Message>);

impl GuidMemory<StoredMessage> {
    /// Updates a kept message that was revised.
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

/// A chat as its room knows it: everything decided, durable or not.
#[derive(Debug, Clone)]
pub struct Chat {
    /// The two users of the chat.
    pub pair: Pair,
    /// When the first message was written; `None` while there is none.
    pub created_at: Option<Timestamp>,
    /// How many messages were written.
    pub count: u64,
    /// The messages of the last minute, by guid, to deduplicate repeats.
    pub guids: GuidMemory<StoredMessage>,
    /// The pinned messages.
    pub pins: Pins,
    /// The calendar events.
    pub calendar: Calendar,
}

impl Participants for Pair {
    fn includes(&self, user: UserId) -> bool {
        self.other(user).is_some()
    }
}

impl Chat {
    /// A chat without messages.
    pub fn silent(pair: Pair) -> Self {
        let guids = GuidMemory::default();
        let pins = Pins::default();
        let calendar = Calendar::default();
        Self { pair, created_at: None, count: 0, guids, pins, calendar }
    }

    /// Restores a chat from what was stored: when it began, how many messages it has, and the guids
    /// of the last minute.
    pub fn assembled(
        pair: Pair,
        created_at: Option<Timestamp>,
        count: u64,
        guids: GuidMemory<StoredMessage>,
    ) -> Self {
        Self { created_at, count, guids, ..Self::silent(pair) }
    }

    /// The context in which one of the two writes: mentioning everybody mentions the other one.
    fn context<'a>(
        &'a self,
        answered: Option<&'a Message>,
        here: &'a [UserId],
    ) -> AddressContext<'a> {
        AddressContext { people: &self.pair, may_mention_all: true, answered, here }
    }

    /// The audience of every fact of the chat: the two.
    pub fn audience(&self) -> Audience {
        Audience::of([self.pair.low(), self.pair.high()])
    }

    /// Applies a fact. Deterministic: ids, times and names are inside the fact.
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
            // The room keeps likes beside the messages.
            ChatFact::Liked(_) | ChatFact::Unliked(_) => {}
        }
    }
}
