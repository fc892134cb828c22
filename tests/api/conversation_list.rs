//! Pins and folders: how a user's list of conversations is arranged on all devices.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::Person;

const PATH: &str = "/v3/conversation_list";

async fn list(of: &Person) -> Value {
    of.gets(PATH).await.ok()
}

async fn arranges(who: &Person, change: &Value) -> Answer {
    who.asks("PUT", PATH).json(change).await
}

#[tokio::test]
async fn the_list_is_the_same_on_all_devices_and_after_a_restart() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    assert_eq!(list(&ben).await, json!({"pinned_conversation_ids": [], "folders": []}));
    let start = here(&ben).await;
    let (mut feed, mut anas) = (ben.listens().await, ana.listens().await);
    let work = json!({"name": "Work", "conversation_ids": [chat, climbers.id]});
    let pinned = json!({"pinned_conversation_ids": [climbers.id], "folders": []});
    let both = json!({"pinned_conversation_ids": [climbers.id], "folders": [work]});
    let change = json!({"pinned_conversation_ids": [climbers.id, climbers.id]});
    assert_eq!(arranges(&ben, &change).await.ok(), pinned);
    let change = json!({"folders": [{"name": " Work ", "conversation_ids": [chat, climbers.id]}]});
    assert_eq!(arranges(&ben, &change).await.ok(), both);
    // A repeat changes nothing, so nobody hears of it.
    assert_eq!(arranges(&ben, &both).await.ok(), both);
    let live = [feed.hears_of("conversation_list").await, feed.hears_of("conversation_list").await];
    assert_eq!([&live[0]["data"], &live[1]["data"]], [&pinned, &both]);
    anas.stays_silent().await;
    assert_eq!(ben.gets("/v3/sync").await.ok()["conversation_list"], both);
    replays_the_same(&ben, &start, &live).await;
    world.restarts().await;
    assert_eq!(list(&ben).await, both);
    assert_eq!(list(&ana).await, json!({"pinned_conversation_ids": [], "folders": []}));
    let old = json!({"pinned_conversation_ids": [chat]});
    assert_eq!(ben.asks("PUT", "/v4/pinned_conversations").json(&old).await.ok(), old);
    assert_eq!(list(&ben).await["folders"], both["folders"]);
}

#[tokio::test]
async fn conversations_that_somebody_left_are_left_out() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let chess = ben.creates_group("Chess").await;
    let folder = |ids: Value| json!({"folders": [{"name": "Play", "conversation_ids": ids}]});
    arranges(&ben, &folder(json!([climbers.id, chess.id]))).await.ok();
    ben.leaves(&climbers).await;
    assert_eq!(list(&ben).await["folders"][0]["conversation_ids"], json!([chess.id]));
    assert_eq!(ben.gets("/v3/sync").await.ok()["conversation_list"], list(&ben).await);
    // A device that does not know that yet changes something else.
    let change = json!({"pinned_conversation_ids": [chess.id],
        "folders": [{"name": "Games", "conversation_ids": [climbers.id, chess.id]}]});
    let games = json!({"name": "Games", "conversation_ids": [chess.id]});
    let expected = json!({"pinned_conversation_ids": [chess.id], "folders": [games]});
    assert_eq!(arranges(&ben, &change).await.ok(), expected);
    let strange = conversation(&ana, &cem);
    for id in [json!(climbers.id), json!(strange), json!("9")] {
        arranges(&ben, &folder(json!([id]))).await.refused(404);
        arranges(&ben, &json!({"pinned_conversation_ids": [id]})).await.refused(404);
    }
    assert_eq!(list(&ben).await, expected);
}

#[tokio::test]
async fn a_wrong_list_is_refused_with_field_and_limit_and_changes_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let folders = |folders: Value| json!({"folders": folders});
    let named = |name: &str| json!({"name": name, "conversation_ids": []});
    let many: Vec<Value> = (0..21).map(|at| named(&format!("{at}"))).collect();
    let full: Vec<String> = (0..101).map(|at| at.to_string()).collect();
    for (change, problem) in [
        (json!({}), "pinned_conversation_ids or folders is required"),
        (folders(json!("x")), "folders must be an array"),
        (folders(json!([5])), "folders[0] must be an object"),
        (folders(json!(many)), "folders has 21 entries, at most 20 are allowed"),
        (folders(json!([{"conversation_ids": []}])), "folders[0].name is required"),
        (folders(json!([named("a"), named(" A ")])), "folders[1].name is the name of two folders"),
        (
            folders(json!([{"name": "a", "conversation_ids": ["x"]}])),
            "folders[0].conversation_ids must be an array of ids of groups and chats",
        ),
        (
            folders(json!([{"name": "a", "conversation_ids": full}])),
            "folders[0].conversation_ids has 101 entries, at most 100 are allowed",
        ),
        (
            json!({"pinned_conversation_ids": full}),
            "pinned_conversation_ids has 101 entries, at most 100 are allowed",
        ),
    ] {
        let problems = arranges(&ana, &change).await.refused(400);
        assert_eq!(problems, [problem], "{change}");
    }
    for name in [String::new(), " ".to_owned(), "a".repeat(31), "a\nb".to_owned()] {
        let problems = arranges(&ana, &folders(json!([named(&name)]))).await.refused(400);
        assert!(problems[0].starts_with("folders[0].name "), "{problems:?}");
    }
    arranges(&ana, &folders(json!([named(&"é".repeat(30))]))).await.ok();
}
