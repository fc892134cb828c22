//! Messages: posting them, and what they may contain (specification, section 4, Messages).

use std::future::IntoFuture;

use serde_json::{Value, json};

use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Group, Person, fresh_guid, text};

#[tokio::test]
async fn message_has_all_expected_fields() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let message = json!({"source_guid": "my guid", "text": "rope at six"});
    let posted = ana.posting(&climbers, message).await.created();
    let id = text(&posted["message"]["id"]);
    assert_eq!(
        posted["message"],
        json!({"id": id, "source_guid": "my guid", "created_at": 1_800_000_000_u64,
            "updated_at": 1_800_000_000_u64, "user_id": ana.id, "group_id": climbers.id,
            "name": "Ana", "avatar_url": null, "text": "rope at six", "system": false,
            "favorited_by": [], "attachments": [], "sender_id": ana.id, "sender_type": "user",
            "platform": "gm", "pinned_at": null, "pinned_by": ""})
    );
    assert!(id.len() == 18 && id.starts_with("1800000000"), "{id}");
    assert_eq!(ana.reads(&climbers, "").await, [posted["message"].clone()]);
}

#[tokio::test]
async fn texts_are_kept_to_the_letter() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for words in [
        " a ",
        "\na\n",
        "a\tb",
        "\u{0}a",
        "<script>alert('x')</script>",
        "\u{202e}a\u{feff}",
        "👩‍👩‍👧‍👦 e\u{301} é ﷽",
        "\"\\/",
        "null",
        "0",
    ] {
        assert_eq!(ana.says(&climbers, words).await["text"], words);
        assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, [words]);
    }
}

#[tokio::test]
async fn message_has_at_most_1000_emoji() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let full = "🧗".repeat(1000);
    assert_eq!(ana.says(&climbers, &full).await["text"], full);
    let over = json!({"text": "🧗".repeat(1001)});
    assert_eq!(
        ana.posting(&climbers, over).await.refused(400),
        ["message.text is too long: 1001 characters, at most 1000 are allowed"]
    );
    let posted = json!({"text": "hi", "source_guid": "🧗".repeat(255)});
    ana.posting(&climbers, posted).await.created();
    let over = json!({"text": "hi", "source_guid": "g".repeat(256)});
    ana.posting(&climbers, over).await.refused(400);
    assert_eq!(ana.reads(&climbers, "").await.len(), 2);
}

#[tokio::test]
async fn a_message_needs_a_guid_and_words_or_an_attachment() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let post = |body: Value| ana.posts(&climbers.path("/messages")).json(&body);
    let wordless = "message.text is required unless there is an attachment";
    assert_eq!(post(json!({})).await.refused(400), ["message is required"]);
    assert_eq!(post(json!({"message": "hi"})).await.refused(400), ["message must be an object"]);
    assert_eq!(
        post(json!({"message": {}})).await.refused(400),
        ["message.source_guid is required", wordless]
    );
    for text in [json!(""), json!(null)] {
        let body = json!({"message": {"source_guid": "g", "text": text, "attachments": []}});
        assert_eq!(post(body).await.refused(400), [wordless]);
    }
    let body = json!({"message": {"source_guid": "", "text": ["hi"]}});
    assert_eq!(
        post(body).await.refused(400),
        ["message.source_guid is required", "message.text must be a string"]
    );
    let split = json!({"type": "split", "token": "t"});
    let body = json!({"message": {"source_guid": "g", "text": "", "attachments": [split]}});
    assert_eq!(post(body).await.created()["message"]["text"], Value::Null);
}

#[tokio::test]
async fn attachments_of_every_type_come_back_as_they_were_sent() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let image = ana.has_image().await;
    let first = ana.says(&climbers, "rope?").await["id"].clone();
    let attachments = json!([
        {"type": "image", "url": image},
        {"type": "image", "url": format!("{image}.large")},
        {"type": "location", "name": "crag", "lat": "47.1", "lng": "-8.2"},
        {"type": "split", "token": "SPLIT-1"},
        {"type": "emoji", "placeholder": "\u{fffd}", "charmap": [[1, 42], [2, 7]]},
        {"type": "mentions", "user_ids": [ana.id, "all"], "loci": [[0, 3], [4, 1]]},
        {"type": "reply", "reply_id": first, "base_reply_id": first, "user_id": ana.id},
    ]);
    let message = json!({"text": "all \u{fffd}", "attachments": attachments});
    let posted = ana.posting(&climbers, message).await.created();
    assert_eq!(posted["message"]["attachments"], attachments);
    assert_eq!(ana.reads(&climbers, "").await[0]["attachments"], attachments);
}

