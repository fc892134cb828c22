//! The compatibility dialect: existing clients receive the shapes of the original service, and
//! strict parsers accept them.

use serde_json::{Value, json};

use crate::direct_messages::writes;
use crate::world::World;
use crate::world::person::{Person, fresh_guid, text};

/// Every field that the original service sends in a message of a group.
const GROUP_MESSAGE: [&str; 22] = [
    "id",
    "source_guid",
    "created_at",
    "name",
    "text",
    "avatar_url",
    "user_id",
    "sender_id",
    "sender_type",
    "attachments",
    "favorited_by",
    "pinned_at",
    "pinned_by",
    "group_id",
    "system",
    "platform",
    "event",
    "reactions",
    "updated_at",
    "deleted_at",
    "deletion_actor",
    "parent_id",
];

/// Asserts that a message has no field that the original service never sends.
fn has_known_fields(message: &Value, known: &[&str]) {
    for name in message.as_object().unwrap().keys() {
        assert!(known.contains(&name.as_str()), "{name} in {message}");
    }
}

async fn me(person: &Person) -> Value {
    person.gets("/v3/users/me").await.ok()
}

#[tokio::test]
async fn empty_texts_in_a_profile_update_change_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let profile = json!({"zip_code": "12345", "phone_number": "+1 555 010 0199"});
    ana.posts("/v3/users/update").json(&profile).await.ok();
    let email = me(&ana).await["email"].clone();
    for prefix in ["", "/compat"] {
        let form = json!({"name": "Ana Two", "email": "", "zip_code": "", "phone_number": "",
            "avatar_url": ""});
        ana.posts(&format!("{prefix}/v3/users/update")).json(&form).await.ok();
        let after = me(&ana).await;
        let expected = json!(["Ana Two", email, "12345", "+1 555 010 0199"]);
        let fields = ["name", "email", "zip_code", "phone_number"].map(|it| after[it].clone());
        assert_eq!(json!(fields), expected);
    }
    let removed = json!({"zip_code": null, "phone_number": null});
    ana.posts("/v3/users/update").json(&removed).await.ok();
    let after = me(&ana).await;
    assert_eq!(after["phone_number"], Value::Null);
    assert!(after["zip_code"].is_null() || after["zip_code"] == "", "{after}");
}

#[tokio::test]
async fn bots_post_attachments_without_a_text() {
    let (world, [ana], climbers) = climbing().await;
    let picture = ana.has_image().await;
    let bot = ana
        .posts("/compat/v3/bots")
        .json(&json!({"bot": {"name": "Rope",
        "group_id": climbers.id}}))
        .await;
    let bot = bot.created()["bot"]["bot_id"].clone();
    let post = async |body: Value| world.post("/compat/v3/bots/post").json(&body).await;
    let place = json!({"type": "location", "name": null, "lat": "1", "lng": "2"});
    let emoji = json!({"type": "emoji", "placeholder": "\u{fffd}", "charmap": [[1, 2]]});
    for body in [
        json!({"bot_id": bot, "text": "", "picture_url": picture}),
        json!({"bot_id": bot, "attachments": [{"type": "image", "url": picture}]}),
        json!({"bot_id": bot, "text": null, "attachments": [place]}),
        json!({"bot_id": bot, "text": "\u{fffd}", "attachments": [emoji]}),
    ] {
        assert_eq!(post(body.clone()).await.status, 202, "{body}");
    }
    for body in [json!({"bot_id": bot}), json!({"bot_id": bot, "text": "", "attachments": []})] {
        let problems = post(body).await.refused(400);
        assert_eq!(problems, ["text is required unless there is an attachment"]);
    }
    let messages = ana.reads(&climbers, "").await;
    assert_eq!(messages[1]["attachments"][0]["name"], "", "a place without a name");
    assert_eq!(messages[3]["text"], Value::Null);
}

async fn climbing() -> (World, [Person; 1], crate::world::person::Group) {
    let world = World::start().await;
    let (people, group) = world.climbing(["Ana"]).await;
    (world, people, group)
}

