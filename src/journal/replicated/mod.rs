//! The journal of one node of several: one log that all share, and at every node the same
//! copy of it.
//!
//! A commit goes into the log with others of its shard and is answered when it has come
//! back and is in this node's copy. Who may write a shard is decided by the log's fence: a
//! node takes a shard over by a message, and from then on nothing that another one still
//! sends there is let in. Everything above reads the copy, as it reads the journal of one
//! machine.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::{oneshot, watch};

use crate::bounds::places::Fullness;
use crate::domain::ids::StreamId;
use crate::domain::time::Timestamp;
use crate::journal::appending;
use crate::journal::counts::JournalCounts;
use crate::journal::disk::{Disk, DiskDirectory};
use crate::journal::file::JournalOptions;
use crate::journal::followers::Followers;
use crate::journal::open_error::OpenError;
use crate::journal::opening::OpenReport;
use crate::journal::reader;
use crate::journal::record::RecordDraft;
use crate::journal::replicated::catch_up::CatchUp;
use crate::journal::replicated::copy::DiskPatience;
use crate::journal::replicated::counts::LogCounts;
use crate::journal::replicated::inbox::{Claim, Inbox};
use crate::journal::replicated::log::SharedLog;
use crate::journal::replicated::mending::Suspicion;
use crate::journal::replicated::node::{MessageBytes, Node};
use crate::journal::replicated::resume::ResumedCopy;
use crate::journal::replicated::shard::{Hands, OwnedShards, Shard, TakeOver};
use crate::journal::segments::Segments;
use crate::journal::standing::Notice;
use crate::journal::{
    Commit, Committed, Cursor, Follower, Journal, JournalFault, Scan, Standing, Ticket, Unsent,
};
use crate::space::Space;
use crate::threads::RunningThread;

mod catch_up;
mod collecting;
mod copy;
pub mod counts;
mod founding;
mod inbox;
mod lane;
pub mod log;
mod looking;
mod mark;
mod mending;
mod message;
pub mod nats;
pub mod nats_options;
mod nats_reach;
pub mod nats_reading;
pub mod nats_stream;
mod node;
mod parts;
mod resume;
mod sending;
pub mod shard;
mod upkeep;

/// Bytes of records that one message gathers: more only make everybody wait for them.
const BATCH_BYTES: usize = 256 << 10;

/// Who opens a copy.
#[derive(Debug, Clone, Copy)]
pub struct NodeIdentity {
    /// This run of this node: random, never used before.
    pub run: u64,
    /// The installation whose journal lies in the directory, if it was one before there was
    /// a log: then an empty log is filled from it.
    pub grew_from: Option<u64>,
}

/// The journal of a node. Dropping it lets what was handed in come back, for some seconds.
#[derive(Debug)]
pub struct ReplicatedJournal {
    core: Arc<Core>,
    log: Arc<dyn SharedLog>,
    longest_record: usize,
    space: Space,
    thread: Mutex<Option<RunningThread>>,
}

/// What the node's thread shares with everybody else.
#[derive(Debug)]
struct Core {
    inbox: Arc<Inbox>,
    segments: Arc<Segments>,
    followers: Followers,
    counts: Arc<JournalCounts>,
    log_counts: Arc<LogCounts>,
    standing: Arc<Notice>,
    catch_up: CatchUp,
    suspicion: Suspicion,
    owned: OwnedShards,
    /// Up to which message of the log its copy was brought to stable storage.
    kept: AtomicU64,
    /// Whether it was found not to be what it must be.
    differs: AtomicBool,
    /// Whose journal it is, once it is current.
    installation: OnceLock<u64>,
}

impl Core {
    /// Nothing is taken any more, until the next start.
    fn stop(&self, fault: JournalFault) {
        // First of all: whoever hears that it stopped looks at what was counted.
        if !self.differs.swap(true, Ordering::SeqCst) {
            self.log_counts.difference();
        }
        self.standing.stop(fault.clone());
        self.inbox.shut(fault);
    }

