//! Messages in the shared log that a stranger made from messages of nodes: with other content, at
//! another place, or once more. Nodes with the key of the installation skip them.

use std::sync::Arc;

use bytes::Bytes;
use coterie::journal::replicated::NodeKey;
use coterie::journal::replicated::key::InstallationKey;
use coterie::journal::replicated::log::{Code, Subject};
use coterie::journal::replicated::shard::Shard;
use coterie::journal::{Journal, JournalFault, Outcome, StreamHead};

use crate::nats_server::NatsServers;
use crate::nodes::{SMALL, TestNode, fresh_name, on_nats};
use crate::paper_log::{PaperHandle, PaperLog};
use crate::replicated::{Places, everything_ends_the_same, of_one_machine};
use crate::sample::{commit, group, said, scan_all, until_just, write_chain};

type Stored = (Option<Subject>, Bytes, Option<Code>);

fn fresh_key() -> NodeKey {
    NodeKey::Given(InstallationKey::fresh())
}

/// A payload with these bytes from `at` on, and a checksum that fits.
fn edited(payload: &Bytes, at: usize, bytes: &[u8]) -> Bytes {
    let mut edited = payload.to_vec();
    edited[at..at + bytes.len()].copy_from_slice(bytes);
    let crc = crc32c::crc32c(&edited[8..]);
    edited[4..8].copy_from_slice(&crc.to_le_bytes());
    edited.into()
}

/// A take-over by another run, as a node of an earlier version would write it.
fn take_over(payload: &Bytes, shard: u16) -> Bytes {
    let header = edited(&payload.slice(..56), 9, &[4]);
    let header = edited(&header, 10, &shard.to_le_bytes());
    let header = edited(&header, 12, &[0; 4]);
    edited(&edited(&header, 24, &7_u64.to_le_bytes()), 32, &1_u64.to_le_bytes())
}

/// Everything that a stranger makes from a stored message.
fn forgeries((subject, payload, code): &Stored) -> Vec<Stored> {
    let number = u64::from_le_bytes(payload[32..40].try_into().unwrap());
    let mut all = Vec::new();
    let mut add = |subject: Option<Subject>, payload: Bytes| {
        all.push((subject, payload.clone(), *code));
        all.push((subject, payload.clone(), None));
        all.push((subject, payload, Some([7; 32])));
    };
    add(*subject, payload.clone());
    add(*subject, edited(payload, 32, &(number + 1).to_le_bytes()));
    add(*subject, edited(payload, 32, &1_u64.to_le_bytes()));
    add(*subject, edited(payload, 24, &7_u64.to_le_bytes()));
    add(*subject, edited(payload, 40, &[0; 16]));
    let elsewhere = Shard::new(fastrand::u16(..64)).unwrap();
    add(Some(Subject::Of(elsewhere)), edited(payload, 10, &elsewhere.get().to_le_bytes()));
    add(Some(Subject::Installation), edited(payload, 10, &[255; 2]));
    add(Some(Subject::Of(elsewhere)), take_over(payload, elsewhere.get()));
    all
}

/// Commits so many events to a stream.
fn writes(node: &TestNode, stream: u64, count: usize) {
    let mut head = node.head(group(stream));
    for _ in 0..count {
        let next = commit(group(stream), head, vec![said("hello")]);
        let outcome = node.journal.submit(next).unwrap().wait();
        let Outcome::Committed(commit) = &outcome else {
            panic!("the commit is not written: {outcome:?}")
        };
        head = commit.after;
    }
}

#[test]
fn nodes_skip_everything_that_strangers_make_from_messages() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let nodes = ["a", "b"].map(|name| places.opens_with(name, log.handle(), key));
    nodes[0].leads();
    (1..=8).for_each(|stream| writes(&nodes[0], stream, 2));
    let end = nodes[0].journal.end();
    let forged: Vec<Stored> = log.coded().iter().flat_map(forgeries).collect();
    forged.iter().for_each(|it| log.receives_with(it.0, it.1.clone(), it.2));
    let late = places.opens_with("late", log.handle(), key);
    assert_eq!(late.journal.log_counts().skips(), forged.len() as u64);
    assert_eq!((late.journal.end(), late.journal.log_counts().differences()), (end, 0));
    (1..=8).for_each(|stream| writes(&nodes[0], stream, 1));
    assert!(nodes[0].journal.leads());
    // Nodes that start again judge the same.
    let [ana, ben] = nodes;
    ana.journal.finish();
    let ana = places.opens_with("a", log.handle(), key);
    log.coded().iter().flat_map(forgeries).for_each(|it| log.receives_with(it.0, it.1, it.2));
    ana.leads();
    (1..=8).for_each(|stream| writes(&ana, stream, 1));
    everything_ends_the_same(vec![ana, ben, late]);
}

