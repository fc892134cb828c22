//! Drafts: what a user has typed but not sent, on all of their devices.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::files::uploads;
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};

async fn drafts(by: &Person, conversation: &str, draft: Value) -> Answer {
    by.asks("PUT", &format!("/v3/drafts/{conversation}")).json(&draft).await
}

async fn kept(by: &Person, conversation: &str) -> Value {
    by.gets(&format!("/v3/drafts/{conversation}")).await.ok()["draft"].clone()
}

#[tokio::test]
async fn draft_syncs_to_its_author_only() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    assert_eq!(kept(&ana, &climbers.id).await, Value::Null);
    assert_eq!(ana.gets("/v3/drafts").await.ok()["drafts"], json!([]));
    let start = here(&ana).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    let place = json!({"type": "location", "name": "Wall", "lat": "1", "lng": "2"});
    let draft = json!({"text": "rope at", "attachments": [place]});
    let first = drafts(&ana, &climbers.id, draft).await.ok()["draft"].clone();
    assert_eq!(
        (&first["text"], &first["conversation_id"]),
        (&json!("rope at"), &json!(climbers.id))
    );
    let second = drafts(&ana, &chat, json!({"text": "hi"})).await.ok()["draft"].clone();
    let mut live = vec![anas.hears_of("draft").await, anas.hears_of("draft").await];
    assert_eq!((&live[0]["data"], &live[1]["data"]), (&first, &second));
    assert_eq!(kept(&ana, &climbers.id).await, first);
    assert_eq!(ana.gets("/v3/drafts").await.ok()["drafts"], json!([first, second]));
    assert_eq!(kept(&ben, &climbers.id).await, Value::Null);
    assert_eq!(drafts(&ana, &climbers.id, json!({})).await.ok()["draft"], Value::Null);
    live.push(anas.hears_of("draft").await);
    let gone = &live[2]["data"];
    assert_eq!((&gone["text"], &gone["attachments"]), (&json!(""), &json!([])));
    bens.stays_silent().await;
    replays_the_same(&ana, &start, &live).await;
    world.restarts().await;
    assert_eq!(ana.gets("/v3/drafts").await.ok()["drafts"], json!([second]));
    world.seconds_pass(30 * 86_400);
    assert_eq!(kept(&ana, &chat).await, Value::Null);
}

#[tokio::test]
async fn draft_needs_own_conversation_and_valid_content() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    drafts(&ben, &climbers.id, json!({"text": "rope"})).await.refused(404);
    ben.gets(&format!("/v3/drafts/{}", climbers.id)).await.refused(404);
    drafts(&ana, "nowhere", json!({"text": "rope"})).await.refused(404);
    for wrong in [json!({"text": "x".repeat(1001)}), json!({"text": 7}), json!({"attachments": 7})]
    {
        drafts(&ana, &climbers.id, wrong).await.refused(400);
    }
    ana.adds(&ben, &climbers).await;
    drafts(&ben, &climbers.id, json!({"text": "rope"})).await.ok();
    ben.leaves(&climbers).await;
    assert_eq!(ben.gets("/v3/drafts").await.ok()["drafts"], json!([]));
}

#[tokio::test]
async fn file_in_a_draft_is_kept() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let file = uploads(&ana, &climbers.id, "rope.txt", b"a rope".to_vec()).await;
    let given_up = uploads(&ana, &climbers.id, "knot.txt", b"a knot".to_vec()).await;
    let named = |file: &Value| json!({"type": "file", "file_id": file["file_id"]});
    let both = json!({"attachments": [named(&file), named(&given_up)]});
    drafts(&ben, &climbers.id, both.clone()).await.refused(400);
    let draft = drafts(&ana, &climbers.id, both).await.ok()["draft"].clone();
    let shown = &draft["attachments"][0];
    assert_eq!((&shown["name"], &shown["size"]), (&json!("rope.txt"), &json!(6)));
    drafts(&ana, &climbers.id, json!({"attachments": [named(&file)]})).await.ok();
    world.seconds_pass(7 * 86_400);
    let path = |file: &Value| format!("/v3/files/{}/{}", climbers.id, text(&file["file_id"]));
    assert_eq!(ana.gets(&path(&file)).await.text, "a rope");
    ana.gets(&path(&given_up)).await.refused(404);
    let late = drafts(&ana, &climbers.id, json!({"attachments": [named(&file)]})).await;
    assert_eq!(late.ok()["draft"]["attachments"][0], *shown);
    ana.posting(&climbers, json!({"attachments": [named(&file)]})).await.created();
    drafts(&ana, &climbers.id, json!({})).await.ok();
    assert_eq!(ben.gets(&path(&file)).await.text, "a rope");
}

#[tokio::test]
async fn draft_is_kept_for_a_chat_that_has_not_begun() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let chat = conversation(&ana, &ben);
    let file = uploads(&ana, &chat, "plan.txt", b"rope at six".to_vec()).await;
    let draft = json!({"text": "hi", "attachments": [file]});
    drafts(&ana, &chat, draft).await.ok();
    assert_eq!(kept(&ana, &chat).await["text"], "hi");
    assert_eq!(kept(&ben, &chat).await, Value::Null);
    let listed = ana.gets("/v3/drafts").await.ok();
    assert_eq!(listed["drafts"][0]["conversation_id"], json!(chat));
    writes(&ana, &ben, "hello").await;
    assert_eq!(drafts(&ana, &chat, json!({"text": ""})).await.ok()["draft"], Value::Null);
    let eve = world.registers("Eve").await;
    drafts(&eve, &chat, json!({"text": "hi"})).await.refused(404);
    drafts(&ana, &format!("{}+99999", ana.id), json!({"text": "hi"})).await.refused(404);
}
