//! Several nodes and one log: all copies are equal, whichever node writes, joins or leaves, and
//! however the log behaves.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use coterie::domain::ids::StreamId;
use coterie::journal::file::{FileJournal, JournalOptions};
use coterie::journal::replicated::NodeKey;
use coterie::journal::replicated::log::SharedLog;
use coterie::journal::view::View;
use coterie::journal::{CommitId, Committed, Cursor, Journal, JournalFault, JournalState, Outcome};
use tempfile::TempDir;

use crate::nats_server::{self, NatsServers};
use crate::nodes::{SMALL, TestNode, assert_same_files, fresh_name, on_nats, try_nats};
use crate::paper_log::PaperLog;
use crate::sample::{assert_all_same, commit, group, said, scan_all, until_just, write_chain};

/// A directory with a subdirectory for each node.
pub(crate) struct Places(pub(crate) TempDir);

impl Places {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn opens_with(&self, name: &str, log: Arc<dyn SharedLog>, key: NodeKey) -> TestNode {
        TestNode::opens_with(&self.path(name), log, key)
    }

    /// The folder of the node of this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Opens the journal of the node of this name.
    pub(crate) fn opens(&self, name: &str, log: Arc<dyn SharedLog>) -> TestNode {
        TestNode::opens(&self.0.path().join(name), log, SMALL)
    }
}

/// Writes `count` commits into a stream. Whenever another node leads, takes over and tries again.
fn insists(node: &TestNode, stream: StreamId, writer: u64, count: u64) -> Vec<Arc<Committed>> {
    let mut done = Vec::new();
    while (done.len() as u64) < count {
        let id = CommitId(u128::from(writer) << 64 | done.len() as u128);
        let since = node.journal.end();
        let mut next = commit(stream, node.head(stream), vec![said(&format!("{writer}"))]);
        next.id = id;
        match node.journal.submit(next).unwrap().wait() {
            Outcome::Committed(commit) => done.push(commit),
            Outcome::Conflict => {
                assert!(node.journal.look_up(id, since).unwrap().is_none(), "nothing is written");
                node.leads();
            }
            Outcome::Unknown(fault) => panic!("{fault}"),
        }
    }
    done
}

pub(crate) fn everything_ends_the_same(nodes: Vec<TestNode>) {
    let end = nodes.iter().map(|it| it.journal.end()).max().unwrap();
    nodes.iter().for_each(|it| it.reaches(end));
    assert_same_files(nodes);
}

#[test]
fn nodes_that_write_at_the_same_time_hold_the_same_bytes() {
    let (log, places) = (PaperLog::default(), Places::new());
    let nodes: Vec<_> =
        ["a", "b", "c"].iter().map(|name| places.opens(name, log.handle())).collect();
    thread::scope(|scope| {
        for (number, node) in nodes.iter().enumerate() {
            for stream in (1..=4).map(|it| 10 * number as u64 + it) {
                scope.spawn(move || insists(node, group(stream), stream, 30));
            }
        }
    });
    let late = places.opens("late", log.handle());
    assert_eq!(scan_all(&*late.journal, 1 << 20).len(), 3 * 4 * 30);
    everything_ends_the_same(nodes.into_iter().chain([late]).collect());
}

