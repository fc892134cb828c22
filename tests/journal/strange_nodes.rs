//! Nodes in an unusual state: they sleep while they own shards, they lost their disk, or their copy
//! differs from the others'.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use coterie::journal::file::JournalOptions;
use coterie::journal::replicated::shard::Shard;
use coterie::journal::replicated::{NodeIdentity, NodeKey, ReplicatedJournal};
use coterie::journal::{Cursor, Journal, JournalFault, JournalState, Outcome};

use crate::brittle_disk::BrittleDisk;
use crate::nodes::{SMALL, TestNode};
use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::{Places, everything_ends_the_same};
use crate::sample::{assert_all_same, commit, group, said, scan_all, until, write_chain};

#[test]
fn differing_check_value_is_detected() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [ana, ben] = ["a", "b"].map(|name| places.opens(name, log.handle()));
    ana.leads();
    let written = write_chain(&*ana.journal, group(1), &["one", "two"]);
    ben.reaches(ana.journal.end());
    log.lies_next();
    let next = commit(group(1), written[1].after, vec![said("three")]);
    assert!(matches!(ana.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    ben.reaches(ana.journal.end());
    assert_eq!(ben.journal.log_counts().differences(), 1);
    assert_eq!(ben.journal.state(), JournalState::Open);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn damaged_node_of_two_stops_and_repairs_itself() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [ana, ben] = ["a", "b"].map(|name| places.opens(name, log.handle()));
    ana.leads();
    let written = write_chain(&*ana.journal, group(1), &["x"; 200]);
    ben.reaches(ana.journal.end());
    let mut names: Vec<_> = fs::read_dir(&ben.path).unwrap().map(|it| it.unwrap().path()).collect();
    names.sort();
    let mut bytes = fs::read(&names[0]).unwrap();
    bytes[1000] ^= 2;
    fs::write(&names[0], bytes).unwrap();
    log.lies_next();
    let next = commit(group(1), written[199].after, vec![said("three")]);
    assert!(matches!(ana.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    stopped(&ben.journal);
    assert_eq!(ben.journal.log_counts().differences(), 1);
    ben.journal.finish();
    let ben = places.opens("b", log.handle());
    assert_eq!(scan_all(&*ben.journal, 1 << 20).len(), 201);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn unread_damaged_compressed_file_is_found() {
    let (log, places) = (PaperLog::default(), Places::new());
    let path = places.0.path().join("packed");
    let options = || JournalOptions { segment_bytes: SMALL, ..Default::default() };
    let open = || {
        let who = NodeIdentity { run: fastrand::u64(..), grew_from: None, key: NodeKey::Absent };
        let journal = ReplicatedJournal::open(&path, log.handle(), who, options()).unwrap().0;
        journal.wait_until_current().unwrap();
        journal
    };
    let ana = places.opens("a", log.handle());
    ana.leads();
    let packed = open();
    write_chain(&*ana.journal, group(1), &[&*"y".repeat(900); 300]);
    let full = path.join("0000000000000000.zst");
    until("it is compressed", || full.exists());
    let mut bytes = fs::read(&full).unwrap();
    let half = bytes.len() / 2;
    bytes[half] ^= 1;
    fs::write(&full, bytes).unwrap();
    let fault = stopped(&packed);
    assert!(fault.is_mended_at_start(), "{fault}");
    assert_eq!(packed.log_counts().differences(), 1);
    packed.finish();
    let packed = open();
    // The counter still shows after the restart that there was a difference.
    assert_eq!(packed.log_counts().differences(), 1);
    assert_all_same(&scan_all(&packed, 1 << 20), &scan_all(&*ana.journal, 1 << 20));
}

#[test]
fn check_continues_behind_unreadable_file() {
    let (log, places, disk) = (PaperLog::default(), Places::new(), Arc::<BrittleDisk>::default());
    let who = NodeIdentity { run: fastrand::u64(..), grew_from: None, key: NodeKey::Absent };
    let options = JournalOptions { segment_bytes: SMALL, compress: false, ..Default::default() };
    let own = Arc::clone(&disk);
    let ben = ReplicatedJournal::open_on(own, log.handle(), who, options).unwrap().0;
    ben.wait_until_current().unwrap();
    let ana = places.opens("a", log.handle());
    ana.leads();
    write_chain(&*ana.journal, group(1), &[&*"y".repeat(900); 300]);
    until("the other node has it all", || ben.end() == ana.journal.end());
    disk.cannot_be_read("0000000000000000.log");
    disk.flips_a_bit("0000000000018000.log", 50_000);
    let fault = stopped(&ben);
    assert!(fault.is_mended_at_start(), "{fault}");
}

#[test]
fn damage_check_survives_invalid_positions() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [ana, ben] = ["a", "b"].map(|name| places.opens(name, log.handle()));
    ana.leads();
    write_chain(&*ana.journal, group(1), &[&*"y".repeat(900); 300]);
    ben.reaches(ana.journal.end());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                assert!(ben.journal.read(Cursor::START.further(77)).is_err());
                thread::yield_now();
            }
        });
        let second = ben.path.join("0000000000018000.log");
        let mut bytes = fs::read(&second).unwrap();
        bytes[50_000] ^= 2;
        fs::write(&second, bytes).unwrap();
        let fault = panic::catch_unwind(AssertUnwindSafe(|| stopped(&ben.journal)));
        is_over.store(true, Ordering::SeqCst);
        assert!(fault.unwrap().is_mended_at_start());
    });
}

