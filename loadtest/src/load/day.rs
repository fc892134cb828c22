//! Users who live a day in a chat: they post, and read, like, mark as read and type besides, in
//! fixed proportions, so that the mix does not depend on what the server is fast at.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::mpsc;

use super::closed_loop::{LoadError, Step, Worker};
use super::meter::Meter;
use super::poster::{Outcome, Poster};
use crate::http::connection::Connection;
use crate::http::request;
use crate::http::response::first_id;

/// One post in this many is a direct message.
const DIRECT_OF: usize = 20;
/// The acts beside the post in each round; after the last round they begin again.
const ROUNDS: [&[Act]; 10] = [
    &[Act::Read, Act::Type],
    &[Act::Mark],
    &[Act::Read, Act::Like],
    &[Act::Mark],
    &[Act::Read],
    &[Act::Mark, Act::Like, Act::Type],
    &[Act::Read],
    &[Act::Mark],
    &[Act::Read, Act::Like],
    &[Act::Mark],
];

/// An act beside posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Fetches the newest page.
    Read,
    /// Marks a message as read.
    Mark,
    /// Likes a message, or takes the like back.
    Like,
    /// Tells the others that the user is typing.
    Type,
}

/// The part of the day that a user lives: posts, the acts beside them, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Posts,
    Beside,
    Whole,
}

impl Part {
    fn has_posts(self) -> bool {
        match self {
            Self::Posts | Self::Whole => true,
            Self::Beside => false,
        }
    }

    fn has_acts(self) -> bool {
        match self {
            Self::Beside | Self::Whole => true,
            Self::Posts => false,
        }
    }
}

/// The messages of one group that nobody has marked as read, oldest first. Only one of the members
/// marks each message, so that every mark moves forward.
#[derive(Debug, Default)]
pub struct Unmarked(Mutex<VecDeque<String>>);

/// How many unmarked messages are kept for each group.
const MOST_UNMARKED: usize = 20_000;

impl Unmarked {
    fn push(&self, id: &str) {
        let mut ids = self.lock();
        if ids.len() < MOST_UNMARKED {
            ids.push_back(id.to_owned());
        }
    }

