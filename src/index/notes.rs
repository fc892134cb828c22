//! Notes of what is durable and may not have its rows yet: what readers have to wait for.
//!
//! The notes are updated with each batch of the journal before any reader receives it. So a client
//! that was answered, or received a change in any other way, finds the change in every list, and
//! rooms need not report anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::event::Fact;
use crate::domain::ids::{GroupId, StreamId};
use crate::domain::user::UserFact;
use crate::index::activity::Activity;
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
                StreamId::Callbacks | StreamId::Audit | StreamId::Name(_) => {}
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
