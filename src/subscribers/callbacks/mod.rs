//! Callbacks: events of a group, posted to the bots of the group.
//!
//! There is no queue of its own: each bot reads its group's log, and its position is a fact in the
//! journal (see `src/decisions/bots.md`). One actor on a thread of its own owns the scheduler, which
//! decides everything that needs no waiting.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use actix::dev::ToEnvelope;
use actix::dev::channel::channel;
use actix::{Addr, Context, Handler};

use crate::callbacks::dispatcher::Dispatcher;
use crate::callbacks::inbox::InboxBatch;
use crate::callbacks::scheduler::CallbackBudgets;
use actors::ask::{Answered, Ask, Failure, Fault, Question, Reply};
use actors::directory::{Directory, RecordOf};
use base::bounds::places::Places;
use domain::event::Fact;
use domain::group::GroupFact;
use domain::ids::{GroupId, StreamId};
use journal::{Committed, Follower};
use outgoing::Outgoing;

mod attempt;
pub mod creator_queries;
pub mod dispatcher;
mod endpoint;
mod event;
pub mod inbox;
mod log_reads;
pub mod protocol;
mod schedule;
mod scheduler;
#[cfg(test)]
mod scheduler_tests;
pub mod signature;

/// Batches and questions that may wait for the dispatcher.
const MAILBOX: usize = 1024;
/// How long a stopping server waits for attempts that are under way.
const FINISH_WITHIN: Duration = Duration::from_secs(3);
/// How often a stopping server checks whether they are done.
const LOOK: Duration = Duration::from_millis(10);

/// The callbacks of this server. Cheap to clone.
#[derive(Clone)]
pub struct Callbacks(Arc<Shared>);

/// State that the dispatcher, the follower of the journal and the callers share.
pub(super) struct Shared {
    pub(super) directory: Directory,
    pub(super) outgoing: Outgoing,
    /// Returns random numbers between 0 and 1.
    pub(super) chance: fn() -> f64,
    dispatcher: RwLock<Option<Addr<Dispatcher>>>,
    /// Groups with bots that are called back: commits of other groups are not passed on.
    pub(super) groups: RwLock<HashSet<GroupId>>,
    /// Whether the dispatcher must restart: it missed a batch, or callbacks moved to or from
    /// another node.
    pub(super) missed: AtomicBool,
    /// Whether another node sends the callbacks.
    is_elsewhere: AtomicBool,
    /// Whether the server is stopping, so that no attempt begins any more.
    pub(super) is_closing: AtomicBool,
    /// Attempts that are under way or whose outcome is not durable yet.
    pub(super) unsettled: AtomicUsize,
    /// Counts of requests under way and of bots that wait.
    budgets: CallbackBudgets,
}

impl Callbacks {
    /// Callbacks without a dispatcher; [`Self::start_here`] starts one.
    pub fn new(
        directory: Directory,
        outgoing: Outgoing,
        chance: fn() -> f64,
        places: &Places,
    ) -> Self {
        let budgets = CallbackBudgets::new(places);
        let journal = &directory.context().archive.journal;
        let is_elsewhere = !journal.leads();
        Self(Arc::new(Shared {
            directory,
            outgoing,
            chance,
            dispatcher: RwLock::default(),
            groups: RwLock::default(),
            missed: AtomicBool::new(false),
            is_elsewhere: AtomicBool::new(is_elsewhere),
            is_closing: AtomicBool::new(false),
            unsettled: AtomicUsize::new(0),
            budgets,
        }))
    }

    /// The follower that passes commits of the journal to the dispatcher.
    pub fn follower(&self) -> Box<dyn Follower> {
        Box::new(CallbackFollower(Arc::downgrade(&self.0)))
    }

    /// Starts the dispatcher on this thread.
    pub fn start_here(&self) {
        let (sender, receiver) = channel(MAILBOX);
        // The address is known before the dispatcher reads the state of bots: commits that become
        // durable meanwhile wait in its mailbox.
        *self.0.dispatcher.write().unwrap_or_else(PoisonError::into_inner) =
            Some(Addr::new(sender));
        let dispatcher = Dispatcher::new(self.clone());
        actix::spawn(Context::with_receiver(receiver).into_future(dispatcher));
    }

