//! The journal that fails on demand injects the fault it was told to, and no other.

use std::sync::Arc;

use coterie::journal::faulty::{FaultyJournal, InjectedFault};
use coterie::journal::memory::MemoryJournal;
use coterie::journal::{Journal, JournalFault, Outcome, StreamHead};

use crate::sample::{commit, group, said, scan_all, write};

fn faulty() -> FaultyJournal {
    FaultyJournal::around(Arc::new(MemoryJournal::new()))
}

fn submit(journal: &FaultyJournal, stream: u64) -> Result<Outcome, JournalFault> {
    let next = commit(group(stream), StreamHead::default(), vec![said("hi")]);
    let ticket = journal.submit(next)?;
    Ok(ticket.wait())
}

#[test]
fn each_fault_is_met_once_and_in_order() {
    let journal = faulty();
    for fault in [
        InjectedFault::Conflict,
        InjectedFault::UnknownLost,
        InjectedFault::UnknownWritten,
        InjectedFault::Busy,
    ] {
        journal.fail_next(fault);
    }
    assert!(matches!(submit(&journal, 1), Ok(Outcome::Conflict)));
    assert!(matches!(submit(&journal, 2), Ok(Outcome::Unknown(_))));
    assert!(scan_all(&journal, 1000).is_empty());
    assert!(matches!(submit(&journal, 3), Ok(Outcome::Unknown(_))));
    assert_eq!(scan_all(&journal, 1000)[0].stream, group(3));
    assert!(matches!(submit(&journal, 4), Err(JournalFault::Busy)));
    assert!(matches!(submit(&journal, 5), Ok(Outcome::Committed(_))));
    assert_eq!(scan_all(&journal, 1000).len(), 2);
    assert_eq!(journal.submitted().len(), 5);
}

#[test]
fn a_fault_can_be_meant_for_one_stream() {
    let journal = faulty();
    journal.fail_next_of(group(2), InjectedFault::Conflict);
    assert!(matches!(submit(&journal, 1), Ok(Outcome::Committed(_))));
    assert!(matches!(submit(&journal, 2), Ok(Outcome::Conflict)));
    assert!(matches!(submit(&journal, 2), Ok(Outcome::Committed(_))));
}

#[test]
fn held_commit_is_not_durable_until_released() {
    let journal = faulty();
    journal.hold();
    let next = |n| commit(group(n), StreamHead::default(), vec![said("hi")]);
    let mut tickets: Vec<_> = (1..=3).map(|n| journal.submit(next(n)).unwrap()).collect();
    assert!(tickets.iter_mut().all(|ticket| ticket.settled().is_none()));
    assert_eq!((journal.held(), scan_all(&journal, 1000).len()), (3, 0));
    journal.release();
    for ticket in tickets {
        assert!(matches!(ticket.wait(), Outcome::Committed(_)));
    }
    write(&journal, next(4));
    let order: Vec<_> = scan_all(&journal, 1000).iter().map(|commit| commit.stream).collect();
    assert_eq!(order, [1, 2, 3, 4].map(group));
}
