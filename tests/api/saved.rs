//! Saved messages: everyone who may read a message can save it, and nobody else learns of it.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};

const LIST: &str = "/v3/saved_messages";

async fn saves(who: &Person, conv: &str, message: &Value) -> Answer {
    who.posts(&path(conv, message, "save")).await
}

fn path(conv: &str, message: &Value, act: &str) -> String {
    format!("/v3/conversations/{conv}/messages/{}/{act}", text(&message["id"]))
}

async fn lists(who: &Person, query: &str) -> Vec<Value> {
    let listed = who.gets(&format!("{LIST}{query}")).await.ok();
    listed["saved"].as_array().unwrap().clone()
}

#[tokio::test]
async fn saved_messages_are_the_same_on_all_devices_and_after_a_restart() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let rope = ana.says(&climbers, "rope at six").await;
    let hello = writes(&ana, &ben, "hello Ben").await;
    let chat = conversation(&ana, &ben);
    assert_eq!(lists(&ben, "").await, [] as [Value; 0]);
    assert_eq!(ben.gets("/v3/sync").await.ok().get("saved"), None);
    let start = here(&ben).await;
    let (mut feed, mut anas) = (ben.listens().await, ana.listens().await);
    let at = world.clock_seconds();
    let state = |conv: &str, message: &Value, at: Value| json!({"conversation_id": conv, "message_id": message["id"], "saved_at": at});
    for _ in 0..2 {
        let saved = saves(&ben, &climbers.id, &rope).await.ok();
        assert_eq!(saved, state(&climbers.id, &rope, json!(at)));
        saves(&ben, &chat, &hello).await.ok();
    }
    let unsave = path(&climbers.id, &rope, "unsave");
    for _ in 0..2 {
        let unsaved = ben.posts(&unsave).await.ok();
        assert_eq!(unsaved, state(&climbers.id, &rope, Value::Null));
    }
    saves(&ben, &climbers.id, &rope).await.ok();
    let kinds = ["message.saved", "message.saved", "message.unsaved", "message.saved"];
    let mut live = Vec::new();
    for kind in kinds {
        live.push(feed.hears_of(kind).await);
    }
    let data = json!({"conv": climbers.conv(), "message_id": rope["id"], "saved_at": null});
    assert_eq!(live[2]["data"], data);
    anas.stays_silent().await;
    replays_the_same(&ben, &start, &live).await;
    for _ in 0..2 {
        let places = json!([{"conv": climbers.conv(), "message_id": rope["id"]},
            {"conv": format!("d:{chat}"), "message_id": hello["id"]}]);
        assert_eq!(ben.gets("/v3/sync").await.ok()["saved"], places);
        let rows = lists(&ben, "").await;
        let texts: Vec<_> = rows.iter().map(|row| text(&row["message"]["text"])).collect();
        assert_eq!(texts, ["rope at six", "hello Ben"]);
        let convs: Vec<_> = rows.iter().map(|row| text(&row["conversation_id"])).collect();
        assert_eq!(convs, [&climbers.id, &chat]);
        let second = lists(&ben, &format!("?limit=1&before={}", text(&rows[0]["id"]))).await;
        assert_eq!(second, rows[1..]);
        assert_eq!(lists(&ana, "").await, [] as [Value; 0]);
        world.restarts().await;
    }
}

#[tokio::test]
async fn saved_messages_show_what_may_be_read_now() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let said = [
        ana.says(&climbers, "first").await,
        ana.says(&climbers, "second").await,
        ben.says(&climbers, "third").await,
    ];
    for message in &said {
        saves(&ben, &climbers.id, message).await.ok();
    }
    let message =
        |said: &Value| format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    ana.asks("PUT", &message(&said[0])).json(&json!({"text": "edited"})).await.ok();
    ana.asks("DELETE", &message(&said[1])).await;
    let texts = |rows: &[Value]| -> Vec<Value> {
        rows.iter().map(|row| row["message"].get("text").cloned().unwrap_or_default()).collect()
    };
    assert_eq!(texts(&lists(&ben, "").await), [json!("third"), Value::Null, json!("edited")]);
    for who in [&ana, &ben] {
        saves(who, &climbers.id, &said[1]).await.refused(404);
    }
    ana.removes(&ben, &climbers).await.ok();
    for _ in 0..2 {
        assert_eq!(texts(&lists(&ben, "").await), [Value::Null, Value::Null, Value::Null]);
        world.restarts().await;
    }
    ben.posts(&path(&climbers.id, &said[1], "unsave")).await.ok();
    assert_eq!(lists(&ben, "").await.len(), 2);
}

#[tokio::test]
async fn saving_is_refused_for_what_the_user_cannot_read() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let said = ana.says(&climbers, "rope").await;
    let secret = writes(&ana, &ben, "secret").await;
    let missing = json!({"id": "9"});
    for (who, conv, message) in [
        (&cem, climbers.id.clone(), &said),
        (&cem, conversation(&ana, &ben), &secret),
        (&ana, climbers.id.clone(), &missing),
        (&ana, climbers.id.clone(), &secret),
        (&ana, "rope".to_owned(), &said),
    ] {
        let errors = saves(who, &conv, message).await.refused(404);
        assert_eq!(errors, ["there is no such message"], "{conv}");
    }
    assert_eq!(ana.gets("/v3/saved_messages?limit=0").await.status, 400);
    assert_eq!(ana.gets("/v3/saved_messages?before=rope").await.status, 400);
}

#[tokio::test]
async fn message_past_the_limit_is_not_saved() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let mut said = Vec::new();
    for number in 0..=500 {
        said.push(ana.says(&climbers, &format!("m{number}")).await);
    }
    for message in &said[..500] {
        saves(&ana, &climbers.id, message).await.ok();
    }
    let errors = saves(&ana, &climbers.id, &said[500]).await.refused(400);
    assert_eq!(errors, ["at most 500 messages can be saved"]);
    assert_eq!(ana.gets("/v3/sync").await.ok()["saved"].as_array().unwrap().len(), 500);
    assert_eq!(lists(&ana, "?limit=100").await.len(), 100);
}
