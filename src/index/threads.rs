//! Rows of threads: which messages answer the one that began it, and how many did when. What
//! is shown of them beside that one stands in its row in [`crate::index::revisions`].

use crate::domain::addressing::answer_of;
use crate::domain::ids::{MessageId, StreamId};
use crate::domain::message::Message;
use crate::domain::message_state::ThreadState;
use crate::domain::time::Timestamp;
use crate::index::draft::BatchDraft;
use crate::index::{Go, Index, IndexFault, Walk, keys, revisions, rows};

/// Notes a message in the thread that it stands in, which this event posts.
pub(super) fn posted(
    draft: &mut BatchDraft<'_>,
    (stream, n): (StreamId, u64),
    (message, at): (&Message, Timestamp),
) -> Result<(), IndexFault> {
    if message.attachments.is_empty() {
        return Ok(());
    }
    let Some(base) = answer_of(message) else { return Ok(()) };
    draft.put(keys::past::answer(stream, base, message.id), &(n, at))?;
    revisions::answered(draft, (stream, base), at)
}

impl Index {
    /// The answers of a thread right after an event of its conversation.
    pub(super) fn thread_then(
        &self,
        stream: StreamId,
        base: MessageId,
        n: u64,
    ) -> Result<ThreadState, IndexFault> {
        let mut thread = ThreadState::default();
        let prefix = keys::past::answers(stream, base);
        self.rows.scan(&prefix, &keys::end_of(&prefix), Walk::Up, &mut |_, value| {
            let (answer_n, at): (u64, Timestamp) = rows::decode("answer in a thread", value)?;
            if answer_n > n {
                return Ok(Go::Stop);
            }
            thread = thread.with_one(at);
            Ok(Go::On)
        })?;
        Ok(thread)
    }

    /// The answers of a thread after one of them, oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn answers(
        &self,
        stream: StreamId,
        base: MessageId,
        (after, most): (MessageId, usize),
    ) -> Result<Vec<MessageId>, IndexFault> {
        let mut found = Vec::new();
        let first = MessageId::new(after.get().saturating_add(1));
        let low = keys::past::answer(stream, base, first);
        let high = keys::end_of(&keys::past::answers(stream, base));
        self.rows.scan(&low, &high, Walk::Up, &mut |key, _| {
            found.push(MessageId::new(keys::last_number(key)));
            Ok(if found.len() < most { Go::On } else { Go::Stop })
        })?;
        Ok(found)
    }
}
