//! A journal that fails on demand, wrapped around any other: for testing the journal's users.
//!
//! Without orders it behaves as the inner journal. Tests order what the next commits meet, and can
//! hold back every commit until they release it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use crate::{Commit, Committed, Cursor, Follower, Journal, JournalFault};
use crate::{JournalState, Outcome, Scan, Ticket, Unsent};
use domain::ids::StreamId;
use domain::time::Timestamp;

/// A fault that a test orders for a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectedFault {
    /// The commit ends as a conflict; nothing is written.
    Conflict,
    /// The commit is written, but its ticket resolves as unknown.
    UnknownWritten,
    /// The commit is not written, and its ticket resolves as unknown.
    UnknownLost,
    /// The commit is refused at once, as if the queue were full.
    Busy,
}

/// A journal that fails on demand.
#[derive(Debug)]
pub struct FaultyJournal {
    inner: Arc<dyn Journal>,
    orders: Mutex<Orders>,
    /// Wakes the reads that wait.
    reads_released: Condvar,
    followers: Mutex<Vec<LateFollower>>,
}

/// A batch of commits as followers receive it.
type Batch = Arc<[Arc<Committed>]>;

/// A follower from which batches can be held back; projections are never late.
#[derive(Clone)]
struct LateFollower(Arc<Mutex<Late>>);

struct Late {
    follower: Box<dyn Follower>,
    held: Option<VecDeque<Batch>>,
}

impl LateFollower {
    fn late(&self) -> MutexGuard<'_, Late> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LateFollower {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LateFollower").finish_non_exhaustive()
    }
}

impl Follower for LateFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        self.late().follower.project(commits);
    }

    fn durable(&mut self, batch: &Batch) {
        let mut late = self.late();
        match &mut late.held {
            Some(held) => held.push_back(Arc::clone(batch)),
            None => late.follower.durable(batch),
        }
    }

    fn leader_changed(&mut self, leads: bool) {
        self.late().follower.leader_changed(leads);
    }
}

#[derive(Debug, Default)]
struct Orders {
    faults: VecDeque<(Option<StreamId>, InjectedFault)>,
    held: Option<Vec<Submitted>>,
    is_cut_off: bool,
    /// Whether reads wait, and how many do.
    are_reads_held: bool,
    waiting_reads: usize,
    submitted: Vec<Commit>,
}

/// A commit, the fault ordered for it, and the sender that resolves its ticket.
#[derive(Debug)]
struct Submitted {
    commit: Commit,
    fault: Option<InjectedFault>,
    resolve: oneshot::Sender<Outcome>,
}

impl FaultyJournal {
    /// Wraps a journal.
    pub fn around(inner: Arc<dyn Journal>) -> Self {
        let orders = Mutex::default();
        let followers = Mutex::default();
        Self { inner, orders, reads_released: Condvar::new(), followers }
    }

    /// Orders a fault for the next commit of any stream that no earlier order takes.
    pub fn fail_next(&self, fault: InjectedFault) {
        self.orders().faults.push_back((None, fault));
    }

    /// Orders a fault for the next commit of this stream.
    pub fn fail_next_of(&self, stream: StreamId, fault: InjectedFault) {
        self.orders().faults.push_back((Some(stream), fault));
    }

    /// Holds back every commit from now on: its ticket does not resolve.
    pub fn hold(&self) {
        self.orders().held.get_or_insert_default();
    }

    /// Passes on, in order, the commits that were held back, and stops holding.
    pub fn release(&self) {
        let mut orders = self.orders();
        for submitted in orders.held.take().unwrap_or_default() {
            self.pass_on(submitted);
        }
    }

    /// Whether the journal says that it cannot be reached, as a shared log may be.
    pub fn cut_off(&self, is_cut_off: bool) {
        self.orders().is_cut_off = is_cut_off;
    }

    /// Holds back every read of a record from now on.
    pub fn hold_reads(&self) {
        self.orders().are_reads_held = true;
    }

    /// Lets the reads continue that were held back.
    pub fn release_reads(&self) {
        self.orders().are_reads_held = false;
        self.reads_released.notify_all();
    }

    /// How many reads are held back.
    pub fn held_reads(&self) -> usize {
        self.orders().waiting_reads
    }

    /// Holds back from the present followers every batch that becomes durable from now on; not from
    /// the first one, which is the index.
    pub fn hold_news(&self) {
        for follower in self.followers().iter().skip(1) {
            follower.late().held.get_or_insert_default();
        }
    }