#[tokio::test]
async fn only_the_keys_of_an_attachment_are_passed_on() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let sent = json!({"type": "split", "token": "t", "surprise": {"a": 1}, "url": "x"});
    let posted = ana.posting(&climbers, json!({"attachments": [sent]})).await.created();
    assert_eq!(posted["message"]["attachments"], json!([{"type": "split", "token": "t"}]));
}

/// Posts one attachment, which is refused; returns the errors.
async fn defect(ana: &Person, group: &Group, attachment: Value) -> Vec<String> {
    let message = json!({"text": "hi", "attachments": [attachment]});
    let errors = ana.posting(group, message).await.refused(400);
    errors
        .iter()
        .map(|error| error.strip_prefix("message.attachments[0].").unwrap_or(error).to_owned())
        .collect()
}

#[tokio::test]
async fn every_defect_of_an_attachment_is_named() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let no_image = "url must be the URL of an image of this server";
    let pairs = "must be an array of pairs of whole numbers";
    for (attachment, problems) in [
        (json!({}), &["type is required"][..]),
        (
            json!({"type": "7"}),
            &[
                "type \"7\" is not known; known are image, location, split, emoji, mentions, reply, file, video, audio and linked_image",
            ],
        ),
        (json!({"type": "image"}), &["url is required"]),
        (json!({"type": "image", "url": "http://elsewhere.org/a.png"}), &[no_image]),
        (json!({"type": "image", "url": world.address.url("/index.html")}), &[no_image]),
        (json!({"type": "location"}), &["lat is required", "lng is required"]),
        (
            json!({"type": "location", "name": "n", "lat": true, "lng": [2]}),
            &["lat must be a string", "lng must be a string"],
        ),
        (json!({"type": "split"}), &["token is required"]),
        (
            json!({"type": "split", "token": "t".repeat(1001)}),
            &["token is too long: 1001 characters, at most 1000 are allowed"],
        ),
        (json!({"type": "emoji"}), &["placeholder is required", "charmap is required"]),
        (
            json!({"type": "emoji", "placeholder": "x", "charmap": [[1]]}),
            &[&*format!("charmap {pairs}")],
        ),
        (
            json!({"type": "emoji", "placeholder": "x", "charmap": [["1", 2]]}),
            &[&*format!("charmap {pairs}")],
        ),
        (
            json!({"type": "emoji", "placeholder": "x", "charmap": {}}),
            &["charmap must be an array"],
        ),
        (
            json!({"type": "mentions", "user_ids": [[]], "loci": [[1, 2]]}),
            &["user_ids must be an array of user ids"],
        ),
        (json!({"type": "reply"}), &["reply_id is required"]),
    ] {
        assert_eq!(defect(&ana, &climbers, attachment.clone()).await, problems, "{attachment}");
    }
    let whole = |list: Value| ana.posting(&climbers, json!({"text": "hi", "attachments": list}));
    assert_eq!(
        whole(json!(["image"])).await.refused(400),
        ["message.attachments[0] must be an object"]
    );
    assert_eq!(whole(json!("x")).await.refused(400), ["message.attachments must be an array"]);
    let many = vec![json!({"type": "split", "token": "t"}); 26];
    assert_eq!(
        whole(json!(many)).await.refused(400),
        ["message.attachments has 26 entries, at most 25 are allowed"]
    );
    whole(json!(many[..25])).await.created();
    assert_eq!(ana.reads(&climbers, "").await.len(), 1, "nothing refused was stored");
}

#[tokio::test]
async fn ids_grow_although_the_clock_jumps_back() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let late = ana.says(&climbers, "late").await;
    world.clock.jump_to(coterie::domain::time::Timestamp::from_seconds(1_700_000_000));
    let early = ana.says(&climbers, "early").await;
    let number = |message: &Value| text(&message["id"]).parse::<u64>().unwrap();
    assert!(number(&early) > number(&late));
    assert_eq!(ana.reads_texts(&climbers, "").await, ["early", "late"]);
}

#[tokio::test]
async fn concurrent_posts_arrive_in_one_order() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let posts = (0..60).map(|number| {
        let writer = if number % 2 == 0 { &ana } else { &ben };
        let message = json!({"text": format!("m{number}"), "source_guid": fresh_guid()});
        writer.posting(&climbers, message).into_future()
    });
    let posted = futures_util::future::join_all(posts).await;
    let posted: Vec<Value> = posted.into_iter().map(Answer::created).collect();
    let mut ids: Vec<&str> = posted.iter().map(|it| text(&it["message"]["id"])).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let listed = ana.reads(&climbers, "?limit=60").await;
    let seen: Vec<&str> = listed.iter().map(|it| text(&it["id"])).collect();
    assert_eq!(seen, ids);
    assert_eq!(ana.gets(&climbers.path("")).await.ok()["messages"]["count"], 61);
}
