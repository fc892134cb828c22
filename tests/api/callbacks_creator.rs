//! What the creator of a bot sees of its deliveries and can do about them.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::called_back::{deliveries, fails, lives_at, newest_becomes, path, signature_by};
use crate::world::listener::{Answer, Listener};
use crate::world::person::text;

#[tokio::test]
async fn rejected_callback_is_tried_3_times_and_replayable() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.answers([Answer::Status(422), Answer::Status(404), Answer::Status(400)]);
    ana.says(&climbers, "one").await;
    let first = listener.hears().await;
    for (attempt, seconds) in [(1, 5), (2, 30)] {
        fails(&ana, &bot, attempt).await;
        world.seconds_pass(seconds);
        listener.hears().await;
    }
    let dead = newest_becomes(&ana, &bot, 2, "dead").await;
    assert_eq!((&dead["attempt"], &dead["next_at"]), (&json!(3), &Value::Null));
    world.seconds_pass(100_000);
    listener.hears_nothing().await;

    let one = format!("/deliveries/{}", text(&dead["id"]));
    ben.gets(&path(&bot, &one)).await.refused(404);
    let shown = ana.gets(&path(&bot, &one)).await.ok();
    assert_eq!(shown["request"]["url"], listener.url());
    assert_eq!(shown["request"]["body"], first.body);
    let headers = &shown["request"]["headers"];
    assert_eq!(headers["webhook-id"], first.header("webhook-id").unwrap());
    assert_eq!(headers["webhook-attempt"], "3");

    ben.posts(&path(&bot, &format!("{one}/replay"))).await.refused(404);
    let again = ana.posts(&path(&bot, &format!("{one}/replay"))).await.accepted();
    assert_eq!(again, json!({"deliveries": [dead["id"]]}));
    let replayed = listener.hears().await;
    assert_eq!(replayed.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(replayed.header("webhook-out-of-order"), Some("1"));
    newest_becomes(&ana, &bot, 2, "delivered").await;
    let range = json!({"from_id": "1", "to_id": dead["id"]});
    let all = ana.posts(&path(&bot, "/replay")).json(&range).await.accepted();
    assert_eq!(all["deliveries"].as_array().unwrap().len(), 2);
    assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    assert_eq!(listener.hears().await.text(), "one");
    let none = ana.posts(&path(&bot, "/replay")).json(&json!({"state": "dead"})).await.accepted();
    assert_eq!(none, json!({"deliveries": []}));
}

#[tokio::test]
async fn the_log_is_read_page_by_page_and_forgets_after_a_week() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    for (number, words) in [(2, "one"), (3, "two"), (4, "three")] {
        ana.says(&climbers, words).await;
        assert_eq!(listener.hears().await.text(), words);
        newest_becomes(&ana, &bot, number, "delivered").await;
    }
    let page = |query: &'static str| {
        let (ana, bot) = (&ana, &bot);
        async move {
            let found = deliveries(ana, bot, query).await;
            found.iter().map(|it| text(&it["id"]).to_owned()).collect::<Vec<_>>()
        }
    };
    assert_eq!(page("?limit=2").await, ["4", "3"]);
    assert_eq!(page("?limit=2&before=3").await, ["2", "1"]);
    assert_eq!(page("?state=delivered&before=4&limit=1").await, ["3"]);
    assert_eq!(page("?state=dead").await, [""; 0]);
    listener.always_answers(Answer::Status(500));
    ana.says(&climbers, "four").await;
    fails(&ana, &bot, 1).await;
    world.seconds_pass(7 * 24 * 3600 - 1);
    assert_eq!(page("").await.len(), 5);
    world.seconds_pass(1);
    // Deliveries that have not ended are kept.
    assert_eq!(page("").await, ["5"]);
    ana.gets(&path(&bot, "/deliveries/4")).await.refused(404);
    ana.gets(&path(&bot, "/deliveries/5")).await.ok();
}

#[tokio::test]
async fn old_and_new_secret_sign_for_a_day() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    ben.posts(&path(&bot, "/secret")).await.refused(404);
    let rotated = ana.posts(&path(&bot, "/secret")).await.ok();
    let now = world.clock_seconds();
    assert_eq!(rotated["previous_valid_until"], now + 86_400);
    let (old, new) = (text(&bot["secret"]), text(&rotated["secret"]));
    ana.says(&climbers, "one").await;
    let request = listener.hears().await;
    let both = format!("{} {}", signature_by(new, &request), signature_by(old, &request));
    assert_eq!(request.header("webhook-signature"), Some(&*both));
    world.seconds_pass(86_400);
    ana.says(&climbers, "two").await;
    let request = listener.hears().await;
    assert_eq!(request.header("webhook-signature"), Some(&*signature_by(new, &request)));
}

#[tokio::test]
async fn a_creator_tries_out_a_callback() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    listener.answers([Answer::Status(204)]);
    let tested = ana.posts(&path(&bot, "/test")).await.ok();
    assert_eq!(tested["status"], 204);
    let request = listener.hears().await;
    assert_eq!(
        request.header("webhook-signature"),
        Some(&*signature_by(text(&bot["secret"]), &request))
    );
    listener.leaves().await;
    assert_eq!(ana.posts(&path(&bot, "/test")).await.ok()["status"], Value::Null);
    let moved = json!({"callback_url": ""});
    assert_eq!(
        ana.posts(&path(&bot, "/update")).json(&moved).await.ok()["callback_url"],
        Value::Null
    );
    ana.posts(&path(&bot, "/test")).await.refused(400);
    let inside = json!({"callback_url": "http://10.0.0.1/"});
    let errors = ana.posts(&path(&bot, "/update")).json(&inside).await.refused(400);
    assert!(errors[0].contains("--callback-allow"), "{errors:?}");
}

#[tokio::test]
async fn pull_bot_reads_the_same_events() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "before").await;
    let bot = json!({"name": "Pull", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let post = json!({"bot_id": bot["bot_id"], "text": "own"});
    world.post("/v3/bots/post").json(&post).await.created();
    for number in 0..5 {
        ana.says(&climbers, &format!("message {number}")).await;
    }
    let events = path(&bot, "/events");
    let bearer = format!("Bearer {}", text(&bot["secret"]));
    let reads = |query: String| {
        let asking = world.get(&format!("{events}{query}")).header("authorization", &bearer);
        async move { asking.await.ok()["events"].as_array().unwrap().clone() }
    };
    let first = reads("?limit=3".to_owned()).await;
    assert_eq!(first[0]["event"]["type"], "bot.add");
    assert_eq!((&first[1]["text"], &first[2]["text"]), (&json!("message 0"), &json!("message 1")));
    let rest = reads(format!("?after={}", text(&first[2]["id"]))).await;
    assert_eq!(rest.len(), 3);
    assert_eq!(reads(format!("?after={}", text(&rest[2]["id"]))).await, [Value::Null; 0]);
    assert_eq!(ana.gets(&events).await.ok()["events"].as_array().unwrap().len(), 6);
    ben.gets(&events).await.refused(404);
    world.get(&events).await.refused(401);
    world.get(&events).header("authorization", "Bearer whsec_AAAA").await.refused(401);
}
