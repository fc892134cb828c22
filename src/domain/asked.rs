//! Questions from other nodes, as the journal records them: a decision names the question that it
//! answers, so that the asking node finds the outcome in the log even if the reply is lost.
//!
//! The record of a question is stored beside its events, in the same journal record: a crash keeps
//! both or neither.

use serde::{Deserialize, Serialize};

use crate::packed_bytes;

/// Bytes of a recorded answer at most; longer answers, which are rare, are not recorded.
pub const KEPT_BYTES: usize = 16 << 10;

/// Identifies one question of one node, uniquely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QuestionId {
    /// The asking process: a random number that each start of a node draws.
    pub asker: u64,
    /// The number of the question, counted by the asking process.
    pub number: u64,
}

/// A question that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredQuestion {
    /// The question.
    pub id: QuestionId,
    /// The packed answer; empty if the answer can be made from the events, or is longer than
    /// [`KEPT_BYTES`].
    #[serde(with = "packed_bytes")]
    pub answer: Vec<u8>,
}

impl AnsweredQuestion {
    /// Bytes that this record takes at most.
    pub const fn bytes(&self) -> usize {
        self.answer.len() + 32
    }
}
