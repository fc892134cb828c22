//! Asking a room: a typed question, and the reply it comes back with.
//!
//! The reply travels in the message, so that a room can hold it until its answer is
//! durable, and so that a full mailbox is noticed without waiting.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::actors::keeping::Keep;
use crate::domain::first_answer::FirstAnswer;

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
    /// There is no room on the disk for anything that can wait.
    #[error("there is no room on the disk")]
    Full,
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
pub struct Reply<T, R> {
    send: oneshot::Sender<Result<T, Failure<R>>>,
    /// How the answer is kept, when its asker has a key. Boxed: most have none.
    keep: Option<Box<Keep<T>>>,
}

impl<T, R> std::fmt::Debug for Reply<T, R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Reply").field("is_kept", &self.keep.is_some()).finish_non_exhaustive()
    }
}

/// The end that waits for an answer.
pub type Awaited<T, R> = oneshot::Receiver<Result<T, Failure<R>>>;

impl<T, R> Reply<T, R> {
    /// A place for an answer and the end that waits for it.
    pub fn pair() -> (Self, Awaited<T, R>) {
        Self::keeping(None)
    }

    /// The same for an answer that is kept with its act.
    pub fn keeping(keep: Option<Box<Keep<T>>>) -> (Self, Awaited<T, R>) {
        let (send, wait) = oneshot::channel();
        (Self { send, keep }, wait)
    }

    /// What is to be kept of this answer, if anything.
    pub(super) fn kept(&mut self, answer: &T) -> Option<Arc<FirstAnswer>> {
        self.keep.take().map(|keep| keep.fact(answer))
    }

    /// Answers. An asker who went away misses it, which is theirs to do.
    pub fn send(self, answer: Result<T, Failure<R>>) {
        drop(self.send.send(answer));
    }
}
