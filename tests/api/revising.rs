//! Editing and deleting messages: who may, what everybody sees of it, and what is erased.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::reactions::is_liked;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::bayeux::{BOTH, Client, own_channel};
use crate::world::person::{Person, text};

/// The path of a message in a conversation.
fn path(conversation: &str, message: &Value) -> String {
    format!("/v3/conversations/{conversation}/messages/{}", text(&message["id"]))
}

async fn edits(by: &Person, conversation: &str, message: &Value, change: Value) -> Answer {
    by.asks("PUT", &path(conversation, message)).json(&change).await
}

async fn deletes(by: &Person, conversation: &str, message: &Value) -> Answer {
    by.asks("DELETE", &path(conversation, message)).await
}

#[track_caller]
fn is_gone(answer: &Answer) {
    assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{}", answer.text);
}

/// The request for the earlier texts of a message.
async fn history(by: &Person, conversation: &str, message: &Value) -> Answer {
    by.gets(&format!("{}/history", path(conversation, message))).await
}

#[tokio::test]
async fn edit_reaches_everyone_and_keeps_place_and_likes() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let said = ben.says(&climbers, "rope at six").await;
    let later = ben.says(&climbers, "bring water").await;
    cem.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]))).await.ok();
    world.seconds_pass(60);
    let mut feed = ana.listens().await;
    let v4 = format!("/v4/groups/{}/messages/{}", climbers.id, text(&said["id"]));
    let edited = ben.asks("PUT", &v4).json(&json!({"text": "rope at seven"})).await.ok();
    let edited = edited["message"].clone();
    let mut expected = said.clone();
    expected["text"] = json!("rope at seven");
    expected["updated_at"] = json!(said["created_at"].as_u64().unwrap() + 60);
    expected["edited_at"] = expected["updated_at"].clone();
    is_liked(&mut expected, &cem);
    assert_eq!(edited, expected);
    let event = feed.hears_of("message.update").await;
    assert_eq!((&event["data"], &event["alert"]), (&edited, &json!("")));
    for _ in 0..2 {
        let page = ana.reads(&climbers, "?limit=2").await;
        assert_eq!(page, [later.clone(), edited.clone()]);
        assert_eq!(ana.gets(&v4).await.ok()["message"], edited);
        let past = history(&ben, &climbers.id, &said).await.ok();
        let first = json!({"text": "rope at six", "attachments": [],
            "updated_at": said["created_at"]});
        assert_eq!(past["history"], json!([first]));
        world.restarts().await;
    }
    // An edit that changes nothing causes no event.
    let again = edits(&ben, &climbers.id, &said, json!({"text": "rope at seven"})).await.ok();
    assert_eq!(again["message"], edited);
}

#[tokio::test]
async fn edits_in_the_second_of_the_post_are_marked() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let said = ana.says(&climbers, "rope at six").await;
    assert_eq!(said.get("edited_at"), None);
    let edited = edits(&ana, &climbers.id, &said, json!({"text": "rope at seven"})).await.ok();
    let message = &edited["message"];
    assert_eq!(message["updated_at"], said["created_at"], "the clock of the test stands still");
    assert_eq!(message["edited_at"], said["created_at"]);
    let in_chat = writes(&ana, &ben, "one").await;
    let chat = conversation(&ana, &ben);
    let edited = edits(&ana, &chat, &in_chat, json!({"text": "two"})).await.ok();
    assert_eq!(edited["message"]["edited_at"], in_chat["created_at"]);
    // Pins change nothing of what a message says.
    let pinned = ana.says(&climbers, "hello").await;
    let place = path(&climbers.id, &pinned);
    ana.posts(&format!("{place}/pin")).await.ok();
    let shown = ana.reads(&climbers, "?limit=2").await.remove(1);
    assert_eq!((&shown["text"], shown.get("edited_at")), (&json!("hello"), None));
}

#[tokio::test]
async fn only_the_sender_edits_and_errors_name_fields() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let [dan] = world.people(["Dan"]).await;
    let said = ben.says(&climbers, "rope at six").await;
    let change = || json!({"text": "no rope"});
    edits(&ana, &climbers.id, &said, change()).await.refused(403);
    edits(&cem, &climbers.id, &said, change()).await.refused(403);
    edits(&dan, &climbers.id, &said, change()).await.refused(404);
    edits(&ben, &climbers.id, &json!({"id": "17"}), change()).await.refused(404);
    for (wrong, told) in [
        (json!({}), "text or attachments is required"),
        (json!({"text": 7}), "text must be a string"),
        (json!({"text": ""}), "text is required unless there is an attachment"),
    ] {
        assert_eq!(edits(&ben, &climbers.id, &said, wrong).await.refused(400), [told]);
    }
    let long = edits(&ben, &climbers.id, &said, json!({"text": "x".repeat(1001)})).await;
    assert_eq!(long.refused(400).len(), 1);
    history(&cem, &climbers.id, &said).await.refused(403);
    assert_eq!(history(&ana, &climbers.id, &said).await.ok()["history"], json!([]));
    let line = ana.reads(&climbers, "").await.pop().unwrap();
    edits(&ana, &climbers.id, &line, change()).await.refused(403);
    deletes(&ana, &climbers.id, &line).await.refused(403);
}

