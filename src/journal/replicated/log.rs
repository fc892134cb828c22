//! The log that all nodes of an installation share, as the journal needs it: messages in one
//! order, durable before they are shown, and a fence for each subject.
//!
//! Nothing here waits: what the log has to say it tells its listener, in the order in which
//! it happened. What it shows is what counts; everything else it says is a hint.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::journal::replicated::shard::Shard;

/// What a message is about, and whose fence it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The installation: how its log begins.
    Installation,
    /// One shard.
    Of(Shard),
}

/// A message on its way to the log.
#[derive(Debug, Clone)]
pub struct Publication {
    /// About what it is.
    pub subject: Subject,
    /// The sequence of the newest message on this subject: with another one there, it is
    /// refused. 0 where there must be none.
    pub fence: u64,
    /// What its sender calls it.
    pub number: u64,
    /// What it says.
    pub payload: Bytes,
    /// How long to wait before it is sent.
    pub after: Duration,
}

/// What a log tells.
#[derive(Debug)]
pub enum LogEvent {
    /// How far it reaches now; told when reading begins.
    Reaches {
        /// The oldest message that is kept, or the next one if there is none.
        first: u64,
        /// The newest; 0 before the first.
        last: u64,
    },
    /// The next message.
    Delivered(Delivered),
    /// A message was not taken, or nobody knows. The log shows whether it was.
    Doubtful {
        /// Its subject.
        subject: Subject,
        /// Its number.
        number: u64,
    },
    /// Which message of a subject seems to be the newest; 0 when there is none.
    Last {
        /// The subject.
        subject: Subject,
        /// Its sequence.
        sequence: u64,
    },
    /// What was to be told again is kept no more.
    Forgot {
        /// The oldest message that is.
        first: u64,
    },
    /// It tells nothing more.
    Over,
}

/// A message of the log.
#[derive(Debug)]
pub struct Delivered {
    /// Its place in the order; the next one has the next number.
    pub sequence: u64,
    /// About what it is.
    pub subject: Subject,
    /// What it says.
    pub payload: Bytes,
    /// The room that it takes until it is worked off, if the log counts that.
    pub room: Option<OwnedSemaphorePermit>,
}

/// Who hears what a log tells. It hands over and returns, and never waits.
pub trait LogListener: Send + Sync {
    /// Takes what happened.
    fn hear(&self, event: LogEvent);
}

/// A log that several nodes share.
pub trait SharedLog: Send + Sync + fmt::Debug {
    /// Begins to tell this listener, of every message from this sequence on. Called once.
    fn begin(&self, listener: Arc<dyn LogListener>, from: u64);

    /// Tells again from this sequence on, from another server if it can: what was told was
    /// not what is there.
    fn read_again(&self, from: u64);

    /// Sends a message. Only where that failed is anything told of it.
    fn publish(&self, message: Publication);

    /// Has itself asked for the newest message of a subject.
    fn ask_last(&self, subject: Subject);

    /// Ends: what is under way may come for so long still, then it is over.
    fn end(&self, grace: Duration);

    /// Whether its servers can be reached, as far as is known. Where they cannot for some
    /// seconds, nothing new is begun.
    fn is_reachable(&self) -> bool;

    /// Bytes of a message at most.
    fn longest(&self) -> usize;
}
