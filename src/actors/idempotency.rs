//! Keeping an answer together with its act: the room makes it right after it decided,
//! and puts it into the same commit. A crash keeps both or neither.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::domain::first_answer::{ANSWER_BYTES, AskKey, Fingerprint, FirstAnswer};

/// An answer as it goes out.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// 201 and so on.
    pub status: u16,
    /// The whole body.
    pub body: Bytes,
}

impl Rendered {
    /// As it is kept under a key.
    pub fn kept(&self, key: AskKey, request: Fingerprint) -> FirstAnswer {
        let is_small = self.body.len() <= ANSWER_BYTES;
        let text = is_small.then(|| String::from_utf8(self.body.to_vec()).ok()).flatten();
        FirstAnswer { key, request, status: self.status, body: text, headers: Vec::new() }
    }
}

/// How an answer is shown.
pub type Show<T> = dyn Fn(&T) -> Rendered + Send + Sync;

/// What a room kept, and what its asker shows.
#[derive(Debug, Clone)]
pub struct Kept {
    /// What is in the journal.
    pub first: Arc<FirstAnswer>,
    /// What goes out.
    pub rendered: Rendered,
}

/// Travels with a question whose answer is to be kept.
pub struct Keep<T> {
    /// Under which key.
    pub key: AskKey,
    /// For which request.
    pub request: Fingerprint,
    /// How the answer looks.
    pub show: Arc<Show<T>>,
    /// Where the room leaves what it kept. It is durable once the reply is there.
    pub kept: Arc<OnceLock<Kept>>,
}

impl<T> Clone for Keep<T> {
    fn clone(&self) -> Self {
        let (show, kept) = (Arc::clone(&self.show), Arc::clone(&self.kept));
        Self { key: self.key, request: self.request, show, kept }
    }
}

impl<T> Keep<T> {
    /// The fact that keeps this answer.
    pub(super) fn fact(&self, answer: &T) -> Arc<FirstAnswer> {
        let rendered = (self.show)(answer);
        let first = Arc::new(rendered.kept(self.key, self.request));
        // A question is decided once, so the place is free.
        drop(self.kept.set(Kept { first: Arc::clone(&first), rendered }));
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: usize) -> FirstAnswer {
        let body = Bytes::from(vec![b'x'; bytes]);
        Rendered { status: 201, body }.kept(AskKey::new(1), Fingerprint::new(2))
    }

    #[test]
    fn a_large_body_is_not_kept_but_that_the_act_was_done_is() {
        assert_eq!(kept(ANSWER_BYTES).body.map(|it| it.len()), Some(ANSWER_BYTES));
        let large = kept(ANSWER_BYTES + 1);
        assert_eq!((large.status, large.body), (201, None));
    }
}
