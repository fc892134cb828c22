//! The index is derived from the journal alone: rows that were written live and rows that were
//! rebuilt are equal, and pages contain what a plain list would.

use std::sync::Arc;

use coterie::domain::audit::{AdminAct, AuditFact, Operator};
use coterie::domain::calendar::CalendarEvent;
use coterie::domain::event::{Entry, Event, Fact};
use coterie::domain::ids::{MessageId, StreamId, UserId};
use coterie::domain::time::Timestamp;
use coterie::index::archive::{Archive, Page};
use coterie::index::indexer::{self, OpenedIndex};
use coterie::index::memory::MemoryRows;
use coterie::index::sled_index::SledRows;
use coterie::index::timeline::TimelineRange;
use coterie::index::{Flow, Rows, Walk};
use coterie::journal::memory::MemoryJournal;
use coterie::journal::{Commit, CommitId, Cursor, Journal, StreamHead};
use fastrand::Rng;
use tempfile::TempDir;

use crate::history::{self, History};

/// How many random histories each test uses.
const HISTORIES: u64 = 12;
/// Commits of one history.
const COMMITS: usize = 400;

/// Every row but those of messages: how many messages share a row depends on how many were applied
/// together, so messages are compared by the answers.
fn rows(rows: &dyn Rows) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        if !key.starts_with(b"m") {
            found.push((key.to_vec(), value.to_vec()));
        }
        Ok(Flow::Continue)
    };
    rows.scan(&[], &[0xff; 8], Walk::Up, &mut visit).unwrap();
    found
}

fn archive(opened: &OpenedIndex, journal: &Arc<dyn Journal>) -> Archive {
    Archive::new(Arc::clone(&opened.index), Arc::clone(journal))
}

/// Waits until everything in the journal has its rows.
fn reaches(opened: &OpenedIndex, journal: &dyn Journal) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(opened.index.reached(journal.newest())).unwrap();
}

/// Checks pages of every kind, at ids of messages and at ids that no message has.
fn check_pages(archive: &Archive, history: &History, random: &mut Rng) {
    for (&stream, ids) in &history.messages {
        let page = |page, limit| -> Vec<MessageId> {
            let found = archive.page(stream, page, limit).unwrap();
            found.iter().map(|it| it.message.id).collect()
        };
        let newest_first: Vec<MessageId> = ids.iter().rev().copied().collect();
        assert_eq!(page(Page::Newest, 100_000), newest_first);
        for _ in 0..40 {
            let near = ids[random.usize(0..ids.len())].get();
            let at = MessageId::new(near + random.u64(0..3) - 1);
            let limit = 1 + random.usize(0..30);
            let newer = |it: &&MessageId| **it > at;
            let before: Vec<_> = newest_first.iter().filter(|it| **it < at).take(limit).collect();
            let since: Vec<_> = newest_first.iter().filter(newer).take(limit).collect();
            let after: Vec<_> = ids.iter().filter(newer).take(limit).collect();
            assert_eq!(page(Page::Before(at), limit).iter().collect::<Vec<_>>(), before);
            assert_eq!(page(Page::Since(at), limit).iter().collect::<Vec<_>>(), since);
            assert_eq!(page(Page::After(at), limit).iter().collect::<Vec<_>>(), after);
            let found = archive.message(stream, at).unwrap();
            assert_eq!(found.is_some(), ids.contains(&at), "{at}");
        }
    }
}

/// The timeline of each user after a cursor.
fn timelines(archive: &Archive, after: Cursor) -> Vec<TimelineRange> {
    let user =
        |number| archive.timeline(UserId::new(number), after, Cursor::new(u64::MAX), 100_000);
    (20_000_000..20_000_008).map(|number| user(number).unwrap()).collect()
}

#[test]
fn rebuilt_rows_equal_the_old_rows() {
    for seed in 0..HISTORIES {
        let mut random = Rng::with_seed(seed);
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let live_rows: Arc<dyn Rows> = Arc::new(MemoryRows::default());
        let live = indexer::open(Arc::clone(&live_rows), Arc::clone(&journal)).unwrap();
        let mut history = History::of(seed);
        history.goes_on(&*journal, COMMITS);
        reaches(&live, &*journal);
        let folder = TempDir::new().unwrap();
        let new_rows: Arc<dyn Rows> = Arc::new(SledRows::open(folder.path(), 1 << 20).unwrap());
        let rebuilt = indexer::open(Arc::clone(&new_rows), Arc::clone(&journal)).unwrap();
        assert!(rebuilt.replayed > 0);
        assert_eq!(rows(&*new_rows), rows(&*live_rows), "seed {seed}");
        let (before, after) = (archive(&live, &journal), archive(&rebuilt, &journal));
        check_pages(&before, &history, &mut random);
        check_pages(&after, &history, &mut random);
        for _ in 0..5 {
            let cursor = Cursor::new(random.u64(0..journal.end().get()));
            assert_eq!(timelines(&after, cursor), timelines(&before, cursor), "seed {seed}");
        }
    }
}

