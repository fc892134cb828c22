//! Passwords are guessed at several nodes at once: the limit of guesses per account is the same as
//! on one machine.

use std::collections::HashMap;

use coterie::cluster::liveness::NodeName;
use coterie::cluster::placement;
use coterie::domain::group::Contact;
use coterie::domain::ids::{NameId, StreamId};
use coterie::journal::replicated::shard::Shard;
use serde_json::json;
use tokio::task::JoinSet;

use crate::asking::Person;
use crate::installation::Installation;

/// How many wrong passwords an account may be tried with before it is locked, as on one machine.
const GUESSES: usize = 10;
const RIGHT: &str = "correct horse";

async fn logs_in(person: &Person, email: &str, password: &str) -> u16 {
    let shown = json!({"email": email, "password": password});
    person.posts("/auth/login", &shown).await.unwrap().0
}

/// Which of the nodes a, b and c owns the name, and therefore counts its failed logins.
fn counting(email: &str) -> usize {
    let names = ["a", "b", "c"].map(|name| NodeName::parse(name).unwrap());
    let name = NameId::of(&Contact::Email(email.to_owned()));
    let owner = placement::owner(Shard::of(StreamId::Name(name)), names.iter()).unwrap();
    names.iter().position(|it| it == owner).unwrap()
}

/// The email address of a new user whose failed logins this node counts.
async fn counted_at(node: usize, all: &Installation) -> String {
    let name = (0..).map(|number| format!("guest{number}"));
    let name = name.into_iter().find(|it| counting(&format!("{it}@example.org")) == node);
    let name = name.unwrap();
    Person::called(&name, all.node(node)).await;
    format!("{name}@example.org")
}

/// Tries `count` wrong passwords at the same time, at these nodes in turn, and returns how often
/// each status was answered.
async fn guesses(all: &Installation, email: &str, nodes: &[usize], count: usize) -> Answers {
    let ana = Person::called(&format!("asker{}", fastrand::u64(..)), all.node(nodes[0])).await;
    let mut guessing = JoinSet::new();
    for number in 0..count {
        let person = all.at(nodes[number % nodes.len()], &ana);
        let (email, guess) = (email.to_owned(), format!("guess number {number}"));
        guessing.spawn(async move { logs_in(&person, &email, &guess).await });
    }
    let mut answers = Answers::new();
    while let Some(status) = guessing.join_next().await {
        *answers.entry(status.unwrap()).or_default() += 1;
    }
    answers
}

type Answers = HashMap<u16, usize>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_nodes_allow_no_more_guesses_than_one() {
    let all = Installation::starts(1, 3).await;
    all.nodes_when(0, &["a", "b", "c"]).await;
    let ben = Person::called("Ben", all.node(0)).await;
    for node in 0..3 {
        let email = counted_at(node, &all).await;
        let answers = guesses(&all, &email, &[0, 1, 2], 3 * GUESSES).await;
        assert_eq!(answers, Answers::from([(401, GUESSES), (429, 2 * GUESSES)]));
        for asked in 0..3 {
            assert_eq!(logs_in(&all.at(asked, &ben), &email, RIGHT).await, 429, "at {asked}");
        }
        assert_eq!(logs_in(&ben, "ben@example.org", RIGHT).await, 200, "nobody else is locked");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn successful_login_counts_no_failure_anywhere() {
    let all = Installation::starts(1, 3).await;
    all.nodes_when(0, &["a", "b", "c"]).await;
    let ben = Person::called("Ben", all.node(0)).await;
    let email = counted_at(1, &all).await;
    for node in [0, 1, 2, 0] {
        let answers = guesses(&all, &email, &[0, 1, 2], GUESSES - 1).await;
        assert_eq!(answers, Answers::from([(401, GUESSES - 1)]));
        assert_eq!(logs_in(&all.at(node, &ben), &email, RIGHT).await, 200, "at {node}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_counters_successor_starts_at_zero() {
    let mut all = Installation::starts(1, 3).await;
    all.nodes_when(0, &["a", "b", "c"]).await;
    let ben = Person::called("Ben", all.node(0)).await;
    let email = counted_at(2, &all).await;
    guesses(&all, &email, &[0, 1, 2], GUESSES).await;
    assert_eq!(logs_in(&ben, &email, RIGHT).await, 429);
    all.kill(2);
    // Until another node has taken over the name, the request waits.
    assert_eq!(logs_in(&ben, &email, RIGHT).await, 200);
    let answers = guesses(&all, &email, &[0, 1], 3 * GUESSES).await;
    assert_eq!(answers, Answers::from([(401, GUESSES), (429, 2 * GUESSES)]));
    // Without the log no node can be asked to count, so no password is checked.
    all.servers.kill(0);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
    for node in [0, 1] {
        let shown = json!({"email": "nobody@example.org", "password": "a wild guess"});
        let url = format!("{}/auth/login", all.url(node));
        loop {
            let answer = client.post(&url).json(&shown).send().await.unwrap();
            if answer.status() == 503 {
                assert!(answer.headers().contains_key("retry-after"));
                break;
            }
            // It takes a while until a node notices that the log is gone.
            assert!(answer.status() == 401 || answer.status() == 429, "{}", answer.status());
            assert!(std::time::Instant::now() < until, "a node still checks passwords");
        }
    }
    all.servers.restart(0);
    all.serves(0).await;
    assert_eq!(logs_in(&ben, "ben@example.org", RIGHT).await, 200);
}
