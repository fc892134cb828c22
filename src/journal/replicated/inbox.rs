//! What comes in for a node's journal, from rooms and from the log: one queue, swapped whole.

use tokio::sync::oneshot;

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::journal::queue::Pending;
use crate::journal::record::RecordDraft;
use crate::journal::replicated::log::{LogEvent, LogListener};
use crate::journal::replicated::shard::Shard;
use crate::journal::{JournalFault, Ticket, Unsent};
use crate::threads::{Monitor, Threads};

/// Who wants a shard, to be told when it has it.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) shard: Shard,
    pub(super) reply: oneshot::Sender<Result<(), JournalFault>>,
}

/// What came in.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    pub(super) events: Vec<LogEvent>,
    pub(super) claims: Vec<Claim>,
    pub(super) commits: Vec<Pending>,
    /// Whether the copy is to be kept up.
    pub(super) upkeep: bool,
}

impl Arrived {
    fn is_empty(&self) -> bool {
        let Self { events, claims, commits, upkeep } = self;
        events.is_empty() && claims.is_empty() && commits.is_empty() && !upkeep
    }
}

/// The queue.
#[derive(Debug)]
pub(super) struct Inbox {
    bound: Bound,
    state: Monitor<InboxState>,
}

#[derive(Debug, Default)]
struct InboxState {
    arrived: Arrived,
    held: Bound,
    is_asleep: bool,
    shut: Option<JournalFault>,
    refused: u64,
}

impl Inbox {
    /// Empty; it holds no more commits than this until they are settled.
    pub(super) fn new(bound: Bound, threads: Threads) -> Self {
        Self { bound, state: Monitor::new(InboxState::default(), threads) }
    }

    /// How many commits wait.
    pub(super) fn fullness(&self) -> Fullness {
        let state = self.state.lock();
        Fullness { held: state.held, limit: self.bound, refused: state.refused }
    }

    /// Takes a commit.
    pub(super) fn push(&self, draft: RecordDraft) -> Result<Ticket, Unsent> {
        let mut state = self.state.lock();
        if let Some(fault) = &state.shut {
            return Err(draft.unsent(fault.clone()));
        }
        if !self.bound.fits(state.held, draft.len()) {
            state.refused += 1;
            return Err(draft.unsent(JournalFault::Busy));
        }
        let (resolve, ticket) = Ticket::pair();
        state.held.items += 1;
        state.held.bytes += draft.len();
        state.arrived.commits.push(Pending { draft, resolve });
        self.wake(state.is_asleep);
        Ok(ticket)
    }

    /// So many commits, of so many bytes, are settled.
    pub(super) fn let_go(&self, items: usize, bytes: usize) {
        let held = &mut self.state.lock().held;
        held.items = held.items.saturating_sub(items);
        held.bytes = held.bytes.saturating_sub(bytes);
    }

    /// Takes a claim.
    pub(super) fn claim(&self, claim: Claim) {
        let mut state = self.state.lock();
        match &state.shut {
            // Who claims may have gone.
            Some(fault) => drop(claim.reply.send(Err(fault.clone()))),
            None => state.arrived.claims.push(claim),
        }
        self.wake(state.is_asleep);
    }

    /// Has the copy kept up.
    pub(super) fn ask_upkeep(&self) {
        let mut state = self.state.lock();
        state.arrived.upkeep = true;
        self.wake(state.is_asleep);
    }

    /// Moves what came into `into`, which must be empty; sleeps until there is something.
    /// Tells why no more commits are taken, if so; then it does not sleep.
    pub(super) fn take(&self, into: &mut Arrived, was_shut: bool) -> Option<JournalFault> {
        let mut state = self.state.lock();
        while state.arrived.is_empty() && (was_shut || state.shut.is_none()) {
            state.is_asleep = true;
            state = self.state.wait(state);
        }
        state.is_asleep = false;
        std::mem::swap(&mut state.arrived, into);
        state.shut.clone()
    }

    /// Takes no commits and no claims any more; the first reason stays.
    pub(super) fn shut(&self, fault: JournalFault) {
        self.state.lock().shut.get_or_insert(fault);
        self.state.notify_one();
    }

    /// Whether it is shut.
    pub(super) fn is_shut(&self) -> bool {
        self.state.lock().shut.is_some()
    }

    fn wake(&self, is_asleep: bool) {
        if is_asleep {
            self.state.notify_one();
        }
    }
}

impl LogListener for Inbox {
    fn hear(&self, event: LogEvent) {
        let mut state = self.state.lock();
        state.arrived.events.push(event);
        self.wake(state.is_asleep);
    }
}

/// Lets nobody wait for a node that is gone, for instance by a panic of a follower.
#[derive(Debug)]
pub(super) struct InboxAlarm<'a>(pub(super) &'a Inbox);

impl Drop for InboxAlarm<'_> {
    fn drop(&mut self) {
        self.0.shut(JournalFault::Closed);
        let forgotten = std::mem::take(&mut self.0.state.lock().arrived);
        drop(forgotten);
    }
}
