//! Somebody who listens as long as a test runs, at whichever node answers: every event once,
//! in order, whatever happens to nodes meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::asking::Person;
use crate::installation::Installation;
use crate::readings;

/// Nothing comes for so long: it may be that the node sleeps, so another one is asked.
const SILENCE: Duration = Duration::from_secs(3);
/// How long it may take to hear the rest.
const PATIENCE: Duration = Duration::from_secs(120);

/// The listener. It begins before there is anything to hear.
pub(crate) struct Ear {
    person: Person,
    heard: Arc<Mutex<Heard>>,
    task: JoinHandle<()>,
}

/// What came so far.
#[derive(Default)]
struct Heard {
    after: Option<String>,
    /// Of each conversation: the number of the newest event, and its messages, oldest first.
    groups: HashMap<String, (u64, Vec<String>)>,
    /// Where nodes are.
    urls: Vec<String>,
    moves: usize,
}

impl Ear {
    /// Listens at these nodes, at the first of them at first.
    pub(crate) async fn of(all: &Installation, person: &Person, nodes: &[usize]) -> Self {
        let heard = Arc::new(Mutex::new(Heard { urls: urls(all, nodes), ..Heard::default() }));
        let task = tokio::spawn(listens(person.clone(), Arc::clone(&heard)));
        let ear = Self { person: person.clone(), heard, task };
        ear.until(|heard| heard.after.is_some()).await;
        ear
    }

    /// From its next socket on it listens at these nodes; a node that was started again is
    /// somewhere else.
    pub(crate) fn goes_to(&self, all: &Installation, nodes: &[usize]) {
        self.heard.lock().unwrap().urls = urls(all, nodes);
    }

    /// Waits until all that these groups hold was heard, at this node and everywhere: nothing
    /// is missing, and nothing came twice or in another order.
    pub(crate) async fn has_heard_everything(self, all: &Installation, node: usize) {
        let person = all.at(node, &self.person);
        let groups: Vec<String> = self.heard.lock().unwrap().groups.keys().cloned().collect();
        assert!(!groups.is_empty());
        for group in groups {
            let mut written = readings::pages(&person, &group).await;
            written.reverse();
            let written: Vec<String> = written.into_iter().map(|(_, id)| id).collect();
            self.until(|heard| heard.groups[&group].1.len() >= written.len()).await;
            assert_eq!(self.heard.lock().unwrap().groups[&group].1, written);
        }
        self.task.abort();
        eprintln!("a listener went to another node {} times", self.heard.lock().unwrap().moves);
    }

    async fn until(&self, is_so: impl Fn(&Heard) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(&self.heard.lock().unwrap()) {
            assert!(!self.task.is_finished(), "what it heard was wrong");
            assert!(Instant::now() < until, "it does not hear the rest");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn urls(all: &Installation, nodes: &[usize]) -> Vec<String> {
    nodes.iter().map(|node| all.url(*node).to_owned()).collect()
}

async fn listens(person: Person, heard: Arc<Mutex<Heard>>) {
    loop {
        let url = {
            let heard = heard.lock().unwrap();
            heard.urls[heard.moves % heard.urls.len()].clone()
        };
        // The node may be gone, or go, at any moment.
        let _ended = listens_at(&person, &url, &heard).await;
        heard.lock().unwrap().moves += 1;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Listens until the socket ends or falls silent.
async fn listens_at(person: &Person, url: &str, heard: &Mutex<Heard>) -> Option<()> {
    let url = format!("{}/v3/push?token={}", url.replace("http", "ws"), person.token);
    let connecting = tokio_tungstenite::connect_async(url);
    let (mut socket, _) = tokio::time::timeout(SILENCE, connecting).await.ok()?.ok()?;
    let mut hello = json!({"t": "hello", "v": 1});
    if let Some(after) = &heard.lock().unwrap().after {
        hello["after"] = json!(after);
    }
    socket.send(Message::text(hello.to_string())).await.ok()?;
    loop {
        let frame = tokio::time::timeout(SILENCE, socket.next()).await.ok()??.ok()?;
        let Message::Text(frame) = frame else { continue };
        heard.lock().unwrap().take(&serde_json::from_str(&frame).unwrap());
    }
}

impl Heard {
    fn take(&mut self, frame: &Value) {
        match frame["t"].as_str().unwrap() {
            "welcome" => {
                let is_new = self.after.is_none();
                assert!(is_new || frame["resumed"] == true, "begun anew: {frame}");
            }
            "reset" => panic!("begun anew: {frame}"),
            "ev" => self.hears(frame),
            _ => {}
        }
        if let Some(cursor) = frame["c"].as_str() {
            self.after = Some(cursor.to_owned());
        }
    }

    fn hears(&mut self, event: &Value) {
        let Some(group) = event["conv"].as_str().and_then(|it| it.strip_prefix("g:")) else {
            return;
        };
        let (n, messages) = self.groups.entry(group.to_owned()).or_default();
        assert_eq!(event["n"], *n + 1, "not the next: {event}");
        *n += 1;
        if event["type"] == "line.create" {
            messages.push(event["data"]["id"].as_str().unwrap().to_owned());
        }
    }
}
