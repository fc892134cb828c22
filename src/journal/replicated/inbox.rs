//! The inbox of a node's journal: one queue for commits and claims of this node and for events of
//! the log, swapped whole.

use tokio::sync::oneshot;

use crate::queue::Pending;
use crate::record::RecordDraft;
use crate::replicated::log::{LogEvent, LogListener};
use crate::{JournalFault, Ticket, Unsent};
use base::bounds::Bound;
use base::bounds::places::Fullness;
use base::threads::{Monitor, Threads};

/// A request to lead, answered when this node does.
#[derive(Debug)]
pub(super) struct Claim(pub(super) oneshot::Sender<Result<(), JournalFault>>);

/// Everything that arrived since the inbox was last emptied.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    pub(super) events: Vec<LogEvent>,
    pub(super) claims: Vec<Claim>,
    pub(super) commits: Vec<Pending>,
    /// Whether upkeep was asked for.
    pub(super) upkeep: bool,
    /// Whether codes were asked for.
    pub(super) codes: bool,
}

impl Arrived {
    fn is_empty(&self) -> bool {
        let Self { events, claims, commits, upkeep, codes } = self;
        events.is_empty() && claims.is_empty() && commits.is_empty() && !upkeep && !codes
    }
}

/// The queue of the node's thread.
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
    /// Makes an empty inbox that holds at most `bound` of commits until they are settled.
    pub(super) fn new(bound: Bound, threads: Threads) -> Self {
        Self { bound, state: Monitor::new(InboxState::default(), threads) }
    }

    /// How full the inbox is, in unsettled commits and their bytes.
    pub(super) fn fullness(&self) -> Fullness {
        let state = self.state.lock();
        Fullness { held: state.held, limit: self.bound, refused: state.refused }
    }

    /// Queues a commit, unless the inbox is full or shut.
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

    /// Notes that `items` commits, with so many bytes, are settled.
    pub(super) fn settled(&self, items: usize, bytes: usize) {
        let held = &mut self.state.lock().held;
        held.items = held.items.saturating_sub(items);
        held.bytes = held.bytes.saturating_sub(bytes);
    }

    /// Queues a claim, or answers it with the fault if the inbox is shut.
    pub(super) fn claim(&self, claim: Claim) {
        let mut state = self.state.lock();
        match &state.shut {
            // The caller may have stopped waiting.
            Some(fault) => drop(claim.0.send(Err(fault.clone()))),
            None => state.arrived.claims.push(claim),
        }
        self.wake(state.is_asleep);
    }

    /// Asks for upkeep.
    pub(super) fn ask_upkeep(&self) {
        let mut state = self.state.lock();
        state.arrived.upkeep = true;
        self.wake(state.is_asleep);
    }

    /// Asks for codes in the log.
    pub(super) fn ask_codes(&self) {
        let mut state = self.state.lock();
        state.arrived.codes = true;
        self.wake(state.is_asleep);
    }

    /// Moves what came in into `into`, which must be empty; sleeps until there is something.
    /// Returns the fault with which the inbox was shut, if it was; unless `was_shut`, it does not
    /// sleep then.
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

    /// Takes no more commits and claims; if the inbox is shut already, the first fault stays.
    pub(super) fn shut(&self, fault: JournalFault) {
        self.state.lock().shut.get_or_insert(fault);
        self.state.notify_one();
    }

    /// Whether the inbox is shut.
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

/// Shuts the inbox when the node's thread ends, for instance by a panic of a follower, so that
/// nobody waits for it.
#[derive(Debug)]
pub(super) struct ShutInboxOnDrop<'a>(pub(super) &'a Inbox);

impl Drop for ShutInboxOnDrop<'_> {
    fn drop(&mut self) {
        self.0.shut(JournalFault::Closed);
        let forgotten = std::mem::take(&mut self.0.state.lock().arrived);
        drop(forgotten);
    }
}
