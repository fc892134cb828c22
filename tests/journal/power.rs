//! Power is lost, syncs fail, disks fill: every acknowledged commit stays, and a commit that may be
//! lost is not acknowledged.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use coterie::domain::ids::StreamId;
use coterie::journal::disk::Disk;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::{Commit, Committed, Journal, JournalFault, Outcome, StreamHead};
use fastrand::Rng;

use crate::brittle_disk::{BrittleDisk, Failing};
use crate::sample::{
    assert_all_same, assert_same, commit, group, said, scan_all, silent, try_write, write,
    write_chain,
};

fn open(disk: &Arc<BrittleDisk>) -> FileJournal {
    let options = JournalOptions { segment_bytes: 24 << 10, ..JournalOptions::default() };
    let disk: Arc<dyn Disk> = disk.clone();
    FileJournal::open_on(disk, options).unwrap().0
}

/// Returns the heads of all streams; panics where a chain is broken.
fn heads_of(commits: &[Arc<Committed>]) -> BTreeMap<StreamId, StreamHead> {
    let mut heads: BTreeMap<StreamId, StreamHead> = BTreeMap::new();
    for commit in commits {
        let head = heads.entry(commit.stream).or_default();
        assert_eq!(commit.before, *head, "the chain of {} is broken", commit.stream);
        *head = commit.after;
    }
    heads
}

fn random_commit(stream: StreamId, head: StreamHead, random: &mut Rng) -> Commit {
    let fact = |random: &mut Rng| {
        let text: String = (0..random.usize(..900)).map(|_| random.alphanumeric()).collect();
        if random.u8(..5) == 0 { silent() } else { said(&text) }
    };
    let facts = (0..random.usize(1..4)).map(|_| fact(random)).collect();
    commit(stream, head, facts)
}

/// Writes four streams at the same time, each of which waits for its last commit, until told to
/// stop.
fn keep_writing(
    journal: &FileJournal,
    streams: [u64; 4],
    heads: &BTreeMap<StreamId, StreamHead>,
    random: &mut Rng,
    (acknowledged, stop): (&Mutex<Vec<Arc<Committed>>>, &AtomicBool),
) {
    let head_of = |id| (group(id), heads.get(&group(id)).copied().unwrap_or_default());
    let mut ends = streams.map(head_of);
    while !stop.load(Ordering::SeqCst) {
        let submit = |(stream, head)| journal.submit(random_commit(stream, head, random)).unwrap();
        let tickets = ends.map(submit);
        for (ticket, end) in tickets.into_iter().zip(&mut ends) {
            let Outcome::Committed(done) = ticket.wait() else { panic!("the disk is fine") };
            end.1 = done.after;
            acknowledged.lock().unwrap().push(done);
        }
    }
}

#[test]
fn acknowledged_commits_survive_power_loss() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..20 {
        let mut disk = Arc::new(BrittleDisk::default());
        let acknowledged = Mutex::new(Vec::new());
        for _ in 0..8 {
            disk = write_until_power_is_lost(disk, &acknowledged, &mut random);
        }
    }
}

fn write_until_power_is_lost(
    disk: Arc<BrittleDisk>,
    acknowledged: &Mutex<Vec<Arc<Committed>>>,
    random: &mut Rng,
) -> Arc<BrittleDisk> {
    let journal = open(&disk);
    let kept = scan_all(&journal, 5000);
    let heads = heads_of(&kept);
    let by_cursor: BTreeMap<_, _> = kept.iter().map(|commit| (commit.cursor, commit)).collect();
    for promised in acknowledged.lock().unwrap().iter() {
        assert_same(by_cursor[&promised.cursor], promised);
    }
    let stop = AtomicBool::new(false);
    let (more, after) = thread::scope(|scope| {
        for streams in [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] {
            let (journal, heads, told) = (&journal, &heads, (acknowledged, &stop));
            let mut random = random.fork();
            scope.spawn(move || keep_writing(journal, streams, heads, &mut random, told));
        }
        thread::sleep(std::time::Duration::from_micros(random.u64(..8000)));
        let promised = acknowledged.lock().unwrap().clone();
        let after = disk.after_power_loss(random);
        stop.store(true, Ordering::SeqCst);
        (promised, after)
    });
    *acknowledged.lock().unwrap() = more;
    Arc::new(after)
}