#[test]
fn forgeries_do_not_refuse_a_message_under_way() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let handle = log.handle();
    let ana = places.opens_with("a", Arc::<PaperHandle>::clone(&handle), key);
    ana.leads();
    writes(&ana, 1, 2);
    handle.stops_after(0);
    let next = commit(group(1), ana.head(group(1)), vec![said("under way")]);
    let ticket = ana.journal.submit(next).unwrap();
    handle.waits_for_held(1);
    log.coded().iter().flat_map(forgeries).for_each(|it| log.receives_with(it.0, it.1, it.2));
    handle.wakes();
    handle.flows();
    assert!(matches!(ticket.wait(), Outcome::Committed(_)));
    let late = places.opens_with("late", log.handle(), key);
    everything_ends_the_same(vec![ana, late]);
}

#[test]
fn repeated_parts_do_not_spoil_a_long_commit() {
    for passed in 1..=4 {
        let (log, places, key) = (PaperLog::of_messages(2000), Places::new(), fresh_key());
        let handle = log.handle();
        let ana = places.opens_with("a", Arc::<PaperHandle>::clone(&handle), key);
        ana.leads();
        let before = log.len();
        handle.stops_after(passed);
        let long = commit(group(1), StreamHead::default(), vec![said(&"x".repeat(9000))]);
        let ticket = ana.journal.submit(long).unwrap();
        handle.waits_for_held(1);
        let parts: Vec<Stored> = log.coded().split_off(before);
        assert_eq!(parts.len(), passed);
        let repeats = || {
            let forged = parts.iter().flat_map(forgeries);
            forged.for_each(|it| log.receives_with(it.0, it.1, it.2));
        };
        repeats();
        let middle = places.opens_with("middle", log.handle(), key);
        repeats();
        handle.wakes();
        handle.flows();
        assert!(matches!(ticket.wait(), Outcome::Committed(_)));
        repeats();
        let late = places.opens_with("late", log.handle(), key);
        assert_eq!(scan_all(&*late.journal, 1 << 20).len(), 1);
        everything_ends_the_same(vec![ana, middle, late]);
    }
}

