//! Which groups wrote last: what lists are ordered by.
//!
//! The rows tell it, but posts reach them a moment later, and a list that waited for
//! them would hold up every post that gathers for its batch. So each message is noted
//! here before anybody hears of it, and a note is dropped once its row is there.

use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::domain::ids::{Conversation, GroupId, StreamId, UserId};
use crate::index::{Index, IndexFault};
use crate::journal::Cursor;

/// Notes that are kept before anybody looks which can go.
const SWEEP_AT: usize = 4096;

/// The records of newest messages that the rows may not have yet.
#[derive(Debug)]
pub(super) struct Activity {
    newest: DashMap<GroupId, Cursor>,
    sweep_at: AtomicUsize,
}

impl Default for Activity {
    fn default() -> Self {
        Self { newest: DashMap::new(), sweep_at: AtomicUsize::new(SWEEP_AT) }
    }
}

impl Activity {
    pub(super) fn note(&self, group: GroupId, record: Cursor, applied: Cursor) {
        self.newest.insert(group, record);
        if self.newest.len() < self.sweep_at.load(Ordering::Relaxed) {
            return;
        }
        self.newest.retain(|_, record| *record > applied);
        // Twice what is left, so that sweeping stays cheap while the indexer is behind.
        let next = (self.newest.len() * 2).max(SWEEP_AT);
        self.sweep_at.store(next, Ordering::Relaxed);
    }

    fn of(&self, group: GroupId) -> Option<Cursor> {
        self.newest.get(&group).map(|note| *note)
    }
}

impl Index {
    /// Waits until the rows show every message of these conversations that was answered or
    /// heard of; other conversations do not count, so a quiet one is shown at once.
    ///
    /// # Errors
    /// When the indexer has stopped.
    pub async fn shows(&self, conversations: &[Conversation]) -> Result<(), IndexFault> {
        let mut newest = Cursor::START;
        for conversation in conversations {
            newest = newest.max(match conversation {
                Conversation::Group(id) => self.notes.activity.of(*id).unwrap_or(Cursor::START),
                Conversation::Chat(_) => self.notes.chats(),
            });
        }
        self.reached(newest).await
    }

    /// The groups that a user is in now, the one with the newest message first, in the
    /// order of commits; a group without messages counts from its beginning. Members are
    /// looked up in the rows ([`Self::current`]), messages need not be there yet.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn groups_of(&self, user: UserId) -> Result<Vec<GroupId>, IndexFault> {
        let mut groups = Vec::new();
        for (group, seat) in self.seats(user)? {
            if seat.is_active() {
                groups.push((self.active_at(group)?, group));
            }
        }
        groups.sort_unstable_by_key(|it| std::cmp::Reverse(*it));
        Ok(groups.into_iter().map(|(_, group)| group).collect())
    }

    /// Where the newest message of a group lies, or its beginning.
    fn active_at(&self, group: GroupId) -> Result<u64, IndexFault> {
        // The note first: it is dropped only when its row is there.
        let noted = self.notes.activity.of(group).map_or(0, Cursor::get);
        let tail = self.tail(StreamId::Group(group))?.unwrap_or_default();
        Ok(noted.max(tail.spoke))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_dropped_once_their_rows_are_there() {
        let activity = Activity::default();
        let note = |number: u64, applied: u64| {
            activity.note(GroupId::new(number), Cursor::new(number), Cursor::new(applied));
        };
        (1..SWEEP_AT as u64).for_each(|number| note(number, 0));
        note(SWEEP_AT as u64, 1000);
        assert_eq!(activity.of(GroupId::new(1000)), None);
        assert_eq!(activity.of(GroupId::new(1001)), Some(Cursor::new(1001)));
        assert_eq!(activity.newest.len(), SWEEP_AT - 1000);
    }

    #[test]
    fn the_newest_message_of_a_group_counts() {
        let activity = Activity::default();
        for record in [7, 8] {
            activity.note(GroupId::new(1), Cursor::new(record), Cursor::START);
        }
        assert_eq!(activity.of(GroupId::new(1)), Some(Cursor::new(8)));
    }
}
