//! Reactions: likes with other emoji than the heart.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};

fn unicode(code: &str) -> Value {
    json!({"like_icon": {"type": "unicode", "code": code}})
}

/// A reaction with its emoji and the users who gave it, as messages show it.
fn given(code: &str, by: &[&Person]) -> Value {
    let ids: Vec<&str> = by.iter().map(|it| it.id.as_str()).collect();
    json!({"type": "unicode", "code": code, "user_ids": ids})
}

async fn reacts(by: &Person, conversation: &str, message: &Value, body: &Value) -> Answer {
    let id = text(&message["id"]);
    by.posts(&format!("/v3/messages/{conversation}/{id}/like")).json(body).await
}

/// Changes the JSON of a message to what it is once this person likes it: `favorited_by`, and a
/// heart in `reactions`.
pub(crate) fn is_liked(message: &mut Value, by: &Person) {
    message["favorited_by"] = json!([by.id]);
    message["reactions"] = json!([given("❤️", &[by])]);
}

#[tokio::test]
async fn reactions_are_visible_and_survive_a_restart() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    let said = ana.says(&climbers, "rope at six").await;
    assert_eq!(said.get("reactions"), None);
    let mut feed = ana.listens().await;
    let fire = reacts(&ben, &climbers.id, &said, &unicode("🔥")).await.ok();
    assert_eq!(fire, json!({"reactions": [given("🔥", &[&ben])]}));
    world.seconds_pass(1);
    let heart = reacts(&cem, &climbers.id, &said, &json!({})).await.ok();
    assert_eq!(heart["reactions"], json!([given("🔥", &[&ben]), given("❤️", &[&cem])]));
    world.seconds_pass(1);
    let changed = reacts(&ben, &climbers.id, &said, &unicode("\u{2764}")).await.ok();
    world.seconds_pass(1);
    let as_text = reacts(&ben, &climbers.id, &said, &unicode("\u{2764}\u{fe0e}")).await.ok();
    assert_eq!(as_text, changed);
    let both = json!([given("❤️", &[&ben, &cem])]);
    assert_eq!(changed["reactions"], both, "the heart is one in every form");
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(feed.hears_of("favorite").await["data"].take());
    }
    assert_eq!((&told[0]["reactions"], &told[2]["reactions"]), (&fire["reactions"], &both));
    assert_eq!(told[2]["favorited_by"], json!([ben.id, cem.id]));
    for _ in 0..2 {
        let shown = ana.reads(&climbers, "").await.remove(0);
        assert_eq!(
            (&shown["reactions"], &shown["favorited_by"]),
            (&both, &told[2]["favorited_by"])
        );
        let leaders = ana.gets(&climbers.path("/likes?period=day")).await.ok();
        assert_eq!(leaders["messages"][0]["reactions"], both);
        world.restarts().await;
    }
    let id = text(&said["id"]);
    let unlike = format!("/v3/messages/{}/{id}/unlike", climbers.id);
    assert_eq!(ben.posts(&unlike).await.ok()["reactions"], json!([given("❤️", &[&cem])]));
    assert_eq!(cem.posts(&unlike).await.ok(), json!({"reactions": []}));
    assert_eq!(cem.posts(&unlike).await.ok(), json!({"reactions": []}));
    assert_eq!(ana.reads(&climbers, "").await[0].get("reactions"), None);
}

#[tokio::test]
async fn another_sign_is_no_second_like() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let less = ana.says(&climbers, "less liked").await;
    let more = ana.says(&climbers, "more liked").await;
    for code in ["🔥", "👍🏽", "🎉"] {
        reacts(&ben, &climbers.id, &less, &unicode(code)).await.ok();
    }
    reacts(&ben, &climbers.id, &more, &json!({})).await.ok();
    reacts(&ana, &climbers.id, &more, &json!({})).await.ok();
    let leaders = ana.gets(&climbers.path("/likes?period=day")).await.ok();
    assert_eq!(leaders["messages"][0]["id"], more["id"]);
    let mine = ben.gets(&climbers.path("/likes/mine")).await.ok();
    assert_eq!(mine["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn pack_reactions_are_kept_and_work_in_chats() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let said = writes(&ana, &ben, "rope?").await;
    let chat = conversation(&ana, &ben);
    let picture = json!({"like_icon": {"type": "emoji", "pack_id": 1, "pack_index": 42}});
    let reacted = reacts(&ben, &chat, &said, &picture).await.ok();
    let given = json!({"type": "emoji", "pack_id": 1, "pack_index": 42, "user_ids": [ben.id]});
    assert_eq!(reacted["reactions"], json!([given]));
    let listed = ana.gets("/v3/chats").await.ok();
    assert_eq!(listed[0]["last_message"]["reactions"], json!([given]));
}

#[tokio::test]
async fn non_emoji_reaction_is_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let said = ana.says(&climbers, "rope at six").await;
    for (wrong, field) in [
        (unicode("fire"), "like_icon.code must be exactly one emoji"),
        (unicode("🔥🔥"), "like_icon.code must be exactly one emoji"),
        (unicode(""), "like_icon.code is required"),
        (json!({"like_icon": "🔥"}), "like_icon must be an object"),
        (json!({"like_icon": {"type": "gif"}}), "like_icon.type must be unicode or emoji"),
        (
            json!({"like_icon": {"type": "emoji", "pack_id": "x"}}),
            "like_icon.pack_id must be a whole number",
        ),
    ] {
        let errors = reacts(&ana, &climbers.id, &said, &wrong).await.refused(400);
        assert_eq!(errors[0], field);
    }
    assert_eq!(ana.reads(&climbers, "").await[0]["favorited_by"], json!([]));
}
