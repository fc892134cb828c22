//! A node's own copy of the journal: byte for byte the same at every node, since all nodes append
//! the same messages in the same order, by rules that leave no choice.
//!
//! Each message of the log becomes a mark and its records, in one segment. A message is not synced,
//! because the log has it; a segment is synced when it is full. To make that safe, every record
//! says that its batch began with its segment, so that opening takes any flaw in the last segment
//! for a torn tail, cuts it, and reads it again from the log.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::disk::Disk;
use crate::record::{self, Flaw, RecordDraft};
use crate::replicated::inbox::Inbox;
use crate::replicated::log::Subject;
use crate::replicated::mark::{self, Mark};
use crate::replicated::message::{Content, CopyPoint, MessageName, Seed};
use crate::segment::{HEADER, RawSegment};
use crate::segments::Segments;
use crate::segments_writer::{self, Appender};
use crate::status::WriterStatus;
use crate::{Committed, JournalFault, reader};
use base::threads::Threads;

/// Messages whose running check values are kept in memory.
const REMEMBERED: usize = 8192;
/// How long to wait before an operation is retried on a full disk.
const FULL: Duration = Duration::from_millis(500);

/// A node's copy, open for appending.
#[derive(Debug)]
pub(super) struct LocalCopy {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) segments: Arc<Segments>,
    pub(super) appender: Appender,
    pub(super) patience: DiskPatience,
    pub(super) state: CopyState,
    pub(super) batch: Vec<u8>,
    pub(super) history: History,
    /// The newest message whose mark is in the copy; after a crash the log delivers later ones
    /// again.
    pub(super) marked: u64,
}

/// How far a copy has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CopyState {
    /// The newest message in the copy, and the running check value there.
    pub(super) known: CopyPoint,
    /// The installation's id, once it was read from the log or a mark.
    pub(super) installation: Option<u64>,
    /// The end of the copy when it was opened, if it had records but no mark: it is then the
    /// journal of one machine, or a part of it.
    pub(super) unmarked: Option<u64>,
    /// The number of the newest message that has a mark; 0 if there is none.
    pub(super) number: u64,
}

/// Retries file operations while the disk is full.
#[derive(Debug)]
pub(super) struct DiskPatience {
    pub(super) inbox: Arc<Inbox>,
    pub(super) standing: Arc<WriterStatus>,
    pub(super) threads: Threads,
}

/// The running check values at the newest messages, each with the position where its records end.
#[derive(Debug, Default)]
pub(super) struct History(VecDeque<(CopyPoint, u64)>);

/// The records of one message.
#[derive(Debug)]
pub(super) enum Records {
    /// Records of commits that wait in this process.
    Own(Vec<RecordDraft>),
    /// Records as the log delivered them.
    Theirs(Bytes),
}

impl LocalCopy {
    /// Appends a message; readers see it when this returns. Fills in the mark's check value and its
    /// number of records.
    ///
    /// # Errors
    /// If a file operation fails, or a record cannot be decoded.
    pub(super) fn append(
        &mut self,
        mut mark: Mark,
        records: Records,
    ) -> Result<Vec<Arc<Committed>>, JournalFault> {
        let failed = |error: io::Error| stopped("write", &error.to_string());
        let length = mark::LENGTH + records.length();
        if !self.appender.active().has_space(self.appender.at(), length) {
            self.roll().map_err(failed)?;
        }
        let at = self.appender.at();
        let start = self.appender.begins();
        (mark.sum, mark.count) = (self.state.known.sum, records.count());
        self.batch.clear();
        mark.write(at, start, &mut self.batch);
        let commits = records.place(at, start, &mut self.batch);
        let commits = commits.map_err(|flaw| stopped("read", &flaw.to_string()))?;
        let Self { appender, batch, patience, .. } = self;
        patience.until_done(|| appender.write(batch)).map_err(failed)?;
        appender.advance(batch.len());
        let crcs = commits.iter().map(|commit| commit.after.token as u32);
        let sum = crcs.fold(mark.sum, record::fold);
        self.state.known = CopyPoint { sequence: mark.sequence, sum };
        self.marked = mark.sequence;
        self.state.installation = Some(mark.installation);
        self.state.number = mark.number;
        self.show(commits.last().map(|commit| commit.cursor.get()));
        self.appender.prepare_next();
        Ok(commits)
    }