    /// Whether nothing more is to be looked at: it is not, or not as it should be.
    fn is_over(&self) -> bool {
        self.inbox.is_shut()
    }

    /// Looks into it where something could not be read.
    fn looked_at<T>(&self, read: Result<T, JournalFault>) -> Result<T, JournalFault> {
        if let Err(JournalFault::Damaged { at, .. }) = read
            && let Some(fault) = self.suspicion.look(at)
        {
            self.stop(fault);
        }
        read
    }
}

impl ReplicatedJournal {
    /// Opens the copy in this directory, or begins one, and begins to follow the log. That
    /// no other process has it open is the caller's business.
    ///
    /// # Errors
    /// When a file is damaged or missing, or the system refuses.
    pub fn open(
        dir: &Path,
        log: Arc<dyn SharedLog>,
        who: NodeIdentity,
        options: JournalOptions,
    ) -> Result<(Self, OpenReport), OpenError> {
        let no_disk = |source| OpenError::refused("journal", source);
        let disk = DiskDirectory::open(dir, options.space.clone()).map_err(no_disk)?;
        Self::open_on(Arc::new(disk), log, who, options)
    }

    /// Opens the copy on this disk, or begins one. What the last run found damaged is cut
    /// first, and read anew from the log.
    ///
    /// # Errors
    /// When a file is damaged or missing, or the disk refuses.
    pub fn open_on(
        disk: Arc<dyn Disk>,
        log: Arc<dyn SharedLog>,
        who: NodeIdentity,
        options: JournalOptions,
    ) -> Result<(Self, OpenReport), OpenError> {
        let threads = options.threads.clone();
        let inbox = Arc::new(Inbox::new(options.queued, threads.clone()));
        let standing = Arc::new(Notice::default());
        let patience = DiskPatience {
            inbox: Arc::clone(&inbox),
            standing: Arc::clone(&standing),
            threads: threads.clone(),
        };
        let ResumedCopy { copy, report, was_wrong } = resume::open(disk, &options, patience)?;
        let core = Arc::new(Core {
            inbox,
            segments: Arc::clone(&copy.segments),
            followers: Followers::from(report.end),
            counts: Arc::default(),
            log_counts: Arc::default(),
            standing,
            catch_up: CatchUp::new(threads.clone()),
            suspicion: Suspicion::new(Arc::clone(&copy.disk), Arc::clone(&copy.segments)),
            owned: OwnedShards::default(),
            kept: AtomicU64::new(0),
            differs: AtomicBool::new(false),
            installation: OnceLock::new(),
        });
        if was_wrong {
            // The run that found it could not tell for long.
            core.log_counts.difference();
        }
        // A mark comes before the records of a message, all in one segment.
        let fits = appending::longest_record(options.segment_bytes).saturating_sub(mark::LENGTH);
        let told = log.longest().saturating_sub(message::HEADER + message::PART_HEADER);
        let most_bytes = MessageBytes {
            batch: fits.min(told).min(BATCH_BYTES),
            part: told.min(parts::PART_BYTES),
        };
        let node = Node::new(Arc::clone(&core), Arc::clone(&log), copy, who, most_bytes);
        let no_thread = |source| OpenError::refused("journal", source);
        let (looked_at, own) = (Arc::downgrade(&core), threads.clone());
        threads
            .start("journal-look", move || looking::look_through(&looked_at, &own))
            .map_err(no_thread)?;
        let thread = threads.start("journal-node", move || node.run()).map_err(no_thread)?;
        let thread = Mutex::new(Some(thread));
        Ok((Self { core, log, longest_record: fits, space: options.space, thread }, report))
    }

