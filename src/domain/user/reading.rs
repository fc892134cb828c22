//! Read marks: up to where a user has read a conversation, the same on all devices.
//!
//! A mark only moves forward. Three things move it: what the user says they have read,
//! their own posts, and coming into a group. Only the first is a fact of the user's own
//! stream; the others follow from the conversation's, so they cost no event.

use serde::{Deserialize, Serialize};

use crate::domain::event::{Decision, Fact};
use crate::domain::ids::{Conversation, MessageId};
use crate::domain::limits::READ_BY_MEMBERS;
use crate::domain::user::{User, UserFact};

/// Up to where a conversation is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMark {
    /// Which conversation.
    pub conv: Conversation,
    /// The number of the newest event that was read.
    pub n: u64,
    /// How many messages the conversation had with it: what is over this is unread.
    pub count: u64,
}

/// What somebody has read of a conversation and what not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unread {
    /// The number of the newest event that they have read.
    pub read_n: u64,
    /// How many messages came after it.
    pub unread: u64,
    /// How many of these mention them or answer what they wrote.
    pub mentions: u64,
}

/// A place up to which somebody has read, as they name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpTo {
    /// This message.
    Message(MessageId),
    /// The event with this number; the newest if there are not so many.
    Event(u64),
}

/// Why nothing was marked as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReadRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// It has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// No such account.
    #[error("there is no such user")]
    Unknown,
}

/// Why it is not told who has read a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadByRefusal {
    /// The caller is not in the group, or it does not exist.
    #[error("there is no such group")]
    NotAMember,
    /// It has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// There are too many to tell of.
    #[error("who has read a message is told in groups of up to {READ_BY_MEMBERS} members")]
    TooMany,
}

impl User {
    /// Marks a conversation as read up to here; a lower mark than `known` is ignored, and
    /// so is one lower than what was decided meanwhile. Answers with what counts.
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
    fn what_moved_it_elsewhere_counts_too() {
        let decision = ana().read(mark(5), Some(mark(8)));
        assert_eq!((decision.facts.len(), decision.answer), (0, mark(8)));
    }
}