#[tokio::test]
async fn messages_have_the_fields_of_the_original_service() {
    let (_world, [ana], climbers) = climbing().await;
    let said = ana.says(&climbers, "rope at six").await;
    let id = text(&said["id"]).to_owned();
    let like = json!({"like_icon": {"type": "emoji", "pack_id": 18, "pack_index": 23}});
    let path = format!("/compat/v3/messages/{}/{id}/like", climbers.id);
    let liked = ana.posts(&path).json(&like).await.ok();
    let reaction = json!({"type": "emoji", "pack_id": 18, "pack_index": 23, "user_ids": [ana.id]});
    assert_eq!(liked["reactions"], json!([reaction]), "numbers in the response to a like");
    ana.posting(
        &climbers,
        json!({"text": "I come", "attachments": [
        {"type": "reply", "reply_id": id, "base_reply_id": id}]}),
    )
    .await
    .created();
    let list = async || {
        let list = ana.gets(&format!("/compat{}", climbers.path("/messages"))).await.ok();
        let list = list["messages"].as_array().unwrap().clone();
        list.iter().for_each(|it| has_known_fields(it, &GROUP_MESSAGE));
        list.into_iter().find(|it| it["id"] == *id).unwrap()
    };
    let message = list().await;
    let reaction =
        json!({"type": "emoji", "pack_id": "18", "pack_index": "23", "user_ids": [ana.id]});
    assert_eq!(message["reactions"], json!([reaction]), "texts on reads");
    assert!(message.get("updated_at").is_none(), "{message}");
    ana.asks("PUT", &format!("/compat/v4/groups/{}/messages/{id}", climbers.id))
        .json(&json!({"text": "rope at seven"}))
        .await
        .ok();
    // The clock of the test stands still, so the edit may be within the second of the post.
    assert_eq!(list().await["text"], "rope at seven");
}

#[tokio::test]
async fn an_empty_array_is_no_body() {
    let (_world, [ana], climbers) = climbing().await;
    let said = ana.says(&climbers, "rope at six").await;
    let path = format!("/compat/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
    for body in ["[]", " [ ]\n", ""] {
        ana.posts(&path).body("application/json", body).await.ok();
    }
    for body in ["[1]", "[", "[]]", "[] []"] {
        ana.posts(&path).body("application/json", body).await.refused(400);
    }
}

#[tokio::test]
async fn group_settings_that_are_not_served_are_refused_by_name() {
    let (_world, [ana], climbers) = climbing().await;
    let path = format!("/compat{}", climbers.path("/update"));
    for (field, value) in [
        ("like_icon", json!({"type": "unicode", "code": "🧗"})),
        ("like_icon", json!({"type": "emoji", "pack_id": 1, "pack_index": 2})),
        ("show_join_question", json!(true)),
        ("theme_id", json!("7")),
        ("recap_enabled", json!(true)),
        ("audio_message_disabled", json!("1")),
        ("locations", json!([{"lat": 1}])),
    ] {
        let problems =
            ana.posts(&path).json(&json!({"name": "X", field: value})).await.refused(400);
        assert_eq!(problems, [format!("{field} is not served by this server")]);
    }
    let as_they_are = json!({"name": "Divers", "like_icon": null, "show_join_question": false,
        "locations": [], "recap_enabled": "0", "theme_id": ""});
    assert_eq!(ana.posts(&path).json(&as_they_are).await.ok()["name"], "Divers");
}

#[tokio::test]
async fn a_bot_of_the_dialect_receives_its_own_posts() {
    let (_world, [ana], climbers) = climbing().await;
    for (path, field, expected) in [
        ("/compat/v3/bots", json!(null), true),
        ("/compat/v3/bots", json!(false), false),
        ("/v3/bots", json!(null), false),
        ("/v3/bots", json!(true), true),
    ] {
        let body = json!({"bot": {"name": "Rope", "group_id": climbers.id, "receive_own": field}});
        let made = ana.posts(path).json(&body).await.created();
        let settings = format!("/v3/bots/{}/update", text(&made["bot_id"]));
        let settings = ana.posts(&settings).json(&json!({"active": true})).await.ok();
        assert_eq!(settings["receive_own"], expected, "{path} {body}");
    }
}

#[tokio::test]
async fn a_sent_direct_message_stands_under_one_name_in_the_dialect() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hello").await;
    let names = async |path: &str, guid: &str| -> Vec<String> {
        let body = json!({"direct_message": {"source_guid": guid, "recipient_id": ben.id,
            "text": "again"}});
        let sent = ana.posts(path).json(&body).await.created();
        sent.as_object().unwrap().keys().cloned().collect()
    };
    let guid = fresh_guid();
    for _ in 0..2 {
        assert_eq!(names("/compat/v3/direct_messages", &guid).await, ["direct_message"]);
    }
    let both = names("/v3/direct_messages", &fresh_guid()).await;
    assert_eq!(both, ["direct_message", "message"]);
}

#[tokio::test]
async fn muting_answers_with_the_membership_and_its_state() {
    let (_world, [ana], climbers) = climbing().await;
    let v2 = [("Host", "v2.groupme.com")];
    for (act, state) in [("mute", "muted"), ("unmute", "active")] {
        let asked = ana.posts(&format!("/groups/{}/memberships/{act}", climbers.id));
        let answer = asked.header(v2[0].0, v2[0].1).json(&json!({"duration": null})).await.ok();
        let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(names, ["membership"]);
        let membership = &answer["membership"];
        assert_eq!(membership["state"], state, "{membership}");
        assert_eq!(membership["user_id"], json!(ana.id));
        assert_eq!(membership["muted_until"].is_number(), state == "muted");
    }
}
