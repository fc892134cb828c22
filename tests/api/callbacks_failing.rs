//! Callbacks that fail: which are retried, which hold back the next ones, and which are parked.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use crate::callback_urls::Rebinding;
use crate::world::World;
use crate::world::called_back::{deliveries, fails, fails_now, lives_at, newest_becomes, path};
use crate::world::listener::{Answer, Listener};
use crate::world::person::text;
use crate::world::server::Setup;

#[tokio::test]
async fn failed_callback_is_retried_before_later_ones() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let redirect = Answer::With(302, "Location", "http://169.254.169.254/".to_owned());
    listener.answers([Answer::Status(500), redirect]);
    ana.says(&climbers, "one").await;
    ana.says(&climbers, "two").await;
    let first = listener.hears().await;
    assert_eq!(first.text(), "one");
    listener.hears_nothing().await;
    let failed = newest_becomes(&ana, &bot, 2, "failed").await;
    assert_eq!((&failed["status"], &failed["attempt"]), (&json!(500), &json!(1)));
    assert_eq!(failed["answer"], "hello");

    world.seconds_pass(5);
    let second = listener.hears().await;
    assert_eq!(second.header("webhook-attempt"), Some("2"));
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    fails(&ana, &bot, 2).await;
    listener.hears_nothing().await;
    world.seconds_pass(30);
    let third = listener.hears().await;
    assert_eq!((third.text().as_str(), third.header("webhook-attempt")), ("one", Some("3")));
    assert_eq!(listener.hears().await.text(), "two");
    newest_becomes(&ana, &bot, 3, "delivered").await;
}

#[tokio::test]
async fn undeliverable_callback_is_parked_and_sent_later() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.answers([Answer::Status(500), Answer::Resets, Answer::Status(503)]);
    ana.says(&climbers, "poison").await;
    ana.says(&climbers, "next").await;
    for (attempt, seconds) in [(1, 5), (2, 30)] {
        assert_eq!(listener.hears().await.text(), "poison");
        fails(&ana, &bot, attempt).await;
        world.seconds_pass(seconds);
    }
    assert_eq!(listener.hears().await.text(), "poison");
    // The fourth attempt is due in two minutes; later messages do not wait that long.
    assert_eq!(listener.hears().await.text(), "next");
    newest_becomes(&ana, &bot, 3, "delivered").await;
    assert_eq!(deliveries(&ana, &bot, "?state=parked").await.len(), 1);
    world.seconds_pass(120);
    let late = listener.hears().await;
    assert_eq!(late.text(), "poison");
    assert_eq!(late.header("webhook-out-of-order"), Some("1"));
    assert_eq!(late.header("webhook-attempt"), Some("4"));
}

#[tokio::test]
async fn callback_retry_after_is_respected() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    // `Retry-After` in seconds, and as a date one minute from now.
    assert_eq!(world.clock_seconds(), 1_800_000_000);
    let words = [(2, 503, "Fri, 15 Jan 2027 08:01:00 GMT"), (3, 429, "60")];
    for (number, status, words) in words {
        listener.answers([Answer::With(status, "Retry-After", words.to_owned())]);
        ana.says(&climbers, words).await;
        listener.hears().await;
        newest_becomes(&ana, &bot, number, "failed").await;
        world.seconds_pass(59);
        listener.hears_nothing().await;
        world.seconds_pass(1);
        assert_eq!(listener.hears().await.text(), words);
        newest_becomes(&ana, &bot, number, "delivered").await;
    }
}

/// The old listener answers 410 late: meanwhile the bot has moved, and the message is delivered to
/// the new listener.
#[tokio::test]
async fn gone_listener_does_not_disable_a_moved_bot() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (mut old, mut new) = (Listener::starts().await, Listener::starts().await);
    let bot = lives_at(&mut old, &ana, &climbers).await;
    newest_becomes(&ana, &bot, 1, "delivered").await;
    let answers = Arc::new(Notify::new());
    old.answers([Answer::Told(410, Arc::clone(&answers))]);
    ana.says(&climbers, "one").await;
    old.hears().await;
    let moved = json!({"callback_url": new.url()});
    ana.posts(&path(&bot, "/update")).json(&moved).await.ok();
    assert_eq!(new.hears().await.text(), "one");
    newest_becomes(&ana, &bot, 2, "delivered").await;
    world.holds("callbacks_under_way", 1).await;
    answers.notify_one();
    world.holds("callbacks_under_way", 0).await;
    ana.says(&climbers, "two").await;
    assert_eq!(new.hears().await.text(), "two");
    assert_eq!(ana.gets("/v3/bots").await.ok()[0]["active"], true);
    old.hears_nothing().await;
}

