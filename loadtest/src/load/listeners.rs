//! Sockets of users who are in many conversations, and whether each received all it should.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::audience::{OPENING, open_dealt};
use crate::process::target::node_of;
use crate::push::event::Event;
use crate::push::listener::{FrameHandler, Opening, SocketError};
use crate::push::tally::{Faults, Tally};

/// Frames queued to be sent on one socket.
const OUTBOX: usize = 64;

/// What one socket received.
#[derive(Debug, Default)]
struct Heard {
    tally: Tally,
    /// Number of messages of this run.
    messages: u64,
}

struct Ear {
    run: u32,
    heard: Arc<Mutex<Heard>>,
    messages: Arc<AtomicU64>,
    outbox: Option<mpsc::Receiver<String>>,
}

impl FrameHandler for Ear {
    fn hear(&mut self, event: &Event<'_>) {
        let mut heard = lock(&self.heard);
        heard.tally.follow(event);
        if event.guid.is_some_and(|guid| guid.run == self.run) {
            heard.messages += 1;
            self.messages.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Socket {
    person: usize,
    heard: Arc<Mutex<Heard>>,
    outbox: mpsc::Sender<String>,
    task: JoinHandle<SocketError>,
}

/// All sockets of a load. They close on drop.
#[derive(Debug)]
pub struct Listeners {
    sockets: Vec<Socket>,
    messages: Arc<AtomicU64>,
}

/// The least and the most messages that each socket of a person may receive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Owed {
    pub least: u64,
    pub most: u64,
}

/// What all sockets together received.
#[derive(Debug, Default)]
pub struct Hearing {
    pub sockets: usize,
    pub owed: u64,
    pub missing: u64,
    pub too_many: u64,
    pub faults: Faults,
    pub ended: Vec<String>,
}

impl Hearing {
    pub fn is_clean(&self) -> bool {
        self.missing + self.too_many == 0
            && self.faults == Faults::default()
            && self.ended.is_empty()
    }
}

impl Listeners {
    /// Opens `sockets` sockets, which are dealt to the people in turn.
    ///
    /// # Errors
    /// If a socket cannot be opened.
    pub async fn open(
        nodes: &[SocketAddr],
        run: u32,
        tokens: &[&str],
        sockets: usize,
    ) -> Result<Self, SocketError> {
        let messages = Arc::<AtomicU64>::default();
        let (mut opened, mut seats) = (Vec::with_capacity(sockets), Vec::new());
        for place in 0..sockets {
            let person = place % tokens.len();
            let (heard, (outbox, taken)) = (Arc::default(), mpsc::channel(OUTBOX));
            let messages = Arc::clone(&messages);
            let ear = Ear { run, heard: Arc::clone(&heard), messages, outbox: Some(taken) };
            seats.push((node_of(nodes, place), Opening::of(tokens[person]), ear));
            opened.push((person, heard, outbox));
        }
        // The listeners come in any order, so a socket may be paired with the task of another one.
        // That does not matter, since each ear brings its own outbox.
        let listeners = open_dealt(seats, OPENING).await?;
        let tasks = listeners.into_iter().map(|mut listener| {
            let outbox = listener.frame_handler.outbox.take();
            tokio::spawn(async move {
                match outbox {
                    Some(outbox) => listener.converse(outbox).await,
                    None => listener.listen().await,
                }
            })
        });
        let sockets = opened.into_iter().zip(tasks).map(|((person, heard, outbox), task)| Socket {
            person,
            heard,
            outbox,
            task,
        });
        Ok(Self { sockets: sockets.collect(), messages })
    }

    /// Returns how many deliveries of messages of this run there were so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Returns the queue of frames to send on a socket of this person; `turn` chooses among
    /// several.
    pub fn outbox(&self, person: usize, turn: usize) -> Option<mpsc::Sender<String>> {
        let own: Vec<&Socket> = self.sockets.iter().filter(|it| it.person == person).collect();
        own.get(turn % own.len().max(1)).map(|socket| socket.outbox.clone())
    }

    /// Sends a frame on every socket.
    pub async fn each_says(&self, frame: impl Fn(usize) -> String) {
        for (place, socket) in self.sockets.iter().enumerate() {
            // A socket that has ended is reported by `verdict`.
            drop(socket.outbox.send(frame(place)).await);
        }
    }

    /// Waits until every socket has received what it is owed, or `patience` is over; then closes
    /// them.
    pub async fn verdict(mut self, owed: &[Owed], patience: Duration) -> Hearing {
        let deadline = tokio::time::Instant::now() + patience;
        while self.missing(owed) > 0 && tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // A frame that should not come might arrive a little later.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let missing = self.missing(owed);
        let mut hearing = Hearing { sockets: self.sockets.len(), missing, ..Hearing::default() };
        for socket in &self.sockets {
            let (heard, owed) = (lock(&socket.heard), owed[socket.person]);
            hearing.owed += owed.least;
            hearing.too_many += heard.messages.saturating_sub(owed.most);
            hearing.faults += heard.tally.faults;
        }
        for socket in self.sockets.iter_mut().filter(|socket| socket.task.is_finished()) {
            let ended = (&mut socket.task).await;
            hearing.ended.push(ended.map_or_else(|it| it.to_string(), |it| it.to_string()));
        }
        hearing
    }

    fn missing(&self, owed: &[Owed]) -> u64 {
        let of = |it: &Socket| owed[it.person].least.saturating_sub(lock(&it.heard).messages);
        self.sockets.iter().map(of).sum()
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        self.sockets.iter().for_each(|socket| socket.task.abort());
    }
}
