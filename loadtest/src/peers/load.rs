//! Posting to a peer, and receiving what others post there.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Peer;
use super::socket::{PeerError, PeerSocket};
use crate::guid::Guid;
use crate::load::closed_loop::{LoadError, Step, Worker};
use crate::load::delivery_tracker::DeliveryTracker;

/// Where and as which sender a caller posts, and which text.
#[derive(Debug, Clone)]
pub struct Call {
    pub peer: Peer,
    pub addr: SocketAddr,
    pub room: String,
    pub text: String,
    pub run: u32,
    pub sender: u16,
}

/// The deliveries to wait for before the next post begins.
#[derive(Debug, Clone)]
pub struct Watched {
    pub delivery_tracker: Arc<DeliveryTracker>,
    pub patience: Duration,
}

/// Posts one message after the other to a peer: the next one when the peer has acknowledged the
/// last, or, with `watched`, when the last has reached every socket.
#[derive(Debug)]
pub struct Caller {
    call: Call,
    watched: Option<Watched>,
    socket: Option<PeerSocket>,
    taken: u32,
}

impl Caller {
    pub fn new(call: Call, watched: Option<Watched>) -> Self {
        Self { call, watched, socket: None, taken: 0 }
    }

    /// Opens the socket for posting.
    ///
    /// # Errors
    /// If the connection fails, or the peer refuses or is not ready within 30 s.
    pub async fn connect(&mut self) -> Result<(), PeerError> {
        self.socket = Some(PeerSocket::open(self.call.addr, self.call.peer, None).await?);
        Ok(())
    }

    pub fn disconnect(&mut self) {
        self.socket = None;
    }

    /// The guid of every message that the peer acknowledged.
    pub fn taken(&self) -> impl Iterator<Item = Guid> {
        (0..self.taken).map(|number| self.guid(number))
    }

    fn guid(&self, number: u32) -> Guid {
        Guid { run: self.call.run, sender: self.call.sender, number }
    }
}

impl Worker for Caller {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let (guid, started) = (self.guid(self.taken), Instant::now());
        let place = self.watched.as_ref().map(|it| it.delivery_tracker.index(guid));
        let Some(socket) = self.socket.as_mut().filter(|_| place != Some(None)) else {
            return Ok(Step::Finished);
        };
        socket.post(&self.call.room, guid, &self.call.text).await?;
        self.taken += 1;
        let (Some(watched), Some(Some(place))) = (&self.watched, place) else {
            return Ok(Step::Done { latency: started.elapsed(), units: 1 });
        };
        // The units are deliveries, which the tracker counts.
        Ok(match watched.delivery_tracker.reached_all(place, watched.patience).await {
            Some(at) => Step::Done { latency: at - started, units: 0 },
            None => Step::Finished,
        })
    }
}

/// Listens until the socket fails, which no load wants, and returns the error. Abort the task to
/// stop.
pub async fn listen(mut socket: PeerSocket, delivery_tracker: Arc<DeliveryTracker>) -> PeerError {
    loop {
        match socket.delivered().await {
            Ok(guid) => {
                if let Some(place) = delivery_tracker.index(guid) {
                    delivery_tracker.mark(place);
                }
            }
            Err(error) => return error,
        }
    }
}
