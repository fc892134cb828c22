//! The indexer: one thread that follows the journal and writes every row.
//!
//! It works from the batches that the journal hands over in memory. At opening, and when it cannot
//! keep up and a batch is lost, it reads the journal instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use crate::applier::{BrokenChains, OnDamage, Source, State, Wrote};
use crate::notes::Notes;
use crate::overlay::OverlayRows;
use crate::progress::{self, Progress, ProgressSender};
use crate::read_marks::PendingMarks;
use crate::rows;
use crate::{Index, IndexFault, Rows, Shared, WakeIndexer, keys};
use base::threads::{RunningThread, Threads};
use domain::event::Fact;
use domain::group::GroupFact;
use domain::highest_ids::HighestIds;
use domain::user::UserFact;
use journal::{Committed, Cursor, Follower, Journal};

/// Batches that may wait for the indexer in memory; beyond that it reads the journal.
const QUEUE: usize = 256;
/// How long posts wait for more before they are written: many of one conversation share a row, so
/// under load a batch of a few thousand costs little more than one of a few. This delays nobody,
/// since rooms show what the index does not have yet; a reader that needs the rows asks for haste
/// and is served at once.
const GATHER: Duration = Duration::from_millis(50);
/// How often the indexer checks while gathering whether a reader waits.
const SLICE: Duration = Duration::from_millis(5);

type Batch = Arc<[Arc<Committed>]>;

/// The running indexer. Dropping it writes what was queued and stops the thread.
#[derive(Debug)]
pub struct Indexer {
    stop: SyncSender<IndexerMessage>,
    threads: Threads,
    thread: Option<RunningThread>,
}

pub(super) enum IndexerMessage {
    Batch(Batch),
    Hurry,
    Stop,
}

/// An open index, the ids that are taken, and the indexer that keeps the index current.
#[derive(Debug)]
pub struct OpenedIndex {
    /// Answers reads.
    pub index: Arc<Index>,
    /// The highest ids in the journal.
    pub highs: HighestIds,
    /// Keeps the index current.
    pub indexer: Indexer,
    /// How many commits were replayed at opening.
    pub replayed: u64,
    /// Counts broken chains in the journal.
    pub broken_chains: Arc<BrokenChains>,
}

/// Returns how far rows of whatever layout have followed a journal: proof that the journal once had
/// a record at this cursor.
///
/// # Errors
/// If the rows cannot be read.
pub fn applied_in_any_layout(rows: &dyn Rows) -> Result<Option<Cursor>, IndexFault> {
    let applied = rows.get(keys::APPLIED)?;
    applied.map(|value| rows::decode("position", &value).map(Cursor::new)).transpose()
}

/// Brings the rows up to the journal's end and keeps them there.
///
/// # Errors
/// If rows or journal cannot be read, or the rows are of another layout or ahead of the journal;
/// the caller sets them aside and opens an empty store.
pub fn open(rows: Arc<dyn Rows>, journal: Arc<dyn Journal>) -> Result<OpenedIndex, IndexFault> {
    open_with(rows, journal, Threads::System)
}

/// Like [`open`], with the indexer's thread run by `threads`.
///
/// # Errors
/// Like [`open`].
pub fn open_with(
    rows: Arc<dyn Rows>,
    journal: Arc<dyn Journal>,
    threads: Threads,
) -> Result<OpenedIndex, IndexFault> {
    begin(rows, None, journal, threads, OnDamage::Fail)
}

/// Like [`open`], with rows whose store is repaired while they are in use. `on_damage` says what is
/// done where the journal cannot be read.
///
/// # Errors
/// Like [`open`].
pub fn open_over(
    overlay: Arc<OverlayRows>,
    journal: Arc<dyn Journal>,
    on_damage: OnDamage,
) -> Result<OpenedIndex, IndexFault> {
    let threads = overlay.threads().clone();
    begin(Arc::clone(&overlay) as _, Some(overlay), journal, threads, on_damage)
}

fn begin(
    rows: Arc<dyn Rows>,
    overlay: Option<Arc<OverlayRows>>,
    journal: Arc<dyn Journal>,
    threads: Threads,
    on_damage: OnDamage,
) -> Result<OpenedIndex, IndexFault> {
    let state = State::load(Arc::clone(&rows), Arc::clone(&journal), threads.clone(), on_damage)?;
    if state.applied > journal.end() {
        return Err(IndexFault::Ahead { reached: state.applied, end: journal.end() });
    }
    state.begin()?;
    let moment = Arc::clone(&state.moment);
    let (tell, applied) = progress::channel(state.newest());
    let mut worker = Worker { state, tell, lost: Arc::new(AtomicBool::new(false)), overlay };
    let (queue, heard) = sync_channel(QUEUE);
    if let Some(overlay) = &worker.overlay {
        overlay.wake_on_trouble(hurry(queue.clone()).0);
    }
    // Following begins before the replay, so that nothing falls between the two.
    let notes = Arc::<Notes>::default();
    let pending_marks = Arc::clone(&worker.state.pending_marks);
    let follower = IndexFollower {
        queue: queue.clone(),
        lost: Arc::clone(&worker.lost),
        notes: Arc::clone(&notes),
        pending_marks: Arc::clone(&pending_marks),
        applied: applied.clone(),
    };
    journal.follow(Box::new(follower));
    let replayed = worker.catch_up()?;
    let highs = worker.state.highs;
    let broken_chains = Arc::clone(&worker.state.broken_chains);
    let own = threads.clone();
    let thread = threads
        .start("indexer", move || worker.run(&heard, &own))
        .map_err(|error| IndexFault::Store(error.to_string()))?;
    let shared = Shared { applied, moment, notes, pending_marks };
    let index = Arc::new(Index::new(rows, shared, hurry(queue.clone()), threads.clone()));
    let indexer = Indexer { stop: queue, threads, thread: Some(thread) };
    Ok(OpenedIndex { index, highs, indexer, replayed, broken_chains })
}

