//! Pinned messages: who may pin, what everybody sees of it, and the lists of pins.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::bayeux::{BOTH, Client, own_channel};
use crate::world::person::{Group, Person, text};

async fn climbing(world: &World) -> ([Person; 2], Group) {
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ([ana, ben], climbers)
}

/// Pins or unpins a message; `act` is `pin` or `unpin`.
async fn does(by: &Person, act: &str, conversation: &str, message: &Value) -> Answer {
    let id = text(&message["id"]);
    by.posts(&format!("/v3/conversations/{conversation}/messages/{id}/{act}")).await
}

async fn pins(by: &Person, conversation: &str, message: &Value) -> Value {
    does(by, "pin", conversation, message).await.ok()["message"].clone()
}

async fn pinned(by: &Person, group: &Group) -> Value {
    by.gets(&format!("/v3/pinned/groups/{}/messages", group.id)).await.ok()
}

#[tokio::test]
async fn pin_shows_in_list_and_message_for_everyone() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = climbing(&world).await;
    let said = ana.says(&climbers, "rope at six").await;
    assert_eq!((&said["pinned_at"], &said["pinned_by"]), (&Value::Null, &json!("")));
    assert_eq!(pinned(&ben, &climbers).await, json!({"count": 0, "messages": []}));
    let mut feed = ana.listens().await;
    world.seconds_pass(60);
    let mut expected = said.clone();
    expected["pinned_at"] = json!(said["created_at"].as_u64().unwrap() + 60);
    expected["pinned_by"] = json!(ben.id);
    assert_eq!(pins(&ben, &climbers.id, &said).await, expected);
    assert_eq!(feed.hears_of("pin").await["data"], expected);
    let line = feed.hears_of("line.create").await["data"].clone();
    assert_eq!(line["text"], "Ben pinned a message.");
    let event = &line["event"];
    assert_eq!(
        (&event["type"], &event["data"]["pinned"]),
        (&json!("message.pinned"), &json!(true))
    );
    assert_eq!(event["data"]["message_id"], said["id"]);
    world.seconds_pass(1);
    assert_eq!(pins(&ana, &climbers.id, &said).await, expected, "a second pin changes nothing");
    let other = ana.says(&climbers, "bring water").await;
    let other = pins(&ana, &climbers.id, &other).await;
    for _ in 0..2 {
        let listed = json!({"count": 2, "messages": [other, expected]});
        assert_eq!(pinned(&ben, &climbers).await, listed);
        let page = ana.reads(&climbers, "").await;
        assert!(page.contains(&expected), "{page:?}");
        world.restarts().await;
    }
    let mut feed = ben.listens().await;
    let unpinned = does(&ben, "unpin", &climbers.id, &said).await.ok()["message"].clone();
    assert_eq!(unpinned, said);
    assert_eq!(feed.hears_of("unpin").await["data"], said);
    // The pin alone has a system line.
    does(&ana, "unpin", &climbers.id, &said).await.ok();
    ben.says(&climbers, "fence").await;
    assert_eq!(feed.hears_of("line.create").await["data"]["text"], "fence");
    assert_eq!(pinned(&ana, &climbers).await["messages"], json!([other]));
}

#[tokio::test]
async fn deleted_message_loses_its_pin() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = climbing(&world).await;
    let said = ben.says(&climbers, "rope at six").await;
    pins(&ana, &climbers.id, &said).await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    assert_eq!(ben.asks("DELETE", &path).await.status, 204);
    for _ in 0..2 {
        assert_eq!(pinned(&ana, &climbers).await["count"], 0);
        let shown = ana.gets(&climbers.path(&format!("/messages/{}", text(&said["id"])))).await;
        assert_eq!(shown.ok()["message"]["pinned_by"], "");
        does(&ana, "pin", &climbers.id, &said).await.refused(400);
        world.restarts().await;
    }
}

#[tokio::test]
async fn fifty_can_be_pinned_and_a_taken_pin_makes_room() {
    let mut world = World::start().await;
    let ([ana, _], climbers) = climbing(&world).await;
    let mut said = Vec::new();
    for number in 0..51 {
        said.push(ana.says(&climbers, &format!("note {number}")).await);
    }
    for message in &said[..50] {
        pins(&ana, &climbers.id, message).await;
    }
    let full = does(&ana, "pin", &climbers.id, &said[50]).await.refused(400);
    assert_eq!(full, ["at most 50 messages of a conversation can be pinned"]);
    world.restarts().await;
    does(&ana, "pin", &climbers.id, &said[50]).await.refused(400);
    does(&ana, "unpin", &climbers.id, &said[7]).await.ok();
    pins(&ana, &climbers.id, &said[50]).await;
    assert_eq!(pinned(&ana, &climbers).await["count"], 50);
}

