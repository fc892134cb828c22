//! Questions of other nodes, as the journal names them: what was decided says for which
//! question that was, so that whoever asked finds out although no answer came.
//!
//! It stands beside the events, in the same record: a crash keeps both or neither.

use serde::{Deserialize, Serialize};

use crate::domain::packed_bytes;

/// Bytes of an answer that are written down at most. Longer ones are rare.
pub const KEPT_BYTES: usize = 16 << 10;

/// Names one question of one node; no other question has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QuestionId {
    /// Who asked: a random number of each start of a node.
    pub asker: u64,
    /// By the asker's count.
    pub number: u64,
}

/// A question that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredQuestion {
    /// The question.
    pub id: QuestionId,
    /// The answer, packed; nothing where it is made of what was decided, or is longer than
    /// [`KEPT_BYTES`].
    #[serde(with = "packed_bytes")]
    pub answer: Vec<u8>,
}

impl AnsweredQuestion {
    /// Bytes that it takes, at most.
    pub const fn bytes(&self) -> usize {
        self.answer.len() + 32
    }
}
