//! A log that keeps records for a limited time: its beginning moves on, and only a node that was
//! away for longer is affected.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{Config, State};

use crate::asking::Person;
use crate::installation::Installation;
use crate::nats_server::NatsServers;
use crate::program::{coterie, serving};
use crate::readings;
use crate::refusals::refused;

/// Whether nodes that start are told to keep the log for a limited time.
static KEEPS: AtomicBool = AtomicBool::new(true);

fn options(_: usize) -> Vec<String> {
    let keeps = ["--log-keep", "10s"].map(str::to_owned);
    if KEEPS.load(Ordering::SeqCst) { keeps.into() } else { Vec::new() }
}

/// The state of the log's stream, with its first and last sequence number.
async fn reach(servers: &NatsServers) -> State {
    let addresses = servers.addresses();
    let servers: Vec<async_nats::ServerAddr> =
        addresses.split(',').map(|it| it.parse().unwrap()).collect();
    let engine = async_nats::jetstream::new(async_nats::connect(servers).await.unwrap());
    engine.get_stream("COTERIE_LOG").await.unwrap().cached_info().state.clone()
}

/// Sends messages until the log has removed everything that it holds now, including the records of
/// shards in which nothing new happens. Returns how many messages were sent.
async fn says_until_it_is_forgotten(all: &Installation, ana: &Person, group: &str) -> usize {
    let left = reach(&all.servers).await.last_sequence;
    let (until, mut said) = (Instant::now() + Duration::from_secs(120), 0);
    while reach(&all.servers).await.first_sequence <= left + 1 {
        assert!(Instant::now() < until, "the log keeps everything");
        let told = ana.says(group, &format!("{left} {said}")).await;
        assert_eq!(told.map(|(status, _)| status), Some(201));
        said += 1;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    said
}

/// Checks that a node does not start because the log has removed records that it lacks, and that it
/// says what to do.
fn is_told(all: &Installation, node: usize) {
    let line = refused(all.command(node));
    eprintln!("{line}");
    assert!(line.contains("the log is kept from"), "{line}");
    assert!(line.contains("backup of another node"), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_keep_trims_messages_of_all_nodes() {
    let mut all = Installation::starts_with(3, 3, options).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let group = ana.creates_group("Climbers").await;
    all.stop(2).await;
    let mut said = says_until_it_is_forgotten(&all, &ana, &group).await;
    let at_b = readings::texts(&all.at(1, &ana), &group).await;
    assert_eq!(at_b.len(), said, "nodes go on, and have what the log has not");
    // A node that was away for longer, and a node that never took part.
    is_told(&all, 2);
    is_told(&all, 3);
    // A node that slept meanwhile ends by itself.
    all.put_to_sleep(1);
    said += says_until_it_is_forgotten(&all, &ana, &group).await;
    all.wake(1);
    all.fails(1).await;
    is_told(&all, 1);
    // From here on the log removes nothing more, however long the rest of the test takes.
    KEEPS.store(false, Ordering::SeqCst);
    all.kill(0);
    all.start([0]).await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("copy");
    all.tool(0, &["backup", folder.to_str().unwrap()]);
    for node in [1, 2] {
        std::fs::remove_dir_all(all.data(node)).unwrap();
        all.tool(node, &["restore", folder.to_str().unwrap()]);
    }
    all.start([1, 2]).await;
    for node in 0..3 {
        let words = format!("again at {node}");
        let told = all.at(node, &ana).says(&group, &words).await;
        assert_eq!(told.map(|(status, _)| status), Some(201));
    }
    all.have_the_same_journal(&[0, 1, 2]).await;
    for node in 0..3 {
        let ana = all.at(node, &ana);
        assert_eq!(readings::texts(&ana, &group).await.len(), said + 3, "at {node}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn untrimmable_log_refuses_log_keep() {
    let (servers, data) = (NatsServers::start(1), tempfile::tempdir().unwrap());
    let client = async_nats::connect(servers.addresses()).await.unwrap();
    let made = Config {
        name: "COTERIE_LOG".to_owned(),
        subjects: vec!["coterie.log.>".to_owned()],
        deny_delete: true,
        deny_purge: true,
        ..Config::default()
    };
    async_nats::jetstream::new(client).create_stream(made).await.unwrap();
    let addresses = servers.addresses();
    let joined = ["--nats", &addresses, "--node", "a", "--replicas", "1", "--log-keep", "7d"];
    let command = coterie(&serving(&data.path().join("a"), &joined));
    let line = tokio::task::spawn_blocking(move || refused(command)).await.unwrap();
    assert!(line.contains("--log-keep"), "{line}");
}
