//! What every journal promises. Each function takes a new journal; the list at the end runs all
//! functions for each implementation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use coterie::domain::ids::StreamId;
use coterie::domain::time::Timestamp;
use coterie::journal::faulty::FaultyJournal;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::memory::MemoryJournal;
use coterie::journal::{
    Commit, CommitId, Committed, Cursor, Follower, Journal, JournalFault, MAX_EVENTS, Outcome,
    StreamHead, Ticket,
};
use tempfile::TempDir;

use crate::sample::{
    assert_all_same, assert_same, commit, group, said, scan_all, silent, write, write_chain,
};

/// A journal, and the directory that it needs.
pub(crate) struct Hosted {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) _directory: Option<TempDir>,
}

fn in_memory() -> Hosted {
    Hosted { journal: Arc::new(MemoryJournal::new()), _directory: None }
}

fn in_memory_without_faults() -> Hosted {
    let faulty = FaultyJournal::around(Arc::new(MemoryJournal::new()));
    Hosted { journal: Arc::new(faulty), _directory: None }
}

fn in_files(segment_bytes: u64) -> Hosted {
    let directory = tempfile::tempdir().unwrap();
    let options = JournalOptions { segment_bytes, ..JournalOptions::default() };
    let (journal, _) = FileJournal::open(&directory.path().join("journal"), options).unwrap();
    Hosted { journal: Arc::new(journal), _directory: Some(directory) }
}

fn a_commit_is_answered_with_its_place_and_the_chain(journal: &dyn Journal) {
    let before = journal.end();
    let [first, second] = &write_chain(journal, group(1), &["one", "two"])[..] else {
        panic!("two were written");
    };
    assert!(first.cursor >= before && second.cursor > first.cursor);
    assert!(journal.end() > second.cursor);
    assert_eq!((first.before, first.after.n), (StreamHead::default(), 1));
    assert_eq!((second.before, second.after.n), (first.after, 2));
    assert_ne!(second.after.token, first.after.token);
    assert_eq!(first.entries[0].audience.users().len(), 2);
}

fn facts_that_nobody_hears_take_no_number(journal: &dyn Journal) {
    let facts = vec![said("a"), silent(), said("b")];
    let done = write(journal, commit(group(1), StreamHead { n: 4, token: 9 }, facts));
    assert_eq!(done.after.n, 6);
    let numbers: Vec<_> = done.numbered().map(|(cursor, n, _)| (cursor, n)).collect();
    let at = done.cursor;
    assert_eq!(numbers, [(at, Some(5)), (at.event(1), None), (at.event(2), Some(6))]);
    assert!(journal.end() > done.last_cursor());
}

fn what_was_written_is_read_by_position(journal: &dyn Journal) {
    let long = "x".repeat(5000);
    let written = write_chain(journal, group(1), &["one", &long, "three"]);
    for commit in &written {
        let read = journal.read(commit.cursor).unwrap();
        assert_same(&read, commit);
        assert!(read.entries[0].audience.users().is_empty());
    }
}

fn nothing_is_read_where_nothing_begins(journal: &dyn Journal) {
    let written = write_chain(journal, group(1), &["one", "two"]);
    let inside = written[0].cursor.further(1);
    for at in [inside, journal.end(), Cursor::new(u64::MAX), Cursor::START] {
        assert!(matches!(journal.read(at), Err(JournalFault::Damaged { .. })), "{at:?}");
    }
    assert!(journal.scan(journal.end(), 1000).unwrap().commits.is_empty());
}

fn a_commit_is_found_by_its_name(journal: &dyn Journal) {
    let long = "x".repeat(60 << 10);
    let beginning = journal.end();
    let first = write(journal, commit(group(1), StreamHead::default(), vec![said("one")]));
    let since = journal.end();
    // More records than one step of a look-up reads.
    let written = write_chain(journal, group(2), &[&*long; 40]);
    let last =
        Commit { id: CommitId(5), ..commit(group(3), StreamHead::default(), vec![silent()]) };
    let last = write(journal, last);
    for from in [Cursor::START, beginning, since, last.cursor] {
        assert_same(&journal.look_up(CommitId(5), from).unwrap().unwrap(), &last);
    }
    assert_same(&journal.look_up(written[39].id, since).unwrap().unwrap(), &written[39]);
    assert_same(&journal.look_up(first.id, beginning).unwrap().unwrap(), &first);
    for (id, from) in [(CommitId(6), beginning), (CommitId(5), journal.end())] {
        assert!(journal.look_up(id, from).unwrap().is_none());
    }
}

fn a_scan_in_small_steps_finds_everything_in_order(journal: &dyn Journal) {
    let long = "y".repeat(3000);
    let written = write_chain(journal, group(1), &["one", "two", &long, "four", "five", &long]);
    for step in [0, 1, 700, 5000, 1 << 20] {
        assert_all_same(&scan_all(journal, step), &written);
    }
    let from_third = journal.scan(written[2].cursor, 1 << 20).unwrap();
    assert_all_same(&from_third.commits, &written[2..]);
    assert_eq!(from_third.next, journal.end());
}

