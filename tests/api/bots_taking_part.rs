//! Bots that take part: the commands they offer, the answers of their listeners, and the settings
//! of what they want to hear.

use serde_json::{Value, json};

use crate::files::uploads;
use crate::world::World;
use crate::world::called_back::{deliveries, fails_now, lives_at, newest_becomes, path};
use crate::world::listener::{Answer, Listener};
use crate::world::person::{Group, Person, text};

async fn offered(to: &Person, group: &Group) -> Vec<String> {
    let found = to.gets(&group.path("/commands")).await.ok();
    let commands = found["commands"].as_array().unwrap();
    commands.iter().map(|it| text(&it["name"]).to_owned()).collect()
}

#[tokio::test]
async fn members_see_bot_commands() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let tides = json!([{"name": "tide", "description": "When it is high"}, {"name": "moon"}]);
    let bot = json!({"name": "Tides", "group_id": climbers.id, "commands": tides});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let found = ben.gets(&climbers.path("/commands")).await.ok();
    assert_eq!(
        found["commands"],
        json!([
            {"name": "moon", "description": "", "bot_name": "Tides", "avatar_url": null},
            {"name": "tide", "description": "When it is high", "bot_name": "Tides",
                "avatar_url": null},
        ])
    );
    cem.gets(&climbers.path("/commands")).await.refused(404);
    ana.gets("/v3/groups/no-group/commands").await.refused(404);
    let changed = json!({"commands": [{"name": "ebb"}], "post_answers": true,
        "drop_older_than": 60});
    let settings = ana.posts(&path(&bot, "/update")).json(&changed).await.ok();
    assert_eq!(settings["commands"], json!([{"name": "ebb", "description": ""}]));
    assert_eq!(
        (&settings["post_answers"], &settings["drop_older_than"]),
        (&json!(true), &json!(60))
    );
    world.restarts().await;
    assert_eq!(offered(&ben, &climbers).await, ["ebb"]);
    // An absent field stays as it is, an empty list removes all commands, zero removes the limit.
    let change = json!({"commands": [], "drop_older_than": 0});
    let settings = ana.posts(&path(&bot, "/update")).json(&change).await.ok();
    assert_eq!(
        (&settings["post_answers"], &settings["drop_older_than"]),
        (&json!(true), &Value::Null)
    );
    assert!(offered(&ben, &climbers).await.is_empty());
    let both = json!({"commands": [{"name": "ebb"}], "active": false});
    ana.posts(&path(&bot, "/update")).json(&both).await.ok();
    assert!(offered(&ben, &climbers).await.is_empty(), "it is off");
}

#[tokio::test]
async fn command_names_are_typeable() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let twice = json!([{"name": "tide"}, {"name": "tide"}]);
    let many: Vec<Value> = (0..51).map(|it| json!({"name": format!("c{it}")})).collect();
    for (commands, problem) in [
        (json!([{"name": "Tide"}]), "commands[0].name must be 1 to 32 of a to z, 0 to 9, _ and -"),
        (json!([{}]), "commands[0].name is required"),
        (json!(["tide"]), "commands[0] must be an object"),
        (json!({"name": "tide"}), "commands must be an array"),
        (twice, "commands must have different names"),
        (json!(many), "commands has 51 entries, at most 50 are allowed"),
        (
            json!([{"name": "tide", "description": "x".repeat(101)}]),
            "commands[0].description has more than 100 characters",
        ),
    ] {
        let bot = json!({"name": "Tides", "group_id": climbers.id, "commands": commands});
        assert_eq!(ana.posts("/v3/bots").json(&bot).await.refused(400), [problem]);
    }
    let bot = json!({"name": "T", "group_id": climbers.id, "post_answers": 7,
        "drop_older_than": "soon"});
    let problems = ana.posts("/v3/bots").json(&bot).await.refused(400);
    assert_eq!(
        problems,
        ["post_answers must be true or false", "drop_older_than must be a whole number"]
    );
}

