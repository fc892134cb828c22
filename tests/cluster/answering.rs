//! Which nodes an answer waits for while another node sleeps and no node has noticed yet.

use std::time::{Duration, Instant};

use crate::asking::Person;
use crate::installation::Installation;

/// How many answers of the first node waited for another node until the timeout.
async fn unwaited(all: &Installation) -> u64 {
    all.counts(0, "coterie_cluster_unwaited_total").await
}

fn options(when: &str) -> Vec<String> {
    ["--answer-when", when].map(str::to_owned).into()
}

/// Writes ten messages into a group of the first node while the second node sleeps.
async fn writes_while_the_other_sleeps(all: &Installation, ana: &Person, group: &str, round: u32) {
    all.put_to_sleep(1);
    for number in 0..10 {
        let words = format!("{round} {number}");
        let told = ana.says(group, &words).await.unwrap();
        assert_eq!(told.0, 201, "{}", told.1);
    }
    all.wake(1);
    all.serves(1).await;
    all.serves(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_wait_for_a_node_that_sleeps_and_not_for_ever() {
    let all = Installation::starts_with(1, 2, |_| options("all")).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let group = ana.creates_group("Climbers").await;
    let until = Instant::now() + Duration::from_secs(120);
    // On a busy machine the second node may be known to be gone before anything is written.
    for round in 0.. {
        writes_while_the_other_sleeps(&all, &ana, &group, round).await;
        if unwaited(&all).await > 0 {
            return;
        }
        assert!(Instant::now() < until, "nobody waited");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_when_node_ignores_sleeping_nodes() {
    let all = Installation::starts_with(1, 2, |_| options("node")).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let group = ana.creates_group("Climbers").await;
    for round in 0..3 {
        writes_while_the_other_sleeps(&all, &ana, &group, round).await;
    }
    assert_eq!(unwaited(&all).await, 0);
    // The second node still gets the messages.
    all.have_the_same_journal(&[0, 1]).await;
}
