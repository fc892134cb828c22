//! A question on its way. The way is the same for all questions and is compiled only once: it sees
//! an [`ErasedAsk`], and only the [`PendingAsk`] behind it knows the types of question and answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;

use crate::actors::ask::{
    AnswerRecord, Answered, Answers, Ask, AskOutcome, Failure, Fault, Question, Reply, Travel,
};
use crate::actors::asked::{AskedElsewhere, Decided};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::packed::{PackedQuestion, Response};
use crate::actors::directory::{AnswerToCome, Directory};
use crate::actors::idempotency::AnswerToSave;
use crate::domain::ids::StreamId;
use crate::wire::instance::Instance;

/// The record of an answer in the commit of its decision, if any.
pub type RecordOf<Q> = Option<Box<AnswerRecord<<Q as Question>::Answer>>>;

/// A question that is being asked, whatever its type.
pub(super) trait ErasedAsk: Send {
    /// The stream of the room that is asked.
    fn stream(&self) -> StreamId;

    /// Puts the question into the mailbox of its room. Returns `false` if no room runs under the
    /// id; one that stopped just now gives the question back to [`ErasedAsk::poll`].
    fn post(&mut self, directory: &Directory) -> Result<bool, Fault>;

    /// Starts the question's room. Returns `false`, and starts none, if nothing lives under the id
    /// and the question has an answer for that case.
    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>>;

    /// Takes the answer that the question has where nothing lives under the id.
    fn answer_absent(&mut self) -> Result<(), Fault>;

    /// Polls for what the room sends back.
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Returned>;

    /// Whether the question was answered, and something may have been written for it.
    fn is_decided(&self) -> bool;

