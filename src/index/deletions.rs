//! Messages that were deleted lately.
//!
//! A deletion is here before its caller is answered, and before any follower receives it. So what
//! was encoded earlier can be checked at the moment when it is sent.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use domain::event::Fact;
use domain::ids::{MessageId, StreamId};
use journal::{Committed, Cursor, Follower};

/// Deletions that are kept. What was encoded before older ones counts as outdated.
const KEPT: usize = 4096;

/// The messages that were deleted lately. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct RecentDeletions(Arc<RwLock<Recent>>);

#[derive(Debug, Default)]
struct Recent {
    /// The deletions, the newest last.
    deleted: VecDeque<Deletion>,
    /// All deletions after this event are kept.
    since: Cursor,
}

#[derive(Debug)]
struct Deletion {
    at: Cursor,
    stream: StreamId,
    message: MessageId,
}

impl RecentDeletions {
    /// Whether an event of this stream, encoded with what was durable at `as_of`, may show words of
    /// a message that was deleted since.
    pub fn outdate(&self, as_of: Cursor, stream: StreamId, fact: &Fact) -> bool {
        let recent = self.recent();
        let mut newer = recent.deleted.iter().rev().take_while(|it| it.at > as_of);
        as_of < recent.since || newer.any(|it| it.stream == stream && fact.may_show(it.message))
    }

    /// Whether an event of this stream may show words of a message that was deleted lately.
    pub fn concern(&self, stream: StreamId, fact: &Fact) -> bool {
        let recent = self.recent();
        recent.deleted.iter().any(|it| it.stream == stream && fact.may_show(it.message))
    }

    /// Whether the message was deleted lately.
    pub fn have(&self, message: MessageId) -> bool {
        self.recent().deleted.iter().any(|it| it.message == message)
    }

    fn recent(&self) -> RwLockReadGuard<'_, Recent> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower for RecentDeletions {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        for commit in commits {
            for (at, _, event) in commit.numbered() {
                let Some(revision) = event.fact.revision().filter(|it| it.is_deletion()) else {
                    continue;
                };
                let mut recent = self.0.write().unwrap_or_else(PoisonError::into_inner);
                if recent.deleted.len() >= KEPT
                    && let Some(oldest) = recent.deleted.pop_front()
                {
                    recent.since = oldest.at;
                }
                let stream = commit.stream;
                let message = revision.message;
                recent.deleted.push_back(Deletion { at, stream, message });
            }
        }
    }

    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {}
}
