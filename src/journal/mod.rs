//! The journal: the truth. Everything that happened, in one order, on stable storage.
//!
//! A room hands over a [`Commit`] and gets a [`Ticket`]; the ticket resolves once the
//! commit is durable. Followers hear each durable batch in order. What was written is
//! read back by position. Nothing here knows what an event means.

use std::fmt;
use std::sync::Arc;

use crate::domain::event::{Entry, Event, Origin};
use crate::domain::ids::StreamId;
use crate::domain::time::Timestamp;
pub use crate::journal::record::write_as_next_version;
use crate::journal::replicated::shard::{Hands, Shard, TakeOver};
pub use crate::journal::standing::Standing;
pub use crate::journal::ticket::Ticket;

mod appending;
pub mod checking;
pub mod counts;
pub mod disk;
pub mod faulty;
mod fences;
pub mod file;
mod followers;
pub mod inventory;
pub mod memory;
pub mod open_error;
pub mod opening;
pub mod own;
mod packed;
mod preparing;
mod queue;
mod reader;
mod record;
pub mod replicated;
mod sealing;
mod segment;
mod segments;
mod standing;
mod ticket;
pub mod view;
pub mod weight;
mod writer;

/// A position in the order of commits over the whole installation. It grows with
/// every event; readers treat it as opaque.
///
/// The event at index `i` of a record that begins at byte `p` has the cursor `p + i`:
/// a record is longer than it has events, so cursors never collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cursor(u64);

impl Cursor {
    /// Before everything.
    pub const START: Self = Self(0);

    /// From the bare number.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }

    /// The bare number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The cursor of the event at this index of the record that begins here.
    #[must_use]
    pub const fn event(self, index: u16) -> Self {
        Self(self.0 + index as u64)
    }

    /// A cursor to go on from, after every event before this position and before every
    /// event from it on: a record is longer than it has events, so its last byte is that.
    #[must_use]
    pub const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The position about so many bytes of journal further on.
    #[must_use]
    pub const fn further(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }

    /// How many bytes of journal lie from there to here; none if it is further on.
    pub const fn bytes_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Where a stream ends: its newest number, and the check value of its newest record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamHead {
    /// The number of the newest audible event; 0 when there is none yet.
    pub n: u64,
    /// The engine's own mark: here, the CRC of the stream's newest record.
    pub token: u64,
}

/// Names a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommitId(pub u128);

/// One or more events of one stream that become durable together or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Whose events.
    pub stream: StreamId,
    /// Where the stream ended when this was decided.
    pub head: StreamHead,
    /// Its name.
    pub id: CommitId,
    /// When it was submitted.
    pub at: Timestamp,
    /// In the order in which they happened; at least one, at most [`MAX_EVENTS`].
    pub entries: Vec<Entry>,
}

/// Events of one commit at most; a room gathers no more than this.
pub const MAX_EVENTS: usize = 1024;
/// Bytes of one encoded record at most.
pub const MAX_RECORD: usize = 8 << 20;

/// A commit that is on stable storage.
#[derive(Debug, Clone)]
pub struct Committed {
    /// Where its record begins.
    pub cursor: Cursor,
    /// Whose events.
    pub stream: StreamId,
    /// Its name.
    pub id: CommitId,
    /// When it was submitted.
    pub at: Timestamp,
    /// Where the stream ended before it.
    pub before: StreamHead,
    /// Where the stream ends with it.
    pub after: StreamHead,
    /// Its events. Read back from disk, they have no audience.
    pub entries: Vec<Entry>,
    /// Who decided them.
    pub origin: Origin,
}

impl Committed {
    /// The cursor of the newest event in it.
    pub fn last_cursor(&self) -> Cursor {
        let newest = self.entries.len().saturating_sub(1);
        self.cursor.event(u16::try_from(newest).unwrap_or(u16::MAX))
    }

    /// Its events with the cursor and the number of each; a number only for audible ones.
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
    /// It is on stable storage.
    Committed(Arc<Committed>),
    /// The stream did not end where the commit thought; nothing was written now. An
    /// earlier attempt under the same name may have been, see [`Journal::look_up`].
    Conflict,
    /// Nobody can tell yet whether it was written, see [`Journal::look_up`].
    Unknown(JournalFault),
}

/// Why the journal cannot serve.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalFault {
    /// Too many commits are waiting.
    #[error("the journal's queue is full")]
    Busy,
    /// A commit is larger than a record may be.
    #[error("a commit of {bytes} bytes is larger than a record may be")]
    TooLarge {
        /// Its encoded size.
        bytes: usize,
    },
    /// A write or a sync failed; nothing is acknowledged until restart.
    #[error("the journal stopped after a failed {operation}: {reason}")]
    Stopped {
        /// `write` or `sync`, or what else was done.
        operation: &'static str,
        /// What the system said.
        reason: String,
    },
    /// There is no room on the disk; later there may be.
    #[error("there is no room on the disk: {reason}")]
    Full {
        /// What the system said.
        reason: String,
    },
    /// The journal is shutting down.
    #[error("the journal is closed")]
    Closed,
    /// A record cannot be read back.
    #[error("the record at {at} is damaged: {reason}")]
    Damaged {
        /// Its position.
        at: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused to read.
    #[error("reading at {at} failed: {reason}")]
    Unreadable {
        /// The position.
        at: u64,
        /// What the system said.
        reason: String,
    },
}