#[test]
fn repeated_seeds_do_not_begin_the_log_again() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let written = of_one_machine(&places, "first", false);
    let first = TestNode::tries_with(&places.path("first"), log.handle(), SMALL, Some(77), key);
    first.journal.wait_until_current().unwrap();
    let second = places.opens_with("second", log.handle(), key);
    log.coded().iter().flat_map(forgeries).for_each(|it| log.receives_with(it.0, it.1, it.2));
    second.leads();
    let next = commit(group(1), written.last().unwrap().after, vec![said("on")]);
    assert!(matches!(second.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    let third = places.opens_with("third", log.handle(), key);
    assert_eq!(scan_all(&*third.journal, 1 << 20).len(), written.len() + 1);
    everything_ends_the_same(vec![first, second, third]);
}

#[test]
fn former_leader_that_reads_again_leads_only_after_it() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let handle = log.handle();
    let ana = places.opens_with("a", Arc::<PaperHandle>::clone(&handle), key);
    let ben = places.opens_with("b", log.handle(), key);
    ana.leads();
    writes(&ana, 1, 1);
    handle.stops_after(0);
    let forged = forgeries(&log.coded().pop().unwrap()).remove(1);
    log.receives_with(forged.0, forged.1, forged.2);
    ben.leads();
    writes(&ben, 1, 1);
    // Ana has not read that Ben took over.
    let claim = ana.journal.take_over();
    let stale = commit(group(1), ana.head(group(1)), vec![said("too early")]);
    let ticket = ana.journal.submit(stale).unwrap();
    handle.waits_for_held(1);
    handle.wakes();
    handle.flows();
    assert!(matches!(ticket.wait(), Outcome::Conflict));
    claim.blocking_recv().unwrap().unwrap();
    writes(&ana, 1, 1);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn a_log_in_trouble_keeps_its_codes() {
    for seed in 0..20 {
        let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
        let nodes = ["a", "b"].map(|name| places.opens_with(name, log.handle(), key));
        log.troubles(seed);
        for round in 0..4 {
            nodes[round % 2].leads();
            (1..=4).for_each(|stream| writes(&nodes[round % 2], stream, 2));
            let all = log.coded();
            let forged = forgeries(&all[fastrand::usize(..all.len())]);
            forged.into_iter().for_each(|it| log.receives_with(it.0, it.1, it.2));
        }
        everything_ends_the_same(nodes.into());
    }
}

fn has_codes(node: &TestNode) -> bool {
    node.journal.has_codes().load(std::sync::atomic::Ordering::SeqCst)
}

#[test]
fn older_log_gets_codes_and_keeps_messages() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let nodes = ["a", "b"].map(|name| places.opens(name, log.handle()));
    nodes[0].leads();
    (1..=8).for_each(|stream| writes(&nodes[0], stream, 2));
    assert!(log.coded().iter().all(|it| it.2.is_none()));
    nodes.iter().for_each(|it| it.journal.finish());
    let one = log.handle();
    let ana = places.opens_with("a", Arc::<PaperHandle>::clone(&one), key);
    let ben = places.opens_with("b", log.handle(), key);
    ana.leads();
    assert!(!has_codes(&ana) && !has_codes(&ben));
    // A message without a code is under way when the leader begins to write codes.
    let here = group(1);
    one.stops_after(0);
    let next = commit(here, ana.head(here), vec![said("under way")]);
    let ticket = ana.journal.submit(next).unwrap();
    one.waits_for_held(1);
    ana.journal.begin_codes();
    one.wakes();
    one.flows();
    let Outcome::Committed(under_way) = ticket.wait() else { panic!("it is written") };
    let next = commit(here, under_way.after, vec![said("with a code")]);
    assert!(matches!(ana.journal.submit(next).unwrap().wait(), Outcome::Committed(_)));
    until_just("the log has codes", || has_codes(&ana) && has_codes(&ben));
    let old: Vec<Stored> = log.coded();
    old.iter().flat_map(forgeries).for_each(|it| log.receives_with(it.0, it.1, it.2));
    let late = places.opens_with("late", log.handle(), key);
    ana.journal.finish();
    let ana = places.opens_with("a", log.handle(), key);
    assert!(has_codes(&ana) && has_codes(&late));
    log.receives(old[2].0, take_over(&old[2].1, 0));
    ana.leads();
    everything_ends_the_same(vec![ana, ben, late]);
}

#[test]
fn leader_waits_until_no_earlier_version_may_write() {
    let (log, places) = (PaperLog::default(), Places::new());
    let ana = places.opens("a", log.handle());
    ana.leads();
    writes(&ana, 1, 1);
    // A node of a version that divided the streams among the shards takes one of them over.
    let (shard, before) = (Shard::new(9).unwrap(), log.len());
    let any = &log.messages()[before - 1].1;
    log.receives(Some(Subject::Of(shard)), take_over(any, shard.get()));
    until_just("it leads no longer", || !ana.journal.leads());
    let next = commit(group(1), ana.head(group(1)), vec![said("too early")]);
    assert!(matches!(ana.journal.submit(next).unwrap().wait(), Outcome::Conflict));
    ana.leads();
    assert_eq!(log.len(), before + 2, "it closes that shard, and needs nothing else");
    assert_eq!(log.messages()[before + 1].0, Some(Subject::Of(shard)));
    writes(&ana, 1, 1);
    everything_ends_the_same(vec![ana, places.opens("late", log.handle())]);
}

/// Why a node does not join.
fn refusal(places: &Places, name: &str, log: &PaperLog, key: NodeKey) -> String {
    let node = TestNode::tries_with(&places.path(name), log.handle(), SMALL, None, key);
    let fault: JournalFault = node.journal.wait_until_current().unwrap_err();
    fault.to_string()
}

#[test]
fn nodes_without_the_key_do_not_join() {
    let (log, places, key) = (PaperLog::default(), Places::new(), fresh_key());
    let new = || NodeKey::New(InstallationKey::fresh());
    let ana = places.opens_with("a", log.handle(), key);
    ana.leads();
    writes(&ana, 1, 2);
    let ben = places.opens_with("b", log.handle(), key);
    ben.journal.finish();
    // An empty node, and one that has a copy already.
    for name in ["empty", "b"] {
        for other in [NodeKey::Absent, fresh_key(), new()] {
            let why = refusal(&places, name, &log, other);
            assert!(why.contains("installation.key") && why.contains("copy"), "{why}");
        }
    }
    assert_eq!(ana.journal.log_counts().skips(), 0, "they wrote nothing");
    let ben = places.opens_with("b", log.handle(), key);
    everything_ends_the_same(vec![ana, ben]);
}