#[tokio::test]
async fn group_settings_limit_edits_and_deletions() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let shown = ana.gets(&climbers.path("")).await.ok();
    assert_eq!(shown["message_edit_period"], 2_147_483_647_u32);
    assert_eq!(shown["message_deletion_mode"], json!(["sender", "admin"]));
    let policy = json!({"message_edit_period": 15, "message_deletion_period": 60,
        "message_deletion_mode": ["sender"]});
    let shown = ana.posts(&climbers.path("/update")).json(&policy).await.ok();
    for (field, value) in policy.as_object().unwrap() {
        assert_eq!(shown[field], *value);
    }
    let said = ben.says(&climbers, "rope at six").await;
    deletes(&ana, &climbers.id, &said).await.refused(403);
    world.seconds_pass(61);
    deletes(&ben, &climbers.id, &said).await.refused(403);
    edits(&ben, &climbers.id, &said, json!({"text": "rope at seven"})).await.ok();
    world.seconds_pass(15 * 60);
    edits(&ben, &climbers.id, &said, json!({"text": "rope at eight"})).await.refused(403);
    for wrong in [
        json!({"message_edit_period": -1}),
        json!({"message_deletion_mode": ["all"]}),
        json!({"message_deletion_period": 2_147_483_648_u64}),
    ] {
        ana.posts(&climbers.path("/update")).json(&wrong).await.refused(400);
    }
    let nobody = json!({"message_deletion_mode": []});
    let shown = ana.posts(&climbers.path("/update")).json(&nobody).await.ok();
    assert_eq!(shown["message_deletion_mode"], json!([]));
    let fresh = ben.says(&climbers, "bring water").await;
    deletes(&ben, &climbers.id, &fresh).await.refused(403);
}

#[tokio::test]
async fn deleted_message_keeps_place_but_no_content() {
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let said = ben.says(&climbers, "rope at six").await;
    cem.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]))).await.ok();
    edits(&ben, &climbers.id, &said, json!({"text": "rope at seven"})).await.ok();
    let count = ana.gets(&climbers.path("/messages")).await.ok()["count"].clone();
    let mut feed = ana.listens().await;
    world.seconds_pass(60);
    is_gone(&deletes(&ben, &climbers.id, &said).await);
    is_gone(&deletes(&ben, &climbers.id, &said).await);
    let mut left = said.clone();
    left["text"] = Value::Null;
    is_liked(&mut left, &cem);
    left["deleted_at"] = json!(said["created_at"].as_u64().unwrap() + 60);
    left["updated_at"] = left["deleted_at"].clone();
    left["deletion_actor"] = json!("sender");
    assert_eq!(feed.hears_of("message.deleted").await["data"], left);
    for _ in 0..2 {
        let page = ana.gets(&climbers.path("/messages?limit=1")).await.ok();
        assert_eq!((&page["messages"], &page["count"]), (&json!([left]), &count));
        let compat = ana.gets(&format!("/compat{}", climbers.path("/messages?limit=1"))).await;
        assert_eq!(compat.ok()["messages"][0]["text"], "This message was deleted");
        let group = ana.gets("/v3/groups").await.ok();
        assert_eq!(group[0]["messages"]["preview"]["text"], Value::Null);
        history(&ben, &climbers.id, &said).await.refused(404);
        edits(&ben, &climbers.id, &said, json!({"text": "again"})).await.refused(400);
        let like = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
        ana.posts(&like).await.refused(400);
        world.restarts().await;
    }
}

#[tokio::test]
async fn admin_deletion_adds_a_system_line() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let said = ben.says(&climbers, "rope at six").await;
    deletes(&cem, &climbers.id, &said).await.refused(403);
    let mut feed = cem.listens().await;
    is_gone(&deletes(&ana, &climbers.id, &said).await);
    assert_eq!(feed.hears_of("message.deleted").await["data"]["deletion_actor"], "admin");
    let line = feed.hears_of("line.create").await;
    assert_eq!(line["data"]["text"], "Ana deleted a message.");
    let event = &line["data"]["event"];
    assert_eq!(
        (&event["type"], &event["data"]["message_id"]),
        (&json!("message.deleted"), &said["id"])
    );
    let compat = ana.gets(&format!("/compat{}", climbers.path("/messages?limit=2"))).await.ok();
    assert_eq!(compat["messages"][1]["text"], "An admin deleted this message");
    let line = &compat["messages"][0];
    assert_eq!(line["name"], "GroupMe");
    assert_eq!(line["event"]["data"]["deleted_at"], 1_800_000_000);
    let group = ana.gets(&format!("/compat{}", climbers.path(""))).await.ok();
    assert_eq!(group["messages"]["preview"]["nickname"], "GroupMe");
}

