//! Requests of creators about their bots' deliveries, under an `Idempotency-Key`: done once, and
//! answered the same each time.

use serde_json::{Value, json};

use crate::idempotency::repeats;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::called_back::{deliveries, lives_at, newest_becomes, path};
use crate::world::listener::{self, Listener};
use crate::world::person::{Person, text};

/// Asserts that the same request repeats the first answer, and that another body under the same key
/// is refused.
async fn asks_again(by: &Person, at: &str, body: &Value, first: &Answer) {
    repeats(&by.posts(at).json(body).key(at).await, first);
    let other = json!({"another": "body"});
    by.posts(at).json(&other).key(at).await.refused(422);
}

/// Makes a bot with two deliveries: its own announcement and a message.
async fn world_with_deliveries() -> (World, Person, Listener, Value) {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    ana.says(&climbers, "one").await;
    assert_eq!(listener.hears().await.text(), "one");
    newest_becomes(&ana, &bot, 2, "delivered").await;
    assert_eq!(deliveries(&ana, &bot, "").await.len(), 2);
    (world, ana, listener, bot)
}

#[tokio::test]
async fn a_replay_under_a_key_is_sent_once_also_over_a_restart() {
    let (mut world, ana, mut listener, bot) = world_with_deliveries().await;
    let one = path(&bot, "/deliveries/2/replay");
    let many = path(&bot, "/replay");
    let (range, dead) = (json!({"from_id": "1", "to_id": "2"}), json!({"state": "dead"}));
    let first_of_one = ana.posts(&one).json(&json!({})).key(&one).await;
    assert_eq!(first_of_one.status, 202);
    assert_eq!(listener.hears().await.text(), "one");
    newest_becomes(&ana, &bot, 2, "delivered").await;
    let first_of_many = ana.posts(&many).json(&range).key(&many).await;
    assert_eq!(first_of_many.status, 202);
    assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    assert_eq!(listener.hears().await.text(), "one");
    newest_becomes(&ana, &bot, 2, "delivered").await;
    for _ in 0..2 {
        asks_again(&ana, &one, &json!({}), &first_of_one).await;
        asks_again(&ana, &many, &range, &first_of_many).await;
        // To replay other deliveries under the same key is another request.
        ana.posts(&many).json(&dead).key(&many).await.refused(422);
        listener.hears_nothing().await;
        world.restarts().await;
    }
    // Without a key the delivery is sent each time; so it is under another key.
    ana.posts(&one).await.accepted();
    assert_eq!(listener.hears().await.text(), "one");
    newest_becomes(&ana, &bot, 2, "delivered").await;
    ana.posts(&one).key("another").await.accepted();
    assert_eq!(listener.hears().await.text(), "one");
}

#[tokio::test]
async fn a_replay_of_nothing_is_a_first_answer_too() {
    let (mut world, ana, mut listener, bot) = world_with_deliveries().await;
    let (many, dead) = (path(&bot, "/replay"), json!({"state": "dead"}));
    let none = ana.posts(&many).json(&dead).key("k").await;
    assert_eq!(none.status, 202);
    listener.answers([listener::Answer::Status(410)]);
    ana.posts(&path(&bot, "/deliveries/2/replay")).await.accepted();
    listener.hears().await;
    newest_becomes(&ana, &bot, 2, "dead").await;
    // A delivery is dead by now, and the bot is off; still the first answer is repeated.
    for _ in 0..2 {
        repeats(&ana.posts(&many).json(&dead).key("k").await, &none);
        world.restarts().await;
    }
    let refused = ana.posts(&many).json(&dead).key("off").await;
    refused.refused(403);
    ana.posts(&path(&bot, "/update")).json(&json!({"active": true})).await.ok();
    repeats(&ana.posts(&many).json(&dead).key("off").await, &refused);
    let again = ana.posts(&many).json(&dead).key("on").await.accepted();
    assert_eq!(again["deliveries"], json!(["2"]));
    assert_eq!(listener.hears().await.text(), "one");
}

#[tokio::test]
async fn a_test_under_a_key_is_sent_once() {
    let (mut world, ana, mut listener, bot) = world_with_deliveries().await;
    let test = path(&bot, "/test");
    listener.answers([listener::Answer::Status(204)]);
    let first = ana.posts(&test).json(&json!({})).key(&test).await;
    assert_eq!(first.status, 200);
    assert!(listener.hears().await.header("webhook-id").unwrap().starts_with("test_"));
    listener.always_answers(listener::Answer::Status(500));
    for _ in 0..2 {
        asks_again(&ana, &test, &json!({}), &first).await;
        listener.hears_nothing().await;
        world.restarts().await;
    }
    let second = ana.posts(&test).json(&json!({})).key("another").await.ok();
    assert_eq!(second["status"], 500);
    assert!(text(&second["answer"]).contains("hello"));
    listener.hears().await;
}
