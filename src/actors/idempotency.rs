//! Keeping the answer to an act under a key: the room makes the answer right after its decision and
//! puts it into the same commit, so a crash keeps both or neither.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use domain::first_answer::{ANSWER_BYTES, AskKey, Fingerprint, FirstAnswer};
use domain::ids::UserId;

/// An answer as the client gets it.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The HTTP status.
    pub status: u16,
    /// The whole body.
    pub body: Bytes,
}

impl Rendered {
    /// Makes the first answer to be kept under a key; without the body if that is too large.
    pub fn to_first_answer(&self, key: AskKey, request: Fingerprint) -> FirstAnswer {
        let is_small = self.body.len() <= ANSWER_BYTES;
        let text = is_small.then(|| String::from_utf8(self.body.to_vec()).ok()).flatten();
        FirstAnswer { key, request, status: self.status, body: text, headers: Vec::new() }
    }
}

/// Renders an answer.
pub type Render<T> = dyn Fn(&T) -> Rendered + Send + Sync;

/// The answer that a room kept, and what the client gets.
#[derive(Debug, Clone)]
pub struct SavedAnswer {
    /// The first answer as it is in the journal.
    pub first: Arc<FirstAnswer>,
    /// The response for the client.
    pub rendered: Rendered,
}

/// Comes along with a question whose answer is to be kept.
pub struct AnswerToSave<T> {
    /// The key under which the answer is kept.
    pub key: AskKey,
    /// The fingerprint of the request.
    pub request: Fingerprint,
    /// The user whose key it is; `None` for a bot's key.
    pub asker: Option<UserId>,
    /// Renders the answer.
    pub render: Arc<Render<T>>,
    /// The place for the saved answer, filled once it is durable.
    pub saved: Arc<OnceLock<SavedAnswer>>,
}

impl<T> Clone for AnswerToSave<T> {
    fn clone(&self) -> Self {
        let render = Arc::clone(&self.render);
        let saved = Arc::clone(&self.saved);
        let key = self.key;
        let request = self.request;
        let asker = self.asker;
        Self { key, request, asker, render, saved }
    }
}

impl<T> AnswerToSave<T> {
    /// The answer to record.
    pub(super) fn to_record(&self, answer: &T) -> SavedAnswer {
        let rendered = (self.render)(answer);
        let first = Arc::new(rendered.to_first_answer(self.key, self.request));
        SavedAnswer { first, rendered }
    }

    /// Gives the answer that was recorded, and is durable, to the caller.
    pub(super) fn publish(&self, recorded: SavedAnswer) {
        // What is decided twice became durable only once, so the place is still empty.
        drop(self.saved.set(recorded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: usize) -> FirstAnswer {
        let body = Bytes::from(vec![b'x'; bytes]);
        Rendered { status: 201, body }.to_first_answer(AskKey::new(1), Fingerprint::new(2))
    }

    #[test]
    fn large_response_is_recorded_without_its_body() {
        assert_eq!(kept(ANSWER_BYTES).body.map(|it| it.len()), Some(ANSWER_BYTES));
        let large = kept(ANSWER_BYTES + 1);
        assert_eq!((large.status, large.body), (201, None));
    }
}
