//! The rows of first answers: found by their key for a day, then forgotten.
//!
//! Each new answer removes a few old ones, so that their number stays that of a day without a
//! timer. Whether an answer is still given is decided when it is read. Which ones are removed
//! depends on the journal alone: answers in the batch being written count like those in the store.

use crate::derive::Derivation;
use crate::rows::AnswerRow;
use crate::{IndexFault, keys};
use domain::first_answer::{ANSWER_MILLIS, AskKey, FirstAnswer};
use domain::time::Timestamp;
use journal::Cursor;

/// Old answers that a new one removes. More than one, so that a burst a day ago is worked off
/// eventually.
const FORGETS: usize = 4;

impl Derivation<'_> {
    pub(super) fn answered(
        &mut self,
        record: Cursor,
        index: u16,
        at: Timestamp,
        first: &FirstAnswer,
    ) -> Result<(), IndexFault> {
        self.forget_old(at)?;
        let row = AnswerRow { at, record: record.get(), index };
        self.draft.put_bytes(keys::answered(at, first.key), Vec::new());
        self.draft.put(keys::answer(first.key), &row)
    }

    fn forget_old(&mut self, now: Timestamp) -> Result<(), IndexFault> {
        let Some(end) = now.millis().checked_sub(ANSWER_MILLIS) else { return Ok(()) };
        let bound = |millis| keys::answered(Timestamp::from_millis(millis), AskKey::new(0));
        for key in self.draft.first_keys(&bound(0), &bound(end), FORGETS)? {
            if let Some((at, ask)) = keys::answered_of(&key) {
                // The key may have been used again since, and then the row is that of the newer
                // answer.
                let row: Option<AnswerRow> = self.draft.get("answer", &keys::answer(ask))?;
                if row.is_some_and(|row| row.at == at) {
                    self.draft.delete(keys::answer(ask));
                }
            }
            self.draft.delete(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Rows;
    use crate::archive::Archive;
    use crate::indexer;
    use crate::memory::MemoryRows;
    use crate::{Flow, Walk};
    use domain::event::{Entry, Event, Fact};
    use domain::first_answer::Fingerprint;
    use domain::ids::{StreamId, UserId};
    use journal::memory::MemoryJournal;
    use journal::{Commit, CommitId, Journal};

    const HOUR: u64 = 3_600_000;

    fn first(key: u128, status: u16) -> FirstAnswer {
        let key = AskKey::new(key);
        let request = Fingerprint::new(1);
        FirstAnswer { key, request, status, body: None, headers: Vec::new() }
    }

    /// Records these answers, each given by hour, key and status, and waits for its rows before the
    /// next.
    async fn archive(
        rows: &Arc<MemoryRows>,
        answers: &[(u64, u128, u16)],
    ) -> (Archive, indexer::Indexer) {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let rows: Arc<dyn Rows> = Arc::clone(rows) as _;
        let opened = indexer::open(rows, Arc::clone(&journal)).unwrap();
        for (hour, key, status) in answers {
            let at = Timestamp::from_millis(hour * HOUR);
            let fact = Fact::Answered(Arc::new(first(*key, *status)));
            let stream = StreamId::User(UserId::new(1));
            let tail = opened.index.tail(stream).unwrap().unwrap_or_default();
            let head = tail.head();
            let id = CommitId(1);
            let entries = vec![Entry::stored(Arc::new(Event { at, fact }))];
            journal.submit(Commit { stream, head, id, at, entries }).unwrap().await;
            opened.index.reached(journal.newest()).await.unwrap();
        }
        (Archive::new(opened.index, journal), opened.indexer)
    }

    fn count(rows: &MemoryRows, prefix: u8) -> usize {
        let mut found = 0;
        rows.scan(&[prefix], &[prefix + 1], Walk::Up, &mut |_, _| {
            found += 1;
            Ok(Flow::Continue)
        })
        .unwrap();
        found
    }

    #[tokio::test]
    async fn answers_of_a_day_are_kept_and_older_ones_forgotten() {
        let rows = Arc::new(MemoryRows::default());
        let answers: Vec<_> = (0..100).map(|hour| (hour, u128::from(hour), 201)).collect();
        let (archive, _indexer) = archive(&rows, &answers).await;
        let (at, answer) = archive.first_answer(AskKey::new(99)).unwrap().unwrap();
        assert_eq!((at.millis(), answer.status), (99 * HOUR, 201));
        assert!(archive.first_answer(AskKey::new(76)).unwrap().is_some());
        assert!(archive.first_answer(AskKey::new(74)).unwrap().is_none());
        // One for each of 24 hours, and the one of exactly a day ago.
        assert_eq!((count(&rows, b'A'), count(&rows, b'T')), (25, 25));
    }

    #[tokio::test]
    async fn a_key_that_is_used_again_keeps_its_newest_answer() {
        let rows = Arc::new(MemoryRows::default());
        let answers = [(1, 7, 201), (30, 7, 404), (31, 8, 201), (32, 9, 201)];
        let (archive, _indexer) = archive(&rows, &answers).await;
        let (at, answer) = archive.first_answer(AskKey::new(7)).unwrap().unwrap();
        assert_eq!((at.millis(), answer.status), (30 * HOUR, 404));
        assert_eq!((count(&rows, b'A'), count(&rows, b'T')), (3, 3));
    }
}
