//! Asking a room: a typed question, and the reply it comes back with.
//!
//! The reply travels in the message, so that a room can hold it until its answer is
//! durable, and so that a full mailbox is noticed without waiting.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix::{Actor, Handler};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use crate::actors::asked::{AskedElsewhere, RecordedAnswer};
use crate::actors::idempotency::Keep;
use crate::bounds::sharded::Sharded;
use crate::domain::asked::AnsweredQuestion;
use crate::domain::first_answer::FirstAnswer;
use crate::msgpack;

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
    /// Another node decides it.
    #[error("another node decides this")]
    Elsewhere,
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
/// says who asks and what is promised; the room [`Answers`] it.
pub trait Question: Send + Sized + 'static {
    /// What comes back.
    type Answer: Send + 'static;
    /// Why the rules may say no.
    type Refusal: Send + 'static;
    /// How it travels to the node that decides it; `None` for what any node answers from
    /// what is durable.
    const TRAVEL: Option<Travel<Self>> = None;
    /// Whether something may be written for it, so that every node has to show it before
    /// the answer goes out.
    const DECIDES: bool = Self::TRAVEL.is_some();
}

/// How an answer is made of what was decided.
pub(super) type FromDecided<Q> = fn(&RecordedAnswer) -> Option<<Q as Question>::Answer>;

/// How a question and what comes back are packed for another node: in MessagePack by name,
/// so that nodes of two versions understand each other.
pub struct Travel<Q: Question> {
    /// What it is called.
    pub name: &'static str,
    pub(super) pack: fn(&Q) -> Vec<u8>,
    pub(super) unpack: fn(&[u8]) -> Option<Q>,
    pub(super) pack_answer: fn(&Q::Answer) -> Vec<u8>,
    pub(super) unpack_answer: fn(&[u8]) -> Option<Q::Answer>,
    pub(super) pack_refusal: fn(&Q::Refusal) -> Vec<u8>,
    pub(super) unpack_refusal: fn(&[u8]) -> Option<Q::Refusal>,
    /// Makes the answer of what was decided, where that holds all of it.
    pub(super) from_decided: Option<FromDecided<Q>>,
}

impl<Q: Question + Portable> Travel<Q>
where
    Q::Answer: Portable,
{
    /// For a question that may be refused.
    pub const fn of(name: &'static str) -> Self
    where
        Q::Refusal: Portable,
    {
        let (pack_refusal, unpack_refusal) = (pack::<Q::Refusal>, unpack::<Q::Refusal>);
        Self::with(name, pack_refusal, unpack_refusal)
    }

    /// For one that never is.
    pub const fn unrefused(name: &'static str) -> Self
    where
        Q: Question<Refusal = Infallible>,
    {
        Self::with(name, |never| match *never {}, |_| None)
    }

    const fn with(
        name: &'static str,
        pack_refusal: fn(&Q::Refusal) -> Vec<u8>,
        unpack_refusal: fn(&[u8]) -> Option<Q::Refusal>,
    ) -> Self {
        let (pack_answer, unpack_answer) = (pack::<Q::Answer>, unpack::<Q::Answer>);
        let (pack, unpack) = (pack::<Q>, unpack::<Q>);
        let from_decided = None;
        Self {
            name,
            pack,
            unpack,
            pack_answer,
            unpack_answer,
            pack_refusal,
            unpack_refusal,
            from_decided,
        }
    }
}

/// What can be packed.
pub trait Portable: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Portable for T {}

/// Packs for another node.
pub(super) fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    msgpack::to_vec_named(value).expect("writing plain values to memory cannot fail")
}

/// Unpacks what another node packed; `None` for what this version does not understand.
pub(super) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    msgpack::from_slice(bytes).ok()
}

/// What comes back where nothing lives under an id; `None` where the question begins what
/// it asks of, or writes where nothing has to be.
pub type OfNothing<Q> = Option<Result<<Q as Question>::Answer, <Q as Question>::Refusal>>;