#[tokio::test]
async fn bot_posts_its_listeners_answer_if_enabled() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let mut feed = ben.listens().await;
    listener.answers([Answer::Says(json!({"text": "nobody asked"}).to_string())]);
    ana.says(&climbers, "/tide").await;
    listener.hears().await;
    feed.hears_of("line.create").await;
    newest_becomes(&ana, &bot, 2, "delivered").await;
    let change = json!({"post_answers": true, "receive_own": true});
    ana.posts(&path(&bot, "/update")).json(&change).await.ok();
    feed.hears_of("bot.update").await;
    listener.always_answers(Answer::Says(json!({"text": "high at six"}).to_string()));
    ana.says(&climbers, "/tide").await;
    assert_eq!(text(&feed.hears_of("line.create").await["data"]["text"]), "/tide");
    let said = feed.hears_of("line.create").await["data"].take();
    assert_eq!((&said["text"], &said["sender_type"]), (&json!("high at six"), &json!("bot")));
    // The bot hears its own message (`receive_own`), but the answer to that is not posted.
    assert_eq!(listener.hears().await.text(), "/tide");
    assert_eq!(listener.hears().await.text(), "high at six");
    newest_becomes(&ana, &bot, 4, "delivered").await;
    feed.stays_silent().await;
    // An answer that cannot be posted is reported to the bot's creator, in the delivery.
    listener.answers([Answer::Says(json!({"text": "x".repeat(1001)}).to_string())]);
    ana.says(&climbers, "/tide").await;
    feed.hears_of("line.create").await;
    let told = newest_becomes(&ana, &bot, 5, "delivered").await;
    assert!(text(&told["answer"]).starts_with("not posted: text is too long"), "{told}");
    // So is an answer that cannot be read.
    for (number, sent, noted) in [
        (6, "hello".to_owned(), "not posted: the answer is not valid JSON"),
        (7, "[]".to_owned(), "not posted: the answer must be a JSON object"),
        (8, "{\"text\":".to_owned(), "not posted: the answer is not valid JSON"),
        (9, "x".repeat(70_000), "not posted: the answer is longer than 65536 bytes"),
    ] {
        listener.answers([Answer::Says(sent)]);
        ana.says(&climbers, "/tide").await;
        feed.hears_of("line.create").await;
        let delivery = newest_becomes(&ana, &bot, number, "delivered").await;
        assert!(text(&delivery["answer"]).starts_with(noted), "{delivery}");
    }
    // A byte order mark is skipped.
    let marked = format!("\u{feff}{}", json!({"text": "low at noon"}));
    listener.answers([Answer::Says(marked)]);
    ana.says(&climbers, "/tide").await;
    feed.hears("/tide").await;
    feed.hears("low at noon").await;
    newest_becomes(&ana, &bot, 11, "delivered").await;
    // An answer without a text, or with a status other than 200, is not posted.
    listener.answers([Answer::Says("{}".to_owned()), Answer::Status(204)]);
    ana.says(&climbers, "one").await;
    ana.says(&climbers, "two").await;
    newest_becomes(&ana, &bot, 13, "delivered").await;
    assert_eq!(ana.reads_texts(&climbers, "?limit=2").await, ["two", "one"]);
}

