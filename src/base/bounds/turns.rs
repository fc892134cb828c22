//! Places that owners use in turn: no owner has more than its share, and no owner waits behind the
//! queue of another one.
//!
//! The task that does the work acquires the turn, and holds it until the work has ended.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::bounds::Full;
use crate::bounds::places::{Fullness, Places};
use domain::ids::{GroupId, StreamId, UserId};

/// The owner of work: the one whose share it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A user.
    User(UserId),
    /// All bots of a group together.
    BotsOf(GroupId),
    /// A room, for all who ask it.
    Room(StreamId),
    /// The server, for its operator.
    Server,
}

impl From<StreamId> for Owner {
    fn from(room: StreamId) -> Self {
        Self::Room(room)
    }
}

impl From<UserId> for Owner {
    fn from(user: UserId) -> Self {
        Self::User(user)
    }
}

/// How many places there are, and which share of them an owner has.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    /// All places.
    pub places: usize,
    /// Places that one owner has at the same time.
    pub of_owner: usize,
    /// Requests of one owner that wait; further ones are refused.
    pub waiting_of_owner: usize,
}

/// Places that owners use in turn. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: TurnLimits,
    queue: Mutex<Queue>,
}

#[derive(Debug)]
struct Queue {
    free: usize,
    owners: HashMap<Owner, Share>,
    /// Owners with a waiting request and a place left in their share, each once.
    ready: VecDeque<Owner>,
    refused: u64,
}

/// The turns and waiters of one owner.
#[derive(Debug, Default)]
struct Share {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Turn>>,
    is_ready: bool,
}

/// A place, which is released on drop.
#[derive(Debug)]
pub struct Turn {
    of: Turns,
    owner: Owner,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.of.release(self.owner);
    }
}

/// A request for a place.
#[derive(Debug)]
pub struct WaitingTurn(oneshot::Receiver<Turn>);

impl Future for WaitingTurn {
    type Output = Result<Turn, Full>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The sender is dropped only after it sent a turn.
        Pin::new(&mut self.0).poll(context).map_err(|_| Full)
    }
}

impl Turns {
    /// Free places, registered under this name among the bounded places of the server.
    pub fn new(places: &Places, name: &'static str, limits: TurnLimits) -> Self {
        let turns = Self::unregistered(limits);
        turns.register(places, name);
        turns
    }

    /// Free places that are registered later.
    pub fn unregistered(limits: TurnLimits) -> Self {
        let owners = HashMap::new();
        let ready = VecDeque::new();
        let queue = Mutex::new(Queue { free: limits.places, owners, ready, refused: 0 });
        Self(Arc::new(Inner { limits, queue }))
    }

    /// Registers the places under this name among the bounded places of the server.
    pub fn register(&self, places: &Places, name: &'static str) {
        let shown = self.clone();
        places.add(name, move || {
            let queue = shown.queue();
            let places = shown.0.limits.places;
            Fullness::of_items(places - queue.free, places, queue.refused)
        });
    }

    /// Waits for a place. Owners that wait get one in turn.
    ///
    /// # Errors
    /// If too many requests of this owner wait already; the refusal is counted.
    pub async fn acquire(&self, owner: Owner) -> Result<Turn, Full> {
        self.request(owner)?.await
    }

    /// Asks for a place, to be waited for later. Dropping the request takes it back.
    ///
    /// # Errors
    /// As [`Self::acquire`].
    pub fn request(&self, owner: Owner) -> Result<WaitingTurn, Full> {
        let (sender, turn) = oneshot::channel();
        self.enqueue(owner, sender)?;
        self.serve();
        Ok(WaitingTurn(turn))
    }

    fn enqueue(&self, owner: Owner, sender: oneshot::Sender<Turn>) -> Result<(), Full> {
        let mut queue = self.queue();
        let share = queue.owners.entry(owner).or_default();
        // Requests that were taken back are forgotten before the queue grows.
        let is_full = share.waiting.len() >= self.0.limits.waiting_of_owner;
        if is_full || share.waiting.len() == share.waiting.capacity() {
            share.waiting.retain(|it| !it.is_closed());
        }
        if share.waiting.len() >= self.0.limits.waiting_of_owner {
            queue.refused += 1;
            return Err(Full);
        }
        share.waiting.push_back(sender);
        queue.note_ready(owner, self.0.limits.of_owner);
        Ok(())
    }