#[test]
fn overtaken_leader_stops_writing() {
    let (log, places) = (PaperLog::default(), Places::new());
    let [ana, ben] = ["a", "b"].map(|name| places.opens(name, log.handle()));
    ana.leads();
    let written = write_chain(&*ana.journal, group(1), &["one", "two"]);
    ben.leads();
    let late = commit(group(1), written[1].after, vec![said("late")]);
    assert!(matches!(ana.journal.submit(late).unwrap().wait(), Outcome::Conflict));
    let next = commit(group(1), written[1].after, vec![said("three")]);
    assert!(matches!(ben.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    let other = commit(group(2), Default::default(), vec![said("here")]);
    assert!(matches!(ana.journal.submit(other).unwrap().wait(), Outcome::Conflict));
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn two_nodes_that_both_want_a_stream_write_one_chain_of_it() {
    let (log, places) = (PaperLog::default(), Places::new());
    let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
    let done: Vec<_> = thread::scope(|scope| {
        let writers = nodes.iter().zip(1..);
        let writers: Vec<_> = writers
            .map(|(node, writer)| scope.spawn(move || insists(node, group(1), writer, 40)))
            .collect();
        writers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    nodes[0].reaches(nodes[1].journal.end());
    let all = scan_all(&*nodes[0].journal, 1 << 20);
    assert_eq!(all.len(), 80, "what was acknowledged is there, and nothing else");
    assert!(done.iter().all(|commit| all.iter().any(|it| it.cursor == commit.cursor)));
    assert!(all.windows(2).all(|pair| pair[0].after == pair[1].before), "one chain");
    everything_ends_the_same(nodes.into());
}

#[test]
fn unreliable_log_loses_and_repeats_nothing() {
    for seed in 0..8 {
        let (log, places) = (PaperLog::default(), Places::new());
        log.troubles(seed);
        let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
        thread::scope(|scope| {
            for (number, node) in nodes.iter().enumerate() {
                for stream in (1..=3).map(|it| 10 * number as u64 + it) {
                    scope.spawn(move || insists(node, group(stream), stream, 20));
                }
            }
        });
        let end = nodes.iter().map(|it| it.journal.end()).max().unwrap();
        nodes[0].reaches(end);
        assert_eq!(scan_all(&*nodes[0].journal, 1 << 20).len(), 2 * 3 * 20, "seed {seed}");
        everything_ends_the_same(nodes.into());
    }
}

#[test]
fn wrong_log_message_is_detected_and_reread() {
    let (log, places) = (PaperLog::default(), Places::new());
    let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
    nodes[0].leads();
    write_chain(&*nodes[0].journal, group(1), &["one"]);
    log.flips_next();
    write_chain(&*nodes[0].journal, group(2), &["flipped"]);
    log.skips_next();
    let missing = commit(group(3), Default::default(), vec![said("missing")]);
    let missing = nodes[0].journal.submit(missing).unwrap();
    until_just("it is in the log", || log.len() >= 1 + 64 + 3);
    // A stranger's message after it shows the nodes that one is missing.
    log.receives(None, Bytes::from_static(b"next"));
    assert!(matches!(missing.wait(), Outcome::Committed(_)));
    assert_eq!(nodes[0].journal.log_counts().differences(), 2);
    everything_ends_the_same(nodes.into());
}

#[test]
fn a_copy_that_a_crash_tore_is_cut_and_read_again() {
    let (log, places) = (PaperLog::default(), Places::new());
    let whole = places.opens("whole", log.handle());
    whole.leads();
    for round in 0..20 {
        let texts = vec!["x".repeat(700); 8];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        write_chain(&*whole.journal, group(100 + round), &texts);
        let torn = places.opens("torn", log.handle());
        torn.reaches(whole.journal.end());
        let (path, mut files) = (torn.path.clone(), torn.files());
        let (name, mut bytes) = files.pop().unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        let damaged = fastrand::usize(64..used.max(65));
        // Pages reach the disk in any order: so there is a hole, with whole records after it.
        let hole = damaged..bytes.len().min(damaged + fastrand::usize(1..5000));
        bytes[hole].fill(0);
        fs::write(path.join(name), bytes).unwrap();
        let again = places.opens("torn", log.handle());
        again.reaches(whole.journal.end());
        again.journal.finish();
    }
    let torn = places.opens("torn", log.handle());
    assert_all_same(&scan_all(&*torn.journal, 5000), &scan_all(&*whole.journal, 1 << 20));
    everything_ends_the_same(vec![whole, torn]);
}

#[test]
fn damaged_copy_stops_and_repairs_from_the_log() {
    let (log, places) = (PaperLog::default(), Places::new());
    let whole = places.opens("whole", log.handle());
    whole.leads();
    let text = "z".repeat(2000);
    write_chain(&*whole.journal, group(1), &vec![&*text; 300]);
    for _ in 0..6 {
        let spoiled = places.opens("spoiled", log.handle());
        spoiled.reaches(whole.journal.end());
        let names = fs::read_dir(&spoiled.path).unwrap().map(|it| it.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        // The file changes while the node runs. The newest segments may still be empty, so they are
        // left out.
        let path = spoiled.path.join(&names[fastrand::usize(..names.len() - 2)]);
        let mut bytes = fs::read(&path).unwrap();
        bytes[fastrand::usize(64..80_000)] ^= 1 << fastrand::u8(..8);
        fs::write(&path, bytes).unwrap();
        let mut from = Cursor::START;
        let fault = loop {
            match spoiled.journal.scan(from, 5000) {
                Ok(scan) => from = scan.next,
                Err(fault) => break fault,
            }
        };
        assert!(matches!(fault, JournalFault::Damaged { .. }), "{fault}");
        assert_eq!(spoiled.journal.state(), JournalState::Stopped);
        spoiled.journal.finish();
    }
    let repaired = places.opens("spoiled", log.handle());
    assert_eq!(scan_all(&*repaired.journal, 1 << 20).len(), 300);
    everything_ends_the_same(vec![whole, repaired]);
}

#[test]
fn read_of_missing_position_stops_no_node() {
    let (log, places) = (PaperLog::default(), Places::new());
    let node = places.opens("a", log.handle());
    node.leads();
    let written = write_chain(&*node.journal, group(1), &["one", "two"]);
    for at in [written[0].cursor.further(3), node.journal.end(), Cursor::START.further(1 << 40)] {
        assert!(node.journal.read(at).is_err());
    }
    assert_eq!(node.journal.state(), JournalState::Open);
    write_chain(&*node.journal, group(2), &["three"]);
}

#[test]
fn a_node_begins_with_a_backup_of_another_and_reads_on() {
    let (log, places) = (PaperLog::default(), Places::new());
    let first = places.opens("first", log.handle());
    first.leads();
    let text = "z".repeat(2000);
    let written = write_chain(&*first.journal, group(1), &vec![&*text; 120]);
    // The backup is taken while the node writes, up to a commit in the middle; that may cut the
    // message to which the commit belongs.
    let backup = View::open(&first.path, Some(written[100].cursor)).unwrap();
    let path = places.0.path().join("second");
    fs::create_dir(&path).unwrap();
    for mut part in backup.parts().unwrap() {
        let mut file = fs::File::create(path.join(&part.name)).unwrap();
        std::io::copy(&mut part, &mut file).unwrap();
    }
    let second = places.opens("second", log.handle());
    second.reaches(first.journal.end());
    assert_all_same(&scan_all(&*second.journal, 1 << 20), &written);
    everything_ends_the_same(vec![first, second]);
}

/// Makes the journal of a single machine, in several segments; returns its commits.
pub(crate) fn of_one_machine(places: &Places, name: &str, compress: bool) -> Vec<Arc<Committed>> {
    let options = JournalOptions { segment_bytes: SMALL, compress, ..Default::default() };
    let (journal, _) = FileJournal::open(&places.0.path().join(name), options).unwrap();
    let text = "y".repeat(2000);
    write_chain(&journal, group(1), &vec![&*text; 300])
}

#[test]
fn a_log_grows_from_the_journal_of_one_machine() {
    for compress in [false, true] {
        let (log, places) = (PaperLog::default(), Places::new());
        let written = of_one_machine(&places, "first", compress);
        let path = places.0.path().join("first");
        let first = TestNode::tries(&path, log.handle(), SMALL, Some(77));
        first.journal.wait_until_current().unwrap();
        let second = places.opens("second", log.handle());
        assert_all_same(&scan_all(&*second.journal, 1 << 20), &written);
        second.leads();
        let next = commit(group(1), written.last().unwrap().after, vec![said("on")]);
        assert!(matches!(second.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
        first.reaches(second.journal.end());
        assert_eq!(scan_all(&*first.journal, 1 << 20).len(), written.len() + 1);
        // The machine is one of the nodes from now on.
        first.journal.finish();
        let first = places.opens("first", log.handle());
        let third = places.opens("third", log.handle());
        if compress {
            third.reaches(second.journal.end());
        } else {
            everything_ends_the_same(vec![first, second, third]);
        }
    }
}

#[test]
fn interrupted_log_filling_resumes() {
    let (log, places) = (PaperLog::default(), Places::new());
    let written = of_one_machine(&places, "first", false);
    let path = places.0.path().join("first");
    let pieces = |log: &PaperLog| {
        let first = TestNode::tries(&path, log.handle(), SMALL, Some(77));
        until_just("some of it is in the log", || log.len() >= 3);
        first.journal.finish();
    };
    pieces(&log);
    // A node that joins meanwhile waits, also when it has to begin again.
    for _ in 0..2 {
        let early = TestNode::tries(&places.0.path().join("early"), log.handle(), SMALL, None);
        early.journal.finish();
    }
    let first = TestNode::tries(&path, log.handle(), SMALL, Some(77));
    first.journal.wait_until_current().unwrap();
    let early = places.opens("early", log.handle());
    assert_all_same(&scan_all(&*early.journal, 1 << 20), &written);
    everything_ends_the_same(vec![first, early]);
}

#[test]
fn a_copy_of_another_installation_does_not_join() {
    let (log, places) = (PaperLog::default(), Places::new());
    let here = places.opens("here", log.handle());
    here.leads();
    write_chain(&*here.journal, group(1), &["one", "two", "three"]);
    let other = PaperLog::default();
    places.opens("there", other.handle()).leads();
    of_one_machine(&places, "machine", false);
    let cases = [("there", None), ("machine", Some(5)), ("machine", None)];
    for (name, grew_from) in cases {
        let path = places.0.path().join(name);
        let node = TestNode::tries(&path, log.handle(), SMALL, grew_from);
        let refused = node.journal.wait_until_current().unwrap_err();
        assert!(matches!(refused, JournalFault::Stopped { operation: "join", .. }), "{refused}");
        assert!(node.journal.submit(commit(group(1), Default::default(), vec![])).is_err());
    }
    // The copy does not fit a log that lost its end, either.
    here.journal.finish();
    let node = TestNode::tries(&here.path, PaperLog::default().handle(), SMALL, None);
    assert!(node.journal.wait_until_current().is_err());
}

#[test]
fn a_log_on_fewer_servers_than_its_operator_thinks_is_refused() {
    let (server, name) = (nats_server::shared(), fresh_name());
    let told = try_nats(&server, &name, 3).unwrap_err().to_string();
    assert!(told.contains("3 replicas"), "{told}");
    try_nats(&server, &name, 1).unwrap();
    // The stream exists now, with one replica.
    let told = try_nats(&server, &name, 3).unwrap_err().to_string();
    assert!(told.contains("3 replicas") && told.contains("has 1"), "{told}");
}

#[test]
fn servers_are_killed_one_after_the_other_and_nothing_is_lost() {
    let (mut servers, places, name) = (NatsServers::start(3), Places::new(), fresh_name());
    let log = || on_nats(&servers.addresses(), &name, 3);
    let nodes = ["a", "b"].map(|it| places.opens(it, log()));
    nodes[0].leads();
    let streams: Vec<_> = (1..=8).map(group).collect();
    let mut heads = vec![Default::default(); streams.len()];
    let mut write = |count: usize| {
        for _ in 0..count {
            let submit = |(stream, head): (&StreamId, &_)| {
                let next = commit(*stream, *head, vec![said("hello")]);
                nodes[0].journal.submit(next).unwrap()
            };
            let tickets: Vec<_> = streams.iter().zip(&heads).map(submit).collect();
            for (ticket, head) in tickets.into_iter().zip(&mut heads) {
                let Outcome::Committed(commit) = ticket.wait() else { panic!("it was written") };
                *head = commit.after;
            }
        }
    };
    write(20);
    // One of the three servers is the stream's leader.
    for number in 0..3 {
        servers.kill(number);
        write(20);
        servers.restart(number);
        write(20);
    }
    let late = places.opens("late", on_nats(&servers.addresses(), &name, 3));
    assert_eq!(scan_all(&*late.journal, 1 << 20).len(), 8 * 140);
    everything_ends_the_same(nodes.into_iter().chain([late]).collect());
}
