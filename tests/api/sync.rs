//! The snapshot with which a client starts (`GET /v3/sync`).

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::text;

#[tokio::test]
async fn a_snapshot_has_the_user_and_every_group_with_its_newest_twenty() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    world.seconds_pass(1);
    let walkers = ana.creates_group("Walkers").await;
    ben.creates_group("Not Ana's").await;
    world.seconds_pass(1);
    for number in 0..25 {
        ana.says(&climbers, &format!("m{number}")).await;
    }
    let snapshot = ana.gets("/v3/sync").await.ok();
    assert_eq!(snapshot["user"], ana.gets("/v3/users/me").await.ok());
    assert_eq!(snapshot["chats"], json!([]));
    let groups = snapshot["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2, "hers, last activity first");
    assert_eq!(groups[0]["group"], ana.gets(&climbers.path("")).await.ok());
    assert_eq!(groups[1]["group"], ana.gets(&walkers.path("")).await.ok());
    let newest = ana.reads(&climbers, "").await;
    assert_eq!(groups[0]["messages"], json!(newest));
    assert_eq!(groups[1]["messages"], json!([]));
    assert_eq!((&groups[0]["n"], &groups[1]["n"]), (&json!(26), &json!(1)));
}

#[tokio::test]
async fn a_snapshot_of_nothing_is_a_snapshot() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let snapshot = ana.gets("/v3/sync").await.ok();
    assert_eq!((&snapshot["groups"], &snapshot["chats"]), (&json!([]), &json!([])));
    let mut feed = ana.listens_after(text(&snapshot["c"])).await;
    assert_eq!(feed.welcome["resumed"], true);
    feed.stays_silent().await;
}

/// *Old snapshot and replayed events make the new snapshot*, here for messages: what a
/// client has of the snapshot and hears after its cursor is the whole log, without a
/// hole, although others write all the time.
#[tokio::test]
async fn snapshot_and_events_after_its_cursor_leave_no_hole() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let writing = async {
        for number in 0..150 {
            ben.says(&climbers, &format!("m{number}")).await;
        }
    };
    let watching = async {
        let mut rounds = 0;
        loop {
            let snapshot = ana.gets("/v3/sync").await.ok();
            let known = snapshot["groups"][0]["n"].as_u64().unwrap();
            let mut feed = ana.listens_after(text(&snapshot["c"])).await;
            // Events that the snapshot shows already may come again, never one be missing.
            let mut next = known + 1;
            while next <= known + 3 && next <= 153 {
                let n = feed.next().await["n"].as_u64().unwrap();
                assert!(n <= next, "event {next} is missing after {known}");
                next = next.max(n + 1);
            }
            rounds += 1;
            if known >= 153 {
                return rounds;
            }
        }
    };
    let ((), rounds) = tokio::join!(writing, watching);
    assert!(rounds > 1, "a snapshot was taken while others wrote");
    let newest: Vec<Value> = ana.reads(&climbers, "?limit=1").await;
    assert_eq!(newest[0]["text"], "m149");
}