    /// Takes a shard over: the answer comes when this node owns it, by the log. From then
    /// on, commits of its streams are taken here, until another node takes it over; after
    /// that they are conflicts. Who drops the answer gives the claim up, unless it is on
    /// its way.
    pub fn take_over(&self, shard: Shard) -> oneshot::Receiver<Result<(), JournalFault>> {
        let (reply, answer) = oneshot::channel();
        self.core.inbox.claim(Claim { shard, reply });
        answer
    }

    /// Has nothing new decided here for a shard, and its rooms stand down, so that another
    /// node can take it over and nobody notices. Commits that are decided already are still
    /// taken. Claimed again, it goes on here.
    pub fn let_go(&self, shard: Shard) {
        if self.core.owned.set(shard, Hands::Theirs) {
            self.core.followers.moved(shard, Hands::Theirs);
        }
    }

    /// Whether this node owns a shard.
    pub fn has(&self, shard: Shard) -> bool {
        self.core.owned.has(shard)
    }

    /// Which run of which node took a shard over last, if one was heard to since the copy
    /// was opened.
    pub fn owner(&self, shard: Shard) -> Option<u64> {
        self.core.owned.last(shard).map(|it| it.run)
    }

    /// Has the copy brought to stable storage, and silent shards say once more whose they are,
    /// so that the log can forget what is old. Returns at once.
    pub fn keep_up(&self) {
        self.core.inbox.ask_upkeep();
    }

    /// Up to which message of the log that was done; 0 as long as it was not.
    pub fn kept(&self) -> u64 {
        self.core.kept.load(Ordering::SeqCst)
    }

    /// Names the installation whose journal it is: the same at every node, and what a
    /// machine was called that it grew from. Known once it is current.
    pub fn installation(&self) -> Option<u64> {
        self.core.installation.get().copied()
    }

    /// Waits until the copy has everything that the log had when it was opened. Blocks this
    /// thread; followers are added after it.
    ///
    /// # Errors
    /// Why it never will have.
    pub fn wait_until_current(&self) -> Result<(), JournalFault> {
        self.core.catch_up.wait()
    }

    /// What it counts of itself.
    pub fn counts(&self) -> Arc<JournalCounts> {
        Arc::clone(&self.core.counts)
    }

    /// What it counts of the log.
    pub fn log_counts(&self) -> Arc<LogCounts> {
        Arc::clone(&self.core.log_counts)
    }

    /// How much waits for the log.
    pub fn fullness(&self) -> Fullness {
        self.core.inbox.fullness()
    }

    /// Learns when it stops for good: the reason, once there is one.
    pub fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        self.core.standing.stopped()
    }

    /// Lets what was handed in come back, and ends, whoever else still holds it.
    pub fn finish(&self) {
        self.core.inbox.shut(JournalFault::Closed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A follower may be the one who asks; its thread cannot wait for itself.
        if let Some(thread) = thread {
            thread.join();
        }
    }
}

impl Journal for ReplicatedJournal {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        self.core.inbox.push(RecordDraft::of(commit, self.longest_record)?)
    }

    fn end(&self) -> Cursor {
        Cursor::new(self.core.segments.end())
    }

    fn standing(&self) -> Standing {
        self.core.standing.now(self.space.is_low())
    }

    fn has_room(&self) -> bool {
        !self.space.is_low() && self.core.standing.has_room()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_reachable(&self) -> bool {
        self.log.is_reachable()
    }

    fn owns(&self, stream: StreamId) -> bool {
        self.core.owned.has(Shard::of(stream))
    }

    fn taken_over(&self, shard: Shard) -> Option<TakeOver> {
        self.core.owned.last(shard)
    }

    fn newest(&self) -> Cursor {
        Cursor::new(self.core.segments.newest())
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        self.core.looked_at(reader::read(&self.core.segments, at))
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        self.core.looked_at(reader::scan(&self.core.segments, from, max_bytes))
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        self.core.looked_at(reader::since(&self.core.segments, at))
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        self.core.followers.add(follower)
    }
}

impl Drop for ReplicatedJournal {
    fn drop(&mut self) {
        self.finish();
    }
}
