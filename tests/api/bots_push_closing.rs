//! How bots' sockets are closed, and which clients get none.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bot_feed::{BotFeed, hello, pulls, refused};
use crate::world::called_back::path;
use crate::world::person::{Person, text};

const DAY_SECONDS: u64 = 24 * 60 * 60;

async fn updates(by: &Person, bot: &Value, change: Value) {
    by.posts(&path(bot, "/update")).json(&change).await.ok();
}

#[tokio::test]
async fn wrong_bot_secret_closes_with_4401() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let [bot, other] = [pulls(&ana, &climbers).await, pulls(&ana, &climbers).await];
    let (id, secret) = (&bot["bot_id"], &bot["secret"]);
    let with =
        |id: &Value, secret: &Value| json!({"t": "hello", "v": 1, "bot_id": id, "secret": secret});
    for hello in [
        with(id, &json!("whsec_AAAA")),
        with(id, &json!(text(secret).to_lowercase())),
        with(id, &json!(&text(secret)[..text(secret).len() - 1])),
        with(id, &json!("")),
        with(id, &Value::Null),
        with(id, &json!(7)),
        with(id, &other["secret"]),
        with(id, &json!(ana.token)),
        with(&json!("nobody"), secret),
        with(&json!(""), secret),
        json!({"t": "hello", "v": 1, "token": secret}),
        json!({"t": "hello", "v": 1, "secret": secret}),
    ] {
        assert_eq!(refused(&world, &hello).await, 4401, "{hello}");
    }
    let mut old = hello(&bot, None);
    old["v"] = json!(2);
    assert_eq!(refused(&world, &old).await, 4426);
    BotFeed::of(&world, &bot, None).await;
}

#[tokio::test]
async fn a_secret_that_is_over_ends_its_sockets() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let mut old = BotFeed::of(&world, &bot, None).await;
    let mut second = bot.clone();
    second["secret"] = ana.posts(&path(&bot, "/secret")).await.ok()["secret"].take();
    let mut new = BotFeed::of(&world, &second, None).await;
    // After a rotation both secrets are valid for a day, also for new sockets.
    drop(BotFeed::of(&world, &bot, None).await);
    ana.says(&climbers, "both hear").await;
    for feed in [&mut old, &mut new] {
        feed.hears("both hear").await;
        feed.socket.tells(&json!({"t": "ping"})).await;
        feed.socket.hears("pong").await;
    }
    // The pings keep the sockets from being closed for a day of silence.
    for _ in 0..DAY_SECONDS / 50 - 1 {
        world.seconds_pass(50);
        for feed in [&mut old, &mut new] {
            feed.socket.tells(&json!({"t": "ping"})).await;
            while feed.socket.next().await.unwrap()["t"] != "pong" {}
        }
    }
    world.seconds_pass(50);
    assert_eq!(old.socket.ends().await, 4401);
    assert_eq!(refused(&world, &hello(&bot, None)).await, 4401);
    ana.says(&climbers, "one hears").await;
    new.hears("one hears").await;
    // Only the last two secrets are valid: after two rotations this one ends at once.
    for _ in 0..2 {
        ana.posts(&path(&bot, "/secret")).await.ok();
    }
    assert_eq!(new.socket.ends().await, 4401);
}

