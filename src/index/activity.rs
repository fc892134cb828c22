//! When each group last had a message: the order of lists of groups.
//!
//! The rows have this too, but posts reach them a moment later, and a list that waited for them
//! would cut short the time in which posts are gathered into a batch. So each message is noted here
//! before any reader receives it, and the note is dropped once the row is there.

use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::domain::ids::{Conversation, GroupId, StreamId, UserId};
use crate::index::{Index, IndexFault};
use crate::journal::Cursor;

/// How many notes are kept before a sweep drops those whose rows are there.
const SWEEP_AT: usize = 4096;

/// The newest message of each group, as far as its row may be missing: cursors of records.
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
        // Twice what is left, so that sweeps stay rare while the indexer is behind.
        let next = (self.newest.len() * 2).max(SWEEP_AT);
        self.sweep_at.store(next, Ordering::Relaxed);
    }

    fn of(&self, group: GroupId) -> Option<Cursor> {
        self.newest.get(&group).map(|note| *note)
    }
}

impl Index {
    /// Waits until the rows have every message of these conversations that was answered or heard
    /// of. Groups are looked at one by one, so a quiet one is shown at once; all chats share one
    /// note, so for a chat the newest message of any chat counts.
    ///
    /// # Errors
    /// If the indexer has stopped.
    pub async fn messages_reached(&self, conversations: &[Conversation]) -> Result<(), IndexFault> {
        let mut newest = Cursor::START;
        for conversation in conversations {
            newest = newest.max(match conversation {
                Conversation::Group(id) => self.notes.activity.of(*id).unwrap_or(Cursor::START),
                Conversation::Chat(_) => self.notes.chats(),
            });
        }
        self.reached(newest).await
    }

    /// Returns the groups that a user is in now, the one with the newest message first, in the
    /// order of commits; a group without messages counts from its beginning. Memberships are read
    /// from the rows ([`Self::current`]); the rows of messages need not be there yet.
    ///
    /// # Errors
    /// If the index cannot be read.
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

    /// Returns the cursor of a group's newest message, or of its beginning.
    fn active_at(&self, group: GroupId) -> Result<u64, IndexFault> {
        // The note is read first: it is dropped only once its row is there.
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
