//! Notes of what is durable and may not have its rows yet: what readers have to wait for.
//!
//! The notes are updated with each batch of the journal before any reader receives it. So a client
//! that was answered, or received a change in any other way, finds the change in every list, and
//! rooms need not report anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::domain::event::Fact;
use crate::domain::ids::{Conversation, GroupId, StreamId, UserId};
use crate::domain::user::UserFact;
use crate::index::{Index, IndexFault};
use crate::journal::{Committed, Cursor};

/// The newest commits that readers may have to wait for.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The newest commit that changed a row which lists or look-ups read.
    structural: AtomicU64,
    /// The newest commit of any chat: it changes the order in which chats are listed.
    chats: AtomicU64,
    /// The newest messages of groups.
    pub(super) activity: Activity,
}

impl Notes {
    /// The newest commit that changed a row which lists or look-ups read.
    pub(super) fn structural(&self) -> Cursor {
        Cursor::new(self.structural.load(Ordering::SeqCst))
    }

    /// The newest commit of any chat.
    pub(super) fn chats(&self) -> Cursor {
        Cursor::new(self.chats.load(Ordering::SeqCst))
    }

    /// Notes the commits of a batch. `applied` is the position up to which rows are there.
    pub(super) fn take(&self, commits: &[Arc<Committed>], applied: Cursor) {
        for commit in commits {
            match commit.stream {
                StreamId::Group(group) => self.take_group(group, commit, applied),
                StreamId::User(_) => {
                    if commit.entries.iter().any(|entry| is_structural(&entry.event.fact)) {
                        self.note_structural(commit.cursor);
                    }
                }
                StreamId::Chat(_) => {
                    self.chats.fetch_max(commit.cursor.get(), Ordering::SeqCst);
                }
                StreamId::Callbacks | StreamId::Audit | StreamId::Instance | StreamId::Name(_) => {}
            }
        }
    }

    fn take_group(&self, group: GroupId, commit: &Committed, applied: Cursor) {
        let facts = || commit.entries.iter().map(|entry| &entry.event.fact);
        if facts().any(|fact| fact.message().is_some()) {
            self.activity.note(group, commit.cursor, applied);
        }
        if facts().any(is_structural) {
            self.note_structural(commit.cursor);
        }
    }

    fn note_structural(&self, at: Cursor) {
        self.structural.fetch_max(at.get(), Ordering::SeqCst);
    }
}

/// Whether a fact of a group or a user changes more than messages, likes and read marks.
fn is_structural(fact: &Fact) -> bool {
    let is_mark = matches!(fact, Fact::User(UserFact::ReadUpTo(_)));
    !is_mark && fact.message().is_none() && fact.like().is_none() && !fact.is_answer()
}

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
        let newest = conversations.iter().map(|conversation| self.newest_of(*conversation));
        self.reached(newest.max().unwrap_or(Cursor::START)).await
    }

    /// Whether the rows have every message of a conversation that was answered or sent.
    pub fn has_messages_of(&self, conversation: Conversation) -> bool {
        self.applied() >= self.newest_of(conversation)
    }

    fn newest_of(&self, conversation: Conversation) -> Cursor {
        match conversation {
            Conversation::Group(id) => self.notes.activity.of(id).unwrap_or(Cursor::START),
            Conversation::Chat(_) => self.notes.chats(),
        }
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
