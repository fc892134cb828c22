//! People who write at every node and insist: a message that was not acknowledged is sent again, at
//! another node if need be.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::asking::Person;
use crate::installation::Installation;
use crate::readings;

/// How many drafts are saved at the same time in `draft_until`.
const CROWD: usize = 64;

/// How long a writer waits for an answer.
const GIVES_UP_AFTER: Duration = Duration::from_secs(5);

/// How long a writer pauses after a message that was not acknowledged.
const PAUSE: Duration = Duration::from_millis(20);

/// One writer for each group, and what was acknowledged.
pub(crate) struct Writers {
    person: Person,
    groups: Vec<String>,
    tasks: JoinSet<()>,
    told: Arc<Told>,
}

#[derive(Default)]
struct Told {
    is_over: AtomicBool,
    urls: Mutex<Vec<String>>,
    /// By group: when a message was last acknowledged.
    paces: Mutex<HashMap<String, Instant>>,
    /// How long each writer pauses after an acknowledged message.
    pause: Duration,
    /// Guid and group of every acknowledged message.
    acknowledged: Mutex<Vec<(String, String)>>,
    refused: Mutex<HashMap<u16, usize>>,
}

impl Writers {
    /// The number of groups; enough that every node owns some.
    pub(crate) const GROUPS: usize = 9;

    /// Starts one writer for each group, at these nodes in turn.
    pub(crate) async fn begin(all: &Installation, person: &Person, nodes: &[usize]) -> Self {
        Self::begin_pausing(all, person, nodes, Duration::ZERO).await
    }

    /// As `begin`, with a pause after each message, so that a listener that hears nothing for a
    /// while never falls so far behind that it has to start over.
    pub(crate) async fn begin_pausing(
        all: &Installation,
        person: &Person,
        nodes: &[usize],
        pause: Duration,
    ) -> Self {
        let told = Arc::new(Told { pause, ..Told::default() });
        let mut groups = Vec::new();
        let mut tasks = JoinSet::new();
        for number in 0..Self::GROUPS {
            groups.push(person.creates_group(&format!("Group {number}")).await);
        }
        *told.urls.lock().unwrap() = nodes.iter().map(|it| all.url(*it).to_owned()).collect();
        for (number, group) in groups.iter().enumerate() {
            tasks.spawn(insists(person.clone(), group.clone(), number, Arc::clone(&told)));
        }
        Self { person: person.clone(), groups, tasks, told }
    }

    /// Directs the writers to these nodes alone from now on.
    pub(crate) fn go_to(&self, all: &Installation, nodes: &[usize]) {
        *self.told.urls.lock().unwrap() = nodes.iter().map(|it| all.url(*it).to_owned()).collect();
    }

