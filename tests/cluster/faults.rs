//! Servers of the log are killed, nodes sleep, machines are lost: every acknowledged message is
//! there, and all conversations go on.

use std::time::Duration;

use crate::asking::Person;
use crate::ear::Ears;
use crate::installation::Installation;
use crate::writers::Writers;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_of_the_log_are_killed_one_after_the_other() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ears = Ears::wandering(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    // One of the three is the leader of the log.
    for server in 0..3 {
        writers.all_go_on().await;
        all.servers.kill(server);
        let paused = writers.all_go_on().await;
        eprintln!("server {server} was killed: every conversation went on after {paused:?}");
        all.servers.restart(server);
        writers.all_go_on().await;
        all.servers_have_everything().await;
    }
    eprintln!("failed requests by status: {:?}", writers.failures());
    writers.end(&all, &[0, 1, 2]).await;
    ears.have_heard_everything(&all, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn woken_node_writes_nothing_and_serves_again() {
    let mut all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ears = Ears::wandering(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    all.put_to_sleep(0);
    writers.go_to(&all, &[1, 2]);
    let paused = writers.all_go_on().await;
    eprintln!("a node sleeps: every conversation went on after {paused:?}");
    tokio::time::sleep(Duration::from_secs(8)).await;
    all.wake(0);
    let woken = std::time::Instant::now();
    all.serves(0).await;
    eprintln!("it serves {:?} after it woke", woken.elapsed());
    writers.go_to(&all, &[0, 1, 2]);
    writers.all_go_on().await;
    eprintln!("failed requests by status: {:?}", writers.failures());
    writers.end(&all, &[0, 1, 2]).await;
    ears.have_heard_everything(&all, 0).await;
    // A node whose machine is lost starts with an empty disk.
    all.lose(1);
    all.start([1]).await;
    let (_, groups) = all.at(1, &ana).gets("/v3/groups").await;
    assert_eq!(groups.as_array().unwrap().len(), 9, "{groups}");
}
