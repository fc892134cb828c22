//! The queue between rooms and the writer: bounded, swapped whole, woken rarely.
//!
//! A room pushes under a short lock; the writer takes everything at once. A push wakes the writer
//! only when it sleeps, so pushing to a busy writer costs no system call.

use tokio::sync::oneshot;

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::journal::record::RecordDraft;
use crate::journal::{JournalFault, Outcome, Ticket, Unsent};
use crate::threads::{Monitor, Threads};

/// A commit on its way to the disk.
#[derive(Debug)]
pub(super) struct Pending {
    /// The encoded commit.
    pub(super) draft: RecordDraft,
    /// Resolves the commit's ticket.
    pub(super) resolve: oneshot::Sender<Outcome>,
}

/// The bounded queue of commits waiting for the writer.
#[derive(Debug)]
pub(super) struct Queue {
    bound: Bound,
    state: Monitor<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: Vec<Pending>,
    bytes: usize,
    writer_sleeps: bool,
    shut: Option<JournalFault>,
    refused: u64,
}

impl Queue {
    /// Makes an empty queue whose writer is one of these threads.
    pub(super) fn new(bound: Bound, threads: Threads) -> Self {
        Self { bound, state: Monitor::new(QueueState::default(), threads) }
    }

    /// How full the queue is.
    pub(super) fn fullness(&self) -> Fullness {
        let state = self.state.lock();
        let held = Bound { items: state.waiting.len(), bytes: state.bytes };
        Fullness { held, limit: self.bound, refused: state.refused }
    }

    /// Queues a commit, unless the queue is full or shut.
    pub(super) fn push(&self, draft: RecordDraft) -> Result<Ticket, Unsent> {
        let mut state = self.state.lock();
        if let Some(fault) = &state.shut {
            return Err(draft.unsent(fault.clone()));
        }
        let waiting = Bound { items: state.waiting.len(), bytes: state.bytes };
        if !self.bound.fits(waiting, draft.len()) {
            state.refused += 1;
            return Err(draft.unsent(JournalFault::Busy));
        }
        let (resolve, ticket) = Ticket::pair();
        state.bytes += draft.len();
        state.waiting.push(Pending { draft, resolve });
        let was_asleep = std::mem::take(&mut state.writer_sleeps);
        drop(state);
        if was_asleep {
            self.state.notify_one();
        }
        Ok(ticket)
    }

    /// Moves everything that waits into `batch`, which must be empty; sleeps until there is
    /// something. Returns false once the queue is shut and empty.
    pub(super) fn take(&self, batch: &mut Vec<Pending>) -> bool {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            if state.shut.is_some() {
                return false;
            }
            state.writer_sleeps = true;
            state = self.state.wait(state);
        }
        state.bytes = 0;
        std::mem::swap(&mut state.waiting, batch);
        true
    }

    /// Refuses every commit from now on with `fault`; if the queue is shut already, the first fault
    /// stays.
    pub(super) fn shut(&self, fault: JournalFault) {
        let mut state = self.state.lock();
        state.shut.get_or_insert(fault);
        state.writer_sleeps = false;
        drop(state);
        self.state.notify_one();
    }
}

/// Shuts the queue when its writer ends, for instance by a panic of a follower, so that nobody
/// waits for it. Commits still in the queue are dropped, and their tickets resolve as
/// [`Outcome::Unknown`].
#[derive(Debug)]
pub(super) struct ShutOnDrop<'a>(pub(super) &'a Queue);

impl Drop for ShutOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut(JournalFault::Closed);
        let forgotten = std::mem::take(&mut self.0.state.lock().waiting);
        drop(forgotten);
    }
}
