//! First answers: the response to an act under an `Idempotency-Key`, kept so that a repeated
//! request gets the same response and does not act again.
//!
//! A first answer is a fact of the stream in which the act was decided, in the same commit as the
//! act: a crash keeps both or neither. It is never pushed to anybody.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Milliseconds for which a first answer is kept: a day.
pub const ANSWER_MILLIS: u64 = 24 * 60 * 60 * 1000;
/// Bytes of a first answer's body that are kept at most: enough for a group of about 1,000 members.
pub const ANSWER_BYTES: usize = 256 << 10;

/// Why a key was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// The header is no valid key.
    #[error("Idempotency-Key must be 1 to 255 visible ASCII characters")]
    Malformed,
    /// The key was used for another request.
    #[error("this Idempotency-Key was already used for another request")]
    Reused,
    /// The first request with the key is still being processed.
    #[error("the first request with this Idempotency-Key is still in progress")]
    UnderWay,
    /// The request was carried out, but its response was too large to be kept.
    #[error("the request was executed already, but its response was too large to be stored")]
    TooLarge,
}

/// Identifies a key of one caller: a hash of both, so that keys need not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskKey(u128);

impl AskKey {
    /// Wraps a finished hash.
    pub const fn new(raw: u128) -> Self {
        Self(raw)
    }

    /// The hash.
    pub const fn get(self) -> u128 {
        self.0
    }
}

/// Identifies a request: a hash of method, path, query (without tokens) and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Wraps a finished hash.
    pub const fn new(raw: u128) -> Self {
        Self(raw)
    }
}

/// The response to an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAnswer {
    /// The key under which the act was requested.
    pub key: AskKey,
    /// The request that was answered.
    pub request: Fingerprint,
    /// The HTTP status, such as 201.
    pub status: u16,
    /// The body; `None` if it was larger than [`ANSWER_BYTES`].
    pub body: Option<String>,
    /// Response headers that the body does not imply, as names and values.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

/// Whether an answer given at `answered_at` is still kept.
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
    fn stored_response_round_trips() {
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
