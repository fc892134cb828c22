//! Commits that are longer than the log's longest message.

use std::sync::Arc;

use coterie::journal::replicated::log::Subject;
use coterie::journal::replicated::shard::Shard;
use coterie::journal::{Journal, Outcome, StreamHead, Ticket};

use crate::nats_server;
use crate::nodes::{TestNode, fresh_name, on_nats};
use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::{Places, everything_ends_the_same};
use crate::sample::{commit, group, said, scan_all, until_just, write_chain};

/// A text that is longer than three messages.
fn long() -> String {
    (0..60_000).map(|_| fastrand::alphanumeric()).collect()
}

/// Two nodes over a log of short messages; the first one leads.
struct Two {
    log: PaperLog,
    places: Places,
    handle: Arc<PaperHandle>,
    ana: TestNode,
    ben: TestNode,
}

impl Two {
    fn meet() -> Self {
        let (log, places) = (PaperLog::of_messages(20_000), Places::new());
        let handle = log.handle();
        let ana = places.opens("a", Arc::<PaperHandle>::clone(&handle));
        let ben = places.opens("b", log.handle());
        ana.leads();
        Self { log, places, handle, ana, ben }
    }

    /// The first node begins to write a long commit, of which only two parts reach the log.
    fn begins_something_long(&self, head: StreamHead) -> Ticket {
        let before = self.log.len();
        self.handle.stops_after(2);
        let next = commit(group(1), head, vec![said(&long())]);
        let ticket = self.ana.journal.submit(next).unwrap();
        until_just("two parts are in the log", || self.log.len() >= before + 2);
        ticket
    }
}

#[test]
fn long_commit_reaches_a_node_absent_for_a_part() {
    let two = Two::meet();
    let other = two.places.opens("c", two.log.handle());
    let ticket = two.begins_something_long(StreamHead::default());
    // Between the parts, another shard is closed once more, as it is when it was silent for long.
    let closed = Some(Subject::Of(Shard::new(9).unwrap()));
    let again = two.log.messages().into_iter().find(|it| it.0 == closed).unwrap();
    let before = other.journal.end();
    two.log.receives(again.0, again.1);
    until_just("it is in the copy", || other.journal.end() > before);
    // When it opens again, it knows what came between the parts, but the parts read before are no
    // longer in its memory.
    other.journal.finish();
    let other = two.places.opens("c", two.log.handle());
    two.handle.wakes();
    let Outcome::Committed(written) = ticket.wait() else { panic!("it is written") };
    let next = commit(group(1), written.after, vec![said("and on")]);
    assert!(matches!(two.ana.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    assert_eq!(scan_all(&*two.ana.journal, 1 << 20).len(), 2);
    let late = two.places.opens("late", two.log.handle());
    everything_ends_the_same(vec![two.ana, two.ben, other, late]);
}

#[test]
fn long_commit_of_an_overtaken_leader_is_void() {
    let two = Two::meet();
    let written = write_chain(&*two.ana.journal, group(1), &["short"]);
    let ticket = two.begins_something_long(written[0].after);
    two.ben.leads();
    two.handle.wakes();
    assert!(matches!(ticket.wait(), Outcome::Conflict));
    let next = commit(group(1), written[0].after, vec![said(&long())]);
    assert!(matches!(two.ben.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    assert_eq!(scan_all(&*two.ben.journal, 1 << 20).len(), 2);
    everything_ends_the_same(vec![two.ana, two.ben]);
}

#[test]
fn a_commit_of_megabytes_passes_servers_that_take_one() {
    let (servers, name, places) = (nats_server::shared(), fresh_name(), Places::new());
    let opens = |it: &str| {
        let path = places.0.path().join(it);
        TestNode::opens(&path, on_nats(&servers, &name, 1), 64 << 20)
    };
    let ana = opens("a");
    ana.leads();
    let long = "x".repeat(7 << 20);
    let all = scan_all(&*ana.journal, 1 << 20).len();
    write_chain(&*ana.journal, group(1), &["short", &long, "short again"]);
    let late = opens("late");
    assert_eq!(scan_all(&*late.journal, 1 << 20).len(), all + 3);
    everything_ends_the_same(vec![ana, late]);
}
