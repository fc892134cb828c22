//! Blocks: whose direct messages a user does not want.
//!
//! A block belongs to the user who set it. It has no effect in groups, except that the blocked user
//! cannot add the blocker to one.

use serde::{Deserialize, Serialize};

use crate::chat::WriteRefusal;
use crate::event::{Decision, Fact};
use crate::ids::UserId;
use crate::limits::BLOCKS;
use crate::time::Timestamp;
use crate::user::{User, UserFact};

/// One user blocked another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The user who set it.
    pub by: UserId,
    /// The user who is blocked.
    pub other: UserId,
    /// When it was set.
    pub at: Timestamp,
}

/// Why a user was not blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BlockRefusal {
    /// There is no such account.
    #[error("otherUser is not the id of a user")]
    Unknown,
    /// The user named themselves.
    #[error("user and otherUser must not be the same")]
    Oneself,
    /// The user blocks too many others already.
    #[error("a user can block at most {BLOCKS} others")]
    Full,
}

impl User {
    /// Blocks another user; an existing block stays as it is.
    ///
    /// # Errors
    /// If the other user is the user themselves, or the user blocks too many.
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

    /// Removes a block. Decides nothing if there is none.
    pub fn unblock(&self, other: UserId) -> Decision<()> {
        match self.blocks.get(&other) {
            Some(since) => {
                let fact = Fact::User(UserFact::Unblocked { other, since: *since });
                Decision { facts: vec![fact], answer: () }
            }
            None => Decision::unchanged(()),
        }
    }

    /// Lets this user write to `to`, as far as this user's own blocks go.
    ///
    /// # Errors
    /// If this user blocked `to`.
    pub fn may_write_to(&self, to: UserId) -> Result<(), WriteRefusal> {
        if self.blocks(to) { Err(WriteRefusal::Blocking) } else { Ok(()) }
    }

    /// Whether this user blocked another.
    pub fn blocks(&self, other: UserId) -> bool {
        self.blocks.contains_key(&other)
    }

    /// All blocks of this user, oldest first.
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
    use crate::user::fixtures::ana_since;

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
    fn block_stops_both_and_names_its_owner() {
        let mut ana = ana();
        assert!(ana.admit(BEN).is_ok());
        let block = ana.block(BEN, at(1000)).unwrap();
        apply(&mut ana, at(1000), block);
        assert_eq!(ana.admit(BEN), Err(WriteRefusal::Blocked));
        assert_eq!(ana.may_write_to(BEN), Err(WriteRefusal::Blocking));
        assert!(ana.admit(UserId::new(3)).is_ok());
    }

    #[test]
    fn nobody_blocks_themselves() {
        let ana = ana();
        assert_eq!(ana.block(ana.id, at(0)).unwrap_err(), BlockRefusal::Oneself);
    }

    #[test]
    fn unblocking_returns_the_block() {
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
