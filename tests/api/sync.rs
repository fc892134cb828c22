//! The snapshot with which a client starts (`GET /v3/sync`).

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::text;

#[tokio::test]
async fn snapshot_has_user_and_groups_with_20_messages() {
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
    assert_eq!(groups[0]["group"], ana.sees(&climbers).await);
    assert_eq!(groups[1]["group"], ana.sees(&walkers).await);
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

/// *The old snapshot and the replayed events make the new snapshot*, here for messages: a client
/// that reads the snapshot and the events after its cursor has every message, without a gap,
/// although others write all the time.
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
            // The first event after the cursor is the one after the newest in the snapshot.
            for next in known + 1..=(known + 3).min(153) {
                assert_eq!(feed.next().await["n"], next, "after {known}");
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

#[tokio::test]
async fn parts_of_a_snapshot_can_be_asked_for_alone() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.creates_group("Climbers").await;
    crate::direct_messages::writes(&ana, &ben, "hello").await;
    let whole = ana.gets("/v3/sync").await.ok();
    for (query, kept) in [
        ("?parts=groups", &["c", "groups", "user"][..]),
        ("?parts=chats", &["c", "chats", "user"]),
        ("?parts=user", &["c", "user"]),
        ("?parts=chats,groups", &["c", "chats", "groups", "user"]),
        ("?parts=drafts", &["c", "drafts", "user"]),
        ("?parts=blocks", &["blocks", "c", "user"]),
        ("?parts=conversation_list", &["c", "conversation_list", "user"]),
    ] {
        let part = ana.gets(&format!("/v3/sync{query}")).await.ok();
        let mut keys: Vec<&String> = part.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, kept, "{query}");
        for key in kept {
            assert_eq!(part[key], whole[key], "{query}");
        }
    }
    let refused = ana.gets("/v3/sync?parts=bots").await.refused(400);
    let parts = "groups, topics, chats, drafts, blocks, conversation_list, saved or user";
    assert_eq!(refused, [format!("parts must be {parts}, or several with commas")]);
}

#[tokio::test]
async fn snapshot_has_drafts_and_blocks() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let empty = ana.gets("/v3/sync").await.ok();
    assert_eq!((&empty["drafts"], &empty["blocks"]), (&json!([]), &json!([])));
    let draft = json!({"text": "rope at"});
    ana.asks("PUT", &format!("/v3/drafts/{}", climbers.id)).json(&draft).await.ok();
    ana.posts(&format!("/v3/blocks?user={}&otherUser={}", ana.id, ben.id)).await;
    let snapshot = ana.gets("/v3/sync").await.ok();
    assert_eq!(snapshot["drafts"], ana.gets("/v3/drafts").await.ok()["drafts"]);
    assert_eq!(snapshot["drafts"][0]["text"], "rope at");
    let blocks = ana.gets(&format!("/v3/blocks?user={}", ana.id)).await.ok();
    assert_eq!(snapshot["blocks"], blocks["blocks"]);
    assert_eq!(snapshot["blocks"][0]["blocked_user_id"], json!(ben.id));
    // Drafts and blocks are of the same moment as the cursor: any later change is an event after
    // it.
    let mut feed = ana.listens_after(text(&snapshot["c"])).await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn open_conversation_has_more_messages() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ana.creates_group("Walkers").await;
    for number in 0..70 {
        ana.says(&climbers, &format!("m{number}")).await;
    }
    ana.says(&walkers, "hello").await;
    let newest = ana.reads(&climbers, "?limit=60").await;
    for (round, name) in [("first", climbers.id.clone()), ("as events say", climbers.conv())] {
        let open = ana.gets(&format!("/v3/sync?open={name}")).await.ok();
        assert_eq!(open["groups"][1]["messages"], json!(newest), "{round}");
        assert_eq!(open["groups"][0]["group"]["name"], "Walkers");
        let usual = ana.gets("/v3/sync").await.ok();
        assert_eq!(usual["groups"][1]["messages"].as_array().unwrap().len(), 20, "{round}");
    }
    // `open` shows no group of which the user is not a member, nor whether it exists.
    let others = ben.gets(&format!("/v3/sync?open={}", climbers.id)).await.ok();
    assert_eq!(others["groups"], json!([]));
    let refused = ana.gets("/v3/sync?open=climbers").await.refused(400);
    assert_eq!(refused, ["open must be the id of a conversation"]);
}

