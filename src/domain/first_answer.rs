//! First answers: what an act was answered under an `Idempotency-Key`, kept so that a
//! repeat is answered with it and never acts again.
//!
//! It is a fact of the stream in which the act was decided, in the same commit as the
//! act: a crash keeps both or neither. Nobody hears of it.

use serde::{Deserialize, Serialize};

use crate::domain::time::Timestamp;

/// Milliseconds for which a first answer is given again.
pub const ANSWER_MILLIS: u64 = 24 * 60 * 60 * 1000;
/// Bytes of a first answer's body that are kept at most: a group of about 1,000 members.
pub const ANSWER_BYTES: usize = 256 << 10;

/// Why a key was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// No key.
    #[error("Idempotency-Key must be 1 to 255 visible ASCII characters")]
    Malformed,
    /// Another key is needed.
    #[error("this Idempotency-Key was already used for another request")]
    Reused,
    /// Its first request takes long.
    #[error("the first request with this Idempotency-Key is still under way")]
    UnderWay,
    /// It is done, and nobody can say any more what was answered.
    #[error("this was carried out already; its answer was too large to be kept")]
    TooLarge,
}

/// Names a key of one caller: a hash of both, so that keys need not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskKey(u128);

impl AskKey {
    /// Takes a finished hash.
    pub const fn new(raw: u128) -> Self {
        Self(raw)
    }

    /// The bare number.
    pub const fn get(self) -> u128 {
        self.0
    }
}

/// Tells requests apart: a hash of method, path and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Takes a finished hash.
    pub const fn new(raw: u128) -> Self {
        Self(raw)
    }
}

/// What an act was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAnswer {
    /// Under which key.
    pub key: AskKey,
    /// To which request.
    pub request: Fingerprint,
    /// 201, 404 and so on.
    pub status: u16,
    /// The body; `None` when it was larger than [`ANSWER_BYTES`].
    pub body: Option<String>,
    /// Headers that say more than the body, by name.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

/// Whether an answer of that time is still given again.
pub const fn is_kept(answered_at: Timestamp, now: Timestamp) -> bool {
    now.millis_since(answered_at) < ANSWER_MILLIS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_day() {
        let at = Timestamp::from_seconds(1_800_000_000);
        let after = |millis| Timestamp::from_millis(at.millis() + millis);
        assert!(is_kept(at, at));
        assert!(is_kept(at, after(ANSWER_MILLIS - 1)));
        assert!(!is_kept(at, after(ANSWER_MILLIS)));
    }

    #[test]
    fn an_answer_on_disk_is_read_back_as_it_was() {
        let answer = FirstAnswer {
            key: AskKey::new(u128::MAX),
            request: Fingerprint::new(1),
            status: 201,
            body: Some("{}".to_owned()),
            headers: vec![("x-a".to_owned(), "1".to_owned())],
        };
        let stored = rmp_serde::to_vec(&answer).unwrap();
        assert_eq!(rmp_serde::from_slice::<FirstAnswer>(&stored).unwrap(), answer);
    }
}
