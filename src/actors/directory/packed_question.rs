//! The format of questions on their way to another node, and of the responses.

use serde::{Deserialize, Serialize};

use crate::write_limits::LimitExceeded;
use domain::asked::QuestionId;
use domain::packed_bytes;

/// The version of the format.
pub(super) const VERSION: u8 = 1;

/// A question on its way to another node.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PackedQuestion {
    pub(super) version: u8,
    /// The stream that is asked.
    pub(super) stream: String,
    /// The name of the question's type.
    pub(super) name: String,
    #[serde(with = "packed_bytes")]
    pub(super) body: Vec<u8>,
    /// The asking node's id of the question, recorded with what is decided for it.
    #[serde(default)]
    pub(super) id: Option<QuestionId>,
    /// The message of the log with which the asked node took the shard over, as far as the asking
    /// node knows. A node that took it over elsewhere does not answer: the question may be late,
    /// and may have been asked again since.
    #[serde(default)]
    pub(super) taken_over: Option<u64>,
}

/// The response to a question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Response {
    /// The answer, and the position up to which the asking node has to show the journal before it
    /// passes the answer on.
    Answer {
        #[serde(with = "packed_bytes")]
        body: Vec<u8>,
        newest: u64,
    },
    /// The packed refusal.
    Refusal {
        #[serde(with = "packed_bytes")]
        body: Vec<u8>,
    },
    /// The room's mailbox, or the journal's queue, is full.
    Busy,
    /// The disk has no space left.
    Full,
    /// The act exceeds a limit there.
    Limited(LimitExceeded),
    /// The question failed there, and may have been decided.
    Failed,
    /// Another node decides the question, or this one does not understand it: nothing was done.
    NotMine,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{pack, unpack};

    #[test]
    fn an_answer_takes_hardly_more_than_its_bytes() {
        let body: Vec<u8> = (0..=255).cycle().take(2000).collect();
        let packed = pack(&Response::Answer { body: body.clone(), newest: 4711 });
        assert!(packed.len() < body.len() + 40, "{} bytes", packed.len());
        let Some(Response::Answer { body: came, newest: 4711 }) = unpack(&packed) else {
            panic!("it is not what was packed");
        };
        assert_eq!(came, body);
    }
}