#[test]
fn nothing_is_acknowledged_after_a_failed_write_or_sync() {
    for (failing, named) in [(Failing::Writes, "write"), (Failing::Syncs, "sync")] {
        let disk = Arc::new(BrittleDisk::default());
        let journal = open(&disk);
        let written = write_chain(&journal, group(1), &["one", "two"]);
        disk.fail(failing);
        let next = || commit(group(1), written[1].after, vec![said("three")]);
        let fault = try_write(&journal, next()).unwrap_err();
        assert!(matches!(fault, JournalFault::Stopped { operation, .. } if operation == named));

        disk.fail(Failing::Nothing);
        let fault = journal.submit(next()).unwrap_err().fault;
        assert!(matches!(fault, JournalFault::Stopped { .. }));
        assert_all_same(&scan_all(&journal, 1000), &written);

        let disk = Arc::new(disk.after_power_loss(&mut Rng::with_seed(1)));
        journal.close();
        let journal = open(&disk);
        assert_all_same(&scan_all(&journal, 1000)[..2], &written);
    }
}

/// After a failed sync Linux shows bytes that it will never write to the disk.
#[test]
fn reopened_journal_shows_only_durable_records() {
    let disk = Arc::new(BrittleDisk::default());
    let journal = open(&disk);
    let written = write_chain(&journal, group(1), &["one", "two"]);
    disk.fail(Failing::Syncs);
    try_write(&journal, commit(group(1), written[1].after, vec![said("three")])).unwrap_err();
    journal.close();
    disk.fail(Failing::Nothing);

    let journal = open(&disk);
    let shown = scan_all(&journal, 1000);
    assert_eq!(shown.len(), 3);
    let fourth = write(&journal, commit(group(1), shown[2].after, vec![said("four")]));
    let disk = Arc::new(disk.after_power_loss(&mut Rng::with_seed(1)));
    let all = scan_all(&open(&disk), 1000);
    assert_all_same(&all[..3], &shown);
    assert_same(&all[3], &fourth);
}

#[test]
fn a_full_disk_refuses_commits_until_there_is_space_again() {
    let disk = Arc::new(BrittleDisk::default());
    let journal = open(&disk);
    disk.fail(Failing::Space);
    let (mut head, mut written) = (StreamHead::default(), Vec::new());
    let next = |head| commit(group(1), head, vec![said(&"x".repeat(2000))]);
    let fault = loop {
        match try_write(&journal, next(head)) {
            Ok(done) => written.push(done),
            Err(fault) => break fault,
        }
        head = written.last().unwrap().after;
    };
    assert!(matches!(fault, JournalFault::Full { .. }), "{fault}");
    assert!(written.len() > 5);
    try_write(&journal, next(head)).unwrap_err();
    assert_all_same(&scan_all(&journal, 5000), &written);

    disk.fail(Failing::Nothing);
    written.push(write(&journal, next(head)));
    assert_all_same(&scan_all(&journal, 5000), &written);
    journal.close();
    assert_all_same(&scan_all(&open(&disk), 5000), &written);
}

#[test]
fn a_journal_does_not_begin_on_a_full_disk() {
    let disk = Arc::new(BrittleDisk::default());
    disk.fail(Failing::Space);
    let refused = FileJournal::open_on(disk.clone(), JournalOptions::default());
    assert!(refused.unwrap_err().to_string().contains("0000000000000000.log"));
    assert!(disk.list().unwrap().is_empty());
}
