//! A question on its way. The way is the same for every question, so it is compiled once: it sees
//! an [`AnyAsking`], and only the [`Asking`] behind it knows what is asked and what comes back.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use actix::prelude::SendError;
use futures_util::future::BoxFuture;

use crate::actors::ask::{
    Answered, Answers, Ask, Came, Failure, Fault, Noted, Posted, Question, Reply, Travel,
};
use crate::actors::asked::{AskedElsewhere, Decided};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::packed::{PackedQuestion, Response};
use crate::actors::directory::{Directory, Running};
use crate::domain::ids::StreamId;
use crate::wire::instance::Instance;

/// What is written down of an answer with its act, if anything is.
pub type Keeping<Q> = Option<Box<Noted<<Q as Question>::Answer>>>;

/// A question that is being asked, whatever it asks.
pub(super) trait AnyAsking: Send {
    /// Whose events its room decides.
    fn stream(&self) -> StreamId;

    /// Puts it into the mailbox of its room, if that runs. Says whether it does.
    fn post(&mut self, directory: &Directory) -> Result<bool, Fault>;

    /// Starts its room, unless nothing lives under the id and that is its answer. Says whether
    /// it did.
    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>>;

    /// Answers it as where nothing lives under an id.
    fn come_to_nothing(&mut self) -> Result<(), Fault>;

    /// Waits for what comes of it in the mailbox.
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Returned>;

    /// Whether something may have been written for its answer.
    fn is_decided(&self) -> bool;