/// A room that answers questions of this kind: the handler of a question is the only
/// `impl Answers<Question>` for its room.
pub trait Answers<Q: Question>:
    Actor<Context = actix::Context<Self>> + Handler<Posted<Q>, Result = ()>
{
    /// What is answered without a room where nothing lives under the id: no room starts for
    /// what nobody created, however often somebody asks. Unless said otherwise, a room does.
    fn of_nothing() -> OfNothing<Q> {
        None
    }

    /// Decides, and answers now or later.
    fn answer(&mut self, ask: Ask<Q>, ctx: &mut Self::Context);
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

/// Questions that wait in mailboxes. Of the process, not of a server: each question would
/// have to carry the way to a counter of its own.
pub(super) static MAILBOXES: Sharded = Sharded::new();

/// A question in a mailbox. Dropped there, it goes back to its asker, who takes it to the
/// room that comes next: a room may stop at any time, and nobody should have to notice.
pub struct Posted<Q: Question>(Option<Ask<Q>>);

impl<Q: Question> Posted<Q> {
    /// On its way to a room.
    pub(super) fn new(ask: Ask<Q>) -> Self {
        MAILBOXES.add(1);
        Self(Some(ask))
    }

    /// Taken out by the room, which answers it from here on, and counts who waits.
    pub(super) fn open(mut self, guest: Option<Guest>) -> Option<Ask<Q>> {
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

/// What comes back to whoever asked.
#[derive(Debug)]
pub enum Came<T, R> {
    /// This.
    Answer(Result<T, Failure<R>>),
    /// The question, and how its answer is kept: no room has read it.
    Back(Box<dyn Any + Send>),
    /// Nothing: the room stopped while it worked on it.
    Lost,
}

/// The same on its way, whatever was asked: so the channel's code is there once, not for each
/// question.
#[derive(Debug)]
enum AnyCame {
    /// A `Result<T, Failure<R>>`.
    Answer(Box<dyn Any + Send>),
    /// The question, as in [`Came`].
    Back(Box<dyn Any + Send>),
}

/// The place for one answer. Dropped without one, the asker hears [`Fault::Gone`].
pub struct Reply<T, R> {
    send: oneshot::Sender<AnyCame>,
    /// What is written down with what it decides. Boxed: mostly that is nothing.
    keep: Option<Box<Noted<T>>>,
    /// Keeps the room that works on it from going to rest.
    guest: Option<Guest>,
    refusal: PhantomData<fn(R)>,
}

/// What is written down of an answer with what was decided.
pub enum Noted<T> {
    /// The answer, under the key of who asks.
    Key(Keep<T>),
    /// For which question of another node it was.
    Asked(AskedElsewhere<T>),
}

/// Somebody who waits for a room.
pub(super) type Guest = Arc<()>;

impl<T, R> std::fmt::Debug for Reply<T, R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Reply").field("is_kept", &self.keep.is_some()).finish_non_exhaustive()
    }
}

/// The end that waits for an answer.
#[derive(Debug)]
pub struct Awaited<T, R>(oneshot::Receiver<AnyCame>, PhantomData<fn() -> (T, R)>);

impl<T: Send + 'static, R: Send + 'static> Future for Awaited<T, R> {
    type Output = Came<T, R>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Came<T, R>> {
        Pin::new(&mut self.0).poll(task).map(|came| match came {
            Ok(AnyCame::Answer(answer)) => Came::Answer(
                *answer.downcast().expect("both ends of a channel are made for one type"),
            ),
            Ok(AnyCame::Back(question)) => Came::Back(question),
            Err(_) => Came::Lost,
        })
    }
}

impl<T: Send + 'static, R: Send + 'static> Awaited<T, R> {
    /// The answer of somebody who is asked once and never again.
    ///
    /// # Errors
    /// What they refused, or [`Fault::Gone`] when they stopped.
    pub async fn answer(self) -> Result<T, Failure<R>> {
        match self.await {
            Came::Answer(answer) => answer,
            Came::Back(_) | Came::Lost => Err(Failure::Fault(Fault::Gone)),
        }
    }
}

impl<T: Send + 'static, R: Send + 'static> Reply<T, R> {
    /// A place for an answer and the end that waits for it.
    pub fn pair() -> (Self, Awaited<T, R>) {
        Self::keeping(None)
    }

    /// The same for an answer that is kept with its act.
    pub fn keeping(keep: Option<Box<Noted<T>>>) -> (Self, Awaited<T, R>) {
        let (send, wait) = oneshot::channel();
        (Self { send, keep, guest: None, refusal: PhantomData }, Awaited(wait, PhantomData))
    }

    /// What is to be kept of this answer, if anything.
    pub(super) fn kept(&self, answer: &T) -> Option<Arc<FirstAnswer>> {
        match self.keep.as_deref()? {
            Noted::Key(keep) => Some(keep.fact(answer)),
            Noted::Asked(_) => None,
        }
    }

    /// Which question of another node it answers, if it does.
    pub(super) fn answered(&self, answer: &T) -> Option<AnsweredQuestion> {
        match self.keep.as_deref()? {
            Noted::Key(_) => None,
            Noted::Asked(asked) => Some(asked.answered(answer)),
        }
    }

    /// Answers. An asker who went away misses it, which is theirs to do.
    pub fn send(self, answer: Result<T, Failure<R>>) {
        drop(self.send.send(AnyCame::Answer(Box::new(answer))));
    }

    /// Returns the question, which nobody has read.
    fn give_back<Q: Send + 'static>(self, question: Q) {
        drop(self.send.send(AnyCame::Back(Box::new((question, self.keep)))));
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
    async fn a_question_that_nobody_read_comes_back() {
        let (posted, answer) = posted();
        drop(posted);
        let Came::Back(back) = answer.await else { panic!("it should come back") };
        assert!(back.downcast::<(HowMany, Option<Box<Noted<u32>>>)>().is_ok());
    }

    #[tokio::test]
    async fn a_question_that_was_read_is_answered_or_lost() {
        let (posted, answer) = self::posted();
        posted.open(None).unwrap().reply.send(Ok(7));
        assert!(matches!(answer.await, Came::Answer(Ok(7))));
        let (posted, answer) = self::posted();
        drop(posted.open(None));
        assert!(matches!(answer.await, Came::Lost));
    }
}