/// Waits until a journal has stopped, and returns the fault.
fn stopped(journal: &ReplicatedJournal) -> JournalFault {
    let mut stopped = journal.stopped();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let fault = runtime.block_on(async {
        let stopped = stopped.wait_for(Option::is_some);
        let fault = tokio::time::timeout(Duration::from_secs(120), stopped).await;
        fault.expect("the journal stops because of its damage").unwrap().clone()
    });
    fault.unwrap()
}

#[test]
fn woken_former_owners_writes_do_not_count() {
    let (log, places) = (PaperLog::default(), Places::new());
    let handle = log.handle();
    let ana = places.opens("a", Arc::<PaperHandle>::clone(&handle));
    let ben = places.opens("b", log.handle());
    ana.leads();
    let written = write_chain(&*ana.journal, group(1), &["one"]);
    handle.sleeps();
    let late = commit(group(1), written[0].after, vec![said("said in my sleep")]);
    let late = ana.journal.submit(late).unwrap();
    log.is_cut_off(true);
    assert!(!ben.journal.is_reachable());
    log.is_cut_off(false);
    assert!(ben.journal.is_reachable());
    ben.leads();
    let next = commit(group(1), written[0].after, vec![said("two")]);
    let Outcome::Committed(two) = ben.journal.submit(next).unwrap().wait() else { panic!() };
    handle.wakes();
    assert!(matches!(late.wait(), Outcome::Conflict));
    ana.reaches(ben.journal.end());
    // The node has learnt by now that another one owns the shards.
    let still = commit(group(1), two.after, vec![said("awake again")]);
    assert!(matches!(ana.journal.submit(still).unwrap().wait(), Outcome::Conflict));
    assert_eq!(scan_all(&*ana.journal, 1 << 20).len(), 2);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn wiped_owner_recovers_everything() {
    let (log, places) = (PaperLog::default(), Places::new());
    let ben = places.opens("b", log.handle());
    let mut ana = places.opens("a", log.handle());
    ana.leads();
    let mut head = write_chain(&*ana.journal, group(1), &["first"])[0].after;
    for _ in 0..3 {
        ana.journal.finish();
        fs::remove_dir_all(&ana.path).unwrap();
        ana = places.opens("a", log.handle());
        assert_eq!(ana.head(group(1)), head);
        // The restarted node has another run, so it owns nothing until the log says so.
        let early = commit(group(1), head, vec![said("early")]);
        assert!(matches!(ana.journal.submit(early).unwrap().wait(), Outcome::Conflict));
        ana.leads();
        let next = commit(group(1), head, vec![said("next")]);
        let Outcome::Committed(next) = ana.journal.submit(next).unwrap().wait() else { panic!() };
        head = next.after;
    }
    assert_eq!(scan_all(&*ana.journal, 1 << 20).len(), 4);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn first_of_two_log_foundings_counts() {
    let (log, places) = (PaperLog::default(), Places::new());
    log.lets_two_found();
    let handles = [log.handle(), log.handle()];
    let [ana, ben] = [0, 1].map(|number| {
        let handle = Arc::<PaperHandle>::clone(&handles[number]);
        handle.stops_after(0);
        let path = places.0.path().join(["a", "b"][number]);
        TestNode::tries(&path, handle, SMALL, None)
    });
    // Each of the two nodes saw an empty log, and claims to found it.
    handles.iter().for_each(|it| it.waits_for_held(1));
    handles.iter().for_each(|it| it.wakes());
    [&ana, &ben].into_iter().for_each(|it| it.journal.wait_until_current().unwrap());
    ana.leads();
    assert!(log.len() > 2 + Shard::all().count() - 1, "both were let in");
    assert_eq!(ana.journal.installation(), ben.journal.installation());
    let written = write_chain(&*ana.journal, group(1), &["one"]);
    ben.leads();
    let next = commit(group(1), written[0].after, vec![said("two")]);
    assert!(matches!(ben.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    // A node that joins later reads the same, and so does one that comes back.
    let late = places.opens("late", log.handle());
    assert_eq!(late.journal.installation(), ana.journal.installation());
    ana.journal.finish();
    let ana = places.opens("a", log.handle());
    assert_eq!(scan_all(&*ana.journal, 1 << 20).len(), 2);
    everything_ends_the_same(vec![ana, ben, late]);
}