fn what_was_submitted_since_a_time_lies_after_the_position_that_is_told(journal: &dyn Journal) {
    let long = "x".repeat(3000);
    let (mut head, mut written) = (StreamHead::default(), Vec::new());
    for second in 0..40 {
        let at = Timestamp::from_seconds(1000 + second / 2);
        let one = Commit { at, ..commit(group(1), head, vec![said(&long)]) };
        written.push(write(journal, one));
        head = written.last().unwrap().after;
    }
    for second in [0, 1000, 1007, 1019, 2000] {
        let since = Timestamp::from_seconds(second);
        let found = journal.scan(journal.since(since).unwrap(), 1 << 20).unwrap().commits;
        let found: Vec<_> = found.into_iter().filter(|it| it.at >= since).collect();
        let expected: Vec<_> = written.iter().filter(|it| it.at >= since).cloned().collect();
        assert_all_same(&found, &expected);
    }
}

fn what_no_record_may_be_is_refused(journal: &dyn Journal) {
    let empty = commit(group(1), StreamHead::default(), Vec::new());
    let many = commit(group(1), StreamHead::default(), vec![silent(); MAX_EVENTS + 1]);
    let long = commit(group(1), StreamHead::default(), vec![said(&"z".repeat(9 << 20))]);
    for refused in [empty, many, long] {
        let unsent = journal.submit(refused).unwrap_err();
        assert!(matches!(unsent.fault, JournalFault::TooLarge { .. }));
    }
    write(journal, commit(group(1), StreamHead::default(), vec![silent(); MAX_EVENTS]));
}

/// A follower that records what it hears.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<Arc<Committed>>>>);

impl Follower for Listener {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        self.0.lock().unwrap().extend(batch.iter().cloned());
    }
}

