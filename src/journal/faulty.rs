//! A journal that fails on demand, around any other: for testing those who use one.
//!
//! Without orders it behaves as the journal inside. It is told what the next commits
//! meet, and can hold everything back until it is told to go on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use crate::domain::ids::StreamId;
use crate::domain::time::Timestamp;
use crate::journal::{Commit, Committed, Cursor, Follower, Journal, JournalFault};
use crate::journal::{Outcome, Scan, Standing, Ticket, Unsent};

/// What a commit meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectedFault {
    /// Somebody else wrote the stream; nothing is written.
    Conflict,
    /// It is written, but whoever submitted it is told that nobody knows.
    UnknownWritten,
    /// It is not written, and whoever submitted it is told that nobody knows.
    UnknownLost,
    /// It is refused at once.
    Busy,
}

/// A journal that fails on demand.
#[derive(Debug)]
pub struct FaultyJournal {
    inner: Arc<dyn Journal>,
    orders: Mutex<Orders>,
}

#[derive(Debug, Default)]
struct Orders {
    faults: VecDeque<(Option<StreamId>, InjectedFault)>,
    held: Option<Vec<Submitted>>,
    submitted: Vec<Commit>,
}

/// A commit, what it is to meet, and who waits for it.
#[derive(Debug)]
struct Submitted {
    commit: Commit,
    fault: Option<InjectedFault>,
    resolve: oneshot::Sender<Outcome>,
}

impl FaultyJournal {
    /// Around this one.
    pub fn around(inner: Arc<dyn Journal>) -> Self {
        Self { inner, orders: Mutex::default() }
    }

    /// The next commit that no other order awaits, of any stream, meets this.
    pub fn fail_next(&self, fault: InjectedFault) {
        self.orders().faults.push_back((None, fault));
    }

    /// The next commit of this stream meets this.
    pub fn fail_next_of(&self, stream: StreamId, fault: InjectedFault) {
        self.orders().faults.push_back((Some(stream), fault));
    }

    /// Holds back every commit from now on: it is neither durable nor refused.
    pub fn hold(&self) {
        self.orders().held.get_or_insert_default();
    }

    /// Lets go, in order, of what was held back, and holds nothing more.
    pub fn release(&self) {
        let mut orders = self.orders();
        for submitted in orders.held.take().unwrap_or_default() {
            self.pass_on(submitted);
        }
    }

    /// How many commits are held back.
    pub fn held(&self) -> usize {
        self.orders().held.as_ref().map_or(0, Vec::len)
    }

    /// Every commit that was submitted, also those that met a fault.
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

    fn standing(&self) -> Standing {
        self.inner.standing()
    }

    fn has_room(&self) -> bool {
        self.inner.has_room()
    }

    fn is_reachable(&self) -> bool {
        self.inner.is_reachable()
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn owns(&self, stream: StreamId) -> bool {
        self.inner.owns(stream)
    }

    fn newest(&self) -> Cursor {
        self.inner.newest()
    }

    fn read(&self, at: Cursor) -> Result<Arc<Committed>, JournalFault> {
        self.inner.read(at)
    }

    fn scan(&self, from: Cursor, max_bytes: usize) -> Result<Scan, JournalFault> {
        self.inner.scan(from, max_bytes)
    }

    fn since(&self, at: Timestamp) -> Result<Cursor, JournalFault> {
        self.inner.since(at)
    }

    fn follow(&self, follower: Box<dyn Follower>) -> Cursor {
        self.inner.follow(follower)
    }
}
