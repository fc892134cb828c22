//! Nodes and servers are killed under load: nothing that was acknowledged is lost, and
//! nothing stands twice.

use std::time::Duration;

use crate::asking::Person;
use crate::installation::Installation;
use crate::writers::Writers;

/// How often each fault is repeated.
fn rounds() -> usize {
    std::env::var("CLUSTER_ROUNDS").map_or(1, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_killed_and_its_conversations_go_on_at_the_others() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    for round in 0..rounds() {
        let victim = round % 3;
        let left: Vec<usize> = (0..3).filter(|it| *it != victim).collect();
        writers.all_go_on().await;
        all.kill(victim);
        writers.go_to(&all, &left);
        let paused = writers.all_go_on().await;
        eprintln!("a node was killed: every conversation went on after {paused:?}");
        all.start([victim]).await;
        writers.go_to(&all, &[0, 1, 2]);
        writers.all_go_on().await;
    }
    eprintln!("failed requests by status: {:?}", writers.failures());
    let count = writers.end(&all, &[0, 1, 2]).await;
    eprintln!("{count} acknowledged, each there once at three nodes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_killed_and_started_again() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    for number in 0..3 {
        all.kill(number);
        all.servers.kill(number);
    }
    for number in 0..3 {
        all.servers.restart(number);
    }
    all.start(0..3).await;
    writers.go_to(&all, &[0, 1, 2]);
    let paused = writers.all_go_on().await;
    eprintln!("everything was killed: every conversation went on {paused:?} after it served");
    let count = writers.end(&all, &[0, 1, 2]).await;
    eprintln!("{count} acknowledged, each there once at three nodes");
}
