//! Questions that were asked on another node: what is recorded with the decision, and how the
//! asking node finds it in the log when no response came.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::random::random;
use domain::asked::{AnsweredQuestion, KEPT_BYTES, QuestionId};
use domain::event::Origin;
use domain::likes::Likers;
use domain::message::{Message, ShownMessage};
use journal::{Committed, Follower};
use wire::instance::Instance;
use wire::message;

/// Comes along with a question that another node asks.
pub struct AskedElsewhere<T> {
    /// The asking node's id of the question.
    pub id: QuestionId,
    /// Packs the answer; `None` where the answer can be made from the events themselves.
    pub pack: Option<fn(&T) -> Vec<u8>>,
}

impl<T> AskedElsewhere<T> {
    /// The record of the answer. An answer that is too large to be kept is left empty.
    pub(super) fn answered_question(&self, answer: &T) -> AnsweredQuestion {
        let packed = self.pack.map(|pack| pack(answer)).filter(|it| it.len() <= KEPT_BYTES);
        AnsweredQuestion { id: self.id, answer: packed.unwrap_or_default() }
    }
}

/// An answer as the log records it.
pub struct RecordedAnswer {
    commit: Arc<Committed>,
    /// The place, in the commit, of the last event that was decided for the question.
    index: usize,
    instance: Arc<Instance>,
}

impl RecordedAnswer {
    /// Returns the message that was posted.
    pub(super) fn message(&self) -> Option<Arc<Message>> {
        let decided = self.commit.entries.get(..=self.index)?.iter().rev();
        decided.filter_map(|it| it.event.fact.message()).next().cloned()
    }

    /// Returns the message that was posted, with its JSON.
    pub(super) fn shown_message(&self) -> Option<ShownMessage> {
        let message = self.message()?;
        let conversation = self.commit.stream.conversation()?;
        let json = message::json(conversation, &message, Likers::NOBODY, &self.instance);
        Some(ShownMessage { message, json })
    }
}

/// The decision of a question, as it came in the log.
#[derive(Debug, Clone)]
pub(super) struct Decided {
    pub(super) commit: Arc<Committed>,
    index: usize,
    pub(super) asked: Arc<AnsweredQuestion>,
}

impl Decided {
    /// Returns what the log holds of the answer.
    pub(super) fn recorded(&self, instance: &Arc<Instance>) -> RecordedAnswer {
        let commit = Arc::clone(&self.commit);
        let instance = Arc::clone(instance);
        RecordedAnswer { commit, index: self.index, instance }
    }
}

/// This node's questions that other nodes decide, as long as a caller waits for them. `asker` is
/// random for each run; `asked` counts the questions.
#[derive(Debug)]
pub(super) struct QuestionsElsewhere {
    asker: u64,
    asked: AtomicU64,
    under_way: Mutex<HashMap<u64, Option<Decided>>>,
}

impl QuestionsElsewhere {
    /// No questions yet.
    pub(super) fn none() -> Arc<Self> {
        let asker = u64::from_be_bytes(random());
        Arc::new(Self { asker, asked: AtomicU64::new(0), under_way: Mutex::default() })
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<u64, Option<Decided>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a question that is about to be asked.
    pub(super) fn begin(self: &Arc<Self>) -> QuestionUnderWay {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        self.under_way().insert(number, None);
        QuestionUnderWay { questions: Arc::clone(self), number }
    }

    /// The follower of the journal for these questions.
    pub(super) fn follower(self: &Arc<Self>) -> Box<dyn Follower> {
        Box::new(AnswerFollower(Arc::clone(self)))
    }

    fn hear(&self, commit: &Arc<Committed>) {
        for (index, entry) in commit.entries.iter().enumerate() {
            let Some(asked) = entry.asked.as_ref().filter(|it| it.id.asker == self.asker) else {
                continue;
            };
            if let Some(place) = self.under_way().get_mut(&asked.id.number) {
                let commit = Arc::clone(commit);
                let asked = Arc::clone(asked);
                *place = Some(Decided { commit, index, asked });
            }
        }
    }
}

/// A question whose caller waits. Dropped, it is no longer looked for in the log.
#[derive(Debug)]
pub(super) struct QuestionUnderWay {
    questions: Arc<QuestionsElsewhere>,
    number: u64,
}

impl QuestionUnderWay {
    /// The question's id, as it travels.
    pub(super) fn id(&self) -> QuestionId {
        QuestionId { asker: self.questions.asker, number: self.number }
    }

    /// The decision of the question, if this node has heard it in the log.
    pub(super) fn decided(&self) -> Option<Decided> {
        self.questions.under_way().get(&self.number)?.clone()
    }
}

impl Drop for QuestionUnderWay {
    fn drop(&mut self) {
        self.questions.under_way().remove(&self.number);
    }
}

/// The follower on the journal's thread, which looks for decisions of this node's questions.
struct AnswerFollower(Arc<QuestionsElsewhere>);

impl Follower for AnswerFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        let by_others = commits.iter().filter(|commit| commit.origin != Origin::Here);
        by_others.for_each(|commit| self.0.hear(commit));
    }

    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {}
}
