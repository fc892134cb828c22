//! The queue between rooms and the writer (bounded, swapped whole, woken rarely), and the tickets that
//! resolve when a commit is durable.
//!
//! A room pushes under a short lock; the writer takes everything at once. A push wakes the writer
//! only when it sleeps, so pushing to a busy writer costs no system call.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::record::RecordDraft;
use crate::{JournalFault, Outcome, Unsent};
use base::bounds::Bound;
use base::bounds::places::Fullness;
use base::threads::{Monitor, Threads};

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

/// The promise that a submitted commit becomes durable; resolves to the commit's [`Outcome`].
#[derive(Debug)]
pub struct Ticket(oneshot::Receiver<Outcome>);

impl Ticket {
    /// A ticket and the sender that resolves it.
    pub fn pair() -> (oneshot::Sender<Outcome>, Self) {
        let (resolve, wait) = oneshot::channel();
        (resolve, Self(wait))
    }

    /// Blocks this thread until the outcome is known; not for threads that run async tasks.
    pub fn wait(self) -> Outcome {
        self.0.blocking_recv().unwrap_or(Outcome::Unknown(JournalFault::Closed))
    }

    /// The outcome, if it is known already.
    pub fn settled(&mut self) -> Option<Outcome> {
        match self.0.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => {
                Some(Outcome::Unknown(JournalFault::Closed))
            }
        }
    }
}

impl Future for Ticket {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|outcome| outcome.unwrap_or(Outcome::Unknown(JournalFault::Closed)))
    }
}
