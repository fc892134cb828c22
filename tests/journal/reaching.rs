//! Servers of the log that are there and do nothing: a node finds out, so that it begins nothing that
//! could not end.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use coterie::journal::{Journal, Outcome, StreamHead};

use crate::nats_server::NatsServers;
use crate::nodes::{TestNode, fresh_name, on_nats};
use crate::replicated::Places;
use crate::sample::{commit, group, said, until, write_chain};

fn opens(places: &Places, servers: &NatsServers, replicas: usize) -> TestNode {
    let log = on_nats(&servers.addresses(), &fresh_name(), replicas);
    let node = TestNode::opens(&places.0.path().join("a"), log, 64 << 20);
    node.leads();
    node
}

#[test]
fn a_server_that_lost_the_others_is_not_there_after_a_while() {
    let (mut servers, places) = (NatsServers::start(3), Places::new());
    let node = opens(&places, &servers, 3);
    let written = write_chain(&*node.journal, group(1), &["one"]);
    [0, 1].into_iter().for_each(|it| servers.kill(it));
    let next = commit(group(1), written[0].after, vec![said("two")]);
    let ticket = node.journal.submit(next).unwrap();
    // For a moment it is connected to none of them, which does not count.
    let is_gone = || {
        thread::sleep(Duration::from_secs(1));
        !node.journal.is_reachable()
    };
    until("the node finds its log gone", || (0..5).all(|_| is_gone()));
    servers.restart(0);
    assert!(matches!(ticket.wait(), Outcome::Committed(_)));
    until("the node finds its log again", || node.journal.is_reachable());
}

#[test]
fn full_log_servers_count_as_unreachable() {
    let places = Places::new();
    let full = "sync_interval: always, max_file_store: 20MB";
    let servers = NatsServers::start_over(&[places.0.path().join("store")], full);
    let node = opens(&places, &servers, 1);
    let journal = Arc::clone(&node.journal);
    let writer = thread::spawn(move || {
        let (mut head, long) = (StreamHead::default(), "x".repeat(500_000));
        let next = |head| commit(group(1), head, vec![said(&long)]);
        while let Outcome::Committed(commit) = journal.submit(next(head)).unwrap().wait() {
            head = commit.after;
        }
    });
    until("the node finds its log full", || !node.journal.is_reachable());
    node.journal.finish();
    writer.join().unwrap();
}