    /// The question's name and the packed question, if it travels and no room has it.
    fn packed(&self) -> Option<(&'static str, Vec<u8>)>;

    /// Unpacks the question again, unless it is still held. The caller's key comes with it again; of
    /// another node's question, nothing is recorded.
    fn restore(&mut self, packed: &[u8]) -> Result<(), Fault>;

    /// Takes another node's answer as the answer.
    fn take_response(
        &mut self,
        came: &AnsweredElsewhere,
        instance: &Arc<Instance>,
    ) -> Result<(), Fault>;

    /// Packs the answer for the node that asked, with the position up to which that node has to
    /// show the journal first.
    fn response(&self, newest: u64) -> Response;
}

/// The result that a room returned for a question.
pub(super) enum Returned {
    /// The answer or refusal, which the asking holds now.
    Answer,
    /// The question: the room stopped before it read it.
    Question,
    /// A fault of the server, not a refusal.
    Fault(Fault),
}

/// The result of a question at another node, still packed.
pub(super) enum AnsweredElsewhere {
    /// The answer.
    Answer(Vec<u8>),
    /// No answer came, but the log has the decision.
    Decided(Decided),
    /// The refusal.
    Refusal(Vec<u8>),
    /// A fault of the server.
    Fault(Fault),
}

/// A question of type `Q` to the room of this id.
pub(super) struct PendingAsk<I, Q: Question> {
    id: I,
    state: AskState<Q>,
    /// The answer to record under the caller's key, also when the question is asked again.
    key: Option<AnswerToSave<Q::Answer>>,
}

/// How far the question came.
enum AskState<Q: Question> {
    /// Not asked yet, or given back: the question, and what is recorded of its answer.
    Held(Q, RecordOf<Q>),
    /// A room has the question.
    Posted(AnswerToCome<Q>),
    /// Answered or refused.
    Answered(Result<Q::Answer, Q::Refusal>),
    /// Failed: there will be no answer.
    Gone,
}

impl<I: RoomId, Q: Question> PendingAsk<I, Q>
where
    I::Room: Answers<Q>,
{
    /// A question that was not asked yet.
    pub(super) fn new(id: I, question: Q, record: RecordOf<Q>) -> Self {
        let key = record.as_deref().and_then(AnswerRecord::key).cloned();
        Self { id, state: AskState::Held(question, record), key }
    }

    /// A question of another node; `None` if this version does not understand it.
    pub(super) fn of_other_node(
        id: I,
        travel: &Travel<Q>,
        asked: &PackedQuestion,
    ) -> Option<Box<dyn ErasedAsk>> {
        let question = (travel.unpack)(&asked.body)?;
        let pack = travel.from_decided.is_none().then_some(travel.pack_answer);
        let noted = asked.id.map(|id| Box::new(AnswerRecord::Asked(AskedElsewhere { id, pack })));
        Some(Box::new(Self::new(id, question, noted)))
    }

    /// The answer or refusal; [`Fault::Gone`] if none came.
    pub(super) fn answer(self) -> Answered<Q> {
        match self.state {
            AskState::Answered(answer) => answer.map_err(Failure::Refused),
            AskState::Held(..) | AskState::Posted(_) | AskState::Gone => Err(Fault::Gone.into()),
        }
    }
}

impl<I: RoomId, Q: Question> ErasedAsk for PendingAsk<I, Q>
where
    I::Room: Answers<Q>,
{
    fn stream(&self) -> StreamId {
        self.id.stream()
    }

    fn post(&mut self, directory: &Directory) -> Result<bool, Fault> {
        directory.post(self.id, || {
            let state = std::mem::replace(&mut self.state, AskState::Gone);
            let AskState::Held(question, record) = state else { return Err(Fault::Gone) };
            let (reply, answer) = Reply::pair_with_record(record);
            self.state = AskState::Posted(answer);
            Ok(Ask { question, reply })
        })
    }

    fn start<'a>(&self, directory: &'a Directory) -> BoxFuture<'a, Result<bool, Fault>> {
        directory.ensure_running(self.id, <I::Room as Answers<Q>>::answer_if_absent().is_some())
    }

    fn answer_absent(&mut self) -> Result<(), Fault> {
        self.state =
            AskState::Answered(<I::Room as Answers<Q>>::answer_if_absent().ok_or(Fault::Gone)?);
        Ok(())
    }

    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Returned> {
        let AskState::Posted(answer) = &mut self.state else {
            return Poll::Ready(Returned::Fault(Fault::Gone));
        };
        let came = ready!(Pin::new(answer).poll(task));
        self.state = AskState::Gone;
        Poll::Ready(match came {
            AskOutcome::Answer(Err(Failure::Fault(fault))) => Returned::Fault(fault),
            AskOutcome::Answer(Err(Failure::Refused(refusal))) => {
                self.state = AskState::Answered(Err(refusal));
                Returned::Answer
            }
            AskOutcome::Answer(Ok(answer)) => {
                self.state = AskState::Answered(Ok(answer));
                Returned::Answer
            }
            AskOutcome::Back(back) => match back.downcast::<(Q, RecordOf<Q>)>() {
                Ok(back) => {
                    self.state = AskState::Held(back.0, back.1);
                    Returned::Question
                }
                Err(_) => Returned::Fault(Fault::Gone),
            },
            AskOutcome::Lost => Returned::Fault(Fault::Gone),
        })
    }

    fn is_decided(&self) -> bool {
        Q::DECIDES && matches!(self.state, AskState::Answered(Ok(_)))
    }

    fn packed(&self) -> Option<(&'static str, Vec<u8>)> {
        match (&self.state, Q::TRAVEL) {
            (AskState::Held(question, _), Some(travel)) => {
                Some((travel.name, (travel.pack)(question)))
            }
            _ => None,
        }
    }

    fn restore(&mut self, packed: &[u8]) -> Result<(), Fault> {
        if !matches!(self.state, AskState::Held(..)) {
            let question = Q::TRAVEL.and_then(|travel| (travel.unpack)(packed));
            let record = self.key.clone().map(|key| Box::new(AnswerRecord::Key(key)));
            self.state = AskState::Held(question.ok_or(Fault::Gone)?, record);
        }
        Ok(())
    }

    fn take_response(
        &mut self,
        came: &AnsweredElsewhere,
        instance: &Arc<Instance>,
    ) -> Result<(), Fault> {
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
        self.state = AskState::Answered(answer.ok_or(Fault::Gone)?);
        Ok(())
    }

    fn response(&self, newest: u64) -> Response {
        match (&self.state, Q::TRAVEL) {
            (AskState::Answered(Ok(answer)), Some(travel)) => {
                Response::Answer { body: (travel.pack_answer)(answer), newest }
            }
            (AskState::Answered(Err(refusal)), Some(travel)) => {
                Response::Refusal { body: (travel.pack_refusal)(refusal) }
            }
            _ => Response::Failed,
        }
    }
}
