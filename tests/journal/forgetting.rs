//! A log that forgets its beginning: which messages nodes have on stable storage, and what a node
//! does that lacks forgotten messages.

use std::fs;

use bytes::Bytes;
use coterie::journal::view::View;
use coterie::journal::{Journal, JournalFault, Outcome};

use crate::nodes::{SMALL, TestNode};
use crate::paper_log::PaperLog;
use crate::replicated::{Places, everything_ends_the_same};
use crate::sample::{commit, group, said, scan_all, until, write_chain};

/// Asks for upkeep and waits until the copy is synced up to message `at_least`; returns up to where
/// it is synced then.
fn keeps(node: &TestNode, at_least: u64) -> u64 {
    node.journal.keep_up();
    until("the copy is kept up", || node.journal.kept() >= at_least);
    node.journal.kept()
}

#[track_caller]
fn assert_told(fault: &JournalFault, first: u64) {
    assert!(matches!(fault, JournalFault::Stopped { operation: "join", .. }), "{fault}");
    let told = fault.to_string();
    assert!(told.contains(&format!("from {first} on")), "{told}");
    assert!(told.contains("backup of another node"), "{told}");
}

#[test]
fn node_behind_trimmed_log_needs_a_copy() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [first, second] = ["first", "second"].map(|name| places.opens(name, log.handle()));
    first.leads();
    write_chain(&*first.journal, group(1), &["one", "two"]);
    second.reaches(first.journal.end());
    second.journal.finish();
    let text = "z".repeat(2000);
    let written = write_chain(&*first.journal, group(2), &vec![&*text; 100]);
    let kept = keeps(&first, log.len() as u64);
    assert_eq!(kept, log.len() as u64, "all of it, since nothing was under way");
    log.forgets_before(kept + 1);
    for name in ["second", "empty"] {
        let node = TestNode::tries(&places.0.path().join(name), log.handle(), SMALL, None);
        assert_told(&node.journal.wait_until_current().unwrap_err(), kept + 1);
    }
    // A node that has everything goes on, also after a restart.
    first.journal.finish();
    let first = places.opens("first", log.handle());
    first.leads();
    let next = commit(group(2), written.last().unwrap().after, vec![said("on")]);
    assert!(matches!(first.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    let path = places.0.path().join("copy");
    fs::create_dir(&path).unwrap();
    for mut part in View::open(&first.path, None).unwrap().parts().unwrap() {
        let mut file = fs::File::create(path.join(&part.name)).unwrap();
        std::io::copy(&mut part, &mut file).unwrap();
    }
    let copy = places.opens("copy", log.handle());
    copy.reaches(first.journal.end());
    assert_eq!(scan_all(&*copy.journal, 1 << 20).len(), 2 + 100 + 1);
    everything_ends_the_same(vec![first, copy]);
}

#[test]
fn node_that_misses_trimmed_messages_stops() {
    let (log, places) = (PaperLog::default(), Places::new());
    let node = places.opens("a", log.handle());
    node.leads();
    write_chain(&*node.journal, group(1), &["one"]);
    log.skips_next();
    let missing = commit(group(3), Default::default(), vec![said("missing")]);
    let missing = node.journal.submit(missing).unwrap();
    until("it is in the log", || log.len() == 1 + 64 + 2);
    let first = log.len() as u64 + 1;
    log.forgets_before(first);
    let next = commit(group(4), Default::default(), vec![said("next")]);
    let next = node.journal.submit(next).unwrap();
    // A stranger's message after it shows the node that one is missing.
    log.receives(None, Bytes::from_static(b"next"));
    for ticket in [missing, next] {
        let Outcome::Unknown(fault) = ticket.wait() else { panic!("it cannot be known") };
        assert_told(&fault, first);
    }
}

#[test]
fn silent_shards_are_closed_again_for_trimming() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [ana, ben] = ["a", "b"].map(|name| places.opens(name, log.handle()));
    ana.leads();
    let taken = log.len() as u64;
    assert_eq!((ana.journal.kept(), keeps(&ana, taken)), (0, taken));
    // Since the take-over only the first of 64 shards was written to.
    let written = write_chain(&*ana.journal, group(1), &["one"]);
    let said_again = taken + 1 + 63;
    keeps(&ana, taken + 1);
    until("silent ones say it", || log.len() as u64 >= said_again);
    until("they are in the copy for good", || {
        ana.journal.keep_up();
        ana.journal.kept() >= said_again
    });
    let next = commit(group(1), written[0].after, vec![said("two")]);
    let Outcome::Committed(two) = ana.journal.submit(next).unwrap().wait() else { panic!() };
    // A leader that hands over repeats nothing, and its last take-over stays what it was.
    ana.journal.release();
    let handed_over = log.len();
    keeps(&ana, handed_over as u64);
    keeps(&ana, handed_over as u64);
    assert!(!ana.journal.leads() && log.len() == handed_over);
    ben.leads();
    assert_eq!(log.len(), handed_over + 1, "the other shards are closed");
    let next = commit(group(1), two.after, vec![said("three")]);
    assert!(matches!(ben.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    assert!(!ana.journal.leads());
    everything_ends_the_same(vec![ana, ben]);
}