    /// Its name and itself, packed for another node, if it travels.
    fn packed(&self) -> Option<(&'static str, Vec<u8>)>;

    /// Makes it anew of what was packed, unless it is here. How its answer is kept stays as it
    /// was the first time: whoever has the key keeps it.
    fn again(&mut self, packed: &[u8]) -> Result<(), Fault>;

    /// Takes what another node answered for its answer.
    fn read(&mut self, came: &AnsweredElsewhere, instance: &Arc<Instance>) -> Result<(), Fault>;

    /// Its answer, packed for the node that asked, and up to where that has to show the journal.
    fn response(&self, newest: u64) -> Response;
}

/// What came of a question in the mailbox of a room.
pub(super) enum Returned {
    /// Its answer, which it holds now.
    Answer,
    /// Itself: the room stopped before it read it.
    Question,
    /// Trouble.
    Fault(Fault),
}

/// What came of a question at another node, packed.
pub(super) enum AnsweredElsewhere {
    /// The answer.
    Answer(Vec<u8>),
    /// No answer came, and this is what was decided.
    Decided(Decided),
    /// The rules said no.
    Refusal(Vec<u8>),
    /// Trouble.
    Fault(Fault),
}

/// A question of this kind that is being asked of the room with this id.
pub(super) struct Asking<I, Q: Question> {
    id: I,
    state: AskingState<Q>,
}

/// How far it came.
enum AskingState<Q: Question> {
    /// It is here, with what is written down of its answer.
    Held(Q, Keeping<Q>),
    /// A room has it.
    Posted(Running<Q>),
    /// This came back.
    Answered(Result<Q::Answer, Q::Refusal>),
    /// Nothing will.
    Gone,
}

impl<I: RoomId, Q: Question> Asking<I, Q>
where
    I::Room: Answers<Q>,
{
    /// Not asked yet.
    pub(super) fn new(id: I, question: Q, keep: Keeping<Q>) -> Self {
        Self { id, state: AskingState::Held(question, keep) }
    }

    /// One that another node asks; `None` for what this version does not understand.
    pub(super) fn of_other_node(
        id: I,
        travel: &Travel<Q>,
        asked: &PackedQuestion,
    ) -> Option<Box<dyn AnyAsking>> {
        let question = (travel.unpack)(&asked.body)?;
        let pack = travel.from_decided.is_none().then_some(travel.pack_answer);
        let noted = asked.id.map(|id| Box::new(Noted::Asked(AskedElsewhere { id, pack })));
        Some(Box::new(Self::new(id, question, noted)))
    }

    /// What it came to.
    pub(super) fn answer(self) -> Answered<Q> {
        match self.state {
            AskingState::Answered(answer) => answer.map_err(Failure::Refused),
            AskingState::Held(..) | AskingState::Posted(_) | AskingState::Gone => {
                Err(Fault::Gone.into())
            }
        }
    }
}

impl<I: RoomId, Q: Question> AnyAsking for Asking<I, Q>
where
    I::Room: Answers<Q>,
{
    fn stream(&self) -> StreamId {
        self.id.stream()
    }

    fn post(&mut self, directory: &Directory) -> Result<bool, Fault> {
        let Some(room) = directory.running(self.id) else { return Ok(false) };
        let AskingState::Held(question, keep) =
            std::mem::replace(&mut self.state, AskingState::Gone)
        else {
            return Err(Fault::Gone);
        };
        let (reply, answer) = Reply::keeping(keep);
        self.state = AskingState::Posted(answer);
        match room.try_send(Posted::new(Ask { question, reply })) {
            // What was closed just now has given the question back.
            Ok(()) | Err(SendError::Closed(_)) => Ok(true),
            Err(SendError::Full(_)) => {
                directory.0.full_mailboxes.fetch_add(1, Ordering::Relaxed);
                Err(Fault::Busy)
            }
        }
    }

    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>> {
        directory.started(self.id, <I::Room as Answers<Q>>::of_nothing().is_some())
    }

    fn come_to_nothing(&mut self) -> Result<(), Fault> {
        self.state =
            AskingState::Answered(<I::Room as Answers<Q>>::of_nothing().ok_or(Fault::Gone)?);
        Ok(())
    }

    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Returned> {
        let AskingState::Posted(answer) = &mut self.state else {
            return Poll::Ready(Returned::Fault(Fault::Gone));
        };
        let came = ready!(Pin::new(answer).poll(task));
        self.state = AskingState::Gone;
        Poll::Ready(match came {
            Came::Answer(Err(Failure::Fault(fault))) => Returned::Fault(fault),
            Came::Answer(Err(Failure::Refused(refusal))) => {
                self.state = AskingState::Answered(Err(refusal));
                Returned::Answer
            }
            Came::Answer(Ok(answer)) => {
                self.state = AskingState::Answered(Ok(answer));
                Returned::Answer
            }
            Came::Back(back) => match back.downcast::<(Q, Keeping<Q>)>() {
                Ok(back) => {
                    self.state = AskingState::Held(back.0, back.1);
                    Returned::Question
                }
                Err(_) => Returned::Fault(Fault::Gone),
            },
            Came::Lost => Returned::Fault(Fault::Gone),
        })
    }

    fn is_decided(&self) -> bool {
        Q::DECIDES && matches!(self.state, AskingState::Answered(Ok(_)))
    }

    fn packed(&self) -> Option<(&'static str, Vec<u8>)> {
        match (&self.state, Q::TRAVEL) {
            (AskingState::Held(question, _), Some(travel)) => {
                Some((travel.name, (travel.pack)(question)))
            }
            _ => None,
        }
    }

    fn again(&mut self, packed: &[u8]) -> Result<(), Fault> {
        if !matches!(self.state, AskingState::Held(..)) {
            let question = Q::TRAVEL.and_then(|travel| (travel.unpack)(packed));
            self.state = AskingState::Held(question.ok_or(Fault::Gone)?, None);
        }
        Ok(())
    }

    fn read(&mut self, came: &AnsweredElsewhere, instance: &Arc<Instance>) -> Result<(), Fault> {
        let travel = Q::TRAVEL.ok_or(Fault::Gone)?;
        let answer = match came {
            AnsweredElsewhere::Answer(body) => (travel.unpack_answer)(body).map(Ok),
            AnsweredElsewhere::Decided(decided) => match travel.from_decided {
                Some(made) => made(&decided.recorded(instance)).map(Ok),
                None => (travel.unpack_answer)(&decided.asked.answer).map(Ok),
            },
            AnsweredElsewhere::Refusal(body) => (travel.unpack_refusal)(body).map(Err),
            AnsweredElsewhere::Fault(fault) => return Err(fault.clone()),
        };
        self.state = AskingState::Answered(answer.ok_or(Fault::Gone)?);
        Ok(())
    }

    fn response(&self, newest: u64) -> Response {
        match (&self.state, Q::TRAVEL) {
            (AskingState::Answered(Ok(answer)), Some(travel)) => {
                Response::Answer { body: (travel.pack_answer)(answer), newest }
            }
            (AskingState::Answered(Err(refusal)), Some(travel)) => {
                Response::Refusal { body: (travel.pack_refusal)(refusal) }
            }
            _ => Response::Failed,
        }
    }
}