impl Listener {
    /// Waits until it has heard so many commits, and returns them.
    fn heard(&self, count: usize) -> Vec<Arc<Committed>> {
        for _ in 0..20_000 {
            let heard = self.0.lock().unwrap().clone();
            if heard.len() >= count {
                return heard;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("it did not hear {count} commits");
    }
}

fn followers_hear_each_commit_once_and_in_order(journal: &dyn Journal) {
    let (early, late) = (Listener::default(), Listener::default());
    assert_eq!(journal.follow(Box::new(early.clone())), journal.end());
    let mut written = write_chain(journal, group(1), &["one", "two", "three"]);
    early.heard(3);
    let from = journal.follow(Box::new(late.clone()));
    assert_eq!(from, journal.end());
    written.extend(write_chain(journal, group(2), &["four", "five"]));
    assert_all_same(&early.heard(5), &written);
    assert_all_same(&late.heard(2), &written[3..]);
    assert_all_same(&journal.scan(from, 1 << 20).unwrap().commits, &written[3..]);
}

fn projections_know_of_a_commit_before_anybody_is_answered(journal: &dyn Journal) {
    /// A follower that records the newest commit it was asked to project, and checks that `durable`
    /// comes afterwards.
    #[derive(Clone, Default)]
    struct Projection(Arc<Mutex<Cursor>>);
    impl Follower for Projection {
        fn project(&mut self, commits: &[Arc<Committed>]) {
            // Gives a caller that is answered too early the time to notice.
            thread::sleep(Duration::from_millis(1));
            *self.0.lock().unwrap() = commits.last().unwrap().cursor;
        }

        fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
            assert_eq!(*self.0.lock().unwrap(), batch.last().unwrap().cursor);
        }
    }
    let (projection, listener) = (Projection::default(), Listener::default());
    // The listener follows first: it must still be told after all projections, also those of later
    // followers.
    journal.follow(Box::new(listener.clone()));
    journal.follow(Box::new(projection.clone()));
    let mut head = StreamHead::default();
    for number in 0..50 {
        let done = write(journal, commit(group(1), head, vec![said(&number.to_string())]));
        assert!(*projection.0.lock().unwrap() >= done.cursor);
        head = done.after;
    }
    listener.heard(50);
}

fn commits_of_many_streams_keep_their_order(journal: &dyn Journal) {
    let listener = Listener::default();
    journal.follow(Box::new(listener.clone()));
    thread::scope(|scope| {
        for stream in 1..=8 {
            scope.spawn(move || write_chain(journal, group(stream), &["hello"; 100]));
        }
    });
    let all = scan_all(journal, 10_000);
    assert_all_same(&listener.heard(800), &all);
    assert!(all.is_sorted_by_key(|commit| commit.cursor));
    let mut heads: BTreeMap<StreamId, StreamHead> = BTreeMap::new();
    for commit in &all {
        let head = heads.entry(commit.stream).or_default();
        assert_eq!(commit.before, *head);
        *head = commit.after;
    }
    assert!(heads.values().all(|head| head.n == 100) && heads.len() == 8);
}

/// Two rooms of the same stream, which must not happen: only one of them writes.
fn who_decided_on_an_end_that_is_gone_writes_nothing(journal: &dyn Journal) {
    let first = write(journal, commit(group(1), StreamHead::default(), vec![said("one")]));
    let next = |head, text| commit(group(1), head, vec![said(text)]);
    // Both are submitted at once, so that they may share a batch.
    let both = ["hers", "his"].map(|text| journal.submit(next(first.after, text)).unwrap());
    let [hers, his] = both.map(Ticket::wait);
    let Outcome::Committed(hers) = hers else { panic!("{hers:?}") };
    assert!(matches!(his, Outcome::Conflict), "{his:?}");
    for stale in [StreamHead::default(), first.after, StreamHead { n: hers.after.n, token: 1 }] {
        let ticket = journal.submit(next(stale, "late")).unwrap();
        assert!(matches!(ticket.wait(), Outcome::Conflict));
    }
    let last = write(journal, next(hers.after, "again"));
    // A conflict does not hold back other streams.
    let other = write(journal, commit(group(2), StreamHead::default(), vec![said("else")]));
    assert_all_same(&scan_all(journal, 1000), &[first, hers, last, other]);
}

fn whoever_waits_learns_of_a_writer_that_broke(journal: &dyn Journal) {
    struct Clumsy;
    impl Follower for Clumsy {
        fn durable(&mut self, _batch: &Arc<[Arc<Committed>]>) {
            panic!("as this test wants");
        }
    }
    journal.follow(Box::new(Clumsy));
    let submit = |n| journal.submit(commit(group(n), StreamHead::default(), vec![said("hi")]));
    let ends: Vec<_> = (0..1000).map(submit).map(|ticket| ticket.map(Ticket::wait)).collect();
    assert!(matches!(ends[0], Ok(Outcome::Committed(_))));
    assert!(matches!(&ends[999], Err(unsent) if matches!(unsent.fault, JournalFault::Closed)));
    assert!(!journal.scan(Cursor::START, 1000).unwrap().commits.is_empty());
}

fn readers_see_whole_commits_while_others_write(journal: &dyn Journal) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let tickets = (0..2000).map(|n: u64| {
                let text = said(&n.to_string().repeat(40));
                journal.submit(commit(group(n), StreamHead::default(), vec![text])).unwrap()
            });
            let tickets: Vec<_> = tickets.collect();
            for ticket in tickets {
                assert!(matches!(ticket.wait(), Outcome::Committed(_)));
            }
            done.store(true, Ordering::SeqCst);
        });
        // The commits are in different streams, so their order is not fixed.
        let (mut seen, mut from) = (BTreeSet::new(), Cursor::START);
        while seen.len() < 2000 {
            let was_done = done.load(Ordering::SeqCst);
            let scan = journal.scan(from, 5000).unwrap();
            for commit in &scan.commits {
                assert!(commit.cursor >= from && seen.insert(commit.stream));
            }
            assert!(!was_done || !scan.commits.is_empty(), "only {} are shown", seen.len());
            from = scan.next;
        }
    });
}

macro_rules! conformance {
    ($($promise:ident),* $(,)?) => {
        mod memory { $(#[test] fn $promise() { super::$promise(&*super::in_memory().journal) })* }
        mod faulty {
            $(#[test] fn $promise() { super::$promise(&*super::in_memory_without_faults().journal) })*
        }
        mod file_of_many_segments {
            $(#[test] fn $promise() { super::$promise(&*super::in_files(96 << 10).journal) })*
        }
        mod replicated_on_paper {
            $(#[test] fn $promise() { super::$promise(&*crate::nodes::alone_on_paper().journal) })*
        }
        mod replicated_in_small_segments {
            $(#[test] fn $promise() {
                super::$promise(&*crate::nodes::alone_in_small_segments().journal)
            })*
        }
        mod replicated_on_nats {
            $(#[test] fn $promise() { super::$promise(&*crate::nodes::alone_on_nats().journal) })*
        }
        mod file { $(#[test] fn $promise() { super::$promise(&*super::in_files(64 << 20).journal) })* }
    };
}

conformance! {
    a_commit_is_answered_with_its_place_and_the_chain,
    facts_that_nobody_hears_take_no_number,
    what_was_written_is_read_by_position,
    nothing_is_read_where_nothing_begins,
    a_commit_is_found_by_its_name,
    a_scan_in_small_steps_finds_everything_in_order,
    what_was_submitted_since_a_time_lies_after_the_position_that_is_told,
    what_no_record_may_be_is_refused,
    followers_hear_each_commit_once_and_in_order,
    projections_know_of_a_commit_before_anybody_is_answered,
    commits_of_many_streams_keep_their_order,
    who_decided_on_an_end_that_is_gone_writes_nothing,
    whoever_waits_learns_of_a_writer_that_broke,
    readers_see_whole_commits_while_others_write,
}
