//! Asking a room: a typed question, and the reply that brings its answer back.
//!
//! The reply travels in the message, so that a room can hold it until its answer is durable. A full
//! mailbox is noticed without waiting.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix::{Actor, Handler};
use tokio::sync::oneshot;

use crate::idempotency::{AnswerToSave, SavedAnswer};
use crate::write_limits::LimitExceeded;
use base::bounds::sharded::Sharded;
use domain::audit::AuditFact;
use domain::event::Fact;
use domain::ids::UserId;

/// Why an ask came back without an answer.
#[derive(Debug)]
pub enum Failure<R> {
    /// The rules refused.
    Refused(R),
    /// A fault of the server.
    Fault(Fault),
}

/// A fault of the server's own, or a limit that holds for all acts. Clients get 503, or 429 for a
/// limit. Nothing is half done; after [`Fault::Late`],
/// [`Fault::Gone`] and [`Fault::Storage`] the whole may have been done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// A mailbox, the next commit or the memory for what is not durable is full, the index is too
    /// far behind, or the shared log is out of reach. Nothing was done.
    #[error("too many requests are waiting")]
    Busy,
    /// The disk has no space left for anything that can wait.
    #[error("the disk is full")]
    Full,
    /// The room stopped before it answered, or cannot be loaded.
    #[error("the actor has stopped")]
    Gone,
    /// The journal or the index failed, or something else wrote the room's stream.
    #[error("storage failed: {0}")]
    Storage(String),
    /// Another node leads.
    #[error("another node leads")]
    Elsewhere,
    /// The act exceeds a limit on what users and bots write. Nothing was done.
    #[error(transparent)]
    Limited(#[from] LimitExceeded),
    /// No answer within the deadline.
    #[error("no answer in time")]
    Late,
}

impl Fault {
    /// Whether what was asked may have been done although there is no answer.
    pub const fn may_be_done(&self) -> bool {
        match self {
            Self::Busy | Self::Full | Self::Elsewhere | Self::Limited(_) => false,
            Self::Gone | Self::Storage(_) | Self::Late => true,
        }
    }
}

impl<R> Failure<R> {
    /// The failure with another refusal.
    pub fn map<S>(self, refusal: impl FnOnce(R) -> S) -> Failure<S> {
        match self {
            Self::Refused(refused) => Failure::Refused(refusal(refused)),
            Self::Fault(fault) => Failure::Fault(fault),
        }
    }
}

impl<R> From<Fault> for Failure<R> {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<index::IndexFault> for Fault {
    fn from(fault: index::IndexFault) -> Self {
        Self::Storage(fault.to_string())
    }
}

/// A question that a room can answer. Each lives in the `protocol.rs` of its room, whose comments
/// say who sends it and what is promised; the room implements [`Answers`] for it.
pub trait Question: Send + Sized + 'static {
    /// The answer, if the question is not refused.
    type Answer: Send + 'static;
    /// Why the rules may refuse.
    type Refusal: Send + 'static;
    /// Whether answering may write something, so that every node has to show it before the answer
    /// goes out.
    const DECIDES: bool = false;
    /// Whether the room of a topic answers it as the room of a group does. To all other questions, it
    /// answers as if there were no group.
    const IN_TOPICS: bool = false;
}

/// The answer where nothing lives under an id; `None` if a room has to start: the question creates
/// the thing, or writes without it.
pub type AbsentAnswer<Q> = Option<Result<<Q as Question>::Answer, <Q as Question>::Refusal>>;

/// A room that answers questions of this kind. The one `impl Answers<Question>` for a room is the
/// handler of that question.
pub trait Answers<Q: Question>: Actor<Context = actix::Context<Self>> {
    /// Returns the answer to give, without starting a room, where nothing lives under the id: no
    /// room starts for something that was never created, however often it is asked for. By default
    /// a room starts.
    fn answer_if_absent() -> AbsentAnswer<Q> {
        None
    }

    /// Decides, and answers at once or later.
    fn answer(&mut self, ask: Ask<Q>, ctx: &mut Self::Context);
}

/// A room whose mailbox takes questions of this kind, since it answers them.
pub trait Accepts<Q: Question>: Answers<Q> + Handler<Posted<Q>, Result = ()> {}

impl<Q: Question, Room: Answers<Q> + Handler<Posted<Q>, Result = ()>> Accepts<Q> for Room {}

