//! Likes: who likes a message, and when a like or its end changes anything.
//!
//! Kept beside the messages, one small row each, so that a burst of likes rewrites
//! nothing and a message from years ago costs what the newest one costs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::ids::{MessageId, UserId};
use crate::domain::message::Author;
use crate::domain::time::Timestamp;

/// A like, or the end of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikeChange {
    /// Of which message.
    pub message: MessageId,
    /// Who wrote it, for lists of what others liked.
    pub author: Author,
    /// Whose like.
    pub by: UserId,
    /// When it was given; also in the change that ends it, so that its row is found.
    pub liked_at: Timestamp,
}

/// Who likes one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likes {
    /// The message.
    pub message: MessageId,
    /// Who wrote it.
    pub author: Author,
    /// Who likes it, and since when.
    pub by: BTreeMap<UserId, Timestamp>,
}

impl Likes {
    /// The like of this user, unless there is one.
    pub fn give(&self, by: UserId, now: Timestamp) -> Option<LikeChange> {
        (!self.by.contains_key(&by)).then(|| self.change(by, now))
    }

    /// The end of this user's like, if there is one.
    pub fn take_back(&self, by: UserId) -> Option<LikeChange> {
        self.by.get(&by).map(|liked_at| self.change(by, *liked_at))
    }

    /// Who likes it, earliest like first.
    pub fn favorited_by(&self) -> Vec<UserId> {
        in_order(&self.by)
    }

    fn change(&self, by: UserId, liked_at: Timestamp) -> LikeChange {
        LikeChange { message: self.message, author: self.author.clone(), by, liked_at }
    }
}

/// Those who like something, earliest like first.
pub fn in_order(likes: &BTreeMap<UserId, Timestamp>) -> Vec<UserId> {
    let mut users: Vec<(&Timestamp, &UserId)> =
        likes.iter().map(|(user, liked_at)| (liked_at, user)).collect();
    users.sort_unstable();
    users.into_iter().map(|(_, user)| *user).collect()
}

/// Why a like was not given or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LikeRefusal {
    /// The caller is not in the conversation, or it does not exist.
    #[error("there is no such conversation")]
    NotAMember,
    /// It has no such message.
    #[error("there is no such message")]
    NoMessage,
    /// Nothing is left of it.
    #[error("this message was deleted")]
    Deleted,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likes(by: &[(u64, u64)]) -> Likes {
        let by = by.iter().map(|(user, at)| (UserId::new(*user), Timestamp::from_millis(*at)));
        Likes { message: MessageId::new(1), author: Author::System, by: by.collect() }
    }

    #[test]
    fn liking_twice_changes_nothing() {
        let likes = likes(&[(7, 100)]);
        assert_eq!(likes.give(UserId::new(7), Timestamp::from_millis(200)), None);
        let second = likes.give(UserId::new(8), Timestamp::from_millis(200)).unwrap();
        assert_eq!((second.by, second.liked_at.millis()), (UserId::new(8), 200));
    }

    #[test]
    fn taking_back_needs_a_like_and_names_its_time() {
        let likes = likes(&[(7, 100)]);
        assert_eq!(likes.take_back(UserId::new(8)), None);
        assert_eq!(likes.take_back(UserId::new(7)).unwrap().liked_at.millis(), 100);
    }

    #[test]
    fn the_earliest_like_comes_first() {
        let likes = likes(&[(7, 300), (8, 100), (9, 200)]);
        let ids: Vec<u64> = likes.favorited_by().into_iter().map(UserId::get).collect();
        assert_eq!(ids, [8, 9, 7]);
    }
}
