//! Bots on a WebSocket: what they hear, and from which cursor on (design, "Pull mode"). How their
//! sockets end is tested in `bots_push_closing.rs`.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::world::World;
use crate::world::bot_feed::{BotFeed, pulls};
use crate::world::called_back::path;
use crate::world::feed::Socket;
use crate::world::person::text;
use crate::world::server::Setup;

/// A page of the events that a bot gets by polling.
async fn asks(world: &World, bot: &Value, query: &str) -> Value {
    let bearer = format!("Bearer {}", text(&bot["secret"]));
    world.get(&path(bot, &format!("/events{query}"))).header("authorization", &bearer).await.ok()
}

#[tokio::test]
async fn bot_socket_receives_only_its_groups_messages() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let walkers = ana.creates_group("Walkers").await;
    let bot = pulls(&ana, &climbers).await;
    let mut feed = BotFeed::of(&world, &bot, None).await;
    assert_eq!((&feed.welcome["resumed"], feed.replayed.len()), (&json!(false), 0));

    ana.adds(&ben, &climbers).await;
    let line = feed.hears("Ana added Ben to the group.").await;
    assert_eq!(line["data"]["sender_type"], "system");
    ana.says(&walkers, "elsewhere").await;
    let said = ben.says(&climbers, "rope at six").await;
    let heard = feed.hears("rope at six").await;
    assert_eq!((&heard["data"], &heard["conv"]), (&said, &json!(climbers.conv())));
    assert_eq!(heard["alert"], "Ben: rope at six");
    let like = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
    ana.posts(&like).await.ok();
    ana.posts(&climbers.path("/update")).json(&json!({"description": "up"})).await.ok();
    ana.says(&climbers, "last").await;
    // A change of the group writes a system line, which the bot hears; it hears neither the like
    // nor the event of the change.
    let mut last = feed.next().await;
    while last["data"]["system"] == true {
        last = feed.next().await;
    }
    assert_eq!(last["data"]["text"], "last");
    assert!(last["n"].as_u64().unwrap() > heard["n"].as_u64().unwrap() + 2);
}

#[tokio::test]
async fn bot_receives_own_posts_only_on_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let [bot, other] = [pulls(&ana, &climbers).await, pulls(&ana, &climbers).await];
    let mut feed = BotFeed::of(&world, &bot, None).await;
    let says = |bot: &Value, words: &str| {
        world.post("/v3/bots/post").json(&json!({"bot_id": bot["bot_id"], "text": words}))
    };
    says(&bot, "own").await.created();
    says(&other, "another's").await.created();
    let heard = feed.hears("another's").await;
    assert_eq!(heard["data"]["sender_type"], "bot");
    // `receive_own` is switched on while the bot's socket is open.
    let request = json!({"receive_own": true});
    ana.posts(&path(&bot, "/update")).json(&request).await.ok();
    says(&bot, "own again").await.created();
    let own = feed.hears("own again").await;
    assert_eq!(own["data"]["sender_id"], feed.welcome["user_id"]);
    ana.posts(&path(&bot, "/update")).json(&json!({"receive_own": false})).await.ok();
    says(&bot, "for nobody").await.created();
    ana.says(&climbers, "for all").await;
    feed.hears("for all").await;
    // A replay follows the setting at the time of the replay: no messages of the bot's own.
    let again = BotFeed::of(&world, &bot, Some("0")).await;
    let texts = again.replayed_texts();
    assert_eq!(texts[texts.len() - 2..], ["another's", "for all"]);
}

#[tokio::test]
async fn bot_receives_own_post_right_after_enabling_that() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let groups = join_all((0..8).map(|number| {
        let name = format!("Group {number}");
        let ana = &ana;
        async move { ana.creates_group(&name).await }
    }));
    join_all(groups.await.iter().map(async |group| {
        let bot = pulls(&ana, group).await;
        let mut feed = BotFeed::of(&world, &bot, None).await;
        let switches = async |wanted: bool| {
            let wanted = json!({"receive_own": wanted});
            ana.posts(&path(&bot, "/update")).json(&wanted).await.ok();
        };
        // As many as the bots of one group may post at once.
        for number in 0..20 {
            switches(false).await;
            switches(true).await;
            let words = format!("own {number}");
            let post = json!({"bot_id": bot["bot_id"], "text": words});
            world.post("/v3/bots/post").json(&post).await.created();
            feed.hears(&words).await;
        }
    }))
    .await;
}

#[tokio::test]
async fn bot_continues_over_socket_or_pull_from_any_cursor() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "before it was made").await;
    let bot = pulls(&ana, &climbers).await;
    let mut feed = BotFeed::of(&world, &bot, None).await;
    ana.says(&climbers, "one").await;
    let one = feed.hears("one").await;
    drop(feed);
    for words in ["two", "three"] {
        ana.says(&climbers, words).await;
    }
    let (cursor, id) = (text(&one["c"]).to_owned(), text(&one["data"]["id"]).to_owned());
    for _ in 0..2 {
        for after in [&cursor, &id] {
            let feed = BotFeed::of(&world, &bot, Some(after)).await;
            assert_eq!(feed.welcome["resumed"], true);
            assert_eq!((feed.replayed_texts(), &feed.reset), (vec!["two", "three"], &None));
            let page = asks(&world, &bot, &format!("?after={after}")).await;
            let events: Vec<&Value> = page["events"].as_array().unwrap().iter().collect();
            let told: Vec<&Value> = feed.replayed.iter().map(|event| &event["data"]).collect();
            assert_eq!(events, told);
        }
        world.restarts().await;
    }
    // A bot may go on from a polled page on its socket, and the other way round.
    let page = asks(&world, &bot, &format!("?after={cursor}&limit=1")).await;
    assert_eq!(page["events"][0]["text"], "two");
    let mut feed = BotFeed::of(&world, &bot, Some(text(&page["c"]))).await;
    assert_eq!(feed.replayed_texts(), ["three"]);
    let rest = asks(&world, &bot, &format!("?after={}", text(&page["c"]))).await;
    assert_eq!(rest["events"].as_array().unwrap().len(), 1);
    let none = asks(&world, &bot, &format!("?after={}", text(&rest["c"]))).await;
    assert_eq!(none["events"], json!([]));
    ana.says(&climbers, "four").await;
    feed.hears("four").await;
    let four = asks(&world, &bot, &format!("?after={}", text(&none["c"]))).await;
    assert_eq!(four["events"][0]["text"], "four");
    let nothing = asks(&world, &bot, &format!("?after={}", feed.cursor)).await;
    assert_eq!(nothing["events"], json!([]));
    // The cursor 0 replays everything since the bot was made, and nothing from before.
    let all = BotFeed::of(&world, &bot, Some("0")).await;
    assert_eq!(all.replayed_texts()[1..], ["one", "two", "three", "four"]);
    assert_eq!(all.replayed[0]["data"]["event"]["type"], "bot.add");
}

