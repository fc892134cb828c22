//! Passwords are guessed at several nodes at once: the limit of guesses per account is the same as
//! on one machine.

use std::collections::HashMap;

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

/// The email address of a new user.
async fn guessed_at(all: &Installation) -> String {
    let name = format!("guest{}", fastrand::u64(..));
    Person::called(&name, all.node(0)).await;
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
    let email = guessed_at(&all).await;
    let answers = guesses(&all, &email, &[0, 1, 2], 3 * GUESSES).await;
    assert_eq!(answers, Answers::from([(401, GUESSES), (429, 2 * GUESSES)]));
    for asked in 0..3 {
        assert_eq!(logs_in(&all.at(asked, &ben), &email, RIGHT).await, 429, "at {asked}");
    }
    assert_eq!(logs_in(&ben, "ben@example.org", RIGHT).await, 200, "nobody else is locked");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn successful_login_counts_no_failure_anywhere() {
    let all = Installation::starts(1, 3).await;
    all.nodes_when(0, &["a", "b", "c"]).await;
    let ben = Person::called("Ben", all.node(0)).await;
    let email = guessed_at(&all).await;
    for node in [0, 1, 2, 0] {
        let answers = guesses(&all, &email, &[0, 1, 2], GUESSES - 1).await;
        assert_eq!(answers, Answers::from([(401, GUESSES - 1)]));
        assert_eq!(logs_in(&all.at(node, &ben), &email, RIGHT).await, 200, "at {node}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_counters_successor_starts_at_zero() {
    let mut all = Installation::starts(1, 3).await;
    let ben = Person::called("Ben", all.node(0)).await;
    let email = guessed_at(&all).await;
    guesses(&all, &email, &[0, 1, 2], GUESSES).await;
    assert_eq!(logs_in(&ben, &email, RIGHT).await, 429);
    let counting = all.leading_node().await;
    let others: Vec<usize> = (0..3).filter(|it| *it != counting).collect();
    let ben = all.at(others[0], &ben);
    all.kill(counting);
    // Until another node leads, the request waits; on a busy machine it is told to come again.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
    loop {
        match logs_in(&ben, &email, RIGHT).await {
            503 => assert!(std::time::Instant::now() < until, "another node leads"),
            status => break assert_eq!(status, 200),
        }
    }
    let answers = guesses(&all, &email, &others, 3 * GUESSES).await;
    assert_eq!(answers, Answers::from([(401, GUESSES), (429, 2 * GUESSES)]));
    // Without the log no node can be asked to count, so no password is checked.
    all.servers.kill(0);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
    for &node in &others {
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
    all.serves(others[0]).await;
    assert_eq!(logs_in(&ben, "ben@example.org", RIGHT).await, 200);
}
