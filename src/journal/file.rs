//! The journal in files, as a server on one machine uses it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::disk::{Disk, DiskDirectory};
use crate::followers::Followers;
use crate::open_error::OpenError;
use crate::queue::Queue;
use crate::record::RecordDraft;
use crate::recovery::{self, OpenReport, OpenedJournal};
use crate::segments_writer::{self, Appender, Sizes};
use crate::status::{JournalCounts, WriterStatus};
use crate::writer::{self, Core, Writer};
use crate::{
    Commit, Committed, Cursor, Follower, Journal, JournalFault, JournalState, Scan, Ticket, Unsent,
    reader,
};
use base::bounds::Bound;
use base::bounds::places::Fullness;
use base::space::Space;
use base::threads::{RunningThread, Threads};
use domain::time::Timestamp;

/// Most commits, and bytes of them, that may wait for the disk. Rooms together hold less, so this
/// is the last line of defence.
const QUEUED: Bound = Bound { items: 64 << 10, bytes: 128 << 20 };

/// How a journal is kept. The defaults suit a server.
#[derive(Debug, Clone)]
pub struct JournalOptions {
    /// Bytes of a full-grown segment file; the first ones are smaller.
    pub segment_bytes: u64,
    /// How many commits, and bytes of them, may wait for the disk.
    pub queued: Bound,
    /// Whether full segments are compressed.
    pub compress: bool,
    /// Runs the journal's threads.
    pub threads: Threads,
    /// The free space on the journal's disk.
    pub space: Space,
    /// The position of a record that the journal once had (the newest one that the index has
    /// followed), if known: a journal that ends before it has lost its end and is refused.
    pub must_have: Option<Cursor>,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            segment_bytes: 64 << 20,
            queued: QUEUED,
            compress: true,
            threads: Threads::System,
            space: Space::endless(),
            must_have: None,
        }
    }
}

/// The journal in a directory of its own. Dropping it writes the queued commits first.
#[derive(Debug)]
pub struct FileJournal {
    core: Arc<Core>,
    longest_record: usize,
    space: Space,
    writer: Mutex<Option<RunningThread>>,
}

impl FileJournal {
    /// Opens the journal in this directory, or makes a new one. The caller ensures that no other
    /// process has it open.
    ///
    /// # Errors
    /// If a file is damaged or missing, or a file operation fails.
    pub fn open(dir: &Path, options: JournalOptions) -> Result<(Self, OpenReport), OpenError> {
        let disk = DiskDirectory::open(dir, options.space.clone());
        let disk = disk.map_err(|source| OpenError::refused("journal", source))?;
        Self::open_on(Arc::new(disk), options)
    }

    /// Opens the journal on this disk, or makes a new one.
    ///
    /// # Errors
    /// If a file is damaged or missing, or a file operation fails.
    pub fn open_on(
        disk: Arc<dyn Disk>,
        options: JournalOptions,
    ) -> Result<(Self, OpenReport), OpenError> {
        let first_capacity = segments_writer::first_capacity(options.segment_bytes);
        let opened = recovery::open(&disk, first_capacity, options.must_have)?;
        let end = opened.segments.end();
        let threads = &options.threads;
        let core = Arc::new(Core {
            queue: Queue::new(options.queued, threads.clone()),
            segments: Arc::clone(&opened.segments),
            followers: Followers::from(Cursor::new(end)),
            counts: Arc::default(),
            standing: WriterStatus::default(),
        });
        let no_thread = |source| OpenError::refused("journal", source);
        let sizes = Sizes { segment_bytes: options.segment_bytes, may_shrink: true };
        let OpenedJournal { segments, place, report } = opened;
        let appender = Appender::start(disk, segments, place, sizes, options.compress, threads)
            .map_err(no_thread)?;
        let writer = Writer::new(Arc::clone(&core), appender);
        let own = threads.clone();
        let writer = threads.start("journal-writer", move || {
            own.give_way(writer::NICENESS);
            writer.run();
        });
        let writer = Mutex::new(Some(writer.map_err(no_thread)?));
        let longest_record = segments_writer::longest_record(options.segment_bytes);
        let space = options.space;
        Ok((Self { core, longest_record, space, writer }, report))
    }

    /// The journal's counters.
    pub fn counts(&self) -> Arc<JournalCounts> {
        Arc::clone(&self.core.counts)
    }

    /// How full the queue of commits waiting for the disk is.
    pub fn fullness(&self) -> Fullness {
        self.core.queue.fullness()
    }

    /// Watches for the fault that stops the journal for good; only a restart repairs it. None until
    /// then.
    pub fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        self.core.standing.stopped()
    }

    /// Writes the queued commits and ends. Dropping does the same.
    pub fn close(self) {
        drop(self);
    }

    /// Writes the queued commits and ends, even if others still hold the journal: from then on
    /// nothing is written, and another process may open it.
    pub fn finish(&self) {
        self.core.queue.shut(JournalFault::Closed);
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A follower may call this on the writer's own thread, where `join` returns at once.
        if let Some(writer) = writer {
            writer.join();
        }
    }
}

impl Journal for FileJournal {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        self.core.queue.push(RecordDraft::of(commit, self.longest_record)?)
    }

    fn end(&self) -> Cursor {
        Cursor::new(self.core.segments.end())
    }

    fn state(&self) -> JournalState {
        self.core.standing.now(self.space.is_low())
    }

    fn has_space(&self) -> bool {
        !self.space.is_low() && self.core.standing.has_space()
    }

    fn newest(&self) -> Cursor {
        Cursor::new(self.core.segments.newest())
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        reader::read(&self.core.segments, at)
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        reader::scan(&self.core.segments, from, max_bytes)
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        Cursor::new(reader::next_whole(&self.core.segments, at.get()))
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        reader::since(&self.core.segments, at)
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        self.core.followers.add(follower)
    }
}

impl Drop for FileJournal {
    fn drop(&mut self) {
        self.finish();
    }
}
