//! Questions that were asked at another node: what is written down with what was decided
//! for them, and how whoever asked finds that in the log when no answer came.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::asked::{AnsweredQuestion, KEPT_BYTES, QuestionId};
use crate::domain::event::Origin;
use crate::domain::likes::Likers;
use crate::domain::message::{Message, ShownMessage};
use crate::journal::{Committed, Follower};
use crate::random::random;
use crate::wire::instance::Instance;
use crate::wire::message;

/// Travels with a question that another node asks.
pub struct AskedElsewhere<T> {
    /// What its asker calls it.
    pub id: QuestionId,
    /// How the answer is packed; nothing where it is made of what is decided.
    pub pack: Option<fn(&T) -> Vec<u8>>,
}

impl<T> AskedElsewhere<T> {
    /// What is written down.
    pub(super) fn answered(&self, answer: &T) -> AnsweredQuestion {
        let packed = self.pack.map(|pack| pack(answer)).filter(|it| it.len() <= KEPT_BYTES);
        AnsweredQuestion { id: self.id, answer: packed.unwrap_or_default() }
    }
}

/// What the log holds of an answer.
pub struct RecordedAnswer {
    commit: Arc<Committed>,
    /// Of the last event that was decided for it.
    index: usize,
    instance: Arc<Instance>,
}

impl RecordedAnswer {
    /// The message that was posted.
    pub(super) fn message(&self) -> Option<Arc<Message>> {
        let decided = self.commit.entries.get(..=self.index)?.iter().rev();
        decided.filter_map(|it| it.event.fact.message()).next().cloned()
    }

    /// The same, as readers get it.
    pub(super) fn shown_message(&self) -> Option<ShownMessage> {
        let message = self.message()?;
        let conversation = self.commit.stream.conversation()?;
        let json = message::json(conversation, &message, Likers::NOBODY, &self.instance);
        Some(ShownMessage { message, json })
    }
}

/// What was decided for a question, as it came in the log.
#[derive(Debug, Clone)]
pub(super) struct Decided {
    pub(super) commit: Arc<Committed>,
    index: usize,
    pub(super) asked: Arc<AnsweredQuestion>,
}

impl Decided {
    /// What it holds of the answer.
    pub(super) fn recorded(&self, instance: &Arc<Instance>) -> RecordedAnswer {
        let (commit, instance) = (Arc::clone(&self.commit), Arc::clone(instance));
        RecordedAnswer { commit, index: self.index, instance }
    }
}

/// The questions of this node that other nodes decide, while somebody waits for them.
#[derive(Debug)]
pub(super) struct QuestionsElsewhere {
    asker: u64,
    asked: AtomicU64,
    under_way: Mutex<HashMap<u64, Option<Decided>>>,
}

impl QuestionsElsewhere {
    /// None yet.
    pub(super) fn none() -> Arc<Self> {
        let asker = u64::from_be_bytes(random());
        Arc::new(Self { asker, asked: AtomicU64::new(0), under_way: Mutex::default() })
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<u64, Option<Decided>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody is about to ask.
    pub(super) fn begin(self: &Arc<Self>) -> QuestionUnderWay {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        self.under_way().insert(number, None);
        QuestionUnderWay { questions: Arc::clone(self), number }
    }

    /// Who hears the journal for them.
    pub(super) fn follower(self: &Arc<Self>) -> Box<dyn Follower> {
        Box::new(AnswerFollower(Arc::clone(self)))
    }

    fn hear(&self, commit: &Arc<Committed>) {
        for (index, entry) in commit.entries.iter().enumerate() {
            let Some(asked) = entry.asked.as_ref().filter(|it| it.id.asker == self.asker) else {
                continue;
            };
            if let Some(place) = self.under_way().get_mut(&asked.id.number) {
                let (commit, asked) = (Arc::clone(commit), Arc::clone(asked));
                *place = Some(Decided { commit, index, asked });
            }
        }
    }
}

/// A question for which somebody waits.
#[derive(Debug)]
pub(super) struct QuestionUnderWay {
    questions: Arc<QuestionsElsewhere>,
    number: u64,
}

impl QuestionUnderWay {
    /// What it is called.
    pub(super) fn id(&self) -> QuestionId {
        QuestionId { asker: self.questions.asker, number: self.number }
    }

    /// What was decided for it, as far as the log was heard here.
    pub(super) fn decided(&self) -> Option<Decided> {
        self.questions.under_way().get(&self.number)?.clone()
    }
}

impl Drop for QuestionUnderWay {
    fn drop(&mut self) {
        self.questions.under_way().remove(&self.number);
    }
}

/// On the journal's thread: looks for what was asked here.
struct AnswerFollower(Arc<QuestionsElsewhere>);

impl Follower for AnswerFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        let by_others = commits.iter().filter(|commit| commit.origin != Origin::Here);
        by_others.for_each(|commit| self.0.hear(commit));
    }

    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {}
}
