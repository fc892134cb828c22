//! Strangers who reach a server of the log: nodes ignore what they write, and nobody joins without
//! the key of the installation.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;

use crate::asking::Person;
use crate::installation::Installation;
use crate::nats_server::NatsServers;
use crate::program::{Program, coterie, serving};
use crate::readings;
use crate::refusals::refused;

/// How often a stranger repeats a sign of life.
const SIGNS: u64 = 20;

/// A payload with another number, and a checksum that fits.
fn renumbered(payload: &Bytes) -> Bytes {
    let mut bytes = payload.to_vec();
    bytes[32] ^= 1;
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes.into()
}

/// Publishes signs of life of a node that is not there: copies of another node's, with its code.
async fn forges_signs(client: &async_nats::Client) {
    let mut signs = client.subscribe("coterie.alive.*").await.unwrap();
    for _ in 0..SIGNS {
        let sign = signs.next().await.unwrap();
        let headers = sign.headers.unwrap_or_default();
        let sent = client.publish_with_headers("coterie.alive.x", headers, sign.payload);
        sent.await.unwrap();
    }
    client.flush().await.unwrap();
}

/// Publishes every message of the log once more, as it is and with another number; returns how
/// many messages that makes.
async fn forges_messages(client: &async_nats::Client) -> u64 {
    let engine = async_nats::jetstream::new(client.clone());
    let stream = engine.get_stream("COTERIE_LOG").await.unwrap();
    let last = stream.cached_info().state.last_sequence;
    for sequence in 1..=last {
        let stored = stream.get_raw_message(sequence).await.unwrap();
        let mut headers = async_nats::HeaderMap::new();
        let code = stored.headers.get("Coterie-Mac").map(ToString::to_string);
        code.iter().for_each(|it| headers.insert("Coterie-Mac", it.as_str()));
        for payload in [stored.payload.clone(), renumbered(&stored.payload)] {
            let subject = stored.subject.to_string();
            let sent = engine.publish_with_headers(subject, headers.clone(), payload);
            sent.await.unwrap().await.unwrap();
        }
    }
    2 * last
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_ignore_messages_of_strangers() {
    let all = Installation::starts(1, 2).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let group = ana.creates_group("Rope").await;
    assert_eq!(ana.says(&group, "before").await.unwrap().0, 201);
    let client = async_nats::connect(all.servers.addresses()).await.unwrap();
    forges_signs(&client).await;
    while all.counts(0, "coterie_cluster_dropped_total").await < SIGNS {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    all.nodes_when(0, &["a", "b"]).await;
    let forged = forges_messages(&client).await;
    assert_eq!(ana.says(&group, "after").await.unwrap().0, 201);
    all.have_the_same_journal(&[0, 1]).await;
    for node in [0, 1] {
        let ana = all.at(node, &ana);
        assert_eq!(readings::texts(&ana, &group).await.len(), 2);
        assert_eq!(all.counts(node, "coterie_cluster_skipped_total").await, forged);
    }
    all.serves(0).await;
}

/// The options of a node with this name over these servers.
fn options<'a>(servers: &'a str, name: &'a str) -> [&'a str; 6] {
    ["--nats", servers, "--node", name, "--replicas", "1"]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_without_the_key_end_and_name_the_file() {
    let all = Installation::starts(1, 1).await;
    let (servers, path) = (all.servers.addresses(), all.data(2));
    let options = options(&servers, "c");
    let refuses = || refused(coterie(&serving(&path, &options)));
    let line = refuses();
    assert!(line.contains("installation.key") && line.contains("--cluster-key-file"), "{line}");
    let key = path.join("installation.key");
    assert!(!key.exists(), "a key that is not the installation's would mislead");
    fs::write(&key, [7; 32]).unwrap();
    let line = refuses();
    assert!(line.contains("another key") && line.contains("installation.key"), "{line}");
    fs::write(&key, "short").unwrap();
    let line = refuses();
    assert!(line.contains("5 bytes") && line.contains("32"), "{line}");
    fs::remove_file(&key).unwrap();
    let right = all.data(0).join("installation.key");
    let more = ["--cluster-key-file", right.to_str().unwrap()];
    let words = [&options[..], &more].concat();
    Program::starts(&path, &words).stops();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_founding_node_makes_a_key_for_its_account_alone() {
    let (servers, data) = (NatsServers::start(1), tempfile::tempdir().unwrap());
    let (addresses, path) = (servers.addresses(), data.path().join("a"));
    let options = options(&addresses, "a");
    Program::starts(&path, &options).stops();
    let key = path.join("installation.key");
    let bytes = fs::read(&key).unwrap();
    assert_eq!((bytes.len(), mode(&key)), (32, 0o600));
    Program::starts(&path, &options).stops();
    assert_eq!(fs::read(&key).unwrap(), bytes);
    let copy = data.path().join("copy");
    let words = ["backup", "--data-dir", path.to_str().unwrap(), copy.to_str().unwrap()];
    coterie(&words).output().unwrap();
    let copied = copy.join("installation.key");
    assert_eq!((fs::read(&copied).unwrap(), mode(&copied)), (bytes, 0o600));
    // Without it, the data is not served.
    fs::remove_file(&key).unwrap();
    let line = refused(coterie(&serving(&path, &options)));
    assert!(line.contains("installation.key"), "{line}");
}
