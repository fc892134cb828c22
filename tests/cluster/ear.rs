//! Listeners that run as long as a test does, at whichever node answers, and check that they get
//! every event once and in order, whatever happens to nodes meanwhile.

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

/// After so long without a frame or an answer the node may be asleep, so the listener tries the
/// next one.
const SILENCE: Duration = Duration::from_secs(3);
/// How long a listener may take to catch up at the end.
const PATIENCE: Duration = Duration::from_secs(120);
/// After so many events a wandering listener goes to the next node.
const STAYS_FOR: usize = 50;
/// How many seconds a node holds a request for events (long polling).
const WAIT: u64 = 1;

/// How a listener gets events.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// By one socket at one node, for as long as the socket lasts.
    Staying,
    /// By one socket after the other, each at the next node.
    Wandering,
    /// By long polling, each request at the next node, as behind a round-robin load balancer.
    Polling,
}

/// Several listeners, each of which listens in another way.
pub(crate) struct Ears(Vec<Ear>);

impl Ears {
    /// One listener that stays at each of these nodes, and two that go from node to node: one with
    /// sockets and one with long polling.
    pub(crate) async fn of(all: &Installation, person: &Person, nodes: &[usize]) -> Self {
        let mut ears = Vec::new();
        for node in nodes {
            ears.push(Ear::listening(all, person, &[*node], Way::Staying).await);
        }
        ears.append(&mut Self::wandering(all, person, nodes).await.0);
        Self(ears)
    }

    /// Only the two listeners that go from node to node.
    pub(crate) async fn wandering(all: &Installation, person: &Person, nodes: &[usize]) -> Self {
        let mut ears = Vec::new();
        for way in [Way::Wandering, Way::Polling] {
            ears.push(Ear::listening(all, person, nodes, way).await);
        }
        Self(ears)
    }

    /// Sets the nodes among which the listeners wander from now on.
    pub(crate) fn go_to(&self, all: &Installation, nodes: &[usize]) {
        self.0.iter().for_each(|ear| ear.goes_to(all, nodes));
    }

    /// Calls [`Ear::has_heard_everything`] on each listener.
    pub(crate) async fn have_heard_everything(self, all: &Installation, node: usize) {
        for ear in self.0 {
            ear.has_heard_everything(all, node).await;
        }
    }
}

/// A listener. It begins before there is anything to hear.
pub(crate) struct Ear {
    person: Person,
    heard: Arc<Mutex<Heard>>,
    task: JoinHandle<()>,
}

/// What a listener has heard so far.
#[derive(Default)]
struct Heard {
    after: Option<String>,
    /// By group: the `n` of the newest event, and the ids of the messages, oldest first.
    groups: HashMap<String, (u64, Vec<String>)>,
    /// The addresses of the nodes, in the order in which they are tried.
    urls: Vec<String>,
    moves: usize,
}

impl Ear {
    /// Starts a listener that stays with one of these nodes, the first one at first, until its
    /// socket ends.
    pub(crate) async fn of(all: &Installation, person: &Person, nodes: &[usize]) -> Self {
        Self::listening(all, person, nodes, Way::Staying).await
    }

    async fn listening(all: &Installation, person: &Person, nodes: &[usize], way: Way) -> Self {
        let heard = Arc::new(Mutex::new(Heard { urls: urls(all, nodes), ..Heard::default() }));
        let task = tokio::spawn(listens(person.clone(), way, Arc::clone(&heard)));
        let ear = Self { person: person.clone(), heard, task };
        ear.until(|heard| heard.after.is_some()).await;
        ear
    }

    /// Sets the nodes to try when the socket ends. To be called when a node was restarted, too,
    /// since its port is another one then.
    pub(crate) fn goes_to(&self, all: &Installation, nodes: &[usize]) {
        self.heard.lock().unwrap().urls = urls(all, nodes);
    }

    /// Waits until the listener has heard every message of its groups that this node shows: none
    /// missing, none twice, all in the same order.
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

async fn listens(mut person: Person, way: Way, heard: Arc<Mutex<Heard>>) {
    loop {
        let url = {
            let heard = heard.lock().unwrap();
            heard.urls[heard.moves % heard.urls.len()].clone()
        };
        // The node may be gone, or end at any moment.
        person.url = url;
        let ended = match way {
            Way::Staying => listens_at(&person, usize::MAX, &heard).await,
            Way::Wandering => listens_at(&person, STAYS_FOR, &heard).await,
            Way::Polling => asks_once(&person, &heard).await,
        };
        heard.lock().unwrap().moves += 1;
        if ended.is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Asks once for new events; the node waits a little for some.
async fn asks_once(person: &Person, heard: &Mutex<Heard>) -> Option<()> {
    let after = heard.lock().unwrap().after.clone();
    let after = after.map(|it| format!("&after={it}")).unwrap_or_default();
    let path = format!("/v3/events?wait={WAIT}{after}");
    let (status, page) = tokio::time::timeout(SILENCE, person.asks(&path)).await.ok()??;
    if status != 200 {
        assert_eq!(status, 503, "{page}");
        return None;
    }
    assert!(page["reset"].is_null(), "started over: {page}");
    let mut heard = heard.lock().unwrap();
    page["events"].as_array().unwrap().iter().for_each(|event| heard.take(event));
    heard.after = Some(page["c"].as_str().unwrap().to_owned());
    Some(())
}

/// Listens until the socket ends or falls silent, or `most` events have come.
async fn listens_at(person: &Person, most: usize, heard: &Mutex<Heard>) -> Option<()> {
    let url = format!("{}/v3/push?token={}", person.url.replace("http", "ws"), person.token);
    let connecting = tokio_tungstenite::connect_async(url);
    let (mut socket, _) = tokio::time::timeout(SILENCE, connecting).await.ok()?.ok()?;
    let mut hello = json!({"t": "hello", "v": 1});
    if let Some(after) = &heard.lock().unwrap().after {
        hello["after"] = json!(after);
    }
    socket.send(Message::text(hello.to_string())).await.ok()?;
    let mut events = 0;
    while events < most {
        let frame = tokio::time::timeout(SILENCE, socket.next()).await.ok()??.ok()?;
        let Message::Text(frame) = frame else { continue };
        let frame: Value = serde_json::from_str(&frame).unwrap();
        heard.lock().unwrap().take(&frame);
        events += usize::from(frame["t"] == "ev");
    }
    Some(())
}

impl Heard {
    fn take(&mut self, frame: &Value) {
        match frame["t"].as_str().unwrap() {
            "welcome" => {
                let is_new = self.after.is_none();
                assert!(is_new || frame["resumed"] == true, "started over: {frame}");
            }
            "reset" => panic!("started over: {frame}"),
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