fn hurry(queue: SyncSender<IndexerMessage>) -> WakeIndexer {
    WakeIndexer(Box::new(move || {
        // A full queue is written soon anyway, and readers notice a stopped indexer by themselves.
        drop(queue.try_send(IndexerMessage::Hurry));
    }))
}

impl Drop for Indexer {
    fn drop(&mut self) {
        // A stopped thread has closed its queue and needs no message.
        drop(self.threads.send(&self.stop, IndexerMessage::Stop));
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// The indexer's follower on the journal's thread.
struct IndexFollower {
    queue: SyncSender<IndexerMessage>,
    lost: Arc<AtomicBool>,
    notes: Arc<Notes>,
    pending_marks: Arc<PendingMarks>,
    applied: Progress,
}

impl Follower for IndexFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        let applied = self.applied.get();
        self.notes.take(commits, applied);
        commits.iter().for_each(|commit| self.pending_marks.take(commit));
    }

    fn durable(&mut self, batch: &Batch) {
        if let Err(TrySendError::Full(_)) =
            self.queue.try_send(IndexerMessage::Batch(Arc::clone(batch)))
        {
            self.lost.store(true, Ordering::SeqCst);
        }
    }
}

#[derive(Default)]
struct Gathered {
    batches: Vec<Batch>,
    is_urgent: bool,
    stop: bool,
}

impl Gathered {
    fn take(&mut self, heard: IndexerMessage) {
        match heard {
            IndexerMessage::Batch(batch) => {
                self.is_urgent |= batch.iter().any(|commit| !may_be_gathered(commit));
                self.batches.push(batch);
            }
            IndexerMessage::Hurry => self.is_urgent = true,
            IndexerMessage::Stop => self.stop = true,
        }
    }
}

/// Waits a little for more batches, unless a reader may want what is already there.
fn gather(first: IndexerMessage, heard: &Receiver<IndexerMessage>, threads: &Threads) -> Gathered {
    let mut gathered = Gathered::default();
    gathered.take(first);
    let mut waited = Duration::ZERO;
    loop {
        heard.try_iter().for_each(|next| gathered.take(next));
        let is_full = gathered.batches.len() >= QUEUE / 2;
        if gathered.is_urgent || gathered.stop || is_full || waited >= GATHER {
            return gathered;
        }
        // Sleeping in slices costs less than waking for each of thousands of batches.
        threads.sleep(SLICE);
        waited += SLICE;
    }
}

fn may_be_gathered(commit: &Committed) -> bool {
    let is_post = |fact: &Fact| matches!(fact, Fact::Group(GroupFact::Posted(_)));
    // Readers see read marks without their rows. Rows of callbacks are rarely read, and there are
    // as many as posts. Lists of drafts wait for theirs.
    let may_wait = |fact: &Fact| {
        is_post(fact)
            || fact.is_text_draft()
            || matches!(
                fact,
                Fact::Answered(_) | Fact::Callback(_) | Fact::User(UserFact::ReadUpTo(_))
            )
    };
    commit.entries.iter().all(|entry| may_wait(&entry.event.fact))
}

pub(super) struct Worker {
    pub(super) state: State,
    pub(super) tell: ProgressSender,
    /// Whether a batch was lost, so that the rest is read from the journal.
    pub(super) lost: Arc<AtomicBool>,
    /// The rows' overlay, if their store can be repaired.
    pub(super) overlay: Option<Arc<OverlayRows>>,
}

impl Worker {
    fn run(mut self, heard: &Receiver<IndexerMessage>, threads: &Threads) {
        while let Some(first) = self.next(heard, threads) {
            let Gathered { batches, stop, .. } = gather(first, heard, threads);
            let step = if self.lost.swap(false, Ordering::SeqCst) {
                self.catch_up()
            } else {
                self.write_heard(&batches)
            };
            if let Err(fault) = step {
                if self.survives(&fault) {
                    if stop {
                        break;
                    }
                    continue;
                }
                // Dropping the sender tells every waiting reader. What is durable is safe; the next
                // start replays or rebuilds.
                tracing::error!(%fault, "the indexer stopped; restart to rebuild the index");
                return;
            }
            self.tell.advance(self.state.newest());
            if stop {
                break;
            }
        }
        if let Err(fault) = self.state.rows.flush() {
            tracing::warn!(%fault, "flushing the index failed; the next start replays the journal");
        }
    }

    /// Applies the batches that were handed over, up to the first commit that does not continue its
    /// stream; everything from there on is read from the journal.
    fn write_heard(&mut self, batches: &[Batch]) -> Result<u64, IndexFault> {
        let heard = batches.iter().flat_map(|batch| batch.iter());
        match self.state.write(heard, Source::Heard)? {
            Wrote::All(written) => Ok(written),
            Wrote::UpToABreak => {
                tracing::warn!("the indexer missed commits; reading them from the journal");
                self.catch_up()
            }
        }
    }

    /// Applies commits from the journal until nothing newer is durable.
    fn catch_up(&mut self) -> Result<u64, IndexFault> {
        let tell = &self.tell;
        self.state.catch_up(&mut |newest| {
            tell.advance(newest);
        })
    }
}
