//! Blocks: who wants no direct messages from whom.
//!
//! A block belongs to the one who set it. It says nothing about groups, except that
//! the one who is blocked cannot add the blocker to one.

use serde::{Deserialize, Serialize};

use crate::domain::chat::WriteRefusal;
use crate::domain::event::{Decision, Fact};
use crate::domain::ids::UserId;
use crate::domain::limits::BLOCKS;
use crate::domain::time::Timestamp;
use crate::domain::user::{User, UserFact};

/// One user blocked another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Who set it.
    pub by: UserId,
    /// Whom it keeps away.
    pub other: UserId,
    /// Since when.
    pub at: Timestamp,
}

/// Why somebody was not blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BlockRefusal {
    /// No such account.
    #[error("otherUser is not the id of a user")]
    Unknown,
    /// Nobody blocks themselves.
    #[error("user and otherUser must not be the same")]
    Oneself,
    /// Too many.
    #[error("a user blocks at most {BLOCKS} others")]
    Full,
}

impl User {
    /// Blocks somebody; an existing block stays as it is.
    ///
    /// # Errors
    /// When it is the user themselves, or they block too many.
    pub fn block(&self, other: UserId, now: Timestamp) -> Result<Decision<Block>, BlockRefusal> {
        if other == self.id {
            return Err(BlockRefusal::Oneself);
        }
        if let Some(at) = self.blocks.get(&other) {
            return Ok(Decision::unchanged(Block { by: self.id, other, at: *at }));
        }
        if self.blocks.len() >= BLOCKS {
            return Err(BlockRefusal::Full);
        }
        let fact = Fact::User(UserFact::Blocked { other });
        Ok(Decision { facts: vec![fact], answer: Block { by: self.id, other, at: now } })
    }

    /// Lets somebody write again. Nothing happens when they were not blocked.
    pub fn unblock(&self, other: UserId) -> Decision<()> {
        match self.blocks.get(&other) {
            Some(since) => {
                let fact = Fact::User(UserFact::Unblocked { other, since: *since });
                Decision { facts: vec![fact], answer: () }
            }
            None => Decision::unchanged(()),
        }
    }

    /// Whether somebody may write to this user.
    ///
    /// # Errors
    /// When this user blocked them.
    pub fn admit(&self, from: UserId) -> Result<(), WriteRefusal> {
        if self.blocks(from) { Err(WriteRefusal::Blocked) } else { Ok(()) }
    }

    /// Whether this user may write to somebody, as far as it is up to this user.
    ///
    /// # Errors
    /// When this user blocked them.
    pub fn may_write_to(&self, to: UserId) -> Result<(), WriteRefusal> {
        if self.blocks(to) { Err(WriteRefusal::Blocking) } else { Ok(()) }
    }

    /// Whether this user keeps another away.
    pub fn blocks(&self, other: UserId) -> bool {
        self.blocks.contains_key(&other)
    }

    /// Everybody whom this user keeps away, oldest block first.
    pub fn all_blocks(&self) -> Vec<Block> {
        let block =
            |(other, at): (&UserId, &Timestamp)| Block { by: self.id, other: *other, at: *at };
        let mut all: Vec<Block> = self.blocks.iter().map(block).collect();
        all.sort_by_key(|block| (block.at, block.other));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::testing::ana_since;

    const BEN: UserId = UserId::new(2);

    fn ana() -> User {
        ana_since(Timestamp::default())
    }

    fn apply<T>(user: &mut User, at: Timestamp, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(at, fact);
        }
        decision.answer
    }

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn blocking_twice_is_the_same_block() {
        let mut ana = ana();
        let first = ana.block(BEN, at(1000)).unwrap();
        let first = apply(&mut ana, at(1000), first);
        let again = ana.block(BEN, at(9000)).unwrap();
        assert!(again.facts.is_empty());
        assert_eq!(again.answer, first);
    }

    #[test]
    fn a_block_stops_both_and_says_whose_it_is() {
        let mut ana = ana();
        assert_eq!(ana.admit(BEN), Ok(()));
        let block = ana.block(BEN, at(1000)).unwrap();
        apply(&mut ana, at(1000), block);
        assert_eq!(ana.admit(BEN), Err(WriteRefusal::Blocked));
        assert_eq!(ana.may_write_to(BEN), Err(WriteRefusal::Blocking));
        assert_eq!(ana.admit(UserId::new(3)), Ok(()));
    }

    #[test]
    fn nobody_blocks_themselves() {
        let ana = ana();
        assert_eq!(ana.block(ana.id, at(0)).unwrap_err(), BlockRefusal::Oneself);
    }

    #[test]
    fn unblocking_tells_of_the_block_that_was() {
        let mut ana = ana();
        let block = ana.block(BEN, at(1000)).unwrap();
        apply(&mut ana, at(1000), block);
        let unblocked = ana.unblock(BEN);
        let fact = Fact::User(UserFact::Unblocked { other: BEN, since: at(1000) });
        assert_eq!(unblocked.facts, [fact]);
        apply(&mut ana, at(2000), unblocked);
        assert!(!ana.blocks(BEN));
        assert!(ana.unblock(BEN).facts.is_empty());
    }

    #[test]
    fn the_list_of_blocks_ends_somewhere() {
        let mut ana = ana();
        for other in 0..BLOCKS as u64 {
            let block = ana.block(UserId::new(100 + other), at(other)).unwrap();
            apply(&mut ana, at(other), block);
        }
        assert_eq!(ana.block(BEN, at(0)).unwrap_err(), BlockRefusal::Full);
        assert_eq!(ana.all_blocks().len(), BLOCKS);
    }
}
