//! Threads: replies that belong to a message, and what that message shows of them.

use serde_json::{Value, json};

use crate::direct_messages::conversation;
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::person::{Group, Person, fresh_guid, text};

/// A message that replies to another one.
fn answering(to: &Value, words: &str) -> Value {
    let reply = json!({"type": "reply", "reply_id": to["id"], "base_reply_id": to["id"]});
    json!({"source_guid": fresh_guid(), "text": words, "attachments": [reply]})
}

async fn answers(by: &Person, group: &Group, to: &Value, words: &str) -> Value {
    let message = json!({"message": answering(to, words)});
    by.posts(&group.path("/messages")).json(&message).await.created()["message"].clone()
}

async fn thread(by: &Person, conversation: &str, message: &Value, query: &str) -> Value {
    let id = text(&message["id"]);
    by.gets(&format!("/v3/conversations/{conversation}/messages/{id}/replies{query}")).await.ok()
}

async fn sees(by: &Person, group: &Group, message: &Value) -> Value {
    let path = group.path(&format!("/messages/{}", text(&message["id"])));
    by.gets(&path).await.ok()["message"].clone()
}

#[tokio::test]
async fn replies_form_a_thread_and_are_counted() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let first = ana.says(&climbers, "rope at six?").await;
    assert_eq!((first.get("reply_count"), first.get("last_reply_at")), (None, None));
    assert_eq!(thread(&ben, &climbers.id, &first, "").await, json!({"count": 0, "messages": []}));
    ben.says(&climbers, "something else").await;
    let one = answers(&ben, &climbers, &first, "yes").await;
    world.seconds_pass(60);
    // A reply to a reply belongs to the thread of the first message.
    let two = answers(&ana, &climbers, &one, "good").await;
    assert_eq!(two["attachments"][0]["base_reply_id"], first["id"]);
    let mut expected = first.clone();
    expected["reply_count"] = json!(2);
    expected["last_reply_at"] = two["created_at"].clone();
    for _ in 0..2 {
        assert_eq!(sees(&ben, &climbers, &first).await, expected);
        assert!(ana.reads(&climbers, "").await.contains(&expected));
        let all = json!({"count": 2, "messages": [one, two]});
        assert_eq!(thread(&ben, &climbers.id, &first, "").await, all);
        let after = format!("?after_id={}", text(&one["id"]));
        let rest = thread(&ben, &climbers.id, &first, &after).await;
        assert_eq!(rest["messages"], json!([two]));
        let begin = thread(&ben, &climbers.id, &first, "?limit=1").await;
        assert_eq!(begin["messages"], json!([one]));
        assert_eq!(thread(&ben, &climbers.id, &one, "").await["count"], 0);
        world.restarts().await;
    }
    let path = |id: &str| format!("/v3/conversations/{}/messages/{id}/replies", climbers.id);
    ana.gets(&path("17")).await.refused(404);
    ana.gets(&format!("{}?limit=0", path(text(&first["id"])))).await.refused(400);
}

#[tokio::test]
async fn deleted_replies_and_roots_keep_the_thread() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let first = ben.says(&climbers, "rope at six?").await;
    let one = answers(&ana, &climbers, &first, "yes").await;
    let delete = async |by: &Person, message: &Value| {
        let id = text(&message["id"]);
        let path = format!("/v3/conversations/{}/messages/{id}", climbers.id);
        assert_eq!(by.asks("DELETE", &path).await.status, 204);
    };
    delete(&ana, &one).await;
    let left = thread(&ben, &climbers.id, &first, "").await;
    assert_eq!((&left["count"], &left["messages"][0]["text"]), (&json!(1), &Value::Null));
    delete(&ben, &first).await;
    assert_eq!(sees(&ana, &climbers, &first).await["reply_count"], 1);
    assert_eq!(thread(&ana, &climbers.id, &first, "").await["count"], 1);
}

#[tokio::test]
async fn edit_event_has_the_thread_state_of_then() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let first = json!({"source_guid": "1", "recipient_id": ben.id, "text": "rope at six?"});
    let first = ana.posts("/v3/direct_messages").json(&json!({"direct_message": first}));
    let first = first.await.created()["message"].clone();
    let chat = conversation(&ana, &ben);
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let mut live = Vec::new();
    for number in 0..3 {
        let mut answer = answering(&first, &format!("answer {number}"));
        answer["recipient_id"] = json!(ana.id);
        let answer = ben.posts("/v3/direct_messages").json(&json!({"direct_message": answer}));
        answer.await.created();
        live.push(feed.hears_of("direct_message.create").await);
        let path = format!("/v3/conversations/{chat}/messages/{}", text(&first["id"]));
        let words = json!({"text": format!("rope at {number}?")});
        let edited = ana.asks("PUT", &path).json(&words).await.ok();
        assert_eq!(edited["message"]["reply_count"], json!(number + 1));
        live.push(feed.hears_of("message.update").await);
        assert_eq!(live.last().unwrap()["data"], edited["message"]);
    }
    replays_the_same(&ben, &start, &live).await;
    assert_eq!(thread(&ana, &chat, &first, "").await["count"], 3);
}