    /// Asks the dispatcher. The answer is kept with the act, if asked for.
    ///
    /// # Errors
    /// If the dispatcher refuses, or on a fault.
    pub async fn ask<Q: Question>(&self, question: Q, record: RecordOf<Q>) -> Answered<Q>
    where
        Dispatcher: Handler<Ask<Q>>,
        Context<Dispatcher>: ToEnvelope<Dispatcher, Ask<Q>>,
    {
        let dispatcher = self.dispatcher().ok_or(Failure::Fault(Fault::Gone))?;
        let (reply, answer) = Reply::pair_with(record, None);
        dispatcher.try_send(Ask { question, reply }).map_err(|_| Failure::Fault(Fault::Busy))?;
        answer.answer().await
    }

    /// Begins no more attempts, and waits until the outcomes of those under way are durable: else
    /// they would be sent again after the start. Gives up after three seconds.
    pub async fn finish(&self) {
        self.0.is_closing.store(true, Ordering::SeqCst);
        let looks = FINISH_WITHIN.as_millis() / LOOK.as_millis();
        for _ in 0..looks {
            if self.0.unsettled.load(Ordering::SeqCst) == 0 {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// State that the dispatcher and its callers share.
    pub(super) fn shared(&self) -> &Shared {
        &self.0
    }

    fn dispatcher(&self) -> Option<Addr<Dispatcher>> {
        self.0.dispatcher()
    }
}

impl Shared {
    /// Whether the dispatcher may send: it knows the state of all bots, and no other node sends.
    pub(super) fn may_send(&self) -> bool {
        let is_held_up = [&self.is_closing, &self.is_elsewhere, &self.missed];
        is_held_up.into_iter().all(|reason| !reason.load(Ordering::SeqCst))
    }

    fn dispatcher(&self) -> Option<Addr<Dispatcher>> {
        self.dispatcher.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn concerns(&self, commit: &Committed) -> bool {
        if matches!(commit.stream, StreamId::User(_)) {
            return commit.entries.iter().any(|it| is_of_standing(&it.event.fact));
        }
        let StreamId::Group(group) = commit.stream else { return false };
        let is_known = self.groups.read().unwrap_or_else(PoisonError::into_inner).contains(&group);
        is_known
            || commit.entries.iter().any(|entry| {
                matches!(
                    entry.event.fact,
                    Fact::Group(GroupFact::BotAdded(_) | GroupFact::BotChanged(_))
                )
            })
    }
}

/// Whether a fact disables or enables an account, and with it the bots of the user.
const fn is_of_standing(fact: &Fact) -> bool {
    matches!(fact, Fact::User(fact) if fact.changes_standing())
}

/// The follower on the journal's thread. Its reference is weak, since callbacks hold the journal.
struct CallbackFollower(Weak<Shared>);

impl Follower for CallbackFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let Some(shared) = self.0.upgrade() else { return };
        let heard: Vec<_> =
            batch.iter().filter(|commit| shared.concerns(commit)).cloned().collect();
        if heard.is_empty() {
            return;
        }
        let dispatcher = shared.dispatcher();
        let is_told =
            dispatcher.is_some_and(|dispatcher| dispatcher.try_send(InboxBatch(heard)).is_ok());
        if !is_told {
            shared.missed.store(true, Ordering::SeqCst);
        }
    }

    /// The node that leads sends the callbacks, from the recorded positions, once it has read what
    /// was committed before.
    fn leader_changed(&mut self, leads: bool) {
        if let Some(shared) = self.0.upgrade() {
            // In this order, so that nothing is sent before the dispatcher has restarted.
            shared.missed.store(true, Ordering::SeqCst);
            shared.is_elsewhere.store(!leads, Ordering::SeqCst);
        }
    }
}