#[tokio::test]
async fn chat_members_see_edits_of_the_sender() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let sent = writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    let mut feed = ben.listens().await;
    edits(&ben, &chat, &sent, json!({"text": "no"})).await.refused(403);
    edits(&cem, &chat, &sent, json!({"text": "no"})).await.refused(404);
    world.seconds_pass(5);
    let edited = edits(&ana, &chat, &sent, json!({"text": "good day"})).await.ok();
    assert_eq!(feed.hears_of("message.update").await["data"], edited["message"]);
    let last = ben.gets("/v3/chats").await.ok()[0]["last_message"].clone();
    assert_eq!(last, edited["message"]);
    let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, ana.id);
    ben.posts(&block).await.created();
    feed.hears_of("block.create").await;
    edits(&ana, &chat, &sent, json!({"text": "listen"})).await.refused(403);
    deletes(&ben, &chat, &sent).await.refused(403);
    is_gone(&deletes(&ana, &chat, &sent).await);
    let gone = feed.hears_of("message.deleted").await["data"].clone();
    assert_eq!((&gone["text"], &gone["deletion_actor"]), (&Value::Null, &json!("sender")));
    world.restarts().await;
    assert_eq!(ben.gets("/v3/chats").await.ok()[0]["last_message"], gone);
}

#[tokio::test]
async fn replay_equals_live_and_hides_deleted_content() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let here = text(&ana.gets("/v3/sync").await.ok()["c"]).to_owned();
    let mut feed = ana.listens().await;
    let kept = ben.says(&climbers, "rope at six").await;
    let gone = ben.says(&climbers, "secret of the rope").await;
    edits(&ben, &climbers.id, &kept, json!({"text": "rope at seven"})).await.ok();
    cem.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&kept["id"]))).await.ok();
    edits(&ben, &climbers.id, &kept, json!({"text": "rope at eight"})).await.ok();
    edits(&ben, &climbers.id, &gone, json!({"text": "another secret"})).await.ok();
    let mut live = Vec::new();
    for _ in 0..6 {
        live.push(feed.next().await);
    }
    let mut replay = ana.listens_after(&here).await;
    for event in &live {
        assert_eq!(replay.next().await, *event);
    }
    is_gone(&deletes(&ben, &climbers.id, &gone).await);
    live.push(feed.next().await);
    let mut replay = ana.listens_after(&here).await;
    for event in &live {
        let told = replay.next().await;
        assert!(!told.to_string().contains("secret"), "{told}");
        if event["data"]["id"] != gone["id"] {
            assert_eq!(told, *event);
        }
    }
}

#[tokio::test]
async fn replayed_response_omits_deleted_text() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let post = || {
        let message = json!({"message": {"source_guid": "k1", "text": "secret"}});
        ben.posts(&climbers.path("/messages")).header("Idempotency-Key", "k").json(&message)
    };
    let said = post().await.created()["message"].clone();
    let update = || {
        let path = climbers.path("/update");
        ana.posts(&path).header("Idempotency-Key", "u").json(&json!({"description": "ropes"}))
    };
    update().await.ok();
    is_gone(&deletes(&ben, &climbers.id, &said).await);
    let again = post().await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert!(!again.text.contains("secret"), "{}", again.text);
    assert_eq!(again.created()["message"]["deletion_actor"], "sender");
    let again = update().await;
    assert!(!again.text.contains("secret"), "{}", again.text);
}

#[tokio::test]
async fn bot_edits_and_deletes_its_messages() {
    let world = World::start().await;
    let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let bot = json!({"name": "Weather", "group_id": climbers.id});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let id = text(&bot["bot_id"]);
    let post = json!({"bot_id": id, "text": "rain"});
    world.post("/v3/bots/post").json(&post).await.created();
    let said = ana.reads(&climbers, "?limit=1").await.remove(0);
    let bens = ben.says(&climbers, "rope at six").await;
    let own = |message: &Value| format!("/v3/bots/{id}/messages/{}", text(&message["id"]));
    let sun = json!({"text": "sun"});
    let edited = world.asks("PUT", &own(&said)).json(&sun).await.ok();
    assert_eq!((&edited["message"]["text"], &edited["message"]["id"]), (&sun["text"], &said["id"]));
    world.asks("PUT", &own(&bens)).json(&sun).await.refused(403);
    world.asks("DELETE", &own(&bens)).await.refused(403);
    let unknown = format!("/v3/bots/nobody/messages/{}", text(&said["id"]));
    world.asks("PUT", &unknown).json(&sun).await.refused(404);
    is_gone(&world.asks("DELETE", &own(&said)).await);
    assert_eq!(ana.reads(&climbers, "?limit=2").await[1]["deletion_actor"], "sender");
}

