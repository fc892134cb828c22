//! The journal of one node of several: one log that all nodes share, and at every node the same
//! copy of it.
//!
//! One node leads, and writes. A commit goes into the log together with others, and is answered when
//! it has come back and is in this node's copy. The log's fences decide who leads: a node takes over
//! by messages, and from then on the log lets in nothing that another node still sends. Everything
//! above reads the copy as it reads the journal of one machine.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::{oneshot, watch};

use crate::disk::{Disk, DiskDirectory};
use crate::file::JournalOptions;
use crate::followers::Followers;
use crate::open_error::OpenError;
use crate::record::RecordDraft;
use crate::recovery::OpenReport;
use crate::replicated::copy::DiskPatience;
use crate::replicated::counts::LogCounts;
use crate::replicated::inbox::{Claim, Inbox};
use crate::replicated::key::InstallationKey;
use crate::replicated::log::SharedLog;
use crate::replicated::node::{MessageBytes, Node};
use crate::replicated::repair::DamageCheck;
use crate::replicated::resume::ResumedCopy;
use crate::replicated::shard::{Leading, TakeOver};
use crate::segments::Segments;
use crate::status::{JournalCounts, WriterStatus};
use crate::{
    Commit, Committed, Cursor, Follower, Journal, JournalFault, JournalState, Scan, Ticket, Unsent,
    reader, segments_writer,
};
use base::bounds::places::Fullness;
use base::space::Space;
use base::threads::{Monitor, RunningThread, Threads};
use domain::time::Timestamp;

mod code_rules;
mod commit_parts;
mod copy;
pub mod counts;
mod foundation;
mod inbox;
pub mod key;
mod key_state;
mod lane;
pub mod log;
mod mark;
mod message;
pub mod nats;
mod nats_comparison;
pub mod nats_options;
mod nats_raw;
mod nats_reach;
pub mod nats_reader;
pub mod nats_refusals;
pub mod nats_servers;
pub mod nats_stream;
pub mod nats_survey;
mod node;
mod parts;
mod repair;
mod resume;
mod scrub;
mod sender;
pub mod shard;
mod upkeep;

/// Most bytes of records in one message; larger batches only make everybody wait for them.
const BATCH_BYTES: usize = 256 << 10;

/// The node that opens a copy.
#[derive(Debug, Clone, Copy)]
pub struct NodeIdentity {
    /// Identifies this run of the node: random, never used before.
    pub run: u64,
    /// The installation whose single-machine journal is in the directory, if any: an empty log is
    /// then filled from it.
    pub grew_from: Option<u64>,
    /// The key of the installation, if the node has one.
    pub key: NodeKey,
}

/// The key with which a node opens its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKey {
    /// The node has no key, and reads only a log without codes.
    Absent,
    /// The key of the installation.
    Given(InstallationKey),
    /// A key that was made for this run: it counts if this node founds the log, or continues an
    /// installation of one machine in it.
    New(InstallationKey),
}

/// The journal of a node. Dropping it waits some seconds for submitted commits to come back from
/// the log.
#[derive(Debug)]
pub struct ReplicatedJournal {
    core: Arc<Core>,
    log: Arc<dyn SharedLog>,
    longest_record: usize,
    space: Space,
    thread: Mutex<Option<RunningThread>>,
}

/// State that the node's thread shares with the rest of the journal.
#[derive(Debug)]
struct Core {
    inbox: Arc<Inbox>,
    segments: Arc<Segments>,
    followers: Followers,
    counts: Arc<JournalCounts>,
    log_counts: Arc<LogCounts>,
    standing: Arc<WriterStatus>,
    catch_up: CatchUp,
    suspicion: DamageCheck,
    leading: Leading,
    /// The message of the log up to which the copy is on stable storage; 0 until the first upkeep.
    kept: AtomicU64,
    /// Whether the copy was found damaged or different from the others'.
    differs: AtomicBool,
    /// The installation's id, once the copy is current.
    installation: OnceLock<u64>,
    /// Whether every message of the log needs a code from here on.
    has_codes: Arc<AtomicBool>,
}

impl Core {
    /// Sets whether this node leads, and tells the followers if that is a change.
    fn set_leads(&self, leads: bool) {
        if self.leading.set(leads) {
            self.followers.leader_changed(leads);
        }
    }

