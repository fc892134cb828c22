//! The messages that a room is working on, with their likes.
//!
//! A like or a revision is decided on its message. That comes from the room's newest messages or is
//! looked up; from then on the room keeps it here until the index has every change of it, so that
//! no two decisions rest on the same past.

use std::collections::HashMap;
use std::sync::Arc;

use domain::ids::MessageId;
use domain::likes::{LikeChange, Likes, ToldLikers};
use domain::message::Message;
use domain::revision::Revision;
use domain::time::Timestamp;
use journal::Cursor;

/// Messages that are kept although the index has all their changes.
const KEEP: usize = 256;

/// Messages and likes as decided, durable or not.
#[derive(Debug, Default)]
pub(super) struct PendingMessages {
    open: HashMap<MessageId, Open>,
    /// How often messages were evicted. A look-up that began before an eviction is repeated.
    evictions: u64,
}

#[derive(Debug)]
struct Open {
    message: Arc<Message>,
    likes: Likes,
    /// Changes that are not durable yet.
    under_way: usize,
    /// The record of the newest durable change.
    changed: Cursor,
}

impl PendingMessages {
    /// Returns a message and its likes, if they are here.
    pub(super) fn get(&self, message: MessageId) -> Option<(&Arc<Message>, &Likes)> {
        self.open.get(&message).map(|open| (&open.message, &open.likes))
    }

    /// How often messages were evicted so far: read before a look-up, for
    /// [`insert_looked_up`](Self::insert_looked_up).
    pub(super) const fn evictions(&self) -> u64 {
        self.evictions
    }

    /// Applies what was looked up since `evictions` was read, unless the message is here already.
    /// Returns whether the message is here now; if not, the look-up may be stale and has to be
    /// repeated.
    pub(super) fn insert_looked_up(
        &mut self,
        message: Arc<Message>,
        likes: Likes,
        evictions: u64,
    ) -> bool {
        if self.open.contains_key(&likes.message) {
            return true;
        }
        if self.evictions != evictions {
            return false;
        }
        let open = Open { message, likes, under_way: 0, changed: Cursor::START };
        self.open.insert(open.likes.message, open);
        true
    }

    /// Evicts messages whose changes the index has, if there are more than are kept anyway. `keep`
    /// stays, since it is about to be decided on.
    pub(super) fn evict(&mut self, keep: MessageId, applied: Cursor) {
        if self.open.len() > KEEP {
            let before = self.open.len();
            let is_needed = |open: &Open| open.under_way > 0 || open.changed > applied;
            self.open.retain(|message, open| *message == keep || is_needed(open));
            self.evictions += u64::from(self.open.len() < before);
        }
    }

    /// Applies a decided like. Returns who likes the message then.
    pub(super) fn stage(&mut self, change: &LikeChange, is_given: bool) -> ToldLikers {
        let Some(open) = self.open.get_mut(&change.message) else { return ToldLikers::default() };
        open.likes.by.apply(change, is_given);
        open.under_way += 1;
        open.likes.told()
    }

    /// Applies a decided revision. Returns the message then, and who likes it.
    pub(super) fn revise(
        &mut self,
        revision: &Revision,
        at: Timestamp,
    ) -> Option<(Arc<Message>, ToldLikers)> {
        if revision.is_deletion() {
            let quoting = |open: &&mut Open| open.message.quoted() == Some(revision.message);
            for open in self.open.values_mut().filter(quoting) {
                open.message = Arc::new(open.message.without_quote());
            }
        }
        let open = self.open.get_mut(&revision.message)?;
        open.message = Arc::new(open.message.revised(revision, at));
        open.under_way += 1;
        Some((Arc::clone(&open.message), open.likes.told()))
    }

    /// Counts a decided answer in the thread that a message began.
    pub(super) fn answer(&mut self, base: MessageId, at: Timestamp) {
        if let Some(open) = self.open.get_mut(&base) {
            open.message = Arc::new(open.message.with_answer(at));
            open.under_way += 1;
        }
    }

    /// Notes that a change of a message is durable, and evicts messages whose changes the index
    /// has.
    pub(super) fn settle(&mut self, message: MessageId, record: Cursor, applied: Cursor) {
        if let Some(open) = self.open.get_mut(&message) {
            open.under_way = open.under_way.saturating_sub(1);
            open.changed = record;
        }
        self.evict(message, applied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::likes::LikesByUser;
    use domain::message::Author;
    use domain::reaction::Reaction;

    fn inserts(pending: &mut PendingMessages, message: u64, evictions: u64) -> bool {
        let said = Arc::new(Message::silent(message, message));
        pending.insert_looked_up(said, likes(message), evictions)
    }

    fn likes(message: u64) -> Likes {
        let by = LikesByUser::default();
        Likes { message: MessageId::new(message), author: Author::System, by }
    }

    #[test]
    fn likes_that_change_nothing_are_not_kept_for_good() {
        let mut pending = PendingMessages::default();
        for message in 0..10 * KEEP as u64 {
            // Looked up, and then nothing had to change.
            let evictions = pending.evictions();
            assert!(inserts(&mut pending, message, evictions));
            pending.evict(MessageId::new(message), Cursor::new(1));
            assert!(pending.get(MessageId::new(message)).is_some());
        }
        assert!(pending.open.len() <= KEEP + 1, "{} are kept", pending.open.len());
    }

    #[test]
    fn a_look_up_that_is_older_than_a_putting_away_is_repeated() {
        let mut pending = PendingMessages::default();
        let evictions = pending.evictions();
        for message in 0..=KEEP as u64 {
            let evictions = pending.evictions();
            assert!(inserts(&mut pending, message, evictions));
        }
        let change =
            likes(0).give(UserId::new(1), Reaction::default(), Timestamp::from_millis(1)).unwrap();
        pending.stage(&change, true);
        pending.settle(change.message, Cursor::new(10), Cursor::new(9));
        assert!(pending.get(MessageId::new(0)).is_some(), "its change is not in the index yet");
        assert!(pending.get(MessageId::new(1)).is_none());
        assert!(!inserts(&mut pending, 1, evictions));
        let evictions = pending.evictions();
        assert!(inserts(&mut pending, 1, evictions));
    }
}
