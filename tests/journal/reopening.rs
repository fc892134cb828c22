//! Closing and opening a journal: everything is there, in order, and writing goes on.

use std::path::Path;
use std::sync::Arc;

use coterie::bounds::Bound;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::recovery::OpenReport;
use coterie::journal::{Committed, Journal, JournalFault, Outcome, StreamHead, Ticket};
use proptest::prelude::{Strategy, any, prop};
use proptest::test_runner::Config;
use proptest::{prop_assert_eq, proptest};

use crate::sample::{assert_all_same, commit, group, said, scan_all, silent, write, write_chain};

fn open(directory: &Path, segment_bytes: u64) -> (FileJournal, OpenReport) {
    let options = JournalOptions { segment_bytes, ..JournalOptions::default() };
    FileJournal::open(&directory.join("journal"), options).unwrap()
}

#[test]
fn reopened_journal_keeps_records_and_continues() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, report) = open(directory.path(), 64 << 20);
    assert_eq!((report.segments, report.end), (1, journal.end()));
    let written = write_chain(&journal, group(1), &["one", "two"]);
    let end = journal.end();
    journal.close();

    let (journal, report) = open(directory.path(), 64 << 20);
    assert_eq!((report.end, report.torn, journal.end()), (end, None, end));
    assert_all_same(&scan_all(&journal, 1000), &written);
    let third = write(&journal, commit(group(1), written[1].after, vec![said("three")]));
    assert_eq!(third.cursor, end);
}

/// The end of a segment is searched from behind, over the zeros that were never written to.
#[test]
fn reopened_journal_keeps_records_with_long_runs_of_zeros() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = open(directory.path(), 4 << 20);
    let zeros = "\0".repeat(200_000);
    let written = write_chain(&journal, group(1), &["one", &zeros, "two", &zeros]);
    let end = journal.end();
    journal.close();

    let (journal, report) = open(directory.path(), 4 << 20);
    assert_eq!((report.end, report.torn), (end, None));
    assert_all_same(&scan_all(&journal, 1000), &written);
}

#[test]
fn closing_journal_writes_queued_commits() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = open(directory.path(), 64 << 20);
    let tickets: Vec<_> = (0..500)
        .map(|n| journal.submit(commit(group(n), StreamHead::default(), vec![said("hi")])).unwrap())
        .collect();
    journal.close();
    let outcomes = tickets.into_iter().map(Ticket::wait);
    assert!(outcomes.into_iter().all(|o| matches!(o, Outcome::Committed(_))));
    let (journal, _) = open(directory.path(), 64 << 20);
    assert_eq!(scan_all(&journal, 4000).len(), 500);
}

#[test]
fn segments_follow_each_other_and_every_opening_finds_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let (mut head, mut written): (StreamHead, Vec<Arc<Committed>>) = Default::default();
    for round in 0..60 {
        let (journal, report) = open(directory.path(), 2048);
        assert_eq!(report.torn, None);
        assert_all_same(&scan_all(&journal, 1000), &written);
        for line in 0..round % 5 {
            let text = format!("{round} {line}").repeat(20);
            let done = write(&journal, commit(group(1), head, vec![said(&text)]));
            head = done.after;
            written.push(done);
        }
    }
    assert!(written.last().unwrap().cursor.get() > 10 * 2048);
}

#[test]
fn a_record_for_which_no_segment_has_room_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = open(directory.path(), 2048);
    let long = commit(group(1), StreamHead::default(), vec![said(&"x".repeat(2000))]);
    let unsent = journal.submit(long).unwrap_err();
    assert!(matches!(unsent.fault, JournalFault::TooLarge { .. }));
    write(&journal, commit(group(1), StreamHead::default(), vec![said(&"x".repeat(1700))]));
}

#[test]
fn a_full_queue_is_busy() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        JournalOptions { queued: Bound { items: 3, bytes: 1 << 20 }, ..JournalOptions::default() };
    let (journal, _) = FileJournal::open(&directory.path().join("journal"), options).unwrap();
    let submit = || journal.submit(commit(group(1), StreamHead::default(), vec![said("hi")]));
    let unsent = (0..100_000).find_map(|_| submit().err()).expect("the disk is slower than this");
    assert!(matches!(unsent.fault, JournalFault::Busy));
    assert_eq!(unsent.commit.entries.len(), 1, "it may be handed in again");
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn replay_equals_written_records(
        commits in prop::collection::vec((0_u64..5, random_facts()), 1..60),
        segment_bytes in 8_000_u64..40_000,
        step in 0_usize..20_000,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let (journal, _) = open(directory.path(), segment_bytes);
        let mut heads = [StreamHead::default(); 5];
        let mut written = Vec::new();
        for (stream, texts) in commits {
            let fact = |text: Option<String>| text.map_or_else(silent, |text| said(&text));
            let head = &mut heads[stream as usize];
            let facts = texts.into_iter().map(fact).collect();
            written.push(write(&journal, commit(group(stream), *head, facts)));
            *head = written.last().unwrap().after;
        }
        assert_all_same(&scan_all(&journal, step), &written);
        let end = journal.end();
        journal.close();
        let (journal, report) = open(directory.path(), segment_bytes);
        prop_assert_eq!(report.torn, None);
        prop_assert_eq!(report.end, end);
        assert_all_same(&scan_all(&journal, step), &written);
    }
}

fn random_facts() -> impl Strategy<Value = Vec<Option<String>>> {
    prop::collection::vec(prop::option::of(any::<String>()), 1..8)
}
