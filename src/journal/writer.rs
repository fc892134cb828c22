//! The writer: one thread that makes commits durable, many with each sync.
//!
//! It takes whatever is queued, writes it with one write, syncs once, and then resolves the tickets
//! and notifies the followers. It never waits for more commits: those that queue up while the disk
//! is busy make the next batch. After a failed write or sync it acknowledges nothing any more.

use std::io;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec::Drain;

use tokio::sync::oneshot;

use crate::fences::Fences;
use crate::followers::Followers;
use crate::queue::{Pending, Queue, ShutOnDrop};
use crate::segment::RawSegment;
use crate::segments::Segments;
use crate::segments_writer::{Appender, is_full};
use crate::status::{JournalCounts, StopOnPanic, WriterStatus};
use crate::{Committed, Cursor, JournalFault, Outcome, record};
use base::clock::Stopwatch;

/// Most bytes written with one sync, unless a single record is longer.
const BATCH_BYTES: usize = 4 << 20;
/// The part of a segment (one in this many) that is reserved for vital commits: if the disk has no
/// space for the next segment, some thousand log-ins still fit.
const VITAL_PART: u64 = 32;
/// State that the writer shares with the rest of the journal.
#[derive(Debug)]
pub(super) struct Core {
    /// Commits that wait to be written.
    pub(super) queue: Queue,
    /// The journal's segments.
    pub(super) segments: Arc<Segments>,
    /// The followers.
    pub(super) followers: Followers,
    /// The journal's counters.
    pub(super) counts: Arc<JournalCounts>,
    /// Whether the journal is open, full or stopped.
    pub(super) standing: WriterStatus,
}

/// The state of the writing thread.
#[derive(Debug)]
pub(super) struct Writer {
    core: Arc<Core>,
    appender: Appender,
    batch: Vec<u8>,
    fences: Fences,
    /// The position up to which a write that failed on a full disk may have left bytes.
    spoiled: u64,
    stopped: Option<JournalFault>,
}

/// Commits that share a write, and the senders that resolve their tickets.
#[derive(Default)]
struct Chunk {
    commits: Vec<Arc<Committed>>,
    resolves: Vec<oneshot::Sender<Outcome>>,
}

/// Queued commits that are not written yet.
type Rest<'a> = Peekable<Drain<'a, Pending>>;

impl Writer {
    /// Makes a writer that continues at the appender's position.
    pub(super) fn new(core: Arc<Core>, appender: Appender) -> Self {
        let batch = Vec::new();
        let fences = Fences::default();
        let stopped = None;
        Self { core, appender, batch, fences, spoiled: 0, stopped }
    }

    /// Writes until the queue is shut and empty.
    pub(super) fn run(mut self) {
        let core = Arc::clone(&self.core);
        let _shut_on_drop = ShutOnDrop(&core.queue);
        let _stop_on_panic = StopOnPanic(&core.standing);
        let mut pending = Vec::new();
        while core.queue.take(&mut pending) {
            let mut rest = pending.drain(..).peekable();
            while rest.peek().is_some() {
                if let Err(fault) = self.write_some(&mut rest) {
                    refuse(rest.by_ref().map(|pending| pending.resolve), &fault);
                }
            }
        }
    }

    /// Does one write and one sync, or steps to the next segment.
    fn write_some(&mut self, rest: &mut Rest<'_>) -> Result<(), JournalFault> {
        if let Some(fault) = &self.stopped {
            return Err(fault.clone());
        }
        if rest.peek().is_some_and(|first| !self.segment_space().holds(first, self.appender.at())) {
            return match self.roll() {
                // A vital commit that still fits may wait behind this one.
                Err(full @ JournalFault::Full { .. }) => {
                    refuse(rest.next().map(|first| first.resolve), &full);
                    Ok(())
                }
                done => done,
            };
        }
        let chunk = self.gather(rest);
        if chunk.commits.is_empty() {
            return Ok(());
        }
        if let Err(fault) = self.store() {
            // Where these streams end is unknown until their rooms read it again.
            chunk.commits.iter().for_each(|commit| self.fences.forget(commit.stream));
            refuse(chunk.resolves, &fault);
            return Err(fault);
        }
        self.announce(chunk);
        self.appender.prepare_next();
        Ok(())
    }

    fn gather(&mut self, rest: &mut Rest<'_>) -> Chunk {
        let mut chunk = Chunk::default();
        self.batch.clear();
        let room = self.segment_space();
        let Self { batch, fences, appender, .. } = self;
        let start = appender.at();
        loop {
            let at = start + batch.len() as u64;
            let fits = |pending: &Pending| {
                let length = pending.draft.len();
                let is_short = batch.is_empty() || batch.len() + length <= BATCH_BYTES;
                is_short && room.holds(pending, at)
            };
            let Some(Pending { draft, resolve }) = rest.next_if(fits) else {
                return chunk;
            };
            if !fences.admits(draft.stream(), draft.head()) {
                // A room that should no longer run decided this commit on an outdated head.
                tracing::error!(
                    stream = %draft.stream(),
                    "rejected a commit that was decided on an outdated head of its stream"
                );
                drop(resolve.send(Outcome::Conflict));
                continue;
            }
            let commit = draft.place(at, start, batch);
            fences.moved(commit.stream, commit.after);
            chunk.commits.push(Arc::new(commit));
            chunk.resolves.push(resolve);
        }
    }