#[tokio::test]
async fn snapshot_has_mutes_with_their_ends() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let said = async || {
        let snapshot = ana.gets("/v3/sync").await.ok();
        (snapshot["groups"][0]["muted"].clone(), snapshot["groups"][0]["muted_until"].clone())
    };
    ben.posts(&climbers.path("/memberships/mute")).await.ok();
    assert_eq!(said().await, (json!(false), Value::Null), "only Ben has");
    let muted = ana.posts(&climbers.path("/memberships/mute")).json(&json!({"duration": 5})).await;
    assert_eq!(said().await, (json!(true), muted.ok()["muted_until"].clone()));
    ana.posts(&climbers.path("/memberships/unmute")).await.ok();
    assert_eq!(said().await, (json!(false), Value::Null));
}

#[tokio::test]
async fn skipped_snapshot_parts_follow_on_request() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for name in ["Climbers", "Walkers", "Swimmers"] {
        let group = ana.creates_group(name).await;
        world.seconds_pass(1);
        ana.says(&group, name).await;
    }
    crate::direct_messages::writes(&ana, &ben, "hello").await;
    let whole = ana.gets("/v3/sync").await.ok();
    let rest = ana.gets("/v3/sync?parts=groups&skip=1").await.ok();
    let groups = whole["groups"].as_array().unwrap();
    assert_eq!(rest["groups"], json!(groups[1..]));
    assert_eq!(groups[1]["group"]["name"], "Walkers");
    let nothing = ana.gets("/v3/sync?skip=18446744073709551615").await.ok();
    assert_eq!((&nothing["groups"], &nothing["chats"]), (&json!([]), &json!([])));
    let refused = ana.gets("/v3/sync?skip=many").await.refused(400);
    assert_eq!(refused, ["skip must be a whole number"]);
}

/// Conversations for which no room has started yet are read in another way than those with a room.
#[tokio::test]
async fn snapshot_survives_a_restart() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let mut groups = Vec::new();
    for name in ["Climbers", "Walkers", "Swimmers"] {
        let group = ana.creates_group(name).await;
        ana.adds(&ben, &group).await;
        for number in 0..23 {
            ben.says(&group, &format!("{name} {number}")).await;
        }
        groups.push(group);
    }
    let liked = ana.reads(&groups[0], "?limit=1").await;
    let path = format!("/v3/messages/{}/{}/like", groups[0].id, text(&liked[0]["id"]));
    ana.posts(&path).await.ok();
    crate::direct_messages::writes(&ben, &ana, "hello").await;
    crate::direct_messages::writes(&ana, &cem, "are you there?").await;
    let snapshot = async || {
        let mut snapshot = ana.gets("/v3/sync").await.ok();
        snapshot.as_object_mut().unwrap().remove("c");
        snapshot
    };
    let before = snapshot().await;
    assert_eq!(before["groups"][2]["messages"][0]["favorited_by"], json!([ana.id]));
    assert_eq!(before["chats"].as_array().unwrap().len(), 2);
    world.restarts().await;
    assert_eq!(snapshot().await, before, "all at rest");
    world.restarts().await;
    ana.reads(&groups[1], "").await;
    let with_ben = format!("/v3/direct_messages?other_user_id={}", ben.id);
    ana.gets(&with_ben).await.ok();
    assert_eq!(snapshot().await, before, "some awake");
    world.restarts().await;
    let last = ben.says(&groups[1], "once more").await;
    let after = snapshot().await;
    assert_eq!(after["groups"][0]["messages"][0], last);
    assert_eq!(after["groups"][0]["messages"].as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn snapshot_after_restart_hides_left_groups() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.says(&climbers, "rope at six").await;
    ben.leaves(&climbers).await;
    world.restarts().await;
    let snapshot = ben.gets("/v3/sync").await.ok();
    assert_eq!(snapshot["groups"], json!([]));
}

/// Prints how long a snapshot takes. `SYNC_GROUPS` sets the number of groups, to measure the
/// figures in the note.
#[tokio::test]
async fn a_snapshot_of_many_groups_has_them_all() {
    #[expect(clippy::disallowed_methods, reason = "this variable is the test's own")]
    let count: usize =
        std::env::var("SYNC_GROUPS").map_or(60, |value| value.parse().expect("a number"));
    let setup = crate::world::server::Setup::default().option("--rate-limit", "off");
    let mut world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    for number in 0..count {
        let group = ana.creates_group(&format!("g{number}")).await;
        for _ in 0..5 {
            ana.says(&group, "rope at six").await;
        }
    }
    for round in ["warm", "warm", "cold", "warm"] {
        if round == "cold" {
            world.restarts().await;
        }
        let since = std::time::Instant::now();
        let answer = ana.gets("/v3/sync").await;
        println!("{count} groups, {round}: {:?}", since.elapsed());
        assert_eq!(answer.ok()["groups"].as_array().unwrap().len(), count);
    }
}
