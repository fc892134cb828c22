//! Nodes and servers are killed under load: no acknowledged message is lost or stored twice, and
//! listeners who go from node to node hear each one once.

use std::time::Duration;

use tokio::task::JoinSet;

use crate::asking::Person;
use crate::ear::Ears;
use crate::installation::Installation;
use crate::readings;
use crate::writers::Writers;

/// How often each fault is repeated.
pub(crate) fn rounds() -> usize {
    std::env::var("CLUSTER_ROUNDS").map_or(1, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_nodes_conversations_continue_elsewhere() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ears = Ears::wandering(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    for round in 0..rounds() {
        // In turn the node that leads and another one.
        let victim = (all.leading_node().await + round % 2) % 3;
        let left: Vec<usize> = (0..3).filter(|it| *it != victim).collect();
        writers.all_go_on().await;
        all.kill(victim);
        writers.go_to(&all, &left);
        let paused = writers.all_go_on().await;
        eprintln!("a node was killed: every conversation went on after {paused:?}");
        all.start([victim]).await;
        ears.go_to(&all, &[0, 1, 2]);
        writers.go_to(&all, &[0, 1, 2]);
        writers.all_go_on().await;
    }
    eprintln!("failed requests by status: {:?}", writers.failures());
    let count = writers.end(&all, &[0, 1, 2]).await;
    eprintln!("{count} acknowledged, each there once at three nodes");
    ears.have_heard_everything(&all, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_of_killed_node_executes_once_elsewhere() {
    let mut all = Installation::starts(3, 3).await;
    let leader = all.leading_node().await;
    let others: Vec<usize> = (0..3).filter(|it| *it != leader).collect();
    let ana = Person::called("Ana", all.node(others[0])).await;
    let mut groups = Vec::new();
    for number in 0..9 {
        groups.push(ana.creates_group(&format!("Group {number}")).await);
    }
    let mut saying = JoinSet::new();
    for number in 0..270 {
        let (ana, group) = (all.at(others[number % 2], &ana), groups[number % 9].clone());
        saying.spawn(async move { ana.says(&group, &number.to_string()).await.unwrap() });
    }
    // The node is killed halfway, when some messages are decided but not answered yet.
    for _ in 0..60 {
        let (status, told) = saying.join_next().await.unwrap().unwrap();
        assert_eq!(status, 201, "{told}");
    }
    all.kill(leader);
    while let Some(said) = saying.join_next().await {
        // A message is sent to the next leader again, which recognizes it by its guid.
        let (status, told) = said.unwrap();
        assert_eq!(status, 201, "{told}");
    }
    for (number, group) in groups.iter().enumerate() {
        for node in &others {
            let told = readings::pages(&all.at(*node, &ana), group).await;
            let mut guids: Vec<usize> =
                told.iter().map(|(guid, _)| guid.parse().unwrap()).collect();
            guids.sort_unstable();
            assert_eq!(guids, (0..30).map(|it| number + 9 * it).collect::<Vec<_>>());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_is_gone_with_its_node_and_its_server_of_the_log() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ears = Ears::wandering(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    all.kill(0);
    all.servers.kill(0);
    writers.go_to(&all, &[1, 2]);
    let paused = writers.all_go_on().await;
    eprintln!("a machine is gone: every conversation went on after {paused:?}");
    let count = writers.end(&all, &[1, 2]).await;
    eprintln!("{count} acknowledged, each there once at two nodes");
    ears.have_heard_everything(&all, 1).await;
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
