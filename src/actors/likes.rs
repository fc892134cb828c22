//! The likes that a room is working on.
//!
//! What a like changes is decided on the likes of its message. Those are taken from the
//! newest messages if it is one of them, else looked up; from then on the room keeps
//! them here until the index has every change, so that no two likes see the same past.

use std::collections::HashMap;

use crate::domain::ids::{MessageId, UserId};
use crate::domain::likes::{LikeChange, Likes};
use crate::journal::Cursor;

/// Messages whose likes are kept although the index has them.
const KEEP: usize = 256;

/// Likes as decided, durable or not.
#[derive(Debug, Default)]
pub(super) struct PendingLikes {
    open: HashMap<MessageId, Open>,
    /// How often something was put away; a look-up that began before is repeated.
    put_away: u64,
}

#[derive(Debug)]
struct Open {
    likes: Likes,
    /// Changes that are not durable yet.
    under_way: usize,
    /// The record of the newest durable change.
    changed: Cursor,
}

impl PendingLikes {
    /// The likes of a message, if they are here.
    pub(super) fn get(&self, message: MessageId) -> Option<&Likes> {
        self.open.get(&message).map(|open| &open.likes)
    }

    /// Marks the state of the pending likes before a look-up.
    pub(super) const fn mark(&self) -> u64 {
        self.put_away
    }

    /// Takes in what was looked up since `mark`, unless somebody else did. Tells whether
    /// the likes are here now; if not, the look-up may be stale and is to be repeated.
    pub(super) fn lay(&mut self, likes: Likes, mark: u64) -> bool {
        if self.open.contains_key(&likes.message) {
            return true;
        }
        if self.put_away != mark {
            return false;
        }
        let open = Open { likes, under_way: 0, changed: Cursor::START };
        self.open.insert(open.likes.message, open);
        true
    }

    /// Puts away what the index has, where there is more than is kept anyway. `keep` stays:
    /// somebody is about to decide on it.
    pub(super) fn tidy(&mut self, keep: MessageId, applied: Cursor) {
        if self.open.len() > KEEP {
            let before = self.open.len();
            let is_needed = |open: &Open| open.under_way > 0 || open.changed > applied;
            self.open.retain(|message, open| *message == keep || is_needed(open));
            self.put_away += u64::from(self.open.len() < before);
        }
    }

    /// Makes a decided change true. Who likes the message then.
    pub(super) fn stage(&mut self, change: &LikeChange, is_given: bool) -> Vec<UserId> {
        let Some(open) = self.open.get_mut(&change.message) else { return Vec::new() };
        if is_given {
            open.likes.by.insert(change.by, change.liked_at);
        } else {
            open.likes.by.remove(&change.by);
        }
        open.under_way += 1;
        open.likes.favorited_by()
    }

    /// Learns that a change is durable, and puts away what the index has.
    pub(super) fn settle(&mut self, change: &LikeChange, record: Cursor, applied: Cursor) {
        if let Some(open) = self.open.get_mut(&change.message) {
            open.under_way = open.under_way.saturating_sub(1);
            open.changed = record;
        }
        self.tidy(change.message, applied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::message::Author;
    use crate::domain::time::Timestamp;

    fn likes(message: u64) -> Likes {
        let by = std::collections::BTreeMap::new();
        Likes { message: MessageId::new(message), author: Author::System, by }
    }

    #[test]
    fn likes_that_change_nothing_are_not_kept_for_good() {
        let mut pending_likes = PendingLikes::default();
        for message in 0..10 * KEEP as u64 {
            // Looked up, and then nothing had to change.
            assert!(pending_likes.lay(likes(message), pending_likes.mark()));
            pending_likes.tidy(MessageId::new(message), Cursor::new(1));
            assert!(pending_likes.get(MessageId::new(message)).is_some());
        }
        assert!(pending_likes.open.len() <= KEEP + 1, "{} are kept", pending_likes.open.len());
    }

    #[test]
    fn a_look_up_that_is_older_than_a_putting_away_is_repeated() {
        let mut pending_likes = PendingLikes::default();
        let mark = pending_likes.mark();
        for message in 0..=KEEP as u64 {
            assert!(pending_likes.lay(likes(message), pending_likes.mark()));
        }
        let change = likes(0).give(UserId::new(1), Timestamp::from_millis(1)).unwrap();
        pending_likes.stage(&change, true);
        pending_likes.settle(&change, Cursor::new(10), Cursor::new(9));
        assert!(
            pending_likes.get(MessageId::new(0)).is_some(),
            "its change is not in the index yet"
        );
        assert!(pending_likes.get(MessageId::new(1)).is_none());
        assert!(!pending_likes.lay(likes(1), mark));
        assert!(pending_likes.lay(likes(1), pending_likes.mark()));
    }
}