    /// Counts a message that adds nothing to the file.
    pub(super) fn pass(&mut self, sequence: u64) {
        self.state.known.sequence = sequence;
    }

    /// Brings the whole copy to stable storage.
    ///
    /// # Errors
    /// If the sync fails.
    pub(super) fn sync(&self) -> Result<(), JournalFault> {
        self.appender.sync().map_err(|error| stopped("sync", &error.to_string()))
    }

    /// The position of the copy's end.
    pub(super) fn end(&self) -> u64 {
        self.appender.at()
    }

    /// Whether the copy has no records.
    pub(super) fn is_empty(&self) -> bool {
        self.end() == HEADER
    }

    fn show(&mut self, newest: Option<u64>) {
        self.history.note(self.state.known, self.appender.at());
        newest.into_iter().for_each(|at| self.segments.note_newest(at));
        self.segments.show_until(self.appender.at());
    }

    fn roll(&mut self) -> io::Result<()> {
        let Self { appender, patience, .. } = self;
        let next = patience.until_done(|| appender.next())?;
        let mark = record::end_mark(appender.at());
        patience.until_done(|| appender.write(&mark))?;
        appender.sync()?;
        appender.turn_to(next);
        Ok(())
    }

    /// Takes a piece of the journal that the log grew from. Bytes that are here already are
    /// compared with it.
    ///
    /// # Errors
    /// If the journal here is another one, or a file operation fails.
    pub(super) fn take_seed(&mut self, seed: &Seed) -> Result<(), JournalFault> {
        let from = seed.base + seed.offset;
        let here = self.state.unmarked.unwrap_or(0).saturating_sub(from);
        let here = seed.bytes.len().min(usize::try_from(here).unwrap_or(usize::MAX));
        if !self.holds(&seed.bytes[..here], from)? {
            return Err(stopped(
                "join",
                "the journal in the data directory belongs to another log",
            ));
        }
        if here == seed.bytes.len() {
            return Ok(());
        }
        self.write_seed(seed).map_err(|error| stopped("write", &error.to_string()))
    }

    fn write_seed(&mut self, seed: &Seed) -> io::Result<()> {
        let base = self.appender.active().base;
        let capacity = self.appender.active().capacity;
        let is_next = seed.base == base + capacity;
        if is_next {
            let Self { disk, patience, .. } = self;
            let make = || RawSegment::create(&**disk, seed.base, seed.capacity);
            let next = patience.until_done(make)?;
            self.appender.turn_to(Arc::new(next));
        } else if (seed.base, seed.capacity) != (base, capacity) {
            return Err(io::Error::other("the segments of the log have other sizes than here"));
        }
        let active = self.appender.active();
        active.file.write_at(&seed.bytes, seed.offset)?;
        active.file.sync()?;
        let written = seed.base + seed.offset + seed.bytes.len() as u64;
        self.appender.advance(usize::try_from(written - self.appender.at()).unwrap_or(0));
        Ok(())
    }

    fn holds(&self, bytes: &[u8], at: u64) -> Result<bool, JournalFault> {
        let mut here = vec![0; bytes.len()];
        let got = self.segments.read_at(&mut here, at);
        let got = got.map_err(|error| stopped("read", &error.to_string()))?;
        Ok(here[..got] == *bytes)
    }