#[tokio::test]
async fn unknown_cursor_is_reported() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let foreign = "f".repeat(24);
    for after in [foreign.as_str(), "yesterday", ""] {
        let mut feed = BotFeed::of(&world, &bot, Some(after)).await;
        assert_eq!(feed.reset.as_ref().unwrap()["why"], "unknown", "{after:?}");
        assert_eq!((&feed.welcome["resumed"], feed.replayed.len()), (&json!(false), 0));
        ana.says(&climbers, "rope at six").await;
        feed.hears("rope at six").await;
    }
    let bearer = format!("Bearer {}", text(&bot["secret"]));
    for after in [foreign.as_str(), "yesterday"] {
        let asked = world.get(&path(&bot, &format!("/events?after={after}")));
        asked.header("authorization", &bearer).await.refused(400);
    }
}

#[tokio::test]
async fn long_absent_bot_receives_everything() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let cursor = BotFeed::of(&world, &bot, None).await.cursor;
    // More than is read at once, and more than a user's socket is replayed.
    for hundred in 0..51 {
        let words = (0..100).map(|one| format!("{}", hundred * 100 + one));
        join_all(words.map(|words| {
            let (ana, climbers) = (ana.clone(), climbers.clone());
            async move { ana.says(&climbers, &words).await }
        }))
        .await;
    }
    let mut feed = BotFeed::of(&world, &bot, Some(&cursor)).await;
    assert_eq!((feed.replayed.len(), &feed.reset), (5100, &None));
    let cursors: Vec<&str> = feed.replayed.iter().map(|event| text(&event["c"])).collect();
    assert!(cursors.is_sorted_by(|one, next| one < next), "in order, and each once");
    ana.says(&climbers, "now").await;
    feed.hears("now").await;
}

#[tokio::test]
async fn messages_during_connect_arrive_once() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let mut cursor = BotFeed::of(&world, &bot, None).await.cursor;
    let writing = async {
        for number in 0..300 {
            ana.says(&climbers, &format!("{number}")).await;
        }
    };
    let listening = async {
        let mut heard: Vec<String> = Vec::new();
        while heard.len() < 300 {
            let mut feed = BotFeed::of(&world, &bot, Some(&cursor)).await;
            heard.extend(feed.replayed_texts().into_iter().map(str::to_owned));
            for _ in 0..7_usize.min(300 - heard.len()) {
                heard.push(text(&feed.next().await["data"]["text"]).to_owned());
            }
            cursor = feed.cursor;
        }
        heard
    };
    let ((), heard) = tokio::join!(writing, listening);
    let said: Vec<String> = (0..300).map(|number| format!("{number}")).collect();
    assert_eq!(heard, said);
}

#[tokio::test]
async fn bot_socket_accepts_few_frames() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let bot = pulls(&ana, &climbers).await;
    let mut feed = BotFeed::of(&world, &bot, None).await;
    feed.socket.tells(&json!({"t": "ping", "x": 7})).await;
    let pong = feed.socket.hears("pong").await;
    assert_eq!(pong, json!({"t": "pong", "x": 7, "c": feed.cursor}));
    for quiet in [json!({"t": "ack", "c": feed.cursor}), json!({"t": "pong"})] {
        feed.socket.tells(&quiet).await;
    }
    let conv = climbers.conv();
    let mut anas = ana.listens().await;
    for (frame, code) in [
        (json!({"t": "typing", "conv": conv}), "bot"),
        (json!({"t": "read", "conv": conv, "n": 1}), "bot"),
        (json!({"t": "sub", "conv": [conv]}), "bot"),
        (json!({"t": "unsub", "conv": [conv]}), "bot"),
        (json!({"t": "dance"}), "unknown_t"),
        (json!({"t": "hello", "v": 1}), "hello"),
    ] {
        feed.socket.tells(&frame).await;
        assert_eq!(feed.socket.hears("err").await["code"], code, "{frame}");
    }
    anas.stays_silent().await;
    world.clock.pass(50);
    let ping = feed.socket.hears("ping").await;
    assert_eq!(ping["c"], feed.cursor);
    // The secret may also come in a header of the upgrade, as it does for polling.
    let bearer = format!("Bearer {}", text(&bot["secret"]));
    let mut socket = Socket::open(&world.address, &[("Authorization", &bearer)]).await.unwrap();
    socket.tells(&json!({"t": "hello", "v": 1, "bot_id": bot["bot_id"]})).await;
    assert_eq!(socket.hears("welcome").await["user_id"], feed.welcome["user_id"]);
}