#[test]
fn rooms_find_the_open_polls_and_events_of_all() {
    let mut found = (0, 0);
    for seed in 0..HISTORIES {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let rows: Arc<dyn Rows> = Arc::new(MemoryRows::default());
        let opened = indexer::open(rows, Arc::clone(&journal)).unwrap();
        let mut history = History::of(seed);
        history.goes_on(&*journal, COMMITS);
        reaches(&opened, &*journal);
        let index = &opened.index;
        for &stream in history.messages.keys() {
            let mut polls = index.polls(stream, usize::MAX).unwrap();
            polls.retain(|poll| poll.ended.is_none());
            polls.reverse();
            assert_eq!(index.open_polls(stream).unwrap(), polls, "seed {seed}");
            let all = index.calendar(stream, Timestamp::default(), usize::MAX).unwrap();
            let begin = Timestamp::from_seconds(1_800_000_000);
            for now in (0..200).map(|half_hour| begin.plus_millis(half_hour * 1_800_000)) {
                let reminds =
                    |event: &CalendarEvent| event.details.next_reminder(event.reminded).is_some();
                let mut expected = all.clone();
                expected.retain(|event| event.details.ends.at > now || reminds(event));
                let mut open = index.open_calendar(stream, now).unwrap();
                expected.sort_by_key(|event| event.id);
                open.sort_by_key(|event| event.id);
                assert_eq!(open, expected, "seed {seed}");
                found.1 += usize::from(!open.is_empty() && open.len() < all.len());
            }
            found.0 += polls.len();
        }
    }
    assert!(found.0 > 0 && found.1 > 0, "{found:?}");
}

#[test]
fn interrupted_index_resumes() {
    for seed in 100..100 + HISTORIES {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let halves: Arc<dyn Rows> = Arc::new(MemoryRows::default());
        let mut history = History::of(seed);
        for _ in 0..3 {
            // The index is opened and closed again, while the journal goes on.
            let opened = indexer::open(Arc::clone(&halves), Arc::clone(&journal)).unwrap();
            history.goes_on(&*journal, COMMITS / 6);
            drop(opened);
            history.goes_on(&*journal, COMMITS / 6);
        }
        let opened = indexer::open(Arc::clone(&halves), Arc::clone(&journal)).unwrap();
        assert!(opened.replayed > 0);
        let whole: Arc<dyn Rows> = Arc::new(MemoryRows::default());
        let rebuilt = indexer::open(Arc::clone(&whole), Arc::clone(&journal)).unwrap();
        assert_eq!(rows(&*halves), rows(&*whole), "seed {seed}");
        assert_eq!(opened.highs, rebuilt.highs, "seed {seed}");
        check_pages(&archive(&opened, &journal), &history, &mut Rng::with_seed(seed));
    }
}

#[test]
fn commit_without_rows_moves_the_position() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let opened = indexer::open(Arc::new(MemoryRows::default()), Arc::clone(&journal)).unwrap();
    let act = AdminAct::BackupTaken;
    let fact = Fact::Audit(AuditFact::Administered { by: Operator::of_uid(0), act });
    let at = Timestamp::from_seconds(1_800_000_000);
    let commit = Commit {
        stream: StreamId::Audit,
        head: StreamHead::default(),
        id: CommitId(1),
        at,
        entries: vec![Entry::stored(Arc::new(Event { at, fact }))],
    };
    history::written(&*journal, commit);
    // If the position did not move, this would wait for ever.
    reaches(&opened, &*journal);
    assert_eq!(opened.index.applied(), journal.newest());
}

#[test]
fn rows_of_another_journal_are_refused() {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let rows: Arc<dyn Rows> = Arc::new(MemoryRows::default());
    let opened = indexer::open(Arc::clone(&rows), Arc::clone(&journal)).unwrap();
    History::of(1).goes_on(&*journal, COMMITS);
    reaches(&opened, &*journal);
    drop(opened);
    let empty: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    assert!(indexer::open(rows, empty).is_err(), "the index is ahead of the journal");
}