#[tokio::test]
async fn gone_listener_disables_bot_and_notifies_creator() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let mut feed = ana.listens().await;
    listener.answers([Answer::Status(410)]);
    ana.says(&climbers, "one").await;
    listener.hears().await;
    feed.hears_of("line.create").await;
    assert_eq!(feed.hears_of("bot.update").await["data"]["active"], false);
    let note = feed.hears_of("direct_message.create").await;
    let words = text(&note["data"]["text"]).to_owned();
    assert!(words.contains("Echo") && words.contains("410"), "{words}");
    assert!(!words.contains(text(&bot["bot_id"])));
    let chat = ana.gets("/v3/chats").await.ok()[0].take();
    assert_eq!(chat["other_user"]["name"], "Coterie");
    assert_eq!(ana.gets("/v3/bots").await.ok()[0]["active"], false);

    ana.says(&climbers, "two").await;
    listener.hears_nothing().await;
    ana.posts(&path(&bot, "/update")).json(&json!({"active": true})).await.ok();
    ana.says(&climbers, "three").await;
    assert_eq!(listener.hears().await.text(), "three");
}

#[tokio::test]
async fn a_listener_that_comes_back_after_an_hour_gets_everything() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.leaves().await;
    let said: Vec<String> = (0..100).map(|number| format!("message {number}")).collect();
    for words in &said {
        ana.says(&climbers, words).await;
    }
    newest_becomes(&ana, &bot, 2, "failed").await;
    for _ in 0..12 {
        world.seconds_pass(300);
        fails_now(&world, &ana, &bot).await;
    }
    listener.returns().await;
    world.seconds_pass(300);
    let (mut in_order, mut late) = (Vec::new(), Vec::new());
    while in_order.len() + late.len() < said.len() {
        world.seconds_pass(60);
        let request = listener.hears().await;
        match request.header("webhook-out-of-order") {
            Some(_) => late.push(request.text()),
            None => in_order.push(request.text()),
        }
    }
    assert_eq!(in_order.len() + late.len(), said.len());
    let expected: Vec<&String> = said.iter().filter(|words| !late.contains(words)).collect();
    assert_eq!(in_order.iter().collect::<Vec<_>>(), expected);
    assert!(late.len() < 20, "{late:?}");
    listener.hears_nothing().await;
}

#[tokio::test]
async fn slow_or_flooding_listener_delays_no_other() {
    let world = World::with(Setup::default().callbacks_within(Duration::from_secs(3))).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut quick = Listener::starts().await;
    lives_at(&mut quick, &ana, &climbers).await;
    for answer in [Answer::Sleeps, Answer::Trickles, Answer::Floods] {
        let is_flood = matches!(answer, Answer::Floods);
        let mut odd = Listener::starts().await;
        let bot = lives_at(&mut odd, &ana, &climbers).await;
        quick.hears().await;
        odd.always_answers(answer);
        ana.says(&climbers, "one").await;
        assert_eq!(odd.hears().await.text(), "one");
        assert_eq!(quick.hears().await.text(), "one");
        // Reading of a flood stops at a bound, and its status counts.
        let state = if is_flood { "delivered" } else { "failed" };
        let tried = newest_becomes(&ana, &bot, 2, state).await;
        assert!(text(&tried["answer"]).len() <= 500);
        ana.posts("/v3/bots/destroy").json(&json!({"bot_id": bot["bot_id"]})).await.ok();
        quick.hears().await;
    }
}

#[tokio::test]
async fn nothing_is_lost_or_reordered_over_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.answers([Answer::Status(500)]);
    ana.says(&climbers, "one").await;
    let first = listener.hears().await;
    newest_becomes(&ana, &bot, 2, "failed").await;
    ana.says(&climbers, "two").await;
    world.restarts().await;
    listener.hears_nothing().await;
    world.seconds_pass(5);
    let second = listener.hears().await;
    assert_eq!(second.header("webhook-attempt"), Some("2"));
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(listener.hears().await.text(), "two");
    listener.hears_nothing().await;
}

/// The name resolves to a public address when the bot is made, and to a private one when it is
/// called.
#[tokio::test]
async fn rebound_name_reaches_no_private_address() {
    let setup = Setup::default().option("--callback-allow", "none");
    let world = World::with(setup.resolver(Rebinding::new())).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let url = format!("http://rebinds.test:{}/", listener.port());
    let bot = json!({"name": "Echo", "group_id": climbers.id, "callback_url": url});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let failed = newest_becomes(&ana, &bot, 1, "failed").await;
    assert!(text(&failed["answer"]).contains("private network"), "{failed}");
    listener.hears_nothing().await;
}
