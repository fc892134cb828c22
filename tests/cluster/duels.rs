//! Two nodes that both believe that they own a shard: one of them writes, and requests to the other
//! one get a true answer.

use std::collections::BTreeMap;
use std::time::Instant;

use tokio::task::JoinSet;

use crate::asking::Person;
use crate::ear::Ear;
use crate::installation::Installation;
use crate::kills::rounds;
use crate::writers::Writers;

/// How many messages are sent to the sleeping node, in each group.
const SAID: usize = 8;

/// How many requests were answered with each status.
async fn answers(saying: Vec<JoinSet<u16>>) -> BTreeMap<u16, usize> {
    let mut answers = BTreeMap::new();
    for mut saying in saying {
        while let Some(status) = saying.join_next().await {
            *answers.entry(status.unwrap()).or_default() += 1;
        }
    }
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn woken_node_writes_no_queued_commit_twice() {
    let all = Installation::starts(3, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ear = Ear::of(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    writers.all_go_on().await;
    for round in 0..rounds() {
        let sleeper = round % 3;
        let awake: Vec<usize> = (0..3).filter(|it| *it != sleeper).collect();
        all.put_to_sleep(sleeper);
        writers.go_to(&all, &awake);
        // These requests wait in the sockets of the sleeping node. They are the first thing that it
        // reads when it wakes, before it knows that other nodes have taken over its shards.
        let say = |node: usize, number: usize| {
            writers.say_at(&all, node, &format!("{round} asleep {number}"))
        };
        let waiting: Vec<_> = (0..SAID).map(|number| say(sleeper, number)).collect();
        let paused = writers.all_go_on().await;
        // Half of the clients time out, and send the same message to a node that is awake.
        let again: Vec<_> = (0..SAID / 2).map(|number| say(awake[number % 2], number)).collect();
        let again = answers(again).await;
        all.wake(sleeper);
        let woken = Instant::now();
        let late = answers(waiting).await;
        let answered = woken.elapsed();
        // Each shard has one owner again.
        all.nodes_when(awake[0], &["a", "b", "c"]).await;
        all.serves(sleeper).await;
        eprintln!(
            "all conversations went on after {paused:?}; what was said to the sleeper was \
             answered {answered:?} after it woke, {late:?}, and it served after {:?}; said to \
             others meanwhile: {again:?}",
            woken.elapsed()
        );
        let known = [0, 201, 409, 503];
        let statuses = || again.keys().chain(late.keys());
        assert!(statuses().all(|it| known.contains(it)), "{again:?}, {late:?}");
        let count = |of: &BTreeMap<u16, usize>| of.get(&201).copied().unwrap_or(0);
        assert!(count(&again) + count(&late) <= SAID * Writers::GROUPS, "something counts twice");
        writers.go_to(&all, &[0, 1, 2]);
        writers.all_go_on().await;
    }
    writers.end(&all, &[0, 1, 2]).await;
    ear.has_heard_everything(&all, 0).await;
}
