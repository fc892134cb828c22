//! Objects that all nodes share and that are not in the log: stored once, found by every node, and
//! removed only when nobody has sent them for a day.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use coterie::cluster::bus::{Bus, BusOptions};
use coterie::cluster::bus_guard::BusGuard;
use coterie::cluster::objects::{Removal, SharedObjects};
use coterie::domain::time::Timestamp;
use coterie::journal::replicated::nats_servers::NatsServers as LogServers;
use coterie::threads::Threads;

use crate::nats_server::{NatsServers, publish_with_headers};

const AN_HOUR: u64 = 3_600_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_expire_a_day_after_the_last_upload() {
    let servers = NatsServers::start(1);
    let options = |client: &str| BusOptions {
        servers: LogServers::parse(&servers.addresses(), None).unwrap(),
        client: client.to_owned(),
        replicas: 1,
        sync_always: Some(true),
        guard: BusGuard::default(),
    };
    let [one, two] = ["a", "b"].map(|node| {
        let connects = || Bus::connect(options(node), &Threads::System).unwrap();
        SharedObjects::over(Arc::new(tokio::task::block_in_place(connects)))
    });
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let now = Timestamp::from_seconds(since.as_secs());
    let later = |hours: u64| now.plus_millis(hours * AN_HOUR);
    let name = || "1x1.png.00000000000000000000000000000000".to_owned();
    assert_eq!(one.remove_old(name(), now).await.unwrap(), Removal::Done);
    one.keep(name(), b"rope".to_vec(), now).await.unwrap();
    assert!(two.is_new(name(), later(23)).await.unwrap());
    assert!(!two.is_new(name(), later(25)).await.unwrap());
    let Removal::From(from) = two.remove_old(name(), later(24)).await.unwrap() else {
        panic!("somebody may be about to show it")
    };
    assert!(from >= later(25));
    assert_eq!(two.fetch(name()).await.unwrap().unwrap(), b"rope");
    for _ in 0..2 {
        assert_eq!(two.remove_old(name(), later(26)).await.unwrap(), Removal::Done);
        assert_eq!(one.fetch(name()).await.unwrap(), None);
    }
    two.keep(name(), b"rope".to_vec(), later(26)).await.unwrap();
    assert_eq!(one.fetch(name()).await.unwrap().unwrap(), b"rope");
    // The object is older than an hour, so it is stored again, with a new age.
    one.keep(name(), b"rope".to_vec(), later(30)).await.unwrap();
    assert_eq!(two.fetch(name()).await.unwrap().unwrap(), b"rope");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bus_recovers_from_connection_ending_headers() {
    let servers = NatsServers::start(1);
    let connects = |client: &str| {
        let options = BusOptions {
            servers: LogServers::parse(&servers.addresses(), None).unwrap(),
            client: client.to_owned(),
            replicas: 1,
            sync_always: Some(true),
            guard: BusGuard::default(),
        };
        tokio::task::block_in_place(|| Bus::connect(options, &Threads::System).unwrap())
    };
    let (one, two) = (connects("a"), connects("b"));
    let mut hearing = two.subscribe("coterie.test.*".to_owned()).await.unwrap();
    two.flush().await;
    // At the second one the client library panics.
    for headers in [&b"NATS/1.0\r\nno colon\r\n\r\n"[..], b"NATS/1.0\r\nA: b\rc\r\n\r\n"] {
        publish_with_headers(&servers.addresses(), "coterie.test.a", headers);
        let telling = async {
            loop {
                one.publish("coterie.test.b".to_owned(), "hello".into()).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let heard = async {
            loop {
                let message = hearing.next().await.unwrap();
                // What was sent before the connection ended may still come.
                if message.payload == "hello" && two.is_connected() {
                    return message;
                }
            }
        };
        tokio::select! {
            heard = heard => assert_eq!(heard.subject, "coterie.test.b"),
            () = telling => {}
        }
    }
}