#[tokio::test]
async fn bayeux_clients_get_edits_and_deletions_on_both_channels() {
    for transport in BOTH {
        let world = World::start().await;
        let ([ana, ben, _], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
        let said = ben.says(&climbers, "rope at six").await;
        let group = format!("/group/{}", climbers.id);
        let mut own = Client::own(&ana, transport).await;
        let mut there = Client::on(&ana, transport, &[&group]).await;
        edits(&ben, &climbers.id, &said, json!({"text": "rope at seven"})).await.ok();
        let told = there.hears_on(&group, "message.update").await;
        assert_eq!(told["subject"]["text"], "rope at seven");
        assert_eq!(told["subject"]["updated_at"], 1_800_000_000);
        let line = own.hears_on(&own_channel(&ana), "line.create").await;
        assert_eq!(line["subject"]["text"], "Ben edited to: “rope at seven”");
        assert_eq!(line["alert"], "Ben edited to: “rope at seven”");
        let number: u64 = text(&line["subject"]["id"]).parse().expect("ids are sorted as numbers");
        assert_eq!(number / 100_000_000, 1_800_000_000);
        let event = &line["subject"]["event"];
        assert_eq!(event["type"], "message.update");
        assert_eq!(event["data"]["updated_at"], 1_800_000_000);
        assert_eq!(event["data"]["message"]["text"], "rope at seven");
        assert_eq!(event["data"]["sender_id"], json!(ben.id));
        is_gone(&deletes(&ben, &climbers.id, &said).await);
        let told = there.hears_on(&group, "message.deleted").await;
        assert_eq!(told["subject"]["text"], "This message was deleted");
        assert!(told["subject"]["deleted_at"].as_str().unwrap().ends_with('Z'));
        let line = own.hears_on(&own_channel(&ana), "line.create").await;
        assert_eq!(line["subject"]["text"], "A message was deleted.");
        let event = &line["subject"]["event"];
        let data = &event["data"];
        assert_eq!(data["deleted_at"], 1_800_000_000);
        assert_eq!((&event["type"], &data["message_id"]), (&json!("message.deleted"), &said["id"]));
        // A deletion by an admin is told once on the user's channel, by the system line that is
        // stored.
        let other = ben.says(&climbers, "bring water").await;
        own.hears("bring water").await;
        is_gone(&deletes(&ana, &climbers.id, &other).await);
        there.hears_on(&group, "message.deleted").await;
        let line = own.hears("Ana deleted a message.").await;
        assert_eq!(line["subject"]["event"]["data"]["deleted_at"], 1_800_000_000);
    }
}

/// Collects every file below a folder, except those of the journal.
fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("journal") {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// Asserts that, after the server stopped, no file of the data directory except the journal
/// contains these words.
pub(crate) fn only_the_journal_knows(data: &std::path::Path, words: &str) {
    let mut all = Vec::new();
    files(data, &mut all);
    assert!(all.len() > 2, "{all:?}");
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        let knows = bytes.windows(words.len()).any(|it| it == words.as_bytes());
        assert!(!knows, "{} knows it", path.display());
    }
}

#[tokio::test]
async fn only_the_journal_keeps_deleted_text() {
    const SECRET: &str = "Zaunkoenigsnest";
    let mut world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let message = json!({"message": {"source_guid": "s", "text": SECRET}});
    let said = ben.posts(&climbers.path("/messages")).header("Idempotency-Key", "k");
    let said = said.json(&message).await.created()["message"].clone();
    cem.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]))).await.ok();
    let sent = writes(&ben, &ana, SECRET).await;
    ana.gets("/v3/sync").await.ok();
    edits(&ben, &climbers.id, &said, json!({"text": format!("{SECRET} two")})).await.ok();
    is_gone(&deletes(&ben, &climbers.id, &said).await);
    is_gone(&deletes(&ben, &conversation(&ben, &ana), &sent).await);
    for path in [
        climbers.path(""),
        climbers.path("/messages"),
        climbers.path("/likes?period=day"),
        format!("/v3/direct_messages?other_user_id={}", ben.id),
        "/v3/groups".to_owned(),
        "/v3/chats".to_owned(),
        "/v3/sync".to_owned(),
        "/v3/events?wait=0".to_owned(),
    ] {
        let answer = ana.gets(&path).await;
        assert!(answer.status == 200 && !answer.text.contains(SECRET), "{path}: {}", answer.text);
    }
    world.stops().await;
    only_the_journal_knows(world.data(), SECRET);
}
