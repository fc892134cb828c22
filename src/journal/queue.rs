//! The queue between rooms and the writer: bounded, swapped whole, woken rarely.
//!
//! A room pushes under a short lock; the writer takes everything at once. It is woken
//! only when it sleeps, so a busy writer costs nobody a system call.

use tokio::sync::oneshot;

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::journal::record::RecordDraft;
use crate::journal::{JournalFault, Outcome, Ticket, Unsent};
use crate::threads::{Monitor, Threads};

/// A commit on its way to the disk.
#[derive(Debug)]
pub(super) struct Pending {
    /// What to write.
    pub(super) draft: RecordDraft,
    /// Whom to tell.
    pub(super) resolve: oneshot::Sender<Outcome>,
}

/// Commits waiting for the writer.
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
    /// Empty; its writer is a thread of this kind.
    pub(super) fn new(bound: Bound, threads: Threads) -> Self {
        Self { bound, state: Monitor::new(QueueState::default(), threads) }
    }

    /// How much waits.
    pub(super) fn fullness(&self) -> Fullness {
        let state = self.state.lock();
        let held = Bound { items: state.waiting.len(), bytes: state.bytes };
        Fullness { held, limit: self.bound, refused: state.refused }
    }

    /// Queues a commit.
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

    /// Takes everything that waits into `batch`, which must be empty; sleeps until
    /// there is something. False once the queue is shut and nothing waits.
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

    /// Refuses everything from now on, with this reason; the first reason stays.
    pub(super) fn shut(&self, fault: JournalFault) {
        let mut state = self.state.lock();
        state.shut.get_or_insert(fault);
        state.writer_sleeps = false;
        drop(state);
        self.state.notify_one();
    }
}

/// Lets nobody wait for a writer that is gone, for instance by a panic of a follower.
/// What waits then is forgotten, and its tickets say that nobody knows.
#[derive(Debug)]
pub(super) struct Alarm<'a>(pub(super) &'a Queue);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.shut(JournalFault::Closed);
        let forgotten = std::mem::take(&mut self.0.state.lock().waiting);
        drop(forgotten);
    }
}