    /// Waits until a new message was acknowledged in every group; returns how long it took.
    pub(crate) async fn all_go_on(&self) -> Duration {
        let began = Instant::now();
        loop {
            let count = self.told.paces.lock().unwrap().values().filter(|at| **at > began).count();
            if count == Self::GROUPS {
                return began.elapsed();
            }
            assert!(began.elapsed() < Duration::from_secs(120), "only {count} groups go on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Saves long drafts, many at a time, until `is_enough` returns true. They fill the journal with
    /// less work than messages, since nobody else receives them and no search finds them.
    pub(crate) async fn draft_until(&self, is_enough: impl Fn() -> bool) {
        let is_enough = &is_enough;
        let one = async |number: usize| {
            while !is_enough() {
                let mut person = self.person.clone();
                person.url = {
                    let urls = self.told.urls.lock().unwrap();
                    urls[number % urls.len()].clone()
                };
                // Random characters of four bytes each, which compress badly.
                let text: String =
                    (0..1000).map(|_| fastrand::char('\u{1f300}'..'\u{1f5ff}')).collect();
                let path = format!("/v3/drafts/{}", self.groups[number % Self::GROUPS]);
                match person.puts(&path, &json!({"text": text})).await {
                    Some((200, _)) => {}
                    // On a slow machine the node may have lost the person's room meanwhile.
                    None | Some((503, _)) => tokio::time::sleep(PAUSE).await,
                    Some((status, told)) => panic!("{status}: {told}"),
                }
            }
        };
        futures_util::future::join_all((0..CROWD).map(one)).await;
    }

    /// Sends the same message into every group at this node. Waits for the answers without a
    /// timeout; each yields its status, 0 if there was no answer.
    pub(crate) fn say_at(&self, all: &Installation, node: usize, guid: &str) -> JoinSet<u16> {
        let person = all.at(node, &self.person);
        let mut saying = JoinSet::new();
        for group in &self.groups {
            let (person, group, guid) = (person.clone(), group.clone(), guid.to_owned());
            let told = Arc::clone(&self.told);
            saying.spawn(async move {
                let status = person.says(&group, &guid).await.map_or(0, |(status, _)| status);
                if status == 201 {
                    told.acknowledged.lock().unwrap().push((guid, group));
                }
                status
            });
        }
        saying
    }

    /// How many requests failed, by status; 0 means that there was no answer.
    pub(crate) fn failures(&self) -> HashMap<u16, usize> {
        self.told.refused.lock().unwrap().clone()
    }

    /// Stops the writers, and checks that every acknowledged message is stored once at each of
    /// these nodes, in the same order. Returns how many were acknowledged.
    pub(crate) async fn end(mut self, all: &Installation, nodes: &[usize]) -> usize {
        self.told.is_over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
        let acknowledged = self.told.acknowledged.lock().unwrap().clone();
        for group in &self.groups {
            self.is_shown_by_all(all, group, nodes).await;
            let mut told = Vec::new();
            for node in nodes {
                told.push(readings::pages(&all.at(*node, &self.person), group).await);
            }
            for other in &told[1..] {
                assert_eq!(&told[0], other, "every node tells the same");
            }
            let mut guids: Vec<&str> = told[0].iter().map(|(guid, _)| guid.as_str()).collect();
            let ids: Vec<&str> = told[0].iter().map(|(_, id)| id.as_str()).collect();
            assert!(ids.windows(2).all(|pair| pair[0] > pair[1]), "ids grow");
            guids.sort_unstable();
            assert!(guids.windows(2).all(|pair| pair[0] != pair[1]), "a guid stands twice");
            for (guid, _) in acknowledged.iter().filter(|(_, of)| of == group) {
                assert!(guids.binary_search(&guid.as_str()).is_ok(), "{guid} was acknowledged");
            }
        }
        all.have_the_same_journal(nodes).await;
        acknowledged.len()
    }

    /// Waits until each of these nodes shows the same number of messages of a group, since an
    /// answer does not wait for a node that is far behind.
    async fn is_shown_by_all(&self, all: &Installation, group: &str, nodes: &[usize]) {
        let began = Instant::now();
        loop {
            let mut counts = Vec::new();
            for node in nodes {
                let person = all.at(*node, &self.person);
                let (_, shown) = person.gets(&format!("/v3/groups/{group}")).await;
                counts.push(shown["messages"]["count"].as_u64());
                counts.push(u64::try_from(readings::texts(&person, group).await.len()).ok());
            }
            if counts.iter().all(|count| *count == counts[0]) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "counted, paged: {counts:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn insists(person: Person, group: String, number: usize, told: Arc<Told>) {
    let mut turn = number;
    for message in 0.. {
        let guid = format!("{number}-{message}");
        loop {
            // Also in the middle of sending a message, which is not acknowledged then.
            if told.is_over.load(Ordering::SeqCst) {
                return;
            }
            let mut person = person.clone();
            person.url = {
                let urls = told.urls.lock().unwrap();
                urls[turn % urls.len()].clone()
            };
            // A node that sleeps does not answer, and holds the connection open.
            let said = tokio::time::timeout(GIVES_UP_AFTER, person.says(&group, &guid)).await;
            match said.ok().flatten().map_or(0, |(status, _)| status) {
                201 | 409 => break,
                status => {
                    *told.refused.lock().unwrap().entry(status).or_default() += 1;
                    assert!(matches!(status, 0 | 503), "{status}");
                    turn += 1;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        turn += 1;
        told.acknowledged.lock().unwrap().push((guid, group.clone()));
        told.paces.lock().unwrap().insert(group.clone(), Instant::now());
        tokio::time::sleep(told.pause).await;
    }
}
