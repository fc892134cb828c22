//! The journal: the source of truth. It keeps everything that happened, in one order, on stable
//! storage.
//!
//! A room submits a [`Commit`] and gets a [`Ticket`], which resolves once the commit is durable.
//! Followers receive each durable batch in order. Committed records are read back by position.
//! Nothing here knows what an event means.

use std::fmt;
use std::sync::Arc;

pub use crate::queue::Ticket;
pub use crate::record::write_as_next_version;
pub use crate::status::JournalState;
use domain::event::{Entry, Event, Origin};
use domain::ids::StreamId;
use domain::time::Timestamp;

pub mod disk;
pub mod faulty;
mod fences;
pub mod file;
mod followers;
pub mod inventory;
pub mod memory;
pub mod open_error;
pub mod own;
mod packed;
mod queue;
mod reader;
mod record;
pub mod recovery;
pub mod replicated;
pub mod salvage;
mod segment;
mod segments;
mod segments_writer;
pub mod status;
pub mod verification;
pub mod view;
pub mod weight;
mod writer;

/// A position in the order of commits over the whole installation. Cursors grow with every event;
/// readers treat them as opaque.
///
/// The event at index `i` of a record that begins at byte `p` has the cursor `p + i`: a record has
/// more bytes than events, so cursors never collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cursor(u64);

impl Cursor {
    /// The position before the first record.
    pub const START: Self = Self(0);

    /// Makes a cursor from its raw number.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }

    /// The raw number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The cursor of the event at `index` of the record that begins at this position.
    #[must_use]
    pub const fn event(self, index: u16) -> Self {
        Self(self.0 + index as u64)
    }

    /// The cursor after every event before this position and before every event from this position
    /// on, for reading onward from here. A record has more bytes than events, so no event has the
    /// position of a record's last byte.
    #[must_use]
    pub const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The position `bytes` further on in the journal; a rough one, since it need not begin a
    /// record.
    #[must_use]
    pub const fn further(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }

    /// Bytes of journal from `earlier` to this position; 0 if `earlier` is further on.
    pub const fn bytes_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The end of a stream: the number of its newest event, and the checksum of its newest record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamHead {
    /// The number of the newest audible event; 0 when there is none yet.
    pub n: u64,
    /// Identifies the stream's newest record: the CRC-32C of that record.
    pub token: u64,
}

/// Identifies a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommitId(pub u128);

/// One or more events of one stream that become durable together or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The stream whose events these are.
    pub stream: StreamId,
    /// The end of the stream when the events were decided.
    pub head: StreamHead,
    /// The commit's identifier.
    pub id: CommitId,
    /// When the commit was submitted.
    pub at: Timestamp,
    /// The events in the order in which they happened; at least one, at most [`MAX_EVENTS`].
    pub entries: Vec<Entry>,
}

/// Most events of one commit; a room gathers no more than this.
pub const MAX_EVENTS: usize = 1024;
/// Most bytes of one encoded record.
pub const MAX_RECORD: usize = 8 << 20;

/// A commit that is on stable storage.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The beginning of the commit's record.
    pub cursor: Cursor,
    /// The stream whose events these are.
    pub stream: StreamId,
    /// The commit's identifier.
    pub id: CommitId,
    /// When the commit was submitted.
    pub at: Timestamp,
    /// The end of the stream before this commit.
    pub before: StreamHead,
    /// The end of the stream with this commit.
    pub after: StreamHead,
    /// The commit's events. Entries read back from disk have no audience.
    pub entries: Vec<Entry>,
    /// The origin of the events: decided here, or read.
    pub origin: Origin,
}

impl Committed {
    /// The cursor of the commit's newest event.
    pub fn last_cursor(&self) -> Cursor {
        let newest = self.entries.len().saturating_sub(1);
        self.cursor.event(u16::try_from(newest).unwrap_or(u16::MAX))
    }

    /// The commit's events, each with its cursor and, if it is audible, its number in the stream.
    pub fn numbered(&self) -> impl Iterator<Item = (Cursor, Option<u64>, &Arc<Event>)> {
        let mut n = self.before.n;
        self.entries.iter().zip(0_u16..).map(move |(entry, index)| {
            let number = entry.event.fact.is_audible().then(|| {
                n += 1;
                n
            });
            (self.cursor.event(index), number, &entry.event)
        })
    }
}

/// How a submitted commit ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The commit is on stable storage.
    Committed(Arc<Committed>),
    /// The stream's head was not the one that the commit was decided on; nothing was written now.
    /// An earlier attempt with the same identifier may have been written, see [`Journal::look_up`].
    Conflict,
    /// The journal cannot tell yet whether the commit was written, see [`Journal::look_up`].
    Unknown(JournalFault),
}

/// Why the journal cannot serve.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalFault {
    /// Too many commits are waiting.
    #[error("the journal's queue is full")]
    Busy,
    /// A commit is larger than a record may be.
    #[error("a commit of {bytes} bytes exceeds the maximum size of a record")]
    TooLarge {
        /// The commit's encoded size.
        bytes: usize,
    },
    /// A write or a sync failed; nothing is acknowledged until restart.
    #[error("the journal stopped after a failed {operation}: {reason}")]
    Stopped {
        /// The operation that failed: `write`, `sync` or another one.
        operation: &'static str,
        /// The error that was reported.
        reason: String,
    },
    /// The disk is full; space may be freed later.
    #[error("the disk is full: {reason}")]
    Full {
        /// The error that the operating system reported.
        reason: String,
    },
    /// The journal is shutting down.
    #[error("the journal is closed")]
    Closed,
    /// A record cannot be read back.
    #[error("the record at {at} is damaged: {reason}")]
    Damaged {
        /// The record's position.
        at: u64,
        /// The problem of the record.
        reason: String,
    },
    /// Reading failed for a reason other than damage, possibly a passing one.
    #[error("reading at {at} failed: {reason}")]
    Unreadable {
        /// The position that was to be read.
        at: u64,
        /// The error that the operating system reported.
        reason: String,
    },
}

