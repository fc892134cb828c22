//! Rows of threads: which messages answer the one that began the thread, by which event and when.
//! The summary shown with that first message is in its row in [`crate::index::revisions`].

use crate::domain::addressing::answer_of;
use crate::domain::ids::{MessageId, StreamId};
use crate::domain::message::Message;
use crate::domain::message_state::ThreadState;
use crate::domain::time::Timestamp;
use crate::index::draft::BatchDraft;
use crate::index::{Flow, Index, IndexFault, Walk, keys, revisions, rows};

/// Notes a message, posted by event `n`, in the thread that it answers in, if any.
pub(super) fn posted(
    draft: &mut BatchDraft<'_>,
    (stream, n): (StreamId, u64),
    (message, at): (&Message, Timestamp),
) -> Result<(), IndexFault> {
    if message.attachments.is_empty() {
        return Ok(());
    }
    let Some(base) = answer_of(message) else { return Ok(()) };
    draft.put(keys::thread_answer(stream, base, message.id), &(n, at))?;
    revisions::answered(draft, (stream, base), at)
}

impl Index {
    /// Returns the number of answers and the time of the newest as they were right after event `n`
    /// of the conversation.
    pub(super) fn thread_then(
        &self,
        stream: StreamId,
        base: MessageId,
        n: u64,
    ) -> Result<ThreadState, IndexFault> {
        let mut thread = ThreadState::default();
        let prefix = keys::thread_answers(stream, base);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |_, value| {
            let (answer_n, at): (u64, Timestamp) = rows::decode("answer in a thread", value)?;
            if answer_n > n {
                return Ok(Flow::Stop);
            }
            thread = thread.with_one(at);
            Ok(Flow::Continue)
        })?;
        Ok(thread)
    }

    /// Returns up to `most` answers of a thread after the message `after`, oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn answers(
        &self,
        stream: StreamId,
        base: MessageId,
        (after, most): (MessageId, usize),
    ) -> Result<Vec<MessageId>, IndexFault> {
        let mut found = Vec::new();
        let first = MessageId::new(after.get().saturating_add(1));
        let low = keys::thread_answer(stream, base, first);
        let high = keys::end_of(&keys::thread_answers(stream, base));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, _| {
            found.push(MessageId::new(keys::last_number(key)));
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }
}
