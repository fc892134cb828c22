//! What questions look like on their way to another node, and what is said to them.

use serde::{Deserialize, Serialize};

use crate::domain::asked::QuestionId;
use crate::domain::packed_bytes;

/// How questions are packed.
pub(super) const VERSION: u8 = 1;

/// A question on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PackedQuestion {
    pub(super) version: u8,
    /// Whose it is to decide.
    pub(super) stream: String,
    /// Which one.
    pub(super) name: String,
    #[serde(with = "packed_bytes")]
    pub(super) body: Vec<u8>,
    /// What its asker calls it.
    #[serde(default)]
    pub(super) id: Option<QuestionId>,
    /// Where in the log whoever is asked took the shard over, as far as its asker has heard.
    /// Who owns it by another word is not asked: it may be late, and asked elsewhere since.
    #[serde(default)]
    pub(super) taken_over: Option<u64>,
}

/// What is said to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Response {
    /// The answer, and up to where everything must be shown that it rests on.
    Answer {
        #[serde(with = "packed_bytes")]
        body: Vec<u8>,
        newest: u64,
    },
    /// The rules said no.
    Refusal {
        #[serde(with = "packed_bytes")]
        body: Vec<u8>,
    },
    /// The room has too much to do.
    Busy,
    /// There is no room on the disk.
    Full,
    /// It failed there, and may have been done.
    Failed,
    /// Another node decides it, or this one does not understand it: nothing was done.
    NotMine,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::ask::{pack, unpack};

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
