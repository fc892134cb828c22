//! Direct messages (specification, section 4, Chats and direct messages).

use serde_json::{Value, json};

use crate::reactions::is_liked;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::asking::Asking;
use crate::world::person::{Person, fresh_guid, text};
use crate::world::server::Setup;

/// A request that writes a direct message with these fields, and with a fresh `source_guid` if it
/// has none.
pub(crate) fn writing(from: &Person, to: &Person, mut message: Value) -> Asking {
    if message.get("source_guid").is_none() {
        message["source_guid"] = json!(fresh_guid());
    }
    message["recipient_id"] = json!(to.id);
    from.posts("/v3/direct_messages").json(&json!({"direct_message": message}))
}

/// Writes a direct message; returns it as it was stored.
pub(crate) async fn writes(from: &Person, to: &Person, words: &str) -> Value {
    writing(from, to, json!({"text": words})).await.created()["message"].take()
}

/// The response to a request for a page of a chat: 304 without messages.
async fn page(reader: &Person, other: &Person, query: &str) -> Answer {
    reader.gets(&format!("/v3/direct_messages?other_user_id={}{query}", other.id)).await
}

/// The texts of a page of a chat.
async fn reads(reader: &Person, other: &Person, query: &str) -> Vec<String> {
    let found = page(reader, other, query).await.ok();
    let messages = found["direct_messages"].as_array().unwrap();
    messages.iter().map(|message| text(&message["text"]).to_owned()).collect()
}

/// The chat of two users as messages name it (`conversation_id`): the smaller id first.
pub(crate) fn conversation(one: &Person, other: &Person) -> String {
    let (one, other): (u64, u64) = (one.id.parse().unwrap(), other.id.parse().unwrap());
    format!("{}+{}", one.min(other), one.max(other))
}

/// The numbers from `from` down to `to`, as strings.
fn down(from: u64, to: u64) -> Vec<String> {
    (to..=from).rev().map(|number| number.to_string()).collect()
}

#[tokio::test]
async fn direct_message_has_all_expected_fields() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let message = json!({"source_guid": "my guid", "text": "rope at six"});
    let answer = writing(&ben, &ana, message).await.created();
    let id = text(&answer["message"]["id"]);
    let expected = json!({"id": id, "source_guid": "my guid", "recipient_id": ana.id,
        "user_id": ben.id, "name": "Ben", "avatar_url": null, "text": "rope at six",
        "favorited_by": [], "attachments": [], "created_at": 1_800_000_000_u64,
        "updated_at": 1_800_000_000_u64, "conversation_id": conversation(&ana, &ben), "sender_id": ben.id,
        "sender_type": "user", "pinned_at": null, "pinned_by": ""});
    assert_eq!(answer, json!({"message": expected, "direct_message": expected}));
    assert!(id.len() == 18 && id.starts_with("1800000000"), "{id}");
    for (reader, other) in [(&ana, &ben), (&ben, &ana)] {
        let found = page(reader, other, "").await.ok();
        assert_eq!(found, json!({"count": 1, "direct_messages": [expected]}));
    }
}

#[tokio::test]
async fn page_has_20_messages_by_default_and_100_at_most() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for number in 1..=101 {
        writes(&ana, &ben, &number.to_string()).await;
    }
    assert_eq!(page(&ben, &ana, "").await.ok()["count"], 101);
    assert_eq!(reads(&ben, &ana, "").await, down(101, 82));
    assert_eq!(reads(&ben, &ana, "&limit=100").await, down(101, 2));
    assert_eq!(reads(&ben, &ana, "&limit=101").await, down(101, 2), "cut to a hundred");
    assert_eq!(reads(&ben, &ana, "&limit=1").await, ["101"]);
    for limit in ["0", "-1", "x"] {
        page(&ben, &ana, &format!("&limit={limit}")).await.refused(400);
    }
}