#[tokio::test]
async fn answers_and_posts_of_bots_share_the_limit_of_their_group() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let change = json!({"post_answers": true});
    ana.posts(&path(&bot, "/update")).json(&change).await.ok();
    listener.always_answers(Answer::Says(json!({"text": "high at six"}).to_string()));
    let posts = async |group: &Group| {
        let other = json!({"name": "Loud", "group_id": group.id});
        let other = ana.posts("/v3/bots").json(&other).await.created();
        json!({"bot_id": other["bot_id"], "text": "again"})
    };
    let post = posts(&climbers).await;
    newest_becomes(&ana, &bot, 2, "delivered").await;
    for _ in 0..15 {
        world.post("/v3/bots/post").json(&post).await.created();
    }
    newest_becomes(&ana, &bot, 17, "delivered").await;
    for number in 18..23 {
        ana.says(&climbers, "/tide").await;
        let delivery = newest_becomes(&ana, &bot, number, "delivered").await;
        assert!(!text(&delivery["answer"]).starts_with("not posted"), "{delivery}");
    }
    ana.says(&climbers, "/tide").await;
    let delivery = newest_becomes(&ana, &bot, 23, "delivered").await;
    let reason = "not posted: all bots of a group together may post 20 messages at once";
    assert!(text(&delivery["answer"]).starts_with(reason), "{delivery}");
    let refused = world.post("/v3/bots/post").json(&post).await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.refused(429);
    let elsewhere = posts(&ana.creates_group("Divers").await).await;
    world.post("/v3/bots/post").json(&elsewhere).await.created();
    world.seconds_pass(1);
    ana.says(&climbers, "/tide").await;
    let delivery = newest_becomes(&ana, &bot, 24, "delivered").await;
    assert!(!text(&delivery["answer"]).starts_with("not posted"), "{delivery}");
}

#[tokio::test]
async fn returning_listener_is_called_within_15_s_in_order() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.leaves().await;
    for words in ["one", "two", "three"] {
        ana.says(&climbers, words).await;
    }
    newest_becomes(&ana, &bot, 2, "failed").await;
    for _ in 0..40 {
        world.seconds_pass(60);
        fails_now(&world, &ana, &bot).await;
    }
    listener.returns().await;
    world.seconds_pass(15);
    for words in ["one", "two", "three"] {
        let request = listener.hears().await;
        assert_eq!(request.text(), words);
        assert_eq!(request.header("webhook-out-of-order"), None);
    }
    newest_becomes(&ana, &bot, 4, "delivered").await;
}

#[tokio::test]
async fn messages_older_than_bot_limit_are_not_sent() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    ana.posts(&path(&bot, "/update")).json(&json!({"drop_older_than": 60})).await.ok();
    listener.leaves().await;
    ana.says(&climbers, "one").await;
    ana.says(&climbers, "two").await;
    newest_becomes(&ana, &bot, 2, "failed").await;
    world.seconds_pass(61);
    newest_becomes(&ana, &bot, 3, "dead").await;
    listener.returns().await;
    ana.says(&climbers, "three").await;
    assert_eq!(listener.hears().await.text(), "three");
    let dead = deliveries(&ana, &bot, "?state=dead").await;
    assert_eq!(dead.len(), 2);
    assert_eq!(dead[0]["answer"], "older than this bot accepts");
    // The bot's creator may still replay a dropped message.
    let again = format!("/deliveries/{}/replay", text(&dead[1]["id"]));
    assert_eq!(ana.posts(&path(&bot, &again)).await.status, 202);
    assert_eq!(listener.hears().await.text(), "one");
    assert_eq!(ana.gets("/v3/bots").await.ok()[0]["active"], true);
}

#[tokio::test]
async fn bot_sends_pictures_and_creators_files() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let bot = json!({"name": "Forecast", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let plan = uploads(&ana, &climbers.id, "plan.txt", b"rope".to_vec()).await;
    let others = uploads(&ben, &climbers.id, "secret.txt", b"chalk".to_vec()).await;
    let image = json!({"type": "image", "url": ana.has_image().await});
    let posts = |attachments: Value| {
        let post = json!({"bot_id": bot["bot_id"], "text": "see", "attachments": attachments});
        world.post("/v3/bots/post").json(&post)
    };
    posts(json!([image, image, plan])).await.created();
    let said = ben.reads(&climbers, "?limit=1").await.remove(0);
    assert_eq!(said["attachments"], json!([image, image, plan]));
    let file = format!("/v3/files/{}/{}", climbers.id, text(&plan["file_id"]));
    assert_eq!(ben.gets(&file).await.status, 200);
    posts(json!([others])).await.refused(400);
}