/// The operation of a [`JournalFault::Stopped`] after which a node's copy of the shared log was
/// found to differ from the others or to be damaged.
const COMPARISON: &str = "comparison";

impl JournalFault {
    /// Whether opening the journal again repairs it: the bad segment is noted, and will be cut and
    /// read again from the shared log.
    pub fn is_mended_at_start(&self) -> bool {
        matches!(self, Self::Stopped { operation: COMPARISON, .. })
    }
}

/// A commit that was refused, and why. Nothing of it is written.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Unsent {
    /// Why the commit was refused.
    pub fault: JournalFault,
    /// The commit, to be submitted again if the fault is a passing one.
    pub commit: Box<Commit>,
}

impl From<Unsent> for JournalFault {
    fn from(unsent: Unsent) -> Self {
        unsent.fault
    }
}

/// Receives every durable commit, in order, on the journal's own thread. A follower must hand over
/// and return; it must never wait.
pub trait Follower: Send {
    /// Called once per batch, before the batch's tickets resolve and before
    /// [`durable`](Self::durable): a projection kept here is never behind an answer or a
    /// notification. Every writer waits for this call, so it does a few look-ups in memory at most.
    fn project(&mut self, _commits: &[Arc<Committed>]) {}

    /// Called once per batch, after its tickets are resolved.
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>);

    /// Called when this node begins to lead, or no longer leads, if several nodes share a log.
    fn leader_changed(&mut self, _leads: bool) {}
}

/// An ordered, durable log of commits.
///
/// Every implementation keeps these promises, and one test suite checks them: commits of one stream
/// keep their order; a ticket resolves as committed only after the bytes are on stable storage; a
/// commit that was decided on another head of its stream than the present one is a conflict and is
/// not written (see [`Outcome::Conflict`]); after a failed write or sync nothing is committed any
/// more; `read` and `scan` show what is durable and nothing else; followers receive each commit
/// once, in the order of cursors.
pub trait Journal: Send + Sync + fmt::Debug {
    /// Queues a commit. Never waits.
    ///
    /// # Errors
    /// If the queue is full, the commit is too large, or the journal has stopped; then nothing is
    /// written, and the error holds the commit.
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent>;

    /// The first position after everything durable; every commit below it can be read.
    fn end(&self) -> Cursor;

    /// Whether the journal takes commits, is full, or has stopped.
    fn state(&self) -> JournalState {
        JournalState::Open
    }

    /// Whether the disk has room for commits that can wait. If not, only vital facts
    /// ([`Fact::is_vital`](domain::event::Fact::is_vital)) are taken, as long as they fit.
    fn has_space(&self) -> bool {
        true
    }

    /// Whether events decided here can be written. Always true, unless several nodes share a log:
    /// then only if this node leads. It has read everything then that others decided.
    fn leads(&self) -> bool {
        true
    }

    /// Whether other nodes write this log too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether anything can become durable now, as far as known: the servers of a shared log may be
    /// out of reach.
    fn is_reachable(&self) -> bool {
        true
    }

    /// The beginning of the newest record that became durable since opening, or [`Cursor::START`].
    /// Never behind a commit whose ticket has resolved, nor behind an [`end`](Self::end) read
    /// before.
    fn newest(&self) -> Cursor;

    /// Reads the record that begins at this position. Blocks on the disk.
    ///
    /// # Errors
    /// If no record begins there, or it is damaged.
    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault>;

    /// Reads records from this position on, in order: about `max_bytes` of them, and at least one
    /// if there is one. Also returns the position of the next scan. Blocks on the disk.
    ///
    /// # Errors
    /// If the first record is damaged. A scan ends before one that lies behind others.
    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault>;

    /// The first position after `at` where a scan can continue, if what lies at `at` is damaged:
    /// where a whole record begins, or the end. Blocks on the disk.
    fn next_whole(&self, at: Cursor) -> Cursor;

    /// A position not far before every commit that was submitted since `at`. Blocks on the disk.
    ///
    /// # Errors
    /// If a record is damaged.
    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault>;

    /// Finds a commit by its identifier among the records from `since` on. Blocks on the disk. For
    /// callers whose commit ended as a conflict or unknown: `since` is the [`end`](Self::end)
    /// before the commit was submitted.
    ///
    /// # Errors
    /// If a record is damaged.
    fn look_up(&self, id: CommitId, since: Cursor) -> Result<Option<Arc<Committed>>, JournalFault> {
        const BYTES: usize = 1 << 20;
        let mut from = since;
        loop {
            let Scan { commits, next } = self.scan(from, BYTES)?;
            if let Some(found) = commits.into_iter().find(|commit| commit.id == id) {
                return Ok(Some(found));
            }
            if next <= from || next >= self.end() {
                return Ok(None);
            }
            from = next;
        }
    }

    /// Adds a follower. Returns the position from which it receives commits.
    fn follow(&self, follower: Box<dyn Follower>) -> Cursor;
}

/// A stretch of the journal that was read.
#[derive(Debug)]
pub struct Scan {
    /// The commits, in order.
    pub commits: Vec<Arc<Committed>>,
    /// The beginning of the next scan.
    pub next: Cursor,
}