#[tokio::test]
async fn inactive_or_deleted_bot_receives_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ana.creates_group("Walkers").await;
    let [off, destroyed] = [pulls(&ana, &climbers).await, pulls(&ana, &climbers).await];
    let homeless = pulls(&ana, &walkers).await;
    let mut feeds = Vec::new();
    for bot in [&off, &destroyed, &homeless] {
        feeds.push(BotFeed::of(&world, bot, None).await);
    }
    updates(&ana, &off, json!({"active": false})).await;
    assert_eq!(feeds[0].socket.ends().await, 4401);
    ana.says(&climbers, "while one is off").await;
    ana.posts("/v3/bots/destroy").json(&json!({"bot_id": destroyed["bot_id"]})).await.ok();
    feeds[1].hears("while one is off").await;
    assert_eq!(feeds[1].socket.ends().await, 4401);
    ana.posts(&walkers.path("/destroy")).await.ok();
    assert_eq!(feeds[2].socket.ends().await, 4401);
    for bot in [&off, &destroyed, &homeless] {
        assert_eq!(refused(&world, &hello(bot, None)).await, 4401);
    }
    let bearer = format!("Bearer {}", text(&off["secret"]));
    let asks = || world.get(&path(&off, "/events")).header("authorization", &bearer);
    assert_eq!(asks().await.refused(403), ["this bot is not active"]);
    ana.gets(&path(&off, "/events")).await.refused(403);

    // What was said while the bot was off is not delivered afterwards, neither on a socket nor by
    // polling.
    updates(&ana, &off, json!({"active": true})).await;
    let mut feed = BotFeed::of(&world, &off, Some(&feeds[0].cursor)).await;
    assert_eq!((feed.replayed_texts(), &feed.reset), (Vec::new(), &None));
    assert_eq!(asks().await.ok()["events"], json!([]));
    ana.says(&climbers, "on again").await;
    feed.hears("on again").await;
}

#[tokio::test]
async fn removed_members_bot_receives_no_events() {
    let world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ben.creates_group("Walkers").await;
    for person in [&ben, &cara] {
        ana.adds(person, &climbers).await;
    }
    let [bens, caras] = [pulls(&ben, &climbers).await, pulls(&cara, &climbers).await];
    let elsewhere = pulls(&ben, &walkers).await;
    let mut feed = BotFeed::of(&world, &bens, None).await;
    ana.removes(&ben, &climbers).await.ok();
    assert_eq!(feed.socket.ends().await, 4401);
    assert_eq!(refused(&world, &hello(&bens, None)).await, 4401);
    let posting = |bot: &Value| {
        world.post("/v3/bots/post").json(&json!({"bot_id": bot["bot_id"], "text": "beep"}))
    };
    posting(&bens).await.refused(404);
    posting(&elsewhere).await.created();
    // The bots of a member who leaves on their own rest.
    cara.leaves(&climbers).await;
    let errors = posting(&caras).await.refused(403);
    assert_eq!(errors, ["this bot rests: the user who created it is not in the group"]);
}

#[tokio::test]
async fn unrelated_bot_change_keeps_its_sockets() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bot = pulls(&ana, &climbers).await;
    let mut feed = BotFeed::of(&world, &bot, None).await;
    updates(&ana, &bot, json!({"name": "Another"})).await;
    ana.says(&climbers, "one").await;
    feed.hears("one").await;
    // The bot's creator has logged out: people's tokens neither open nor close bots' sockets.
    ana.posts("/auth/logout").await.ok();
    ben.says(&climbers, "two").await;
    feed.hears("two").await;
}

#[tokio::test]
async fn a_hundred_sockets_of_one_bot_are_enough() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let [bot, other] = [pulls(&ana, &climbers).await, pulls(&ana, &climbers).await];
    let mut feeds = Vec::new();
    for _ in 0..100 {
        feeds.push(BotFeed::of(&world, &bot, None).await);
    }
    assert_eq!(refused(&world, &hello(&bot, None)).await, 4409);
    // They are not counted as those of its creator, nor of another bot.
    drop(BotFeed::of(&world, &other, None).await);
    drop(ana.listens().await);
    ana.says(&climbers, "rope at six").await;
    for feed in &mut feeds {
        feed.hears("rope at six").await;
    }
}

#[tokio::test]
async fn stopping_server_sends_bye_to_bots() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let mut feed = BotFeed::of(&world, &bot, None).await;
    let listening = async {
        let bye = feed.socket.hears("bye").await;
        assert_eq!(bye["code"], 4003);
        feed.socket.ends().await
    };
    let ((), code) = tokio::join!(world.stops(), listening);
    assert_eq!(code, 4003);
}