#[test]
fn a_new_key_counts_for_the_node_that_founds_the_log() {
    let (log, places) = (PaperLog::default(), Places::new());
    let new = NodeKey::New(InstallationKey::fresh());
    let ana = places.opens_with("a", log.handle(), new);
    assert!(has_codes(&ana));
    ana.leads();
    writes(&ana, 1, 2);
    everything_ends_the_same(vec![ana]);
    // In a log without codes it does not count.
    let (log, places) = (PaperLog::default(), Places::new());
    let ana = places.opens("a", log.handle());
    ana.leads();
    let ben = places.opens_with("b", log.handle(), new);
    ben.leads();
    ben.journal.begin_codes();
    writes(&ben, 1, 2);
    assert!(!has_codes(&ben));
    everything_ends_the_same(vec![ana, ben]);
}

/// Publishes this message to the log of this name, without a fence.
async fn publish(servers: &str, name: &str, stored: &Stored) {
    let addresses: Vec<async_nats::ServerAddr> =
        servers.split(',').map(|it| it.parse().unwrap()).collect();
    let engine = async_nats::jetstream::new(async_nats::connect(addresses).await.unwrap());
    let place = match stored.0 {
        Some(Subject::Of(shard)) => shard.get().to_string(),
        Some(Subject::Installation) | None => "all".to_owned(),
    };
    let mut headers = async_nats::HeaderMap::new();
    let text: Option<String> =
        stored.2.map(|code| code.iter().map(|it| format!("{it:02x}")).collect());
    text.into_iter().for_each(|it| headers.insert("Coterie-Mac", it.as_str()));
    let subject = format!("log.{name}.{place}");
    let sent = engine.publish_with_headers(subject, headers, stored.1.clone()).await.unwrap();
    sent.await.unwrap();
}

/// The messages of the log of this name, as a stranger reads them.
async fn stored(servers: &str, name: &str) -> Vec<Stored> {
    let addresses: Vec<async_nats::ServerAddr> =
        servers.split(',').map(|it| it.parse().unwrap()).collect();
    let engine = async_nats::jetstream::new(async_nats::connect(addresses).await.unwrap());
    let stream = engine.get_stream(name).await.unwrap();
    let last = stream.cached_info().state.last_sequence;
    let mut all = Vec::new();
    for sequence in 1..=last {
        let message = stream.get_raw_message(sequence).await.unwrap();
        let place = message.subject.rsplit('.').next().unwrap().to_owned();
        let shard = place.parse().ok().and_then(Shard::new);
        let code = message.headers.get("Coterie-Mac").map(|text| {
            let byte = |at: usize| u8::from_str_radix(&text.as_str()[at..at + 2], 16).unwrap();
            std::array::from_fn(|index| byte(2 * index))
        });
        let subject = shard.map_or(Subject::Installation, Subject::Of);
        all.push((Some(subject), message.payload, code));
    }
    all
}

fn skips_over_real_servers(servers: usize) {
    let (servers, places, name) = (NatsServers::start(servers), Places::new(), fresh_name());
    let (addresses, key) = (servers.addresses(), fresh_key());
    let replicas = addresses.split(',').count();
    let log = || on_nats(&addresses, &name, replicas);
    let ana = places.opens_with("a", log(), key);
    ana.leads();
    write_chain(&*ana.journal, group(1), &["one"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let all = runtime.block_on(stored(&addresses, &name));
    assert!(all.iter().all(|it| it.2.is_some()));
    let forged: Vec<Stored> = all.iter().flat_map(forgeries).step_by(5).collect();
    forged.iter().for_each(|it| runtime.block_on(publish(&addresses, &name, it)));
    writes(&ana, 1, 2);
    let late = places.opens_with("late", log(), key);
    assert_eq!(late.journal.log_counts().skips(), forged.len() as u64);
    everything_ends_the_same(vec![ana, late]);
}

#[test]
fn nodes_skip_forgeries_at_one_server() {
    skips_over_real_servers(1);
}

#[test]
fn nodes_skip_forgeries_that_three_servers_agree_on() {
    skips_over_real_servers(3);
}