/// The result of an ask.
pub type Answered<Q> = Result<<Q as Question>::Answer, Failure<<Q as Question>::Refusal>>;

/// A question on its way, with the place for its answer.
#[derive(Debug)]
pub struct Ask<Q: Question> {
    /// The question.
    pub question: Q,
    /// The place for the answer.
    pub reply: Reply<Q::Answer, Q::Refusal>,
}

impl<Q: Question> Ask<Q> {
    /// Answers as where nothing lives under the id.
    pub(super) fn answer_as_absent<Room: Answers<Q>>(self) {
        let absent = Room::answer_if_absent();
        self.reply
            .send(absent.ok_or(Fault::Gone.into()).and_then(|it| it.map_err(Failure::Refused)));
    }
}

impl<Q: Question> actix::Message for Ask<Q> {
    type Result = ();
}

/// Counts the questions that wait in mailboxes. One counter for the process, not one for each
/// server: otherwise every question would have to carry a reference to its counter.
pub(super) static MAILBOXES: Sharded = Sharded::new();

/// A question in a mailbox. If it is dropped there, it goes back to its caller, who asks the next
/// room that starts under the id: a room may stop at any time without callers noticing.
pub struct Posted<Q: Question>(Option<Ask<Q>>);

impl<Q: Question> Posted<Q> {
    /// A question on its way to a room.
    pub(super) fn new(ask: Ask<Q>) -> Self {
        MAILBOXES.add(1);
        Self(Some(ask))
    }

    /// Takes the question out of the mailbox, for the room to answer. `guest` counts the caller as
    /// waiting until the reply is gone.
    pub(super) fn open(mut self, guest: Option<WaitingCaller>) -> Option<Ask<Q>> {
        let mut ask = self.0.take()?;
        ask.reply.guest = guest;
        Some(ask)
    }
}

impl<Q: Question> actix::Message for Posted<Q> {
    type Result = ();
}

impl<Q: Question> Drop for Posted<Q> {
    fn drop(&mut self) {
        MAILBOXES.add(-1);
        if let Some(Ask { question, reply }) = self.0.take() {
            reply.give_back(question);
        }
    }
}

/// The result that a room returns to a caller.
#[derive(Debug)]
pub enum AskOutcome<T, R> {
    /// The room's answer, refusal or fault.
    Answer(Result<T, Failure<R>>),
    /// The question and what was to be recorded with its answer, because the room stopped before it
    /// read the question.
    Back(Box<dyn Any + Send>),
    /// Nothing: the room stopped while it worked on the question.
    Lost,
}

/// A [`AskOutcome`] without its types on the way through the channel, so that the channel's code is
/// compiled once instead of for each question.
#[derive(Debug)]
enum ErasedOutcome {
    /// A `Result<T, Failure<R>>`.
    Answer(Box<dyn Any + Send>),
    /// The question, as in [`AskOutcome::Back`].
    Back(Box<dyn Any + Send>),
}

/// Makes the entries of the audit log for an act of an operator from the answer; none if nothing was
/// done.
pub type AuditNote<T> = Box<dyn Fn(&T) -> Vec<AuditFact> + Send + Sync>;

/// What a question brings beside itself: what is recorded of the answer, and its audit entry.
pub(super) type Beside<T> = (Option<Box<AnswerToSave<T>>>, Option<AuditNote<T>>);

/// The place for one answer. If it is dropped unused, the caller gets [`Fault::Gone`].
pub struct Reply<T, R> {
    send: oneshot::Sender<ErasedOutcome>,
    /// The answer to record under the caller's `Idempotency-Key`. Boxed, because it is mostly `None`.
    record: Option<Box<AnswerToSave<T>>>,
    /// The entry of the audit log that goes into the commit of the decision.
    audit: Option<AuditNote<T>>,
    /// Keeps the room that works on the question from going to rest.
    guest: Option<WaitingCaller>,
    refusal: PhantomData<fn(R)>,
}

/// Held by each [`Reply`] that a room has taken and not sent; the room counts them.
pub(super) type WaitingCaller = Arc<()>;

impl<T, R> std::fmt::Debug for Reply<T, R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Reply").field("is_kept", &self.record.is_some()).finish_non_exhaustive()
    }
}

