//! The writer: one thread that makes commits durable, many with each sync.
//!
//! It takes whatever is queued, writes it with one write, syncs once, and then tells
//! everybody. It never waits for more to come: what queues up while the disk is busy
//! is batch enough. After a failed write or sync it acknowledges nothing any more.

use std::io;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec::Drain;

use tokio::sync::oneshot;

use crate::clock::Stopwatch;
use crate::journal::appending::{Appender, is_full};
use crate::journal::counts::JournalCounts;
use crate::journal::fences::Fences;
use crate::journal::followers::Followers;
use crate::journal::queue::{Alarm, Pending, Queue};
use crate::journal::record;
use crate::journal::segment::RawSegment;
use crate::journal::segments::Segments;
use crate::journal::standing::{Notice, Witness};
use crate::journal::{Committed, Cursor, JournalFault, Outcome};

/// Bytes written with one sync at most, unless a single record is longer.
const BATCH_BYTES: usize = 4 << 20;
/// The part of a segment that is left to vital commits: where no next segment can be made
/// for want of room, some thousand log-ins still fit.
const VITAL_PART: u64 = 32;
/// What the writer shares with everybody else.
#[derive(Debug)]
pub(super) struct Core {
    /// Where commits wait.
    pub(super) queue: Queue,
    /// Where bytes lie.
    pub(super) segments: Arc<Segments>,
    /// Who hears.
    pub(super) followers: Followers,
    /// What happened how often.
    pub(super) counts: Arc<JournalCounts>,
    /// Whether it goes on.
    pub(super) standing: Notice,
}

/// The writing thread's own things.
#[derive(Debug)]
pub(super) struct Writer {
    core: Arc<Core>,
    appender: Appender,
    batch: Vec<u8>,
    fences: Fences,
    /// Up to where a write that failed for want of room may have left bytes.
    spoiled: u64,
    stopped: Option<JournalFault>,
}

/// Commits that share a write, and who waits for each.
#[derive(Default)]
struct Chunk {
    commits: Vec<Arc<Committed>>,
    resolves: Vec<oneshot::Sender<Outcome>>,
}

/// Queued commits that are not written yet.
type Rest<'a> = Peekable<Drain<'a, Pending>>;

impl Writer {
    /// A writer that goes on there.
    pub(super) fn new(core: Arc<Core>, appender: Appender) -> Self {
        let (batch, fences, stopped) = (Vec::new(), Fences::default(), None);
        Self { core, appender, batch, fences, spoiled: 0, stopped }
    }

    /// Writes until the queue is shut and empty.
    pub(super) fn run(mut self) {
        let core = Arc::clone(&self.core);
        let _alarm = Alarm(&core.queue);
        let _witness = Witness(&core.standing);
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

    /// One write and one sync, or one step to the next segment.
    fn write_some(&mut self, rest: &mut Rest<'_>) -> Result<(), JournalFault> {
        if let Some(fault) = &self.stopped {
            return Err(fault.clone());
        }
        if rest.peek().is_some_and(|first| !self.room().holds(first, self.appender.at())) {
            return match self.roll() {
                // Behind it, something vital may wait that still fits.
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
            // Nobody knows where these streams end until they are read again.
            chunk.commits.iter().for_each(|commit| self.fences.forget(commit.stream));
            refuse(chunk.resolves, &fault);
            return Err(fault);
        }
        self.announce(chunk);
        self.appender.think_ahead();
        Ok(())
    }

    fn gather(&mut self, rest: &mut Rest<'_>) -> Chunk {
        let mut chunk = Chunk::default();
        self.batch.clear();
        let room = self.room();
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
                // Decided on an end that is not there any more, by a room that should not
                // be there either.
                tracing::error!(stream = %draft.stream(), "a commit met a fence");
                drop(resolve.send(Outcome::Conflict));
                continue;
            }
            let commit = draft.place(at, start, batch);
            fences.moved(commit.stream, commit.after);
            chunk.commits.push(Arc::new(commit));
            chunk.resolves.push(resolve);
        }
    }

    fn room(&self) -> Room {
        Room { active: Arc::clone(self.appender.active()), begins: self.appender.begins() }
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
        let (at, length) = (self.appender.at(), self.batch.len());
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
            // Some file systems need space also for what was preallocated. Nothing is in
            // doubt: it was not synced, and the next write covers it.
            Err(error) if is_full(&error) => {
                self.spoiled = self.spoiled.max(at + length as u64);
                Err(self.is_full(&error))
            }
            Err(error) => Err(self.stop("write", &error)),
        }
    }

    /// Readers first: whoever is told may come and read.
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
                // Whoever gave up waiting does not want to know.
                drop(resolve.send(Outcome::Committed(Arc::clone(commit))));
            }
        });
    }

    /// Closes the segment with an end mark and goes on in the next one.
    ///
    /// Where none can be made, for want of space or of descriptors, nothing is written and
    /// the commit at hand is refused; later ones try again.
    fn roll(&mut self) -> Result<(), JournalFault> {
        let next = self.appender.next().map_err(|error| self.is_full(&error))?;
        self.batch.clear();
        self.batch.extend_from_slice(&record::end_mark(self.appender.at()));
        // Its own sync: records in the next segment prove that this one is whole.
        self.store()?;
        self.appender.turn_to(next);
        self.core.standing.set_full(false);
        Ok(())
    }

    fn is_full(&self, error: &io::Error) -> JournalFault {
        self.core.standing.set_full(true);
        JournalFault::Full { reason: error.to_string() }
    }

    fn stop(&mut self, operation: &'static str, error: &io::Error) -> JournalFault {
        let fault = stopped(operation, error);
        tracing::error!(operation, %error, "the journal stopped: nothing more is acknowledged");
        self.core.queue.shut(fault.clone());
        self.core.standing.stop(fault.clone());
        self.stopped = Some(fault.clone());
        fault
    }
}

/// How much the writer gives way, as a nice value.
///
/// It lets the threads that decide go on when a sync ends, instead of taking the core from
/// one of them at once: on two busy cores each such switch costs more than the write, and
/// what they decide meanwhile shares the next sync. Where a core is free, it changes
/// nothing.
pub(super) const NICENESS: i32 = 5;

/// The room in a segment: what can wait leaves some of it to what is vital.
struct Room {
    active: Arc<RawSegment>,
    begins: u64,
}

impl Room {
    fn holds(&self, pending: &Pending, at: u64) -> bool {
        // The first record of a segment may be as long as there is room.
        let is_unbound = at == self.begins || pending.draft.is_vital();
        let left = if is_unbound { 0 } else { self.active.capacity / VITAL_PART };
        self.active.has_room(at + left, pending.draft.len())
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
