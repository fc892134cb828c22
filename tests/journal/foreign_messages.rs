//! Messages in the shared log that no node wrote: random bytes, damaged copies, copies in another
//! place. Every node skips them, and the log goes on.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use coterie::journal::replicated::log::Subject;
use coterie::journal::replicated::shard::Shard;
use coterie::journal::{Journal, Outcome, StreamHead};

use crate::nats_server::{NatsServers, publish_with_headers};
use crate::nodes::{TestNode, fresh_name, on_nats};
use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::{Places, everything_ends_the_same};
use crate::sample::{commit, group, said, scan_all, write_chain};

/// All subjects of a log, and one that the stream takes and that is none.
fn subjects() -> impl Iterator<Item = Option<Subject>> {
    let shards = Shard::all().map(|shard| Some(Subject::Of(shard)));
    shards.chain([Some(Subject::Installation), None])
}

fn random_bytes(length: usize) -> Bytes {
    std::iter::repeat_with(|| fastrand::u8(..)).take(length).collect()
}

/// Commits so many events to a stream, and returns its end.
fn writes(node: &TestNode, stream: u64, count: usize) -> StreamHead {
    let mut head = node.head(group(stream));
    for _ in 0..count {
        let next = commit(group(stream), head, vec![said("hello")]);
        let Outcome::Committed(commit) = node.journal.submit(next).unwrap().wait() else {
            panic!("the commit is written")
        };
        head = commit.after;
    }
    head
}

#[test]
fn nodes_skip_random_bytes_on_every_subject() {
    let (log, places) = (PaperLog::default(), Places::new());
    let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
    nodes[0].leads();
    let mut count = 0;
    for subject in subjects() {
        for length in [0, 1, 3, 4, 8, 55, 56, 57, 64, fastrand::usize(..5000)] {
            log.receives(subject, random_bytes(length));
            count += 1;
        }
    }
    for stream in 1..=80 {
        writes(&nodes[0], stream, 1);
    }
    let late = places.opens("late", log.handle());
    assert_eq!(late.journal.log_counts().skips(), count);
    assert_eq!(late.journal.log_counts().differences(), 0);
    nodes[1].leads();
    writes(&nodes[1], 1, 1);
    everything_ends_the_same(nodes.into_iter().chain([late]).collect());
}

