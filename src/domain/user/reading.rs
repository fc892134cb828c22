//! Read marks: up to where a user has read a conversation, the same on all devices.
//!
//! A mark only moves forward. Three things move it: an explicit request of the user, their own
//! posts, and joining a group. Only the first is a fact of the user's stream; the others follow
//! from the conversation's facts, so they cost no event.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{Conversation, MessageId};
use crate::domain::limits::READ_BY_MEMBERS;
use crate::domain::user::{User, UserFact};

/// The position up to which a user has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMark {
    /// The conversation.
    pub conv: Conversation,
    /// The `n` of the newest event that was read.
    pub n: u64,
    /// How many messages the conversation had up to that event, inclusive; later ones are unread.
    pub count: u64,
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

/// Why a conversation was not marked as read.
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
    /// the index has, or beyond one decided since the room was loaded, is ignored. Answers with the
    /// mark that counts.
    pub fn read(&self, mark: ReadMark, known: Option<ReadMark>) -> Decision<ReadMark> {
        let decided = self.reads.get(&mark.conv).copied();
        match known.into_iter().chain(decided).max_by_key(|mark| mark.n) {
            Some(known) if known.n >= mark.n => Decision::unchanged(known),
            Some(_) | None => {
                let fact = Fact::User(UserFact::ReadUpTo(mark));
                Decision { facts: vec![fact], answer: mark }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::GroupId;
    use crate::domain::time::Timestamp;
    use crate::domain::user::testing::ana_since;

    fn ana() -> User {
        ana_since(Timestamp::default())
    }

    fn mark(n: u64) -> ReadMark {
        ReadMark { conv: Conversation::Group(GroupId::new(7)), n, count: n / 2 }
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
    fn mark_moved_elsewhere_counts_too() {
        let decision = ana().read(mark(5), Some(mark(8)));
        assert_eq!((decision.facts.len(), decision.answer), (0, mark(8)));
    }
}