    /// Gives free places to those who wait.
    fn serve(&self) {
        loop {
            let Some((owner, waiting)) = self.queue().next(self.0.limits.of_owner) else { return };
            // If the receiver is gone, the turn is dropped, which releases the place.
            drop(waiting.send(Turn { of: self.clone(), owner }));
        }
    }

    fn release(&self, owner: Owner) {
        let mut queue = self.queue();
        queue.free += 1;
        if let Some(share) = queue.owners.get_mut(&owner) {
            share.running -= 1;
            if share.running == 0 && share.waiting.is_empty() {
                queue.owners.remove(&owner);
            }
        }
        queue.note_ready(owner, self.0.limits.of_owner);
        drop(queue);
        self.serve();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Puts an owner behind the ready ones, if it waits and has less than its share.
    fn note_ready(&mut self, owner: Owner, of_owner: usize) {
        let Some(share) = self.owners.get_mut(&owner) else { return };
        if !share.is_ready && share.running < of_owner && !share.waiting.is_empty() {
            share.is_ready = true;
            self.ready.push_back(owner);
        }
    }

    /// Takes a place for the request whose turn it is.
    fn next(&mut self, of_owner: usize) -> Option<(Owner, oneshot::Sender<Turn>)> {
        while self.free > 0 {
            let owner = self.ready.pop_front()?;
            let Some(share) = self.owners.get_mut(&owner) else { continue };
            share.is_ready = false;
            let waiting = share.waiting.pop_front();
            if let Some(waiting) = waiting.filter(|it| !it.is_closed()) {
                share.running += 1;
                self.free -= 1;
                self.note_ready(owner, of_owner);
                return Some((owner, waiting));
            }
            if share.running == 0 && share.waiting.is_empty() {
                self.owners.remove(&owner);
            }
            self.note_ready(owner, of_owner);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;

    use super::*;

    const LIMITS: TurnLimits = TurnLimits { places: 4, of_owner: 2, waiting_of_owner: 8 };

    fn turns() -> Turns {
        Turns::new(&Places::default(), "test", LIMITS)
    }

    fn user(id: u64) -> Owner {
        UserId::new(id).into()
    }

    #[tokio::test]
    async fn owner_with_full_share_leaves_places_for_others() {
        let turns = turns();
        let held = [turns.acquire(user(1)).await.unwrap(), turns.acquire(user(1)).await.unwrap()];
        let mut third = pin!(turns.acquire(user(1)));
        assert!(third.as_mut().now_or_never().is_none());
        let other = turns.acquire(user(2)).now_or_never().unwrap().unwrap();
        drop(held);
        let third = third.now_or_never().unwrap().unwrap();
        drop((third, other));
        assert!(turns.queue().owners.is_empty());
        assert_eq!(turns.queue().free, LIMITS.places);
    }

    #[tokio::test]
    async fn waiting_owners_are_served_in_turn() {
        let limits = TurnLimits { places: 1, of_owner: 1, waiting_of_owner: 8 };
        let turns = Turns::new(&Places::default(), "test", limits);
        let held = turns.acquire(user(9)).await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for owner in [1, 1, 1, 2, 2, 3] {
            let turns = turns.clone();
            let order = Arc::clone(&order);
            waiting.push(tokio::spawn(async move {
                let turn = turns.acquire(user(owner)).await.unwrap();
                order.lock().unwrap().push(owner);
                drop(turn);
            }));
            tokio::task::yield_now().await;
        }
        drop(held);
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 1, 2, 1]);
    }

    #[tokio::test]
    async fn abandoned_requests_take_no_place() {
        let turns = turns();
        let held = [turns.acquire(user(1)).await.unwrap(), turns.acquire(user(1)).await.unwrap()];
        for _ in 0..100 {
            assert!(turns.acquire(user(1)).now_or_never().is_none());
        }
        let mut waiting: Vec<_> =
            (0..LIMITS.waiting_of_owner).map(|_| Box::pin(turns.acquire(user(1)))).collect();
        for request in &mut waiting {
            assert!(request.as_mut().now_or_never().is_none());
        }
        assert_eq!(turns.acquire(user(1)).now_or_never().unwrap().unwrap_err(), Full);
        assert_eq!(turns.queue().refused, 1);
        drop(waiting);
        drop(held);
        assert!(turns.acquire(user(1)).now_or_never().unwrap().is_ok());
        assert_eq!(turns.queue().free, LIMITS.places);
    }
}