    fn pop(&self) -> Option<String> {
        self.lock().pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where and as whom a user acts.
#[derive(Debug)]
pub struct Seat {
    pub addr: SocketAddr,
    pub group_id: String,
    pub token: String,
    pub unmarked: Arc<Unmarked>,
    /// Frames to send on one of the user's sockets.
    pub outbox: mpsc::Sender<String>,
}

/// A user who lives the day.
#[derive(Debug)]
pub struct Actor {
    pub posts: Poster,
    pub letters: Poster,
    seat: Seat,
    connection: Option<Connection>,
    meter: Arc<Meter>,
    part: Part,
    round: usize,
    newest: Option<String>,
    liked: Option<String>,
    /// Unexpected answers to acts beside posts, and how often each came.
    pub odd: BTreeMap<String, u64>,
}

impl Actor {
    /// Creates a user who begins at round `place`, so that neighbours begin at different rounds.
    pub fn new(place: usize, posts: Poster, letters: Poster, seat: Seat) -> Self {
        Self {
            posts: posts.minding_ids(),
            letters,
            seat,
            connection: None,
            meter: Arc::default(),
            part: Part::Whole,
            round: place,
            newest: None,
            liked: None,
            odd: BTreeMap::new(),
        }
    }

    /// Sets what the user does in the next window, and the meter that counts the acts beside posts.
    ///
    /// # Errors
    /// If a connection cannot be opened.
    pub async fn begin(&mut self, part: Part, meter: &Arc<Meter>) -> Result<(), LoadError> {
        (self.part, self.meter) = (part, Arc::clone(meter));
        self.posts.connect().await?;
        self.letters.disconnect();
        self.connection = Some(Connection::open(self.seat.addr).await?);
        Ok(())
    }

    async fn act(&mut self, act: Act) -> Result<(), LoadError> {
        let began = Instant::now();
        let did = match act {
            Act::Read => self.read().await?,
            Act::Mark => self.mark().await?,
            Act::Like => self.like().await?,
            Act::Type => self.types().await,
        };
        if did {
            self.meter.add(1);
            self.meter.record(began.elapsed());
        }
        Ok(())
    }

    async fn read(&mut self) -> Result<bool, LoadError> {
        let Seat { addr, group_id, token, .. } = &self.seat;
        let path = format!("/v3/groups/{group_id}/messages");
        let request = request::get(*addr, &path, token);
        let (status, newest) = self.exchange(&request).await?;
        self.newest = newest.or(self.newest.take());
        // 304: the group has no messages yet.
        Ok(status == 304 || self.expect("page", status))
    }

    async fn mark(&mut self) -> Result<bool, LoadError> {
        let Some(message) = self.seat.unmarked.pop() else { return Ok(false) };
        let Seat { addr, group_id, token, .. } = &self.seat;
        let path = format!("/v3/conversations/{group_id}/read");
        let body = format!(r#"{{"message_id":"{message}"}}"#);
        let (status, _) = self.exchange(&request::post(*addr, &path, token, &body)).await?;
        Ok(self.expect("read mark", status))
    }

    async fn like(&mut self) -> Result<bool, LoadError> {
        let (message, verb) = match (self.liked.take(), &self.newest) {
            (Some(liked), _) => (liked, "unlike"),
            (None, Some(newest)) => (newest.clone(), "like"),
            (None, None) => return Ok(false),
        };
        let Seat { addr, group_id, token, .. } = &self.seat;
        let path = format!("/v3/messages/{group_id}/{message}/{verb}");
        let (status, _) = self.exchange(&request::post(*addr, &path, token, "{}")).await?;
        if verb == "like" {
            self.liked = Some(message);
        }
        Ok(self.expect(verb, status))
    }

    /// Sends a typing frame, which the server does not answer.
    async fn types(&mut self) -> bool {
        let frame = format!(r#"{{"t":"typing","conv":"g:{}"}}"#, self.seat.group_id);
        self.seat.outbox.send(frame).await.is_ok()
    }

    /// Sends a request; returns the status and the first id of the answer.
    async fn exchange(&mut self, request: &[u8]) -> Result<(u16, Option<String>), LoadError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.seat.addr).await?,
        };
        connection.freshen(self.seat.addr).await?;
        let answer = connection.exchange(request).await?;
        let told = (answer.status, first_id(answer.body).map(str::to_owned));
        if !answer.closes {
            self.connection = Some(connection);
        }
        Ok(told)
    }

    fn expect(&mut self, what: &str, status: u16) -> bool {
        if status != 200 {
            *self.odd.entry(format!("HTTP {status} to a {what}")).or_default() += 1;
        }
        status == 200
    }
}

impl Worker for Actor {
    /// Does one round: a post, which gives the round its latency, and the acts that go with it.
    async fn step(&mut self) -> Result<Step, LoadError> {
        let round = self.round;
        self.round += 1;
        let mut step = Step::Done { latency: std::time::Duration::ZERO, units: 0 };
        if self.part.has_posts() {
            let is_direct = round.is_multiple_of(DIRECT_OF);
            let poster = if is_direct { &mut self.letters } else { &mut self.posts };
            let (_, outcome, latency) = poster.post().await?;
            step = match outcome {
                Outcome::Acknowledged => Step::Done { latency, units: 1 },
                Outcome::Refused | Outcome::Unknown => return Ok(Step::Refused),
            };
            if let (false, Some(id)) = (is_direct, self.posts.newest_id()) {
                self.seat.unmarked.push(id);
            }
        }
        if self.part.has_acts() {
            for act in ROUNDS[round % ROUNDS.len()] {
                self.act(*act).await?;
            }
        }
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_rounds_have_a_bit_of_everything() {
        let acts: Vec<Act> = ROUNDS.iter().flat_map(|acts| acts.iter().copied()).collect();
        let count = |act| acts.iter().filter(|it| **it == act).count();
        assert_eq!([Act::Read, Act::Mark, Act::Like, Act::Type].map(count), [5, 5, 3, 2]);
    }

    #[test]
    fn every_message_is_marked_once_and_in_order() {
        let unmarked = Unmarked::default();
        unmarked.push("1");
        unmarked.push("2");
        assert_eq!(unmarked.pop().as_deref(), Some("1"));
        assert_eq!(unmarked.pop().as_deref(), Some("2"));
        assert_eq!(unmarked.pop(), None);
    }
}
