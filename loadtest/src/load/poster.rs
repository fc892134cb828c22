//! One sender: posts numbered messages and remembers what became of each.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::guid::Guid;
use crate::http::connection::Connection;
use crate::http::request::PostTemplate;
use crate::http::response::{HttpError, first_id};

/// The number of broken connections after which the server is considered gone.
const MAX_BREAKS: u32 = 10;

#[derive(Debug, thiserror::Error)]
#[error("a sender lost its connection {MAX_BREAKS} times; the last time {0}")]
pub struct Abandoned(#[from] HttpError);

/// What the sender knows about one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Answered with 201: it must be there, once.
    Acknowledged,
    /// Answered with 4xx: it must not be there.
    Refused,
    /// Answered with 5xx or not at all: it may be there, once.
    Unknown,
}

/// Posts into one conversation, one message at a time or many at once with others.
#[derive(Debug)]
pub struct Poster {
    addr: SocketAddr,
    template: PostTemplate,
    run: u32,
    sender: u16,
    connection: Option<Connection>,
    breaks: u32,
    outcomes: Vec<Outcome>,
    odd_answers: BTreeMap<String, u64>,
    newest: Newest,
}

/// The id of the message that was acknowledged last.
#[derive(Debug)]
enum Newest {
    /// Nobody asks for the id, so answers are not searched for it.
    Unwanted,
    Wanted(Option<String>),
}

impl Poster {
    pub fn new(addr: SocketAddr, template: PostTemplate, run: u32, sender: u16) -> Self {
        Self {
            addr,
            template,
            run,
            sender,
            connection: None,
            breaks: 0,
            outcomes: Vec::new(),
            odd_answers: BTreeMap::new(),
            newest: Newest::Unwanted,
        }
    }

    /// Makes the poster remember the id of its last acknowledged message.
    pub fn minding_ids(self) -> Self {
        Self { newest: Newest::Wanted(None), ..self }
    }

    /// The id of the message that was acknowledged last; `None` without
    /// [`minding_ids`](Self::minding_ids).
    pub fn newest_id(&self) -> Option<&str> {
        match &self.newest {
            Newest::Unwanted => None,
            Newest::Wanted(id) => id.as_deref(),
        }
    }

    /// The outcome of every message so far; the index is the guid's number.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Connection errors and answers other than 201, and how often each came.
    pub fn odd_answers(&self) -> &BTreeMap<String, u64> {
        &self.odd_answers
    }

    /// Returns the guid of message number `number`.
    pub fn guid(&self, number: u32) -> Guid {
        Guid { run: self.run, sender: self.sender, number }
    }

    /// Returns the guid of the message sent last.
    pub fn last(&self) -> Option<Guid> {
        let number = self.outcomes.len().checked_sub(1)?;
        Some(self.guid(u32::try_from(number).unwrap_or(Guid::MAX_NUMBER)))
    }

    /// Opens a connection now, so that the first post does not wait for it.
    pub async fn connect(&mut self) -> Result<(), HttpError> {
        self.connection = Some(Connection::open(self.addr).await?);
        Ok(())
    }

    pub fn disconnect(&mut self) {
        self.connection = None;
    }

    /// Posts one message and waits for the answer.
    pub async fn post(&mut self) -> Result<(Guid, Outcome, Duration), Abandoned> {
        let started = Instant::now();
        let guid = self.send().await?;
        let outcome = self.receive().await?;
        Ok((guid, outcome, started.elapsed()))
    }

    /// Sends the next message without waiting. `receive` must follow.
    pub async fn send(&mut self) -> Result<Guid, Abandoned> {
        let number = u32::try_from(self.outcomes.len()).unwrap_or(Guid::MAX_NUMBER);
        let guid = self.guid(number);
        self.outcomes.push(Outcome::Unknown);
        let sent = match &mut self.connection {
            Some(connection) if !connection.is_stale() => {
                connection.send(self.template.with(guid)).await
            }
            Some(_) | None => self.reconnect_and_send(guid).await,
        };
        match sent {
            Ok(()) => Ok(guid),
            Err(error) => self.broken(error).map(|()| guid),
        }
    }

    async fn reconnect_and_send(&mut self, guid: Guid) -> Result<(), HttpError> {
        let mut connection = Connection::open(self.addr).await?;
        connection.send(self.template.with(guid)).await?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Waits for the answer to the message sent last.
    pub async fn receive(&mut self) -> Result<Outcome, Abandoned> {
        let Some(connection) = &mut self.connection else {
            return Ok(Outcome::Unknown);
        };
        let (status, closes) = match connection.receive().await {
            Ok(answer) => {
                if let (201, Newest::Wanted(id)) = (answer.status, &mut self.newest) {
                    *id = first_id(answer.body).map(str::to_owned);
                }
                (answer.status, answer.closes)
            }
            Err(error) => return self.broken(error).map(|()| Outcome::Unknown),
        };
        if closes {
            self.connection = None;
        }
        let outcome = match status {
            201 => Outcome::Acknowledged,
            400..=499 => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        if status != 201 {
            *self.odd_answers.entry(format!("HTTP {status}")).or_default() += 1;
        }
        if let Some(last) = self.outcomes.last_mut() {
            *last = outcome;
        }
        Ok(outcome)
    }

    fn broken(&mut self, error: HttpError) -> Result<(), Abandoned> {
        self.connection = None;
        self.breaks += 1;
        *self.odd_answers.entry(error.to_string()).or_default() += 1;
        if self.breaks >= MAX_BREAKS { Err(Abandoned(error)) } else { Ok(()) }
    }
}