#[tokio::test]
async fn pages_go_before_after_and_since_a_message() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut ids = Vec::new();
    for number in 1..=45 {
        let (from, to) = if number % 2 == 0 { (&ana, &ben) } else { (&ben, &ana) };
        let message = writes(from, to, &number.to_string()).await;
        ids.push(text(&message["id"]).to_owned());
    }
    let id = |number: usize| &ids[number - 1];
    assert_eq!(reads(&ana, &ben, &format!("&before_id={}", id(26))).await, down(25, 6));
    assert_eq!(reads(&ana, &ben, &format!("&before_ID={}", id(3))).await, down(2, 1));
    assert_eq!(reads(&ana, &ben, &format!("&since_id={}", id(5))).await, down(45, 26));
    assert_eq!(reads(&ana, &ben, &format!("&since_id={}", id(43))).await, down(45, 44));
    let mut after = down(25, 6);
    after.reverse();
    assert_eq!(reads(&ana, &ben, &format!("&after_id={}", id(5))).await, after);
    let two = format!("&after_id={}&before_id={}", id(5), id(9));
    page(&ana, &ben, &two).await.refused(400);
}

#[tokio::test]
async fn a_page_without_messages_is_not_modified() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    page(&ana, &ben, "").await.nothing_found();
    let only = writes(&ana, &ben, "one").await;
    let only = text(&only["id"]);
    page(&ben, &ana, &format!("&before_id={only}")).await.nothing_found();
    page(&ben, &ana, &format!("&since_id={only}")).await.nothing_found();
    page(&ben, &ana, &format!("&after_id={only}")).await.nothing_found();
}

#[tokio::test]
async fn a_page_needs_somebody_else_who_exists() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let asked = |query: &str| ana.gets(&format!("/v3/direct_messages{query}"));
    assert_eq!(asked("").await.refused(400), ["other_user_id is required"]);
    assert_eq!(asked("?other_user_id=ben").await.refused(400), ["other_user_id is not an id"]);
    asked(&format!("?other_user_id={}", ana.id)).await.refused(400);
    assert_eq!(asked("?other_user_id=1").await.refused(404), ["there is no such user"]);
}

#[tokio::test]
async fn direct_message_needs_guid_recipient_and_content() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let post = |body: Value| ana.posts("/v3/direct_messages").json(&body);
    assert_eq!(post(json!({})).await.refused(400), ["direct_message is required"]);
    assert_eq!(
        post(json!({"direct_message": {}})).await.refused(400),
        [
            "direct_message.recipient_id is required",
            "direct_message.source_guid is required",
            "direct_message.text is required unless there is an attachment",
        ]
    );
    let full = "🧗".repeat(1000);
    assert_eq!(writes(&ana, &ben, &full).await["text"], full);
    assert_eq!(
        writing(&ana, &ben, json!({"text": "🧗".repeat(1001)})).await.refused(400),
        ["direct_message.text is too long: 1001 characters, at most 1000 are allowed"]
    );
    assert_eq!(page(&ana, &ben, "").await.ok()["count"], 1);
}

#[tokio::test]
async fn direct_message_needs_another_existing_user() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    writing(&ana, &ana, json!({"text": "me"})).await.refused(400);
    let body = json!({"direct_message":
        {"source_guid": "g", "recipient_id": "1", "text": "anybody?"}});
    let answer = ana.posts("/v3/direct_messages").json(&body).await;
    assert_eq!(answer.refused(404), ["there is no such user"]);
    world.post("/v3/direct_messages").json(&body).await.refused(401);
    world.get("/v3/direct_messages?other_user_id=1").await.refused(401);
}

#[tokio::test]
async fn an_image_a_location_and_emoji_go_and_a_split_does_not() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let url = ana.has_image().await;
    let first = writing(&ben, &ana, json!({"text": "where?"})).await.created();
    let first = first["message"]["id"].clone();
    let attachments = json!([
        {"type": "image", "url": url},
        {"type": "location", "name": "Hut", "lat": "46.1", "lng": "7.2"},
        {"type": "emoji", "placeholder": "\u{fffd}", "charmap": [[1, 2]]},
        {"type": "mentions", "user_ids": [ben.id], "loci": [[0, 0]]},
        {"type": "reply", "reply_id": first, "base_reply_id": first, "user_id": ben.id},
    ]);
    let sent = writing(&ana, &ben, json!({"attachments": attachments})).await.created();
    assert_eq!(sent["message"]["attachments"], attachments);
    assert_eq!(sent["message"]["text"], Value::Null);
    let split = json!({"text": "x", "attachments": [{"type": "split", "token": "t"}]});
    let reasons = writing(&ana, &ben, split).await.refused(400);
    assert!(reasons[0].contains("split"), "{reasons:?}");
}