#[test]
fn nodes_skip_damaged_and_moved_copies() {
    let (log, places) = (PaperLog::default(), Places::new());
    let ana = places.opens("a", log.handle());
    ana.leads();
    writes(&ana, 1, 3);
    let end = ana.journal.end();
    let real = log.messages();
    for (place, payload) in &real {
        let mut flipped = payload.to_vec();
        let bit = fastrand::usize(..8 * flipped.len());
        flipped[bit / 8] ^= 1 << (bit % 8);
        log.receives(*place, flipped.into());
        log.receives(*place, payload.slice(..fastrand::usize(..payload.len())));
        log.receives(*place, [payload.as_ref(), &[0]].concat().into());
        let elsewhere = subjects().filter(|it| it != place);
        let elsewhere: Vec<_> = elsewhere.collect();
        log.receives(elsewhere[fastrand::usize(..elsewhere.len())], payload.clone());
    }
    let ben = places.opens("b", log.handle());
    assert_eq!(ben.journal.end(), end);
    writes(&ana, 1, 3);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn a_log_that_begins_with_foreign_bytes_is_founded() {
    let (log, places) = (PaperLog::default(), Places::new());
    for subject in subjects() {
        log.receives(subject, random_bytes(fastrand::usize(..100)));
    }
    let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
    nodes[0].leads();
    writes(&nodes[0], 1, 2);
    everything_ends_the_same(nodes.into());
}

#[test]
fn foreign_bytes_do_not_refuse_a_message_under_way() {
    let (log, places) = (PaperLog::default(), Places::new());
    let handle = log.handle();
    let ana = places.opens("a", Arc::<PaperHandle>::clone(&handle));
    ana.leads();
    let head = writes(&ana, 1, 1);
    handle.stops_after(0);
    let next = commit(group(1), head, vec![said("under way")]);
    let ticket = ana.journal.submit(next).unwrap();
    handle.waits_for_held(1);
    log.receives(Some(Subject::LEADER), random_bytes(64));
    handle.wakes();
    handle.flows();
    assert!(matches!(ticket.wait(), Outcome::Committed(_)));
    writes(&ana, 1, 1);
}

#[test]
fn a_long_commit_survives_foreign_bytes_between_its_parts() {
    let (log, places) = (PaperLog::of_messages(2000), Places::new());
    let handle = log.handle();
    let ana = places.opens("a", Arc::<PaperHandle>::clone(&handle));
    ana.leads();
    let before = log.len();
    handle.stops_after(2);
    let long = commit(group(1), StreamHead::default(), vec![said(&"x".repeat(9000))]);
    let ticket = ana.journal.submit(long).unwrap();
    handle.waits_for_held(1);
    assert_eq!(log.len(), before + 2);
    log.receives(Some(Subject::LEADER), random_bytes(70));
    handle.wakes();
    handle.flows();
    assert!(matches!(ticket.wait(), Outcome::Committed(_)));
    let late = places.opens("late", log.handle());
    assert_eq!(scan_all(&*late.journal, 1 << 20).len(), 1);
    everything_ends_the_same(vec![ana, late]);
}

/// Publishes these bytes to the log of this name, without a fence.
async fn publish(servers: &str, name: &str, subject: &str, bytes: Bytes) {
    let servers: Vec<async_nats::ServerAddr> =
        servers.split(',').map(|it| it.parse().unwrap()).collect();
    let client = async_nats::connect(servers).await.unwrap();
    let engine = async_nats::jetstream::new(client);
    let subject = format!("log.{name}.{subject}");
    engine.publish(subject, bytes).await.unwrap().await.unwrap();
}

fn skips_over_real_servers(servers: usize) {
    let (servers, places, name) = (NatsServers::start(servers), Places::new(), fresh_name());
    let addresses = servers.addresses();
    let replicas = addresses.split(',').count();
    let log = || on_nats(&addresses, &name, replicas);
    let ana = places.opens("a", log());
    ana.leads();
    write_chain(&*ana.journal, group(1), &["one"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let used = Shard::FIRST.get().to_string();
    let mut names = HashSet::new();
    for (subject, length) in
        [("7", 0), (&*used, 17), (&*used, 64), ("99", 5), ("all", 64), ("a.b.c", 0)]
    {
        runtime.block_on(publish(&addresses, &name, subject, random_bytes(length)));
        names.insert(subject);
    }
    assert_eq!(names.len(), 5);
    writes(&ana, 1, 2);
    let late = places.opens("late", log());
    assert_eq!(late.journal.log_counts().skips(), 6);
    ana.journal.finish();
    let ana = places.opens("a", log());
    ana.leads();
    writes(&ana, 1, 1);
    everything_ends_the_same(vec![ana, late]);
}

#[test]
fn nodes_skip_foreign_bytes_of_one_server() {
    skips_over_real_servers(1);
}

#[test]
fn nodes_skip_foreign_bytes_that_three_servers_agree_on() {
    skips_over_real_servers(3);
}

#[test]
fn nodes_skip_headers_that_the_client_library_cannot_read() {
    let (servers, places, name) = (NatsServers::start(1), Places::new(), fresh_name());
    let addresses = servers.addresses();
    let log = || on_nats(&addresses, &name, 1);
    let ana = places.opens("a", log());
    ana.leads();
    let used = Shard::FIRST.get().to_string();
    let all: [&[u8]; 7] = [
        b"NATS/1.0\r\nno colon\r\n\r\n",
        b"NATS/1.0\r\n\xff\xfe: a\r\n\r\n",
        // The library panics at this one.
        b"NATS/1.0\r\nA: b\rc\r\n\r\n",
        // It takes these for notices of the engine.
        b"NATS/1.0 408 Request Timeout\r\n\r\n",
        b"NATS/1.0 409 Consumer Deleted\r\n\r\n",
        b"NATS/1.0 100\r\n\r\n",
        b"something\r\n\r\n",
    ];
    for headers in all {
        writes(&ana, 1, 1);
        for subject in [&*used, "all", "a.b"] {
            publish_with_headers(&addresses, &format!("log.{name}.{subject}"), headers);
        }
        writes(&ana, 1, 1);
    }
    let late = places.opens("late", log());
    assert_eq!(late.journal.log_counts().skips(), 3 * all.len() as u64);
    assert_eq!(late.journal.log_counts().differences(), 0);
    // Ana begins again behind a message that cannot be read.
    publish_with_headers(&addresses, &format!("log.{name}.{used}"), all[2]);
    ana.journal.finish();
    let ana = places.opens("a", log());
    ana.leads();
    writes(&ana, 1, 1);
    everything_ends_the_same(vec![ana, late]);
}