    /// Stops the journal, because the copy is damaged or differs, until the next start.
    fn stop(&self, fault: JournalFault) {
        // Counted first: a listener that notices the stop may read the counters.
        if !self.differs.swap(true, Ordering::SeqCst) {
            self.log_counts.difference();
        }
        self.standing.stop(fault.clone());
        self.inbox.shut(fault);
    }

    /// Whether the journal is closing or has stopped, so that checking it any further is useless.
    fn is_over(&self) -> bool {
        self.inbox.is_shut()
    }

    /// Passes on the result of a read. If the read met damage, checks the segment, and stops the
    /// journal if the segment is damaged.
    fn check_after_read<T>(&self, read: Result<T, JournalFault>) -> Result<T, JournalFault> {
        if let Err(JournalFault::Damaged { at, .. }) = read
            && let Some(fault) = self.suspicion.look(at)
        {
            self.stop(fault);
        }
        read
    }
}

impl ReplicatedJournal {
    /// Opens the copy in this directory, or makes a new one, and begins to follow the log. The
    /// caller ensures that no other process has it open.
    ///
    /// # Errors
    /// If a file is damaged or missing, or a file operation fails.
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

    /// Opens the copy on this disk, or makes a new one. A segment that the last run noted as
    /// damaged is cut first, and read again from the log.
    ///
    /// # Errors
    /// If a file is damaged or missing, or a file operation fails.
    pub fn open_on(
        disk: Arc<dyn Disk>,
        log: Arc<dyn SharedLog>,
        who: NodeIdentity,
        options: JournalOptions,
    ) -> Result<(Self, OpenReport), OpenError> {
        let threads = options.threads.clone();
        let inbox = Arc::new(Inbox::new(options.queued, threads.clone()));
        let standing = Arc::new(WriterStatus::default());
        let patience = DiskPatience {
            inbox: Arc::clone(&inbox),
            standing: Arc::clone(&standing),
            threads: threads.clone(),
        };
        let ResumedCopy { copy, report, was_wrong } = resume::open(disk, &options, patience)?;
        let marked = match who.key {
            NodeKey::Absent => Vec::new(),
            NodeKey::Given(_) | NodeKey::New(_) => {
                resume::newest_of_shards(&copy.segments, copy.end())?
            }
        };
        let core = Arc::new(Core {
            inbox,
            segments: Arc::clone(&copy.segments),
            followers: Followers::from(report.end),
            counts: Arc::default(),
            log_counts: Arc::default(),
            standing,
            catch_up: CatchUp::new(threads.clone()),
            suspicion: DamageCheck::new(Arc::clone(&copy.disk), Arc::clone(&copy.segments)),
            leading: Leading::default(),
            kept: AtomicU64::new(0),
            differs: AtomicBool::new(false),
            installation: OnceLock::new(),
            has_codes: Arc::new(AtomicBool::new(message::has_code(copy.state.number))),
        });
        if was_wrong {
            // Counted again: the run that found the damage stopped, so its counters could hardly be
            // read.
            core.log_counts.difference();
        }
        // A message's mark precedes its records, all in one segment.
        let fits =
            segments_writer::longest_record(options.segment_bytes).saturating_sub(mark::LENGTH);
        let told = log.longest().saturating_sub(message::HEADER + message::PART_HEADER);
        let most_bytes = MessageBytes {
            batch: fits.min(told).min(BATCH_BYTES),
            part: told.min(parts::PART_BYTES),
        };
        let node = Node::new(Arc::clone(&core), Arc::clone(&log), copy, who, most_bytes);
        let node = node.with_newest(marked);
        let no_thread = |source| OpenError::refused("journal", source);
        let looked_at = Arc::downgrade(&core);
        let own = threads.clone();
        threads
            .start("journal-look", move || scrub::look_through(&looked_at, &own))
            .map_err(no_thread)?;
        let thread = threads.start("journal-node", move || node.run()).map_err(no_thread)?;
        let thread = Mutex::new(Some(thread));
        Ok((Self { core, log, longest_record: fits, space: options.space, thread }, report))
    }

    /// Takes the log over. The receiver resolves when this node leads according to the log. From
    /// then on commits are taken here, until another node takes over; after that they are
    /// conflicts. Dropping the receiver gives the claim up, unless its messages are on their way.
    pub fn take_over(&self) -> oneshot::Receiver<Result<(), JournalFault>> {
        let (reply, answer) = oneshot::channel();
        self.core.inbox.claim(Claim(reply));
        answer
    }