#[tokio::test]
async fn direct_message_accepts_forms_and_numeric_recipient() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let number: u64 = ben.id.parse().unwrap();
    let body = json!({"direct_message":
        {"source_guid": "g", "recipient_id": number, "text": "one"}});
    ana.posts("/v3/direct_messages").json(&body).await.created();
    let form = format!(
        "direct_message[source_guid]=h&direct_message[recipient_id]={}&direct_message[text]=two",
        ben.id
    );
    let kind = "application/x-www-form-urlencoded";
    ana.posts("/v3/direct_messages").body(kind, form).await.created();
    assert_eq!(reads(&ben, &ana, "").await, ["two", "one"]);
}

#[tokio::test]
async fn a_repeat_within_a_minute_is_the_message_that_is_stored() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let send =
        |from: &Person, to: &Person| writing(from, to, json!({"source_guid": "g", "text": "x"}));
    let first = send(&ana, &ben).await.created();
    world.clock.pass(59_999);
    assert_eq!(send(&ana, &ben).await.created(), first);
    world.restarts().await;
    assert_eq!(send(&ana, &ben).await.created(), first, "also over a restart");
    // The other user, and another chat, have guids of their own.
    send(&ben, &ana).await.created();
    send(&ana, &cem).await.created();
    assert_eq!(page(&ana, &ben, "").await.ok()["count"], 2);
    world.clock.pass(1001);
    let second = send(&ana, &ben).await.created();
    assert_ne!(second["message"]["id"], first["message"]["id"]);
}

#[tokio::test]
async fn repeats_at_the_same_time_store_one_message() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let send =
        || async { writing(&ana, &ben, json!({"source_guid": "g", "text": "x"})).await.created() };
    let answers = futures_util::future::join_all((0..20).map(|_| send())).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(page(&ben, &ana, "").await.ok()["count"], 1);
}

#[tokio::test]
async fn direct_message_reaches_both_and_nobody_else() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let mut feeds = [ana.listens().await, ben.listens().await];
    let mut cems = cem.listens().await;
    let first = writes(&ana, &ben, "psst").await;
    let second = writes(&ben, &ana, "what?").await;
    for feed in &mut feeds {
        for (n, message) in [(1, &first), (2, &second)] {
            let event = feed.hears_of("direct_message.create").await;
            assert_eq!(event["data"], *message);
            assert_eq!(event["conv"], format!("d:{}", conversation(&ana, &ben)));
            assert_eq!(event["n"], n);
            let alert = format!("{}: {}", text(&message["name"]), text(&message["text"]));
            assert_eq!(event["alert"], alert);
        }
    }
    cems.stays_silent().await;
}

#[tokio::test]
async fn returning_user_receives_missed_direct_messages() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let cursor = ben.listens().await.cursor;
    let first = writes(&ana, &ben, "one").await;
    let second = writes(&ben, &ana, "two").await;
    world.restarts().await;
    let mut bens = ben.listens_after(&cursor).await;
    for message in [&first, &second] {
        assert_eq!(bens.hears_of("direct_message.create").await["data"], *message);
    }
    bens.stays_silent().await;
}

#[tokio::test]
async fn message_keeps_its_authors_old_name() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let written = writes(&ana, &ben, "one").await;
    world.restarts().await;
    let found = page(&ben, &ana, "").await.ok();
    assert_eq!(found, json!({"count": 1, "direct_messages": [written]}));
    writes(&ana, &ben, "two").await;
    assert_eq!(reads(&ben, &ana, "").await, ["two", "one"]);
}

