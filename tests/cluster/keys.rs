//! One `Idempotency-Key` at several nodes: whatever happens to the node that leads, the act is
//! carried out once, every node gives the same response, and what it names is stored.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::asking::Person;
use crate::installation::Installation;
use crate::kills::rounds;

/// How often a client repeats a request that was not answered.
const AGAIN: Duration = Duration::from_millis(20);

/// An act that a client repeats under its key.
struct KeyedAct {
    path: String,
    body: Value,
    key: String,
    /// The path of the list in which its result stands, and the text in that result.
    list: String,
    text: String,
}

/// One act of each kind, in a group of this person.
async fn acts(ana: &Person) -> Vec<KeyedAct> {
    let group = ana.creates_group("Climbers").await;
    let bot = json!({"bot": {"name": "Speaker", "group_id": group}});
    let (status, made) = ana.posts("/v3/bots", &bot).await.unwrap();
    assert_eq!(status, 201, "{made}");
    let bot = made["bot"]["bot_id"].clone();
    let act = |path: &str, list: &str, body: fn(&str) -> Value| {
        let text = format!("{:016x}", fastrand::u64(..));
        let mut body = body(&text);
        let whole = body.as_object_mut().unwrap();
        if path == "/v3/bots" {
            whole["bot"]["group_id"] = group.clone().into();
        } else if path == "/v3/bots/post" {
            whole.insert("bot_id".to_owned(), bot.clone());
        }
        let [path, list] = [path, list].map(|it| it.replace("GROUP", &group));
        KeyedAct { path, body, key: format!("key-{text}"), list, text }
    };
    let messages = "/v3/groups/GROUP/messages";
    let events = "/v3/conversations/GROUP/events";
    vec![
        act(messages, messages, |text| json!({"message": {"source_guid": "1", "text": text}})),
        act("/v3/groups", "/v3/groups", |name| json!({"name": name})),
        act("/v3/poll/GROUP", "/v3/poll/GROUP", |subject| {
            json!({
                "subject": subject,
                "options": [{"title": "today"}, {"title": "tomorrow"}],
                "expiration": 4_000_000_000_u64,
                "type": "single",
                "visibility": "public",
            })
        }),
        act(&format!("{events}/create"), &format!("{events}/list"), |name| {
            json!({
                "name": name,
                "start_at": "2096-01-01T10:00:00Z",
                "end_at": "2096-01-01T12:00:00Z",
                "timezone": "UTC",
            })
        }),
        act("/v3/bots", "/v3/bots", |name| json!({"bot": {"name": name}})),
        act("/v3/bots/post", messages, |text| json!({"text": text})),
    ]
}

impl KeyedAct {
    /// How many results the list has at a node.
    async fn count(&self, person: &Person) -> usize {
        let (status, list) = person.gets(&self.list).await;
        assert_eq!(status, 200, "{}: {list}", self.list);
        let named = ["messages", "polls", "events"].iter().find_map(|it| list[it].as_array());
        let items = named.or(list.as_array()).unwrap_or_else(|| panic!("{}: {list}", self.list));
        items.iter().filter(|it| it.to_string().contains(&self.text)).count()
    }

    /// Asks until there is an answer.
    async fn insists(&self, person: Person) -> (u16, String) {
        loop {
            match person.posts_once(&self.path, &self.body, &self.key).await {
                Some((503, ..)) | None => tokio::time::sleep(AGAIN).await,
                Some((status, told, _)) => return (status, told),
            }
        }
    }
}

/// Checks that all requests got the same response, and that it is one of success.
fn agree(path: &str, answers: Vec<(u16, String)>) -> (u16, String) {
    let answers: BTreeSet<(u16, String)> = answers.into_iter().collect();
    assert_eq!(answers.len(), 1, "{path}: {answers:?}");
    let answer = answers.into_iter().next().unwrap();
    assert!(matches!(answer.0, 201 | 202), "{path}: {answer:?}");
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_at_all_nodes_at_once_acts_once() {
    let all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    for _ in 0..3 {
        let acts = acts(&ana).await;
        for act in &acts {
            let at = |node: usize| act.insists(all.at(node, &ana));
            let asked = [0, 1, 2, 0, 1, 2].map(at);
            agree(&act.path, futures_util::future::join_all(asked).await);
        }
        for act in &acts {
            for node in 0..3 {
                assert_eq!(act.count(&all.at(node, &ana)).await, 1, "{}", act.path);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_acts_once_although_the_leader_is_killed() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    for _ in 0..rounds() {
        let leader = all.leading_node().await;
        let others: Vec<usize> = (0..3).filter(|it| *it != leader).collect();
        let acts: Vec<_> = acts(&all.at(others[0], &ana)).await.into_iter().map(Arc::new).collect();
        let mut asked = JoinSet::new();
        for (number, act) in acts.iter().enumerate() {
            for node in others.iter().chain(&others) {
                let (act, person) = (Arc::clone(act), all.at(*node, &ana));
                asked.spawn(async move { (number, act.insists(person).await) });
            }
        }
        // Some acts are answered by then, some only decided, and some not received.
        let first = asked.join_next().await.unwrap().unwrap();
        all.kill(leader);
        let mut answers = asked.join_all().await;
        answers.push(first);
        for (number, act) in acts.iter().enumerate() {
            let own = answers.iter().filter(|it| it.0 == number).map(|it| it.1.clone());
            let answer = agree(&act.path, own.collect());
            for node in &others {
                let here = all.at(*node, &ana);
                assert_eq!(act.insists(here.clone()).await, answer, "{}", act.path);
                assert_eq!(act.count(&here).await, 1, "{}", act.path);
            }
        }
        all.start([leader]).await;
    }
}
