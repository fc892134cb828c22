//! Asking a room: a typed question, and the reply it comes back with.
//!
//! The reply travels in the message, so that a room can hold it until its answer is
//! durable, and so that a full mailbox is noticed without waiting.

use tokio::sync::oneshot;

/// Why an ask came back without an answer: the rules said no, or we failed.
#[derive(Debug)]
pub enum Failure<R> {
    /// The rules said no.
    Refused(R),
    /// Our trouble.
    Fault(Fault),
}

/// Our own trouble. Told as 503; nothing is half done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// The room, or the journal, has too much to do.
    #[error("too much to do")]
    Busy,
    /// The room stopped before it answered, or cannot be loaded.
    #[error("the room is not available")]
    Gone,
    /// The disk failed or is full.
    #[error("storage failed: {0}")]
    Storage(String),
    /// No answer within the deadline.
    #[error("no answer in time")]
    Late,
}

impl<R> From<Fault> for Failure<R> {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<crate::index::IndexFault> for Fault {
    fn from(fault: crate::index::IndexFault) -> Self {
        Self::Storage(fault.to_string())
    }
}

/// A question that a room can answer. Each lives in the `protocol.rs` of its room and
/// says who asks and what is promised.
pub trait Question: Send + 'static {
    /// What comes back.
    type Answer: Send + 'static;
    /// Why the rules may say no.
    type Refusal: Send + 'static;
}

/// What comes back from an ask.
pub type Answered<Q> = Result<<Q as Question>::Answer, Failure<<Q as Question>::Refusal>>;

/// A question on its way, with the place for its answer.
#[derive(Debug)]
pub struct Ask<Q: Question> {
    /// What is asked.
    pub question: Q,
    /// Where the answer goes.
    pub reply: Reply<Q::Answer, Q::Refusal>,
}

impl<Q: Question> actix::Message for Ask<Q> {
    type Result = ();
}

/// The place for one answer. Dropped without one, the asker hears [`Fault::Gone`].
#[derive(Debug)]
pub struct Reply<T, R>(oneshot::Sender<Result<T, Failure<R>>>);

impl<T, R> Reply<T, R> {
    /// A place for an answer and the end that waits for it.
    pub fn pair() -> (Self, oneshot::Receiver<Result<T, Failure<R>>>) {
        let (send, wait) = oneshot::channel();
        (Self(send), wait)
    }

    /// Answers. An asker who went away misses it, which is theirs to do.
    pub fn send(self, answer: Result<T, Failure<R>>) {
        drop(self.0.send(answer));
    }
}