#[tokio::test]
async fn a_block_refuses_either_side_with_a_reason_of_its_own() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let sent = writing(&ben, &ana, json!({"source_guid": "g", "text": "before"})).await.created();
    crate::blocks::blocks(&ana, &ben).await.created();
    let refused = writing(&ben, &ana, json!({"text": "x"})).await.refused(403);
    assert_eq!(refused, ["this user has blocked you"]);
    let refused = writing(&ana, &ben, json!({"text": "x"})).await.refused(400);
    assert_eq!(refused, ["you have blocked this user; unblock them to write to them"]);
    // Earlier messages stay, and repeating a stored one is not a new message.
    assert_eq!(reads(&ben, &ana, "").await, ["before"]);
    let again = writing(&ben, &ana, json!({"source_guid": "g", "text": "before"})).await;
    assert_eq!(again.created(), sent);
    crate::blocks::unblocks(&ana, &ben).await;
    writes(&ben, &ana, "after").await;
    assert_eq!(reads(&ana, &ben, "").await, ["after", "before"]);
}

#[tokio::test]
async fn message_301_in_a_minute_bans_for_10_minutes() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    writes(&ana, &cem, "0").await;
    for number in 1..=299 {
        writes(&ana, &ben, &number.to_string()).await;
    }
    world.clock.pass(59_999);
    let refused = writing(&ana, &ben, json!({"text": "301"})).await;
    assert_eq!(refused.header("retry-after"), Some("600"));
    assert_eq!(refused.refused(403).len(), 1);
    world.clock.pass(599_999);
    writing(&ana, &cem, json!({"text": "to anybody"})).await.refused(403);
    writes(&ben, &ana, "others may").await;
    world.clock.pass(1);
    writes(&ana, &ben, "again").await;
}

#[tokio::test]
async fn a_minute_later_there_are_three_hundred_more() {
    let world = World::with(Setup::default().option("--dm-limit", "3/1m,50/10m")).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for minute in 0..3 {
        for number in 0..3 {
            writes(&ana, &ben, &format!("{minute} {number}")).await;
        }
        world.clock.pass(60_000);
    }
}

#[tokio::test]
async fn stranger_51_bans_the_sender() {
    let world = World::with(Setup::default().option("--dm-limit", "300/1m,2/10m")).await;
    let [ana, ben, cem, dan, eve, fay] =
        world.people(["Ana", "Ben", "Cem", "Dan", "Eve", "Fay"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&eve, &climbers).await;
    writes(&fay, &ana, "an earlier message").await;
    for _ in 0..2 {
        writes(&ana, &ben, "a stranger").await;
        writes(&ana, &cem, "a stranger").await;
    }
    writes(&ana, &eve, "of the same group").await;
    writes(&ana, &fay, "an answer").await;
    let refused = writing(&ana, &dan, json!({"text": "one stranger too many"})).await;
    refused.refused(403);
    writing(&ana, &ben, json!({"text": "nobody at all"})).await.refused(403);
    world.clock.pass(600_000);
    writes(&ana, &dan, "a stranger").await;
}

#[tokio::test]
async fn the_defaults_are_three_hundred_and_fifty() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for number in 0..50 {
        let stranger = world.registers(&format!("S{number}")).await;
        writes(&ana, &stranger, "hello").await;
    }
    let last = world.registers("Last").await;
    writing(&ana, &last, json!({"text": "hello"})).await.refused(403);
}

#[tokio::test]
async fn repeats_do_not_count_as_a_flood() {
    let world = World::with(Setup::default().option("--dm-limit", "2/1m,50/10m")).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for _ in 0..5 {
        writing(&ana, &ben, json!({"source_guid": "g", "text": "x"})).await.created();
    }
    writes(&ana, &ben, "the second").await;
    writing(&ana, &ben, json!({"text": "the third"})).await.refused(403);
    // Even when new messages are refused, a stored one may be repeated.
    writing(&ana, &ben, json!({"source_guid": "g", "text": "x"})).await.created();
}

/// A repeat used to be answered with an empty `favorited_by`, although the message had likes.
#[tokio::test]
async fn repeated_post_response_has_likes() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let sends = || writing(&ana, &ben, json!({"text": "hello", "source_guid": "g"}));
    let first = sends().await.created()["message"].take();
    let (chat, id) = (conversation(&ana, &ben), text(&first["id"]));
    ben.posts(&format!("/v3/messages/{chat}/{id}/like")).await.ok();
    writes(&ben, &ana, "another").await;
    for _ in 0..2 {
        let again = sends().await.created();
        let mut expected = first.clone();
        is_liked(&mut expected, &ben);
        assert_eq!(again, json!({"message": expected, "direct_message": expected}));
        world.restarts().await;
    }
}
