//! A node whose clock differs from the others' is not ready, and its time is in no message.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use clap::Parser as _;
use coterie::boot;
use coterie::boot::services::Surroundings;
use coterie::clock::{Clock, SystemClock};
use coterie::config::Options;
use coterie::domain::time::Moment;
use tokio::sync::oneshot;

use crate::asking::Person;
use crate::installation::Installation;

const YEARS: u64 = 10 * 365 * 86_400_000;

/// The machine's clock, so many milliseconds ahead.
struct Ahead(SystemClock, u64);

impl Clock for Ahead {
    fn now(&self) -> Moment {
        let now = self.0.now();
        Moment { wall: now.wall.plus_millis(self.1), ..now }
    }
}

/// A node in this process. It ends when dropped.
struct NodeHere {
    url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl NodeHere {
    /// Starts the node `b` of this installation, with a clock that is so much ahead.
    fn starts(all: &Installation, ahead: u64) -> Self {
        let servers = all.servers.addresses();
        let data = all.data(1);
        all.has_key(1);
        let words = ["coterie", "--listen", "127.0.0.1:0", "--nats", &servers, "--node", "b"];
        let more = ["--replicas", "1", "--rate-limit", "off", "--data-dir"];
        let words = [&words[..], &more, &[data.to_str().unwrap()]].concat();
        let options = Options::parse_from(words);
        let (stop, stopped) = oneshot::channel::<()>();
        let (started, wait) = mpsc::channel();
        let thread = thread::spawn(move || {
            actix::System::new().block_on(async move {
                let clock = Arc::new(Ahead(SystemClock::new(), ahead));
                let around = Surroundings { clock, ..Surroundings::default() };
                let running = boot::start(&options, around).unwrap();
                started.send(format!("http://{}", running.addresses.listen)).unwrap();
                running.until(async move { drop(stopped.await) }).await.unwrap();
            });
        });
        Self { url: wait.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// What `/health/ready` answers: the status, and the reason.
    async fn health(&self) -> (u16, String) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = client.get(format!("{}/health/ready", self.url)).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn is_ready(&self) {
        while self.health().await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for NodeHere {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The time of a message that this person sends at their node.
async fn time_of_message(ana: &Person, group: &str, guid: &str) -> u64 {
    let (status, answer) = ana.says(group, guid).await.unwrap();
    assert_eq!(status, 201, "{answer}");
    answer["message"]["created_at"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_with_a_wrong_clock_is_not_ready_and_dates_no_message() {
    let all = Installation::starts(1, 1).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let other = NodeHere::starts(&all, YEARS);
    let (status, reason) = loop {
        let (status, reason) = other.health().await;
        if !reason.contains("joining") {
            break (status, reason);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(status, 503, "{reason}");
    assert!(reason.contains("clock") && reason.contains("ahead"), "{reason}");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut ben = ana.clone();
    other.url.clone_into(&mut ben.url);
    for number in 0..8 {
        let group = ana.creates_group(&format!("Group {number}")).await;
        for (person, guid) in [(&ana, "there"), (&ben, "here")] {
            let at = time_of_message(person, &group, guid).await;
            assert!(at.abs_diff(now) < 600, "{at} is not {now}");
        }
    }
    // The first node ignores it.
    all.serves(0).await;
    assert_eq!(other.health().await.0, 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_clock_is_half_a_minute_ahead_is_ready() {
    let all = Installation::starts(1, 1).await;
    let other = NodeHere::starts(&all, 30_000);
    other.is_ready().await;
    all.nodes_when(0, &["a", "b"]).await;
}