    /// Ends the seed: computes the running check value over everything that is here.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub(super) fn close_seed(&mut self) -> Result<(), JournalFault> {
        self.state.known.sum = reader::sum_of(&self.segments, 0, self.end(), 0)?;
        Ok(())
    }

    /// Compares another node's running check value with this copy's.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn agrees(&self, other: CopyPoint) -> Result<Agreement, JournalFault> {
        let Some((own, end)) = self.history.at(other.sequence) else {
            return Ok(Agreement::Forgotten);
        };
        if own == other {
            return Ok(Agreement::Same);
        }
        // One of the two copies is wrong. If this copy's file gives the same value again, it is the
        // other one.
        let Some((first, begin)) = self.history.first() else { return Ok(Agreement::Forgotten) };
        match reader::sum_of(&self.segments, begin, end, first.sum) {
            Ok(told_again) if told_again == own.sum => Ok(Agreement::TheyDiffer),
            Ok(_) => Ok(Agreement::WeDiffer { since: begin }),
            // Only whole segments are cut, so any position inside the segment will do.
            Err(JournalFault::Damaged { at, .. }) => Ok(Agreement::WeDiffer { since: at }),
            Err(fault) => Err(fault),
        }
    }
}

/// The result of comparing two copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Both have the same check value.
    Same,
    /// No check value of that message is kept any more.
    Forgotten,
    /// The other node's copy is wrong.
    TheyDiffer,
    /// This copy is wrong, somewhere after this position.
    WeDiffer { since: u64 },
}

impl DiskPatience {
    /// Repeats `work` until it succeeds or fails for another reason than a full disk. If the
    /// journal is closing, a full disk is a failure too.
    fn until_done<T>(&self, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            match work() {
                Err(error) if segments_writer::is_full(&error) && !self.inbox.is_shut() => {
                    self.standing.set_full(true);
                    self.threads.sleep(FULL);
                }
                done => {
                    if done.is_ok() {
                        self.standing.set_full(false);
                    }
                    return done;
                }
            }
        }
    }
}

impl History {
    /// Begins with the state in which a copy is opened.
    pub(super) fn from(known: CopyPoint, end: u64) -> Self {
        Self(VecDeque::from([(known, end)]))
    }

    fn note(&mut self, known: CopyPoint, end: u64) {
        self.0.push_back((known, end));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    fn first(&self) -> Option<(CopyPoint, u64)> {
        self.0.front().copied()
    }

    fn at(&self, sequence: u64) -> Option<(CopyPoint, u64)> {
        let found = self.0.binary_search_by_key(&sequence, |(known, _)| known.sequence);
        found.ok().and_then(|index| self.0.get(index).copied())
    }
}

impl Records {
    fn length(&self) -> usize {
        match self {
            Self::Own(drafts) => drafts.iter().map(RecordDraft::len).sum(),
            Self::Theirs(bytes) => bytes.len(),
        }
    }

    fn count(&self) -> u32 {
        let count = match self {
            Self::Own(drafts) => drafts.len(),
            Self::Theirs(bytes) => record::each(bytes).count(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Fills in the records' positions behind the mark at `at`, and appends them to the batch.
    fn place(self, at: u64, start: u64, batch: &mut Vec<u8>) -> Result<Vec<Arc<Committed>>, Flaw> {
        match self {
            Self::Own(drafts) => {
                let place = |draft: RecordDraft| draft.place(at + batch.len() as u64, start, batch);
                Ok(drafts.into_iter().map(place).map(Arc::new).collect())
            }
            Self::Theirs(bytes) => {
                let place = |record: Result<&[u8], Flaw>| {
                    let from = batch.len();
                    let at = at + batch.len() as u64;
                    batch.extend_from_slice(record?);
                    record::place_bytes(&mut batch[from..], at, start);
                    record::decode(&batch[from..], at).map(Arc::new)
                };
                record::each(&bytes).map(place).collect()
            }
        }
    }
}

/// The fault with which the journal stops.
pub(super) fn stopped(operation: &'static str, reason: &str) -> JournalFault {
    JournalFault::Stopped { operation, reason: reason.to_owned() }
}

/// The mark of a message; `append` fills in its check value and its number of records.
pub(super) fn marked(
    sequence: u64,
    subject: Subject,
    installation: u64,
    name: MessageName,
    content: &Content,
) -> Mark {
    let shard = match subject {
        Subject::Of(shard) => shard.get(),
        Subject::Installation => u16::MAX,
    };
    let MessageName { writer, number } = name;
    let sum = 0;
    let count = 0;
    Mark { sequence, sum, installation, writer, number, shard, kind: content.kind(), count }
}
