//! A journal in memory, for tests and for trying things out.
//!
//! It keeps every promise but the one about stable storage. Records are encoded as on disk, so
//! cursors, checksums and limits are those of the file journal, and a fact that does not survive
//! its encoding fails the first test that reads it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::fences::Fences;
use crate::followers::Followers;
use crate::queue::{Pending, Queue, ShutOnDrop};
use crate::record::{self, Flaw, RecordDraft};
use crate::{Commit, Committed, Cursor, Follower, Journal, JournalFault};
use crate::{MAX_RECORD, Outcome, Scan, Ticket, Unsent};
use base::bounds::Bound;
use base::threads::{RunningThread, Threads};
use domain::time::Timestamp;

/// The beginning of the first record: the file journal has its segment header before it.
const FIRST: u64 = 64;
/// Most commits, and bytes of them, that may wait.
const BOUND: Bound = Bound { items: 64 << 10, bytes: 128 << 20 };

/// A journal in memory. Dropping it ends its thread.
#[derive(Debug)]
pub struct MemoryJournal {
    core: Arc<Core>,
    writer: Option<RunningThread>,
}

#[derive(Debug)]
struct Core {
    queue: Queue,
    kept: RwLock<Kept>,
    newest: AtomicU64,
    followers: Followers,
}

/// The records as they would lie on disk, without the segment header.
#[derive(Debug, Default)]
struct Kept(Vec<u8>);

impl Kept {
    fn end(&self) -> u64 {
        FIRST + self.0.len() as u64
    }

    /// Decodes the record at a position, and returns it with its length.
    fn at(&self, at: Cursor) -> Result<(Committed, usize), JournalFault> {
        let damaged = |flaw: Flaw| JournalFault::Damaged { at: at.get(), reason: flaw.to_string() };
        let offset = at.get().checked_sub(FIRST).ok_or_else(|| damaged(Flaw::Blank))?;
        let bytes = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..));
        let bytes = bytes.ok_or_else(|| damaged(Flaw::Blank))?;
        let length = record::length(bytes).map_err(damaged)?;
        Ok((record::decode(bytes, at.get()).map_err(damaged)?, length))
    }
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        let first = Cursor::new(FIRST);
        let core = Arc::new(Core {
            queue: Queue::new(BOUND, Threads::System),
            kept: RwLock::default(),
            newest: AtomicU64::new(0),
            followers: Followers::from(first),
        });
        let writing = Arc::clone(&core);
        let writer = Threads::System.start("memory-journal", move || writing.run()).ok();
        if writer.is_none() {
            core.queue.shut(JournalFault::Closed);
        }
        Self { core, writer }
    }
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::new()
    }
}

impl Core {
    fn run(&self) {
        let _shut_on_drop = ShutOnDrop(&self.queue);
        let mut pending = Vec::new();
        let mut fences = Fences::default();
        while self.queue.take(&mut pending) {
            self.keep(&mut pending, &mut fences);
        }
    }

    fn keep(&self, pending: &mut Vec<Pending>, fences: &mut Fences) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let start = kept.end();
        let mut batch = Vec::with_capacity(pending.len());
        let mut resolves = Vec::with_capacity(pending.len());
        for Pending { draft, resolve } in pending.drain(..) {
            if !fences.admits(draft.stream(), draft.head()) {
                drop(resolve.send(Outcome::Conflict));
                continue;
            }
            let at = kept.end();
            let commit = draft.place(at, start, &mut kept.0);
            fences.moved(commit.stream, commit.after);
            batch.push(Arc::new(commit));
            resolves.push(resolve);
        }
        if batch.is_empty() {
            return;
        }
        let end = Cursor::new(kept.end());
        if let Some(newest) = batch.last() {
            self.newest.store(newest.cursor.get(), Ordering::SeqCst);
        }
        drop(kept);
        self.followers.tell(batch, end, |commits| {
            for (resolve, commit) in resolves.into_iter().zip(commits) {
                // The receiver may have given up waiting.
                drop(resolve.send(Outcome::Committed(Arc::clone(commit))));
            }
        });
    }

    fn kept(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        self.core.queue.push(RecordDraft::of(commit, MAX_RECORD)?)
    }

    fn end(&self) -> Cursor {
        Cursor::new(self.core.kept().end())
    }

    fn newest(&self) -> Cursor {
        Cursor::new(self.core.newest.load(Ordering::SeqCst))
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        self.core.kept().at(at).map(|(commit, _)| Arc::new(commit))
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        let kept = self.core.kept();
        let mut commits = Vec::new();
        let mut bytes = 0;
        let mut next = from.max(Cursor::new(FIRST));
        while next.get() < kept.end() {
            let (commit, length) = kept.at(next)?;
            if bytes > 0 && bytes + length > max_bytes {
                break;
            }
            bytes += length;
            next = Cursor::new(next.get() + length as u64);
            commits.push(Arc::new(commit));
        }
        Ok(Scan { commits, next })
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        let kept = self.core.kept();
        let mut later = (at.get() + 1..kept.end()).map(Cursor::new);
        later.find(|it| kept.at(*it).is_ok()).unwrap_or(Cursor::new(kept.end()))
    }

    fn since(&self, _: Timestamp) -> Result<Cursor, JournalFault> {
        Ok(Cursor::START)
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        self.core.followers.add(follower)
    }
}

impl Drop for MemoryJournal {
    fn drop(&mut self) {
        self.core.queue.shut(JournalFault::Closed);
        if let Some(writer) = self.writer.take() {
            writer.join();
        }
    }
}