/// What stops a journal that is a copy and not the same as the others.
const COMPARISON: &str = "comparison";

impl JournalFault {
    /// Whether the journal only has to be opened again: what is wrong in it is noted, and will
    /// be cut and read anew from the log.
    pub fn is_mended_at_start(&self) -> bool {
        matches!(self, Self::Stopped { operation: COMPARISON, .. })
    }
}

/// A commit that was not taken, and why. Nothing of it is written.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Unsent {
    /// Why.
    pub fault: JournalFault,
    /// To be handed in again, where the fault is one that passes.
    pub commit: Box<Commit>,
}

impl From<Unsent> for JournalFault {
    fn from(unsent: Unsent) -> Self {
        unsent.fault
    }
}

/// Hears every durable commit, in order, on the journal's own thread: it must hand
/// over and return, never wait.
pub trait Follower: Send {
    /// Called once per batch, before its tickets are resolved and before anybody is told:
    /// a projection that is kept here is never behind what somebody was answered or has
    /// heard. Every writer waits for it, so it does a few look-ups in memory at most.
    fn project(&mut self, _commits: &[Arc<Committed>]) {}

    /// Called once per batch, after its tickets are resolved.
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>);

    /// Called when a shard came into other hands, where several nodes share a log.
    fn moved(&mut self, _shard: Shard, _hands: Hands) {}
}

/// An ordered, durable log of commits.
///
/// Promises, tested by one suite for every implementation: commits of one stream
/// keep their order; a ticket resolves as committed only after the bytes are on
/// stable storage; a commit that was decided on another end of its stream than the
/// one that is there is a conflict, and not written (see [`Outcome::Conflict`]);
/// after a failed write or sync nothing is committed any more;
/// `read` and `scan` show what is durable and nothing else; followers hear each
/// commit once, in the order of cursors.
pub trait Journal: Send + Sync + fmt::Debug {
    /// Queues a commit. Never waits.
    ///
    /// # Errors
    /// When the queue is full, the commit too large, or the journal stopped; then
    /// nothing is written, and the commit comes back.
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent>;

    /// The first position after everything durable; every commit below it can be read.
    fn end(&self) -> Cursor;

    /// How it stands.
    fn standing(&self) -> Standing {
        Standing::Open
    }

    /// Whether there is room on the disk for what can wait. Where there is none, only what is
    /// vital ([`Fact::is_vital`](crate::domain::event::Fact::is_vital)) is taken, while it fits.
    fn has_room(&self) -> bool {
        true
    }

    /// Whether what is decided here for a stream can be written: always, unless several nodes
    /// share a log, and another one owns the stream's shard.
    fn owns(&self, _stream: StreamId) -> bool {
        true
    }

    /// How a shard was taken over last, if that was heard. Followers know all that was before.
    fn taken_over(&self, _shard: Shard) -> Option<TakeOver> {
        None
    }

    /// Whether other nodes write it too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether anything can become durable now, as far as known: a shared log may be out of reach.
    fn is_reachable(&self) -> bool {
        true
    }

    /// Where the newest record begins that became durable since opening, or [`Cursor::START`].
    /// Never behind what a ticket has told, nor behind an [`end`](Self::end) read before.
    fn newest(&self) -> Cursor;

    /// The record that begins at this position. Blocks on the disk.
    ///
    /// # Errors
    /// When nothing begins there, or it is damaged.
    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault>;

    /// Records from this position on, in order, up to about `max_bytes` of them and at
    /// least one if there is one; and the position to go on from. Blocks on the disk.
    ///
    /// # Errors
    /// When a record is damaged.
    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault>;

    /// A position not far before everything that was submitted since this time. Blocks likewise.
    ///
    /// # Errors
    /// When a record is damaged.
    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault>;

    /// The commit of this name, if it is among those from this position on. Blocks on the
    /// disk. For whoever was told of a conflict, or that nobody knows: the position is the
    /// [`end`](Self::end) before the commit was submitted.
    ///
    /// # Errors
    /// When a record is damaged.
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

    /// Adds a follower. Returns the position from which it hears.
    fn follow(&self, follower: Box<dyn Follower>) -> Cursor;
}

/// A stretch of the journal.
#[derive(Debug)]
pub struct Scan {
    /// In order.
    pub commits: Vec<Arc<Committed>>,
    /// Where the next scan begins.
    pub next: Cursor,
}