#[tokio::test]
async fn both_chat_members_pin_privately() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let sent = writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    let mut feed = ana.listens().await;
    let shown = pins(&ben, &chat, &sent).await;
    assert_eq!(shown["pinned_by"], json!(ben.id));
    assert_eq!(feed.hears_of("pin").await["data"], shown);
    let list = |of: &Person| format!("/v3/pinned/direct_messages?other_user_id={}", of.id);
    let listed = json!({"count": 1, "messages": [shown], "direct_messages": [shown]});
    assert_eq!(ana.gets(&list(&ben)).await.ok(), listed);
    assert_eq!(cem.gets(&list(&ben)).await.ok()["count"], 0);
    does(&cem, "pin", &chat, &sent).await.refused(404);
    ana.gets(&list(&ana)).await.refused(400);
    ana.gets("/v3/pinned/direct_messages?other_user_id=999").await.refused(404);
    ana.gets("/v3/pinned/direct_messages").await.refused(400);
    does(&ana, "pin", &chat, &json!({"id": "17"})).await.refused(404);
    does(&ana, "pin", "nowhere", &sent).await.refused(404);
}

#[tokio::test]
async fn returning_reader_receives_the_same_pins() {
    let world = World::start().await;
    let ([ana, ben], climbers) = climbing(&world).await;
    let said = ana.says(&climbers, "rope at six").await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let edit = json!({"text": "rope at seven"});
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    // The message is pinned, edited, unpinned, and pinned by somebody else: its final state differs
    // from every state in between.
    pins(&ben, &climbers.id, &said).await;
    ana.asks("PUT", &path).json(&edit).await.ok();
    does(&ana, "unpin", &climbers.id, &said).await.ok();
    world.seconds_pass(1);
    pins(&ana, &climbers.id, &said).await;
    let mut live = Vec::new();
    for kind in ["pin", "line.create", "message.update", "unpin", "pin"] {
        live.push(feed.hears_of(kind).await);
    }
    live.push(feed.hears_of("line.create").await);
    let by: Vec<&Value> = [0, 2, 3, 4].map(|at| &live[at]["data"]["pinned_by"]).into();
    assert_eq!(by, [&json!(ben.id), &json!(ben.id), &json!(""), &json!(ana.id)]);
    replays_the_same(&ben, &start, &live).await;
}

#[tokio::test]
async fn bayeux_receives_pin_lines_and_optional_events() {
    for transport in BOTH {
        let world = World::start().await;
        let ([ana, ben], climbers) = climbing(&world).await;
        let said = ben.says(&climbers, "rope at six").await;
        let sent = writes(&ben, &ana, "hello").await;
        let group = format!("/group/{}", climbers.id);
        let mut own = Client::own(&ana, transport).await;
        let mut original = Client::on(&ana, transport, &[&group]).await;
        let mut all = Client::with_all_types(&ana, transport, &[&group]).await;
        pins(&ben, &climbers.id, &said).await;
        let told = all.hears_on(&group, "pin").await;
        assert_eq!(told["subject"]["pinned_by"], json!(ben.id));
        assert_eq!(told["subject"]["pinned_at"], 1_800_000_000);
        let line = own.hears("Ben pinned a message.").await;
        assert_eq!(line["alert"], "Ben pinned a message.");
        assert_eq!(line["subject"]["name"], "GroupMe");
        assert_eq!(line["subject"]["event"]["data"]["pinned_at"], 1_800_000_000);
        does(&ben, "unpin", &climbers.id, &said).await.ok();
        assert_eq!(all.hears_on(&group, "unpin").await["subject"]["pinned_by"], Value::Null);
        // Chats have no system lines of their own.
        pins(&ana, &conversation(&ana, &ben), &sent).await;
        let line = own.hears_on(&own_channel(&ana), "direct_message.create").await;
        let subject = &line["subject"];
        assert_eq!(subject["text"], "Ana pinned a message.");
        assert_eq!(line["alert"], "GroupMe: Ana pinned a message.");
        assert_eq!(subject["recipient_id"], json!(ana.id));
        assert_eq!(
            (&subject["event"]["type"], &subject["event"]["data"]["pinned_by"]),
            (&json!("message.pinned"), &json!(ana.id))
        );
        does(&ana, "unpin", &conversation(&ana, &ben), &sent).await.ok();
        ben.says(&climbers, "fence").await;
        own.hears("fence").await;
        // On the group's channel, the other client gets nothing before this.
        let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
        ana.posts(&path).await.ok();
        original.hears_on(&group, "favorite").await;
    }
}