    fn segment_space(&self) -> SegmentSpace {
        SegmentSpace { active: Arc::clone(self.appender.active()), begins: self.appender.begins() }
    }

    fn store(&mut self) -> Result<(), JournalFault> {
        self.write()?;
        let watch = Stopwatch::start();
        self.appender.sync().map_err(|error| self.stop("sync", &error))?;
        self.core.counts.synced(watch.micros());
        Ok(())
    }

    /// Writes the batch, and zeros over what an earlier attempt may have left behind it.
    fn write(&mut self) -> Result<(), JournalFault> {
        let at = self.appender.at();
        let length = self.batch.len();
        let spoiled = self.spoiled.saturating_sub(at);
        self.batch.resize(length.max(usize::try_from(spoiled).unwrap_or(0)), 0);
        let written = self.appender.write(&self.batch);
        self.batch.truncate(length);
        match written {
            Ok(()) if self.spoiled == 0 => Ok(()),
            Ok(()) => {
                self.spoiled = 0;
                self.core.standing.set_full(false);
                Ok(())
            }
            // Some file systems need space even in preallocated files. The bytes were not synced,
            // so nothing is in doubt, and the next write covers them.
            Err(error) if is_full(&error) => {
                self.spoiled = self.spoiled.max(at + length as u64);
                Err(self.note_full(&error))
            }
            Err(error) => Err(self.stop("write", &error)),
        }
    }

    /// Publishes a durable chunk. Readers see it first, since those who are told next may read it.
    fn announce(&mut self, chunk: Chunk) {
        self.appender.advance(self.batch.len());
        self.core.counts.durable(chunk.commits.len(), self.batch.len());
        if let Some(newest) = chunk.commits.last() {
            self.core.segments.note_newest(newest.cursor.get());
        }
        self.core.segments.show_until(self.appender.at());
        let Chunk { commits, resolves } = chunk;
        self.core.followers.tell(commits, Cursor::new(self.appender.at()), |commits| {
            for (resolve, commit) in resolves.into_iter().zip(commits) {
                // The receiver may have given up waiting.
                drop(resolve.send(Outcome::Committed(Arc::clone(commit))));
            }
        });
    }

    /// Closes the segment with an end mark and continues in the next one.
    ///
    /// If the next segment cannot be made for lack of space or descriptors, nothing is written and
    /// the commit at hand is refused; later commits try again.
    fn roll(&mut self) -> Result<(), JournalFault> {
        let next = self.appender.next().map_err(|error| self.note_full(&error))?;
        self.batch.clear();
        self.batch.extend_from_slice(&record::end_mark(self.appender.at()));
        // The end mark has a sync of its own: records in the next segment prove that this one is
        // whole.
        self.store()?;
        self.appender.turn_to(next);
        self.core.standing.set_full(false);
        Ok(())
    }

    fn note_full(&self, error: &io::Error) -> JournalFault {
        self.core.standing.set_full(true);
        JournalFault::Full { reason: error.to_string() }
    }

    fn stop(&mut self, operation: &'static str, error: &io::Error) -> JournalFault {
        let fault = stopped(operation, error);
        tracing::error!(
            operation, %error,
            "writing the journal failed; it stopped and acknowledges nothing more"
        );
        self.core.queue.shut(fault.clone());
        self.core.standing.stop(fault.clone());
        self.stopped = Some(fault.clone());
        fault
    }
}

/// The nice value of the writer's thread.
///
/// It lets the rooms' threads continue when a sync ends, instead of taking the core from one of
/// them at once: on two busy cores each such switch costs more than the write, and what the rooms
/// decide meanwhile shares the next sync. Where a core is free, it changes nothing.
pub(super) const NICENESS: i32 = 5;

/// The space in the active segment. Part of it is reserved for vital commits.
struct SegmentSpace {
    active: Arc<RawSegment>,
    begins: u64,
}

impl SegmentSpace {
    fn holds(&self, pending: &Pending, at: u64) -> bool {
        // The first record of a segment may fill it.
        let is_unbound = at == self.begins || pending.draft.is_vital();
        let left = if is_unbound { 0 } else { self.active.capacity / VITAL_PART };
        self.active.has_space(at + left, pending.draft.len())
    }
}

fn stopped(operation: &'static str, error: &io::Error) -> JournalFault {
    JournalFault::Stopped { operation, reason: error.to_string() }
}

fn refuse(resolves: impl IntoIterator<Item = oneshot::Sender<Outcome>>, fault: &JournalFault) {
    for resolve in resolves {
        drop(resolve.send(Outcome::Unknown(fault.clone())));
    }
}
