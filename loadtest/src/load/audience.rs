//! Many sockets that listen to one load, and the verdict on what they received.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use super::delivery_tracker::DeliveryTracker;
use super::poster::{Outcome, Poster};
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Listener, Opening, SocketError};
use crate::push::tally::{Faults, Tally};

/// How many sockets are being opened at the same time.
pub const OPENING: usize = 64;

/// Opens one socket for each seat, [`OPENING`] at a time. The listeners come back in any order; the
/// frame handler tells whose each one is.
pub async fn open_all<E: FrameHandler + 'static>(
    addr: SocketAddr,
    seats: Vec<(Opening, E)>,
) -> Result<Vec<Listener<E>>, SocketError> {
    open_at_once(addr, seats, OPENING).await
}

/// Opens one socket for each seat, `at_once` at a time.
pub async fn open_at_once<E: FrameHandler + 'static>(
    addr: SocketAddr,
    seats: Vec<(Opening, E)>,
    at_once: usize,
) -> Result<Vec<Listener<E>>, SocketError> {
    let seats = seats.into_iter().map(|(how, frame_handler)| (addr, how, frame_handler));
    open_dealt(seats.collect(), at_once).await
}

/// Like [`open_at_once`], with the node that each socket connects to.
pub async fn open_dealt<E: FrameHandler + 'static>(
    seats: Vec<(SocketAddr, Opening, E)>,
    at_once: usize,
) -> Result<Vec<Listener<E>>, SocketError> {
    let permits = Arc::new(Semaphore::new(at_once));
    let count = seats.len();
    let mut opening = JoinSet::new();
    for (addr, how, frame_handler) in seats {
        let permits = Arc::clone(&permits);
        opening.spawn(async move {
            let _permit = permits.acquire_owned().await;
            Listener::open(addr, &how, frame_handler).await
        });
    }
    let mut listeners = Vec::with_capacity(count);
    while let Some(opened) = opening.join_next().await {
        listeners.push(opened.map_err(std::io::Error::other)??);
    }
    Ok(listeners)
}

/// The frame handler of one socket: checks `n`, and marks our messages on the delivery tracker.
#[derive(Debug)]
struct Seat {
    tally: Arc<Mutex<Tally>>,
    delivery_tracker: Arc<DeliveryTracker>,
}

impl FrameHandler for Seat {
    fn hear(&mut self, event: &Event<'_>) {
        let mut tally = lock(&self.tally);
        tally.follow(event);
        if let Some(index) = event.guid.and_then(|guid| self.delivery_tracker.index(guid))
            && tally.note(index)
        {
            self.delivery_tracker.mark(index);
        }
    }
}

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all sockets together received, compared with what was acknowledged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Verdict {
    pub sockets: u64,
    /// Deliveries owed: acknowledged messages times sockets.
    pub owed: u64,
    pub missing: u64,
    /// Deliveries of messages that the server had refused.
    pub unasked: u64,
    #[serde(flatten)]
    pub faults: Faults,
    /// The errors of the sockets that did not stay open.
    pub ended: Vec<String>,
}

impl Verdict {
    pub fn is_clean(&self) -> bool {
        self.missing == 0
            && self.unasked == 0
            && self.faults == Faults::default()
            && self.ended.is_empty()
    }
}

/// The sockets of one load. They close on drop.
#[derive(Debug)]
pub struct Audience {
    delivery_tracker: Arc<DeliveryTracker>,
    seats: Vec<(Arc<Mutex<Tally>>, JoinHandle<SocketError>)>,
}

impl Audience {
    pub async fn open(
        sockets: Vec<(SocketAddr, String)>,
        delivery_tracker: Arc<DeliveryTracker>,
    ) -> Result<Self, SocketError> {
        let mut tallies = Vec::with_capacity(sockets.len());
        let with_frame_handlers = sockets.into_iter().map(|(addr, token)| {
            let tally = Arc::new(Mutex::new(Tally::default()));
            tallies.push(Arc::clone(&tally));
            (
                addr,
                Opening::of(&token),
                Seat { tally, delivery_tracker: Arc::clone(&delivery_tracker) },
            )
        });
        let listeners = open_dealt(with_frame_handlers.collect(), OPENING).await?;
        // The listeners come in any order, so a tally may be paired with the task of another
        // socket. That does not matter, since the verdict is on all of them.
        let tasks = listeners.into_iter().map(|listener| tokio::spawn(listener.listen()));
        let seats = tallies.into_iter().zip(tasks).collect();
        Ok(Self { delivery_tracker, seats })
    }

    /// Waits until every acknowledged message has arrived on every socket, or `patience` is over.
    pub async fn settle(&self, posters: &[&Poster], patience: Duration) {
        let deadline = tokio::time::Instant::now() + patience;
        while self.missing(posters) > 0 && tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn missing(&self, posters: &[&Poster]) -> u64 {
        let acknowledged = self.indexes(posters, Outcome::Acknowledged);
        let missing_at = |tally: &Mutex<Tally>| {
            let tally = lock(tally);
            acknowledged.iter().filter(|index| !tally.has(**index)).count() as u64
        };
        self.seats.iter().map(|(tally, _)| missing_at(tally)).sum()
    }

    fn indexes(&self, posters: &[&Poster], wanted: Outcome) -> Vec<usize> {
        posters.iter().flat_map(|poster| self.indexes_of(poster, wanted)).collect()
    }

    fn indexes_of(&self, poster: &Poster, wanted: Outcome) -> Vec<usize> {
        let outcomes = poster.outcomes().iter().enumerate();
        let numbers =
            outcomes.filter(|(_, outcome)| **outcome == wanted).map(|(number, _)| number as u32);
        numbers.filter_map(|number| self.delivery_tracker.index(poster.guid(number))).collect()
    }

    pub async fn verdict(mut self, posters: &[&Poster]) -> Verdict {
        let refused = self.indexes(posters, Outcome::Refused);
        let owed = self.indexes(posters, Outcome::Acknowledged).len() * self.seats.len();
        let missing = self.missing(posters);
        let mut verdict = Verdict {
            sockets: self.seats.len() as u64,
            owed: owed as u64,
            missing,
            ..Verdict::default()
        };
        for (tally, _) in &self.seats {
            let tally = lock(tally);
            verdict.faults += tally.faults;
            verdict.unasked += refused.iter().filter(|index| tally.has(**index)).count() as u64;
        }
        for (_, task) in self.seats.iter_mut().filter(|(_, task)| task.is_finished()) {
            verdict
                .ended
                .push(task.await.map_or_else(|error| error.to_string(), |error| error.to_string()));
        }
        verdict
    }
}

impl Drop for Audience {
    fn drop(&mut self) {
        for (_, task) in &self.seats {
            task.abort();
        }
    }
}
