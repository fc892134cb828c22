//! The log that all nodes of an installation share, as the journal needs it: messages in one order,
//! durable before they are shown, and a fence for each subject.
//!
//! No method here waits: the log tells its listener what happens, in that order. Only the messages
//! that it delivers count; everything else it tells is a hint.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use crate::replicated::shard::Shard;

/// The subject of a message; each subject has a fence of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The installation: messages on how its log begins.
    Installation,
    /// One shard.
    Of(Shard),
}

impl Subject {
    /// The subject on which a leader writes.
    pub const LEADER: Self = Self::Of(Shard::FIRST);
}

/// A code: proves that a holder of the installation's key wrote a message for its place.
pub type Code = [u8; 32];

/// A message on its way to the log.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The message's subject.
    pub subject: Subject,
    /// The sequence of the newest message on this subject; 0 if there is none. If the newest one is
    /// another, the log refuses the message.
    pub fence: u64,
    /// The sender's number for the message.
    pub number: u64,
    /// The encoded message.
    pub payload: Bytes,
    /// The code that proves its writer, if the log has codes.
    pub code: Option<Code>,
    /// How long to wait before it is sent.
    pub after: Duration,
}

/// An event of a log for its listener.
#[derive(Debug)]
pub enum LogEvent {
    /// How far the log reaches; told when reading begins.
    Reaches {
        /// The sequence of the oldest message kept, or of the next one if there is none.
        first: u64,
        /// The sequence of the newest message; 0 if there never was one.
        last: u64,
    },
    /// The next message.
    Delivered(Delivered),
    /// The log refused a message, or its outcome is unknown. The messages delivered show whether it
    /// was taken.
    Doubtful {
        /// The message's subject.
        subject: Subject,
        /// The message's number.
        number: u64,
    },
    /// The newest message of a subject, perhaps outdated.
    Last {
        /// The subject that was asked about.
        subject: Subject,
        /// The newest message's sequence; 0 if there is none.
        sequence: u64,
    },
    /// Messages that were to be delivered have been trimmed from the log.
    Trimmed {
        /// The sequence of the oldest message still kept.
        first: u64,
    },
    /// The log has ended and tells nothing more.
    Over,
}

/// A message that the log delivers.
#[derive(Debug)]
pub struct Delivered {
    /// The message's place in the log's order; consecutive.
    pub sequence: u64,
    /// The message's subject; None if it is no subject of the log, although the stream takes it.
    pub subject: Option<Subject>,
    /// The encoded message.
    pub payload: Bytes,
    /// The code beside it, if it has one.
    pub code: Option<Code>,
    /// Whether every server was asked and returned these bytes; false if only one was.
    pub is_agreed: bool,
    /// The message's share of the bytes read ahead, held until the message is handled; None if the
    /// log does not limit them.
    pub room: Option<OwnedSemaphorePermit>,
}

/// Receives what a log tells. A listener hands over and returns; it never waits.
pub trait LogListener: Send + Sync {
    /// Takes an event of the log.
    fn hear(&self, event: LogEvent);
}

/// A log that several nodes share.
pub trait SharedLog: Send + Sync + fmt::Debug {
    /// Begins to deliver every message from sequence `from` on to this listener. Called once.
    fn begin(&self, listener: Arc<dyn LogListener>, from: u64);

    /// Delivers again from this sequence on, because the messages delivered were invalid or earlier
    /// ones are needed. Compares what the servers return for the first messages: delivers each
    /// version of a message, or one that is agreed.
    fn read_again(&self, from: u64);

    /// Sends a message. Tells the listener [`LogEvent::Doubtful`] if that fails, and nothing
    /// otherwise.
    fn publish(&self, message: Publication);

    /// Asks for the newest message of a subject; answered by [`LogEvent::Last`].
    fn ask_last(&self, subject: Subject);

    /// Ends the log after `grace`, in which messages under way may still come; then tells
    /// [`LogEvent::Over`].
    fn end(&self, grace: Duration);

    /// Whether the log's servers can be reached, as far as is known. After some seconds without
    /// them, nothing new is begun.
    fn is_reachable(&self) -> bool;

    /// Most bytes of a message.
    fn longest(&self) -> usize;
}
