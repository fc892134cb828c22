//! Read marks: up to where a user has read a conversation, the same on all devices.
//!
//! Three things move a mark forward: an explicit request of the user, their own posts, and joining a
//! group. Only the first is a fact of the user's stream; the others follow from the conversation's
//! facts, so they cost no event. Only one thing sets it back: the user marks messages as unread.

use std::ops::Not;

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::{Conversation, MessageId};
use crate::limits::READ_BY_MEMBERS;
use crate::user::{User, UserFact};

/// The position up to which a user has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMark {
    /// The conversation.
    pub conv: Conversation,
    /// The `n` of the newest event that was read.
    pub n: u64,
    /// How many messages the conversation had up to that event, inclusive; later ones are unread.
    pub count: u64,
    /// Whether the user marked later messages as unread: then it replaces a mark that is further.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_set_back: bool,
}

impl ReadMark {
    /// A mark that moves forward.
    pub const fn forward(conv: Conversation, n: u64, count: u64) -> Self {
        Self { conv, n, count, is_set_back: false }
    }

    /// The mark before the message that this mark is at.
    #[must_use]
    pub const fn before_its_message(self) -> Self {
        let Self { conv, n, count, .. } = self;
        Self { conv, n: n.saturating_sub(1), count: count.saturating_sub(1), is_set_back: true }
    }
}

/// A user's read mark in a conversation, and the number of unread messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The `n` of the newest event that the user has read.
    pub read_n: u64,
    /// How many messages came after that event.
    pub unread: u64,
    /// How many of the unread messages mention the user or answer their messages.
    pub mentions: u64,
}

/// The position up to which a user has read, as a request names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpTo {
    /// Up to this message.
    Message(MessageId),
    /// Up to the event with this `n`, or up to the newest event if `n` is beyond it.
    Event(u64),
}

/// Why a conversation was not marked as read or unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReadRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// The conversation has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
}

/// Why the readers of a message are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadByRefusal {
    /// The caller is not in the group, or the group does not exist.
    #[error("there is no such group")]
    NotAMember,
    /// The group has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// The group has too many members to show them.
    #[error(
        "the readers of a message are listed only in groups of up to {READ_BY_MEMBERS} members"
    )]
    TooMany,
}

impl User {
    /// Moves the mark of a conversation forward. A mark that is not beyond `known`, the mark that
    /// the index has, or beyond one decided since the room was loaded, is ignored. So is one in a
    /// message request, whose sender must not learn of it. Answers with the mark that counts.
    pub fn read(&self, mark: ReadMark, known: Option<ReadMark>) -> Decision<ReadMark> {
        let current = self.current_mark(mark.conv, known);
        if self.is_request(mark.conv) {
            let unread = ReadMark::forward(mark.conv, 0, 0);
            return Decision::unchanged(current.unwrap_or(unread));
        }
        match current {
            Some(current) if current.n >= mark.n => Decision::unchanged(current),
            Some(_) | None => Self::moved(mark),
        }
    }

    /// Sets the mark of a conversation back to this one, so that later messages are unread again. A
    /// mark that is not before the current one is ignored. `known` is the mark that the index has.
    /// Answers with the mark that counts.
    pub fn set_back(&self, mark: ReadMark, known: Option<ReadMark>) -> Decision<ReadMark> {
        match self.current_mark(mark.conv, known) {
            Some(current) if current.n > mark.n => Self::moved(mark),
            Some(current) => Decision::unchanged(current),
            None => Decision::unchanged(ReadMark::forward(mark.conv, 0, 0)),
        }
    }

    fn current_mark(&self, conv: Conversation, known: Option<ReadMark>) -> Option<ReadMark> {
        let decided = self.reads.get(&conv).copied();
        known.into_iter().chain(decided).max_by_key(|mark| mark.n)
    }

    fn moved(mark: ReadMark) -> Decision<ReadMark> {
        Decision { facts: vec![Fact::User(UserFact::ReadUpTo(mark))], answer: mark }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;
    use crate::time::Timestamp;
    use crate::user::fixtures::ana_since;

    fn ana() -> User {
        ana_since(Timestamp::default())
    }

    fn mark(n: u64) -> ReadMark {
        ReadMark::forward(Conversation::Group(GroupId::new(7)), n, n / 2)
    }

    #[test]
    fn a_mark_only_moves_forward() {
        let mut ana = ana();
        let decision = ana.read(mark(5), None);
        assert_eq!((decision.facts.len(), decision.answer), (1, mark(5)));
        ana.apply(Timestamp::default(), &UserFact::ReadUpTo(mark(5)));
        for lower in [4, 5] {
            let decision = ana.read(mark(lower), Some(mark(2)));
            assert_eq!((decision.facts.len(), decision.answer), (0, mark(5)));
        }
        assert_eq!(ana.read(mark(6), Some(mark(2))).answer, mark(6));
    }

    #[test]
    fn a_mark_is_set_back_and_moves_forward_again() {
        let mut ana = ana();
        ana.apply(Timestamp::default(), &UserFact::ReadUpTo(mark(6)));
        let back = mark(5).before_its_message();
        let decision = ana.set_back(back, Some(mark(6)));
        assert_eq!((decision.facts.len(), decision.answer.n), (1, 4));
        ana.apply(Timestamp::default(), &UserFact::ReadUpTo(back));
        assert_eq!(ana.set_back(mark(5), Some(back)).facts.len(), 0);
        assert_eq!(ana.read(mark(5), Some(back)).facts.len(), 1);
    }

    #[test]
    fn mark_moved_elsewhere_counts_too() {
        let decision = ana().read(mark(5), Some(mark(8)));
        assert_eq!((decision.facts.len(), decision.answer), (0, mark(8)));
    }
}