/// The caller's end of a [`Reply`].
#[derive(Debug)]
pub struct Awaited<T, R>(oneshot::Receiver<ErasedOutcome>, PhantomData<fn() -> (T, R)>);

impl<T: Send + 'static, R: Send + 'static> Future for Awaited<T, R> {
    type Output = AskOutcome<T, R>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<AskOutcome<T, R>> {
        Pin::new(&mut self.0).poll(task).map(|came| match came {
            Ok(ErasedOutcome::Answer(answer)) => AskOutcome::Answer(
                *answer.downcast().expect("both ends of a channel are made for one type"),
            ),
            Ok(ErasedOutcome::Back(question)) => AskOutcome::Back(question),
            Err(_) => AskOutcome::Lost,
        })
    }
}

impl<T: Send + 'static, R: Send + 'static> Awaited<T, R> {
    /// Waits for the answer of a room that is not asked again if it stops.
    ///
    /// # Errors
    /// The room's refusal or fault, or [`Fault::Gone`] if the room stopped.
    pub async fn answer(self) -> Result<T, Failure<R>> {
        match self.await {
            AskOutcome::Answer(answer) => answer,
            AskOutcome::Back(_) | AskOutcome::Lost => Err(Failure::Fault(Fault::Gone)),
        }
    }
}

impl<T: Send + 'static, R: Send + 'static> Reply<T, R> {
    /// Makes the place for an answer, and the end that waits for it.
    pub fn pair() -> (Self, Awaited<T, R>) {
        Self::pair_with(None, None)
    }

    /// The same, with what is recorded with the decision, and its entry of the audit log.
    pub fn pair_with(
        record: Option<Box<AnswerToSave<T>>>,
        audit: Option<AuditNote<T>>,
    ) -> (Self, Awaited<T, R>) {
        let (send, wait) = oneshot::channel();
        let reply = Self { send, record, audit, guest: None, refusal: PhantomData };
        (reply, Awaited(wait, PhantomData))
    }

    /// The entries of the audit log for the commit of the decision.
    pub(super) fn audit_facts(&self, answer: &T) -> Vec<Fact> {
        let facts = self.audit.as_ref().map(|note| note(answer)).unwrap_or_default();
        facts.into_iter().map(Fact::Audit).collect()
    }

    /// The answer to record with the decision, if the question came with a key.
    pub(super) fn answer_to_record(&self, answer: &T) -> Option<SavedAnswer> {
        Some(self.record.as_deref()?.to_record(answer))
    }

    /// Gives the answer that was recorded to the caller, because it is durable now.
    pub(super) fn publish(&self, recorded: SavedAnswer) {
        if let Some(to_save) = self.record.as_deref() {
            to_save.publish(recorded);
        }
    }

    /// The user whose key the answer is recorded under, if the question came with one.
    pub(super) fn asker(&self) -> Option<UserId> {
        self.record.as_deref()?.asker
    }

    /// Sends the answer. If the caller no longer waits, the answer is dropped.
    pub fn send(self, answer: Result<T, Failure<R>>) {
        drop(self.send.send(ErasedOutcome::Answer(Box::new(answer))));
    }

    /// Returns the question, unread, to the caller.
    fn give_back<Q: Send + 'static>(self, question: Q) {
        drop(self.send.send(ErasedOutcome::Back(Box::new((question, (self.record, self.audit))))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct HowMany;

    impl Question for HowMany {
        type Answer = u32;
        type Refusal = std::convert::Infallible;
    }

    fn posted() -> (Posted<HowMany>, Awaited<u32, std::convert::Infallible>) {
        let (reply, answer) = Reply::pair();
        (Posted::new(Ask { question: HowMany, reply }), answer)
    }

    #[tokio::test]
    async fn unread_question_is_returned() {
        let (posted, answer) = posted();
        drop(posted);
        let AskOutcome::Back(back) = answer.await else { panic!("it should come back") };
        assert!(back.downcast::<(HowMany, Beside<u32>)>().is_ok());
    }

    #[tokio::test]
    async fn a_question_that_was_read_is_answered_or_lost() {
        let (posted, answer) = self::posted();
        posted.open(None).unwrap().reply.send(Ok(7));
        assert!(matches!(answer.await, AskOutcome::Answer(Ok(7))));
        let (posted, answer) = self::posted();
        drop(posted.open(None));
        assert!(matches!(answer.await, AskOutcome::Lost));
    }
}