    /// Stops leading: the rooms here stand down, so that another node can take over unnoticed.
    /// Commits that are already decided are still taken. If the log is claimed again, it goes on
    /// here.
    pub fn release(&self) {
        self.core.set_leads(false);
    }

    /// The last take-over that this node has read in the log since the copy was opened, if any.
    pub fn taken_over(&self) -> Option<TakeOver> {
        self.core.leading.last()
    }

    /// Asks the node's thread to sync the copy and to repeat the take-overs of silent subjects, so
    /// that the log can be trimmed. Returns at once.
    pub fn keep_up(&self) {
        self.core.inbox.ask_upkeep();
    }

    /// Whether every message of the log needs a code from here on.
    pub fn has_codes(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.core.has_codes)
    }

    /// Begins to write codes into a log that has none yet, if this node has a key. From its next
    /// message on, all nodes skip messages without a valid code. Returns at once.
    pub fn begin_codes(&self) {
        self.core.inbox.ask_codes();
    }

    /// The message of the log up to which the copy is on stable storage; 0 until the first upkeep.
    pub fn kept(&self) -> u64 {
        self.core.kept.load(Ordering::SeqCst)
    }

    /// The installation's id: the same at every node, and that of the machine whose journal the log
    /// grew from. None until the copy is current.
    pub fn installation(&self) -> Option<u64> {
        self.core.installation.get().copied()
    }

    /// Waits until the copy has everything that the log had when it was opened. Blocks this thread.
    /// Add followers only after it.
    ///
    /// # Errors
    /// If the journal stops before that.
    pub fn wait_until_current(&self) -> Result<(), JournalFault> {
        self.core.catch_up.wait()
    }

    /// The journal's counters.
    pub fn counts(&self) -> Arc<JournalCounts> {
        Arc::clone(&self.core.counts)
    }

    /// The counters of the shared log.
    pub fn log_counts(&self) -> Arc<LogCounts> {
        Arc::clone(&self.core.log_counts)
    }

    /// How full the queue of commits waiting for the log is.
    pub fn fullness(&self) -> Fullness {
        self.core.inbox.fullness()
    }

    /// Watches for the fault that stops the journal for good. None until then.
    pub fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        self.core.standing.stopped()
    }

    /// Stops the journal for good, because this node may not take part any more; `reason` is for the
    /// operator.
    pub fn stop(&self, reason: &str) {
        let fault = copy::stopped("join", reason);
        self.core.standing.stop(fault.clone());
        self.core.inbox.shut(fault);
    }

    /// Waits some seconds for submitted commits to come back, and closes the journal, even if
    /// others still hold it.
    pub fn finish(&self) {
        self.core.inbox.shut(JournalFault::Closed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A follower may call this on the journal's own thread, where `join` returns at once.
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

    fn state(&self) -> JournalState {
        self.core.standing.now(self.space.is_low())
    }

    fn has_space(&self) -> bool {
        !self.space.is_low() && self.core.standing.has_space()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_reachable(&self) -> bool {
        self.log.is_reachable()
    }

    fn leads(&self) -> bool {
        self.core.leading.leads()
    }

    fn newest(&self) -> Cursor {
        Cursor::new(self.core.segments.newest())
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        self.core.check_after_read(reader::read(&self.core.segments, at))
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        self.core.check_after_read(reader::scan(&self.core.segments, from, max_bytes))
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        Cursor::new(reader::next_whole(&self.core.segments, at.get()))
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        self.core.check_after_read(reader::since(&self.core.segments, at))
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

/// The result of catching up, set once: the copy is current, or the fault that prevents it.
#[derive(Debug)]
struct CatchUp(Monitor<Option<Result<(), JournalFault>>>);

impl CatchUp {
    fn new(threads: Threads) -> Self {
        Self(Monitor::new(None, threads))
    }

    /// Notes that the copy is current.
    fn is_current(&self) {
        self.tell(Ok(()));
    }

    /// Notes that the copy will never be current.
    fn stop(&self, fault: JournalFault) {
        self.tell(Err(fault));
    }

    fn tell(&self, result: Result<(), JournalFault>) {
        let mut told = self.0.lock();
        if told.is_none() {
            *told = Some(result);
            drop(told);
            self.0.notify_all();
        }
    }

    /// Blocks until the result is known.
    fn wait(&self) -> Result<(), JournalFault> {
        let mut told = self.0.lock();
        loop {
            if let Some(result) = &*told {
                return result.clone();
            }
            told = self.0.wait(told);
        }
    }
}
