//! Callbacks: a bot's listener gets messages whole, signed and in order; and how much a bot may
//! post.

use serde_json::json;

use crate::world::World;
use crate::world::called_back::{lives_at, path, signature_by};
use crate::world::listener::Listener;
use crate::world::person::text;

#[tokio::test]
async fn a_message_arrives_whole_signed_and_in_one_piece() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    assert!(text(&bot["secret"]).starts_with("whsec_"));
    assert!(ana.gets("/v3/bots").await.ok()[0].get("secret").is_none());

    ana.says(&climbers, &"rope at six ".repeat(80)).await;
    let request = listener.hears().await;
    let stored = ana.reads(&climbers, "?limit=1").await.remove(0);
    assert_eq!(request.json(), stored);
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("content-length"), Some(&*request.body.len().to_string()));
    assert_eq!(request.header("webhook-attempt"), Some("1"));
    assert_eq!(request.header("webhook-out-of-order"), None);
    let id = request.header("webhook-id").unwrap();
    assert!(id.contains(text(&stored["id"])), "{id}");
    assert!(!request.body.contains(text(&bot["bot_id"])) && !id.contains(text(&bot["bot_id"])));
    let expected = signature_by(text(&bot["secret"]), &request);
    assert_eq!(request.header("webhook-signature"), Some(&*expected));
}

#[tokio::test]
async fn strict_readers_find_every_field_on_system_messages_too() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    lives_at(&mut listener, &ana, &climbers).await;
    ana.adds(&ben, &climbers).await;
    let line = listener.hears().await.json();
    assert_eq!(line["event"]["type"], "membership.announce.added");
    let fields = ["id", "name", "sender_type", "sender_id", "user_id", "group_id", "source_guid"];
    for field in fields {
        assert!(!text(&line[field]).is_empty(), "{field}");
    }
    assert!(line["created_at"].is_u64());
}

#[tokio::test]
async fn bots_hear_each_other_and_themselves_only_on_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (mut one, mut other) = (Listener::starts().await, Listener::starts().await);
    let echo = lives_at(&mut one, &ana, &climbers).await;
    lives_at(&mut other, &ana, &climbers).await;
    assert_eq!(one.hears().await.json()["event"]["type"], "bot.add");

    let post = json!({"bot_id": echo["bot_id"], "text": "hello"});
    world.post("/v3/bots/post").json(&post).await.created();
    let heard = other.hears().await.json();
    assert_eq!((&heard["text"], &heard["sender_type"]), (&json!("hello"), &json!("bot")));
    one.hears_nothing().await;

    let request = json!({"receive_own": true});
    assert_eq!(ana.posts(&path(&echo, "/update")).json(&request).await.ok()["receive_own"], true);
    world.post("/v3/bots/post").json(&post).await.created();
    assert_eq!(one.hears().await.text(), "hello");
}

#[tokio::test]
async fn bots_of_a_group_say_twenty_things_in_ten_seconds() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = json!({"name": "Loud", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let post = json!({"bot_id": bot["bot_id"], "text": "again"});
    for _ in 0..20 {
        world.post("/v3/bots/post").json(&post).await.created();
    }
    let refused = world.post("/v3/bots/post").json(&post).await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("ratelimit-limit"), Some("20"));
    assert_eq!(refused.header("ratelimit-remaining"), Some("0"));
    refused.refused(429);
    world.seconds_pass(10);
    world.post("/v3/bots/post").json(&post).await.created();
}