    /// Passes batches that were held back on to the followers, up to the first with such a commit.
    pub fn pass_news_before(&self, is_later: impl Fn(&Committed) -> bool) {
        for follower in self.followers().iter() {
            let mut late = follower.late();
            while let Some(batch) = late.held.as_mut().and_then(|held| {
                held.pop_front_if(|batch| !batch.iter().any(|commit| is_later(commit)))
            }) {
                late.follower.durable(&batch);
            }
        }
    }

    /// Passes on all batches that were held back, and stops holding.
    pub fn release_news(&self) {
        self.pass_news_before(|_| false);
        self.followers().iter().for_each(|it| it.late().held = None);
    }

    fn followers(&self) -> MutexGuard<'_, Vec<LateFollower>> {
        self.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many commits are held back.
    pub fn held(&self) -> usize {
        self.orders().held.as_ref().map_or(0, Vec::len)
    }

    /// Every commit that was submitted, including those that met a fault.
    pub fn submitted(&self) -> Vec<Commit> {
        self.orders().submitted.clone()
    }

    fn pass_on(&self, submitted: Submitted) {
        let Submitted { commit, fault, resolve } = submitted;
        let lost = || Outcome::Unknown(told_to_fail());
        let answer = match fault {
            Some(InjectedFault::Conflict) => Ok(Outcome::Conflict),
            Some(InjectedFault::UnknownLost) => Ok(lost()),
            Some(InjectedFault::Busy) => Ok(Outcome::Unknown(JournalFault::Busy)),
            Some(InjectedFault::UnknownWritten) | None => Err(self.inner.submit(commit)),
        };
        match answer {
            Ok(outcome) => drop(resolve.send(outcome)),
            Err(Err(refused)) => drop(resolve.send(Outcome::Unknown(refused.fault))),
            Err(Ok(ticket)) => drop(thread::spawn(move || {
                let outcome = ticket.wait();
                drop(resolve.send(fault.map_or(outcome, |_| lost())));
            })),
        }
    }

    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Orders {
    fn fault_for(&mut self, stream: StreamId) -> Option<InjectedFault> {
        let is_meant =
            |(of, _): &(Option<StreamId>, InjectedFault)| of.is_none_or(|meant| meant == stream);
        let place = self.faults.iter().position(is_meant)?;
        self.faults.remove(place).map(|(_, fault)| fault)
    }
}

fn told_to_fail() -> JournalFault {
    JournalFault::Stopped { operation: "sync", reason: "told to fail".to_owned() }
}

impl Journal for FaultyJournal {
    fn submit(&self, commit: Commit) -> Result<Ticket, Unsent> {
        let mut orders = self.orders();
        let fault = orders.fault_for(commit.stream);
        orders.submitted.push(commit.clone());
        if fault == Some(InjectedFault::Busy) {
            return Err(Unsent { fault: JournalFault::Busy, commit: Box::new(commit) });
        }
        if fault.is_none() && orders.held.is_none() {
            return self.inner.submit(commit);
        }
        let (resolve, ticket) = Ticket::pair();
        let submitted = Submitted { commit, fault, resolve };
        match &mut orders.held {
            Some(held) => held.push(submitted),
            None => self.pass_on(submitted),
        }
        Ok(ticket)
    }

    fn end(&self) -> Cursor {
        self.inner.end()
    }

    fn state(&self) -> JournalState {
        self.inner.state()
    }

    fn has_space(&self) -> bool {
        self.inner.has_space()
    }

    fn is_reachable(&self) -> bool {
        self.inner.is_reachable() && !self.orders().is_cut_off
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn leads(&self) -> bool {
        self.inner.leads()
    }

    fn newest(&self) -> Cursor {
        self.inner.newest()
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        let mut orders = self.orders();
        orders.waiting_reads += 1;
        let wait = self.reads_released.wait_while(orders, |orders| orders.are_reads_held);
        wait.unwrap_or_else(PoisonError::into_inner).waiting_reads -= 1;
        self.inner.read(at)
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        self.inner.scan(from, max_bytes)
    }

    fn next_whole(&self, at: Cursor) -> Cursor {
        self.inner.next_whole(at)
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        self.inner.since(at)
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        let follower = LateFollower(Arc::new(Mutex::new(Late { follower, held: None })));
        self.followers().push(follower.clone());
        self.inner.follow(Box::new(follower))
    }
}
