//! The compatibility dialect: existing clients receive the shapes of the original service, and
//! strict parsers accept them.

use serde_json::{Value, json};

use base64::Engine as _;

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::person::{Person, fresh_guid, text};
use crate::world::server::Setup;

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
    let edited = list().await;
    assert_eq!(edited["text"], "rope at seven");
    // The clock of the test stands still, so the edit is within the second of the post.
    assert_eq!(edited["updated_at"], edited["created_at"]);
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
async fn dialect_names_a_sent_direct_message_once() {
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

#[tokio::test]
async fn read_receipts_move_and_show_read_marks() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [first, second] = [ana.says(&climbers, "one").await, ana.says(&climbers, "two").await]
        .map(|it| it["id"].clone());
    let letter = writes(&ana, &ben, "hello").await["id"].clone();
    let chat = conversation(&ana, &ben);
    let receipts =
        async || -> Value { ben.gets("/v4/read_receipts").await.ok()["receipts"].clone() };
    let receipt =
        |conv: &str, id: &Value| json!({"conversation_id": conv, "last_read_message_id": id});
    assert_eq!(receipts().await, json!([]), "who joined has read no message");

    let path = format!("/v4/read_receipts/{}", climbers.id);
    let body = json!({"last_read_message_id": first});
    let accepted = ben.posts(&path).json(&body).await.accepted();
    let mut expected = receipt(&climbers.id, &first);
    expected["status"] = json!("accepted");
    assert_eq!(accepted, expected);
    assert_eq!(receipts().await, json!([receipt(&climbers.id, &first)]));

    let path = format!("/v3/conversations/{chat}/read_receipt");
    let sent = ben.posts(&path).await.ok()["read_receipt"].clone();
    assert_eq!(
        sent,
        json!({"conversation_id": chat, "message_id": letter, "user_id": ben.id,
        "read_at": sent["read_at"]})
    );
    let listed = ana.gets(&format!("/compat/v3/direct_messages?other_user_id={}", ben.id)).await;
    let shown = listed.ok()["read_receipt"].clone();
    assert_eq!(
        shown,
        json!({"id": "", "chat_id": chat, "message_id": letter, "user_id": ben.id,
        "read_at": sent["read_at"]})
    );

    let one = json!({"read_receipt": {"chat_id": chat, "message_id": letter}});
    ana.posts("/v2/read_receipts").json(&one).await.accepted();
    let many = json!({"receipts": [receipt(&climbers.id, &second), receipt(&chat, &letter)]});
    ben.posts("/v4/read_receipts").json(&many).await.accepted();
    let both = json!([receipt(&climbers.id, &second), receipt(&chat, &letter)]);
    assert_eq!(receipts().await, both);
    ana.says(&climbers, "three").await;
    assert_eq!(ben.posts("/v4/conversations/mark_all_read").await.status, 202);
    let groups = ben.gets("/v3/groups").await.ok();
    assert_eq!(groups[0]["unread_count"], 0, "{groups}");
    assert_ne!(receipts().await, both);

    // A mark needs a message of a conversation that the caller is in.
    let [cem] = world.people(["Cem"]).await;
    let path = format!("/v4/read_receipts/{}", climbers.id);
    cem.posts(&path).json(&body).await.refused(404);
    ben.posts(&path).json(&json!({})).await.refused(400);
    ben.posts(&path).json(&json!({"last_read_message_id": "1"})).await.refused(404);
    let wrong = json!({"receipts": [{"conversation_id": "x", "last_read_message_id": "1"}]});
    let problems = ben.posts("/v4/read_receipts").json(&wrong).await.refused(400);
    assert_eq!(problems, ["receipts[0].conversation_id is not the id of a conversation"]);
    cem.posts(&format!("/v3/conversations/{chat}/read_receipt")).await.refused(404);
}

#[tokio::test]
async fn paths_that_the_original_web_client_loads_answer() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    for path in ["/pending_memberships", "/subgroups"] {
        assert_eq!(ben.gets(&climbers.path(path)).await.ok(), json!([]));
        cem.gets(&climbers.path(path)).await.refused(404);
    }
    assert_eq!(ben.gets("/v3/directories").await.ok(), json!([]));
    let pending = ben.gets("/v3/groups/pending_memberships").await.ok();
    assert_eq!(pending, json!({"requests_sent": [], "requests_received": []}));
    let counts = json!({"dm": 0, "received": 0, "sent": 0, "total": 0});
    assert_eq!(ben.gets("/v4/requests").await.ok()["counts"], counts);
    assert_eq!(ben.gets("/v4/requests/count").await.ok(), json!({"counts": counts}));
    let pings = json!({"ttl": 1200});
    for (path, status) in [("/v3/web_pings", 201), ("/v3/web_pings/destroy?token=1", 200)] {
        let answer = ben.posts(path).json(&pings).await;
        assert_eq!((answer.status, answer.text.as_str()), (status, ""), "{path}");
    }
    writes(&ana, &ben, "hello").await;
    let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, cem.id);
    ben.posts(&block).await.created();
    let people = async |query: &str| -> Vec<Value> {
        ben.gets(&format!("/v4/relationships?{query}")).await.ok().as_array().unwrap().clone()
    };
    let [known, blocked] = &people("include_blocked=true&limit=200").await[..] else {
        panic!("two people")
    };
    assert_eq!((&known["user_id"], &known["is_blocked"]), (&json!(ana.id), &json!(false)));
    assert_eq!((&blocked["id"], &blocked["blocked"]), (&json!(cem.id), &json!(true)));
    assert_eq!(people("").await.len(), 1);
    let page = base64::engine::general_purpose::STANDARD.encode(&ana.id);
    let next = people(&format!("include_blocked=true&limit=1&page={page}")).await;
    assert_eq!(next[0]["id"], json!(cem.id));
    assert_eq!(people(&format!("page={page}")).await.len(), 0);
    ben.gets("/v4/relationships?page=%21").await.refused(400);
}

#[tokio::test]
async fn dialect_joins_by_token_in_the_body() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let body = json!({"name": "Climbers", "description": "ropes", "share": true});
    let group = ana.posts("/v3/groups").json(&body).await.created();
    let id = text(&group["id"]);
    let token = text(&group["share_url"]).rsplit('/').next().unwrap();
    let preview = ben.gets(&format!("/v3/groups/{id}/preview/{token}")).await.ok();
    assert_eq!(
        preview,
        json!({"id": id, "name": "Climbers", "description": "ropes",
        "image_url": null, "members_count": 1, "type": "private", "requires_approval": false,
        "show_join_question": false, "join_question": null, "children_count": 0,
        "membership_state": null})
    );
    ben.gets(&format!("/v3/groups/{id}/preview/wrong")).await.refused(404);
    let path = format!("/v3/groups/{id}/join");
    ben.posts(&path).json(&json!({"share_token": "wrong"})).await.refused(404);
    ben.posts(&path).await.refused(404);
    let joined = ben.posts(&path).json(&json!({"share_token": token})).await.ok();
    assert_eq!(joined["group"]["members"].as_array().unwrap().len(), 2);
    let membership = joined["group"]["members"].as_array().unwrap().iter();
    let own = membership.clone().find(|it| it["user_id"] == *ben.id).unwrap();
    let leaving = format!("/v3/groups/{id}/members/{}/remove", text(&own["id"]));
    ben.posts(&leaving).await.ok();
    assert_eq!(ben.posts(&path).await.ok()["group"]["id"], *id, "who left comes back");
}

#[tokio::test]
async fn clients_of_the_original_service_find_their_paths() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let renamed = ana.posts(&format!("/users/{}", ana.id)).header("Host", "v2.groupme.com");
    let renamed = renamed.json(&json!({"user": {"name": "Ana Two"}})).await.ok();
    assert_eq!(renamed["name"], "Ana Two");
    let others = ana.posts(&format!("/v2/users/{}", ben.id));
    others.json(&json!({"user": {"name": "Mine"}})).await.refused(403);

    let sent = writes(&ana, &ben, "hello").await;
    let id = text(&sent["id"]);
    let shown = ben.gets(&format!("/v3/direct_messages/{id}?other_user_id={}", ana.id)).await;
    assert_eq!(shown.ok()["message"], sent);
    cem.gets(&format!("/v3/direct_messages/{id}?other_user_id={}", ana.id)).await.refused(404);
    ben.gets(&format!("/v3/direct_messages/{id}")).await.refused(400);
    let path = format!("/v4/direct_messages/{}/messages/{id}", ben.id);
    let edited = ana.asks("PUT", &path).json(&json!({"text": "good day"})).await.ok();
    assert_eq!(edited["message"]["text"], "good day");
    let path = format!("/v4/direct_messages/{}/messages/{id}", cem.id);
    ana.asks("PUT", &path).json(&json!({"text": "no"})).await.refused(404);
    let exchanged = world.post("/oauth/access_token").bare("grant_type=authorization_code").await;
    assert_eq!(exchanged.status, 400, "{}", exchanged.text);
}

#[tokio::test]
async fn pages_of_the_dialect_hold_two_hundred_messages() {
    let (_world, [ana], climbers) = climbing().await;
    for index in 0..105 {
        ana.says(&climbers, &format!("message {index}")).await;
    }
    let messages = climbers.path("/messages");
    let page = ana.gets(&format!("/compat{messages}?limit=200")).await.ok();
    assert_eq!(page["messages"].as_array().unwrap().len(), 105);
    let problems = ana.gets(&format!("/compat{messages}?limit=201")).await.refused(400);
    assert_eq!(problems, ["limit must be between 1 and 200"]);
    let page = ana.gets(&format!("{messages}?limit=500")).await.ok();
    assert_eq!(page["messages"].as_array().unwrap().len(), 100, "as specified");
}

/// The type of a value, as the tables of captured shapes name it.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// Asserts that an object has each of these fields with one of its types.
fn has_shape(shown: &Value, shape: &[(&str, &[&str])]) {
    for (name, kinds) in shape {
        let found = shown.get(name).unwrap_or_else(|| panic!("{name} is missing in {shown}"));
        assert!(kinds.contains(&kind(found)), "{name} is a {} in {shown}", kind(found));
    }
}

const TEXT: &[&str] = &["text"];
const TEXT_OR_NULL: &[&str] = &["text", "null"];
const NUMBER: &[&str] = &["number"];
const NUMBER_OR_NULL: &[&str] = &["number", "null"];
const FLAG: &[&str] = &["boolean"];
const LIST: &[&str] = &["list"];
const OBJECT: &[&str] = &["object"];
const OBJECT_OR_NULL: &[&str] = &["object", "null"];

/// The fields of a group in a list of the original service.
const GROUP: [(&str, &[&str]); 33] = [
    ("id", TEXT),
    ("group_id", TEXT),
    ("name", TEXT),
    ("type", TEXT),
    ("description", TEXT),
    ("image_url", TEXT_OR_NULL),
    ("creator_user_id", TEXT),
    ("created_at", NUMBER),
    ("updated_at", NUMBER),
    ("phone_number", TEXT),
    ("muted_until", NUMBER_OR_NULL),
    ("messages", OBJECT),
    ("max_members", NUMBER),
    ("theme_name", TEXT_OR_NULL),
    ("like_icon", OBJECT_OR_NULL),
    ("requires_approval", FLAG),
    ("show_join_question", FLAG),
    ("join_question", OBJECT_OR_NULL),
    ("message_deletion_period", NUMBER),
    ("message_deletion_mode", LIST),
    ("message_edit_period", NUMBER),
    ("children_count", NUMBER),
    ("share_url", TEXT),
    ("share_qr_code_url", TEXT),
    ("system_message_settings", OBJECT),
    ("members", &["list", "null"]),
    ("members_count", NUMBER),
    ("unread_count", NUMBER_OR_NULL),
    ("last_read_message_id", TEXT_OR_NULL),
    ("last_read_at", NUMBER_OR_NULL),
    ("unread_mentions", NUMBER),
    ("office_mode", FLAG),
    ("mention_all", TEXT),
];
const GROUP_MESSAGES: [(&str, &[&str]); 5] = [
    ("count", NUMBER),
    ("last_message_id", TEXT_OR_NULL),
    ("last_message_created_at", NUMBER_OR_NULL),
    ("last_message_updated_at", NUMBER_OR_NULL),
    ("preview", OBJECT),
];
const ME: [(&str, &[&str]); 27] = [
    ("id", TEXT),
    ("user_id", TEXT),
    ("name", TEXT),
    ("email", TEXT),
    ("email_verified", FLAG),
    ("phone_number", TEXT_OR_NULL),
    ("sms", FLAG),
    ("bio", TEXT),
    ("image_url", TEXT_OR_NULL),
    ("locale", TEXT),
    ("zip_code", TEXT_OR_NULL),
    ("created_at", NUMBER),
    ("updated_at", NUMBER),
    ("friend_suggestable", FLAG),
    ("facebook_connected", FLAG),
    ("microsoft_connected", FLAG),
    ("twitter_connected", FLAG),
    ("share_url", TEXT),
    ("share_qr_code_url", TEXT),
    ("mfa", OBJECT),
    ("tags", LIST),
    ("prompt_for_survey", FLAG),
    ("show_age_gate", FLAG),
    ("birth_date_set", FLAG),
    ("graduation_year", TEXT),
    ("campus_profile_visibility", TEXT),
    ("consents", LIST),
];

#[tokio::test]
async fn groups_have_every_field_of_the_original_service() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Climbers", "share": true});
    let made = ana.posts("/compat/v3/groups").json(&body).await.created();
    let id = text(&made["id"]).to_owned();
    let shapes = |group: &Value| {
        let of_lists = ["unread_count", "unread_mentions"];
        let shape = GROUP.into_iter().filter(|(name, _)| !of_lists.contains(name));
        has_shape(group, &shape.collect::<Vec<_>>());
        has_shape(&group["messages"], &GROUP_MESSAGES);
        assert_eq!(group["description"], "");
        assert_eq!(group["members_count"], 1);
        let categories = json!({"albums": true, "events": true, "join_leave": true});
        let settings = json!({"all_notifications": true, "categories": categories});
        assert_eq!(group["system_message_settings"], settings);
    };
    shapes(&made);
    let path = format!("/compat/v3/groups/{id}");
    for _ in 0..2 {
        let shown = ana.gets(&path).await.ok();
        shapes(&shown);
        let preview = &shown["messages"]["preview"];
        assert_eq!((kind(&preview["image_url"]), kind(&preview["attachments"])), ("text", "list"));
        assert_eq!(ana.gets(&format!("/v3/groups/{id}")).await.ok()["description"], Value::Null);
    }
    let code = text(&ana.gets(&path).await.ok()["share_qr_code_url"]).to_owned();
    let code = code.find("/qr/").map(|at| code[at..].to_owned()).unwrap();
    assert_eq!(ana.gets(&code).await.header("content-type"), Some("image/png"));

    let message = json!({"message": {"source_guid": fresh_guid(), "text": "rope at six"}});
    ana.posts(&format!("/v3/groups/{id}/messages")).json(&message).await.created();
    ana.posts(&format!("/v3/groups/{id}/memberships/mute"))
        .json(&json!({"duration": null}))
        .await
        .ok();
    for query in ["", "?omit=memberships"] {
        let listed = ana.gets(&format!("/compat/v3/groups{query}")).await.ok();
        shapes(&listed[0]);
        has_shape(&listed[0], &GROUP);
        assert_eq!(kind(&listed[0]["messages"]["last_message_updated_at"]), "number");
        assert_eq!(listed[0]["muted_until"], 253_402_300_800_u64);
    }
    let specified = ana.gets(&format!("/v3/groups/{id}")).await.ok();
    assert_eq!(specified.get("children_count"), None, "as specified");
}

#[tokio::test]
async fn accounts_and_chats_have_every_field_of_the_original_service() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hello").await;
    let shown = ana.gets("/compat/v3/users/me").await.ok();
    has_shape(&shown, &ME);
    assert_eq!(shown["mfa"], json!({"enabled": false, "channels": null}));
    assert_eq!(me(&ana).await.get("mfa"), None, "as specified");
    let chats = ana.gets("/compat/v3/chats").await.ok();
    has_shape(
        &chats[0],
        &[
            ("created_at", NUMBER),
            ("updated_at", NUMBER),
            ("messages_count", NUMBER),
            ("other_user", OBJECT),
            ("last_message", OBJECT),
            ("message_deletion_period", NUMBER),
            ("message_deletion_mode", LIST),
            ("message_edit_period", NUMBER),
            ("requires_approval", FLAG),
            ("unread_count", NUMBER_OR_NULL),
            ("last_read_message_id", TEXT_OR_NULL),
            ("last_read_at", NUMBER_OR_NULL),
        ],
    );
}

#[tokio::test]
async fn dialect_shows_poll_votes_and_scaled_codes() {
    let (world, [ana], climbers) = climbing().await;
    let ends = world.clock_seconds() + 3600;
    let poll = json!({"subject": "When?", "expiration": ends, "type": "single",
        "visibility": "public", "options": [{"title": "six"}, {"title": "seven"}]});
    let at = format!("/compat/v3/poll/{}", climbers.id);
    let code = |answer: &crate::world::answer::Answer| -> Value {
        serde_json::from_str::<Value>(&answer.text).unwrap()["meta"]["code"].clone()
    };
    let made = ana.posts(&at).json(&poll).await;
    assert_eq!((made.status, code(&made)), (201, json!(20100)));
    let made: Value = serde_json::from_str(&made.text).unwrap();
    let made = &made["response"];
    has_known_fields(&made["message"], &GROUP_MESSAGE);
    let names = |poll: &Value| poll.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&made["poll"]), ["data"]);
    let one = format!("{at}/{}", text(&made["poll"]["data"]["id"]));
    let read = async |path: &str, first: &str| -> Value {
        let answer = ana.gets(path).await;
        assert_eq!((answer.status, code(&answer)), (200, json!(20000)));
        let body: Value = serde_json::from_str(&answer.text).unwrap();
        body["response"].pointer(first).unwrap().clone()
    };
    assert_eq!(names(&read(&one, "/poll").await), ["data"]);
    assert_eq!(names(&read(&at, "/polls/0").await), ["data"]);
    let voted = ana.posts(&format!("{one}/2")).await;
    assert_eq!((voted.status, code(&voted)), (200, json!(20000)));
    for (path, first) in [(&one, "/poll"), (&at, "/polls/0")] {
        let poll = read(path, first).await;
        assert_eq!((&poll["user_vote"], &poll["user_votes"]), (&json!("2"), &json!(["2"])));
    }
    let specified = ana.gets(&format!("/v3/poll/{}", climbers.id)).await;
    assert_eq!(code(&specified), 200, "as specified");
}

#[tokio::test]
async fn pinning_answers_null_in_the_dialect() {
    let (_world, [ana], climbers) = climbing().await;
    let id = text(&ana.says(&climbers, "rope at six").await["id"]).to_owned();
    let path = format!("/v3/conversations/{}/messages/{id}", climbers.id);
    for act in ["pin", "unpin"] {
        let answer = ana.posts(&format!("/compat{path}/{act}")).await;
        assert_eq!(answer.text, r#"{"response":null,"meta":{"code":200}}"#);
    }
    let shown = ana.posts(&format!("{path}/pin")).await.ok();
    assert_eq!(shown["message"]["id"], *id, "as specified");
}

const PUBLIC_URL: &str = "http://chat.example.org";

#[tokio::test]
async fn attachments_keep_what_their_sender_wrote() {
    // The port changes at a restart.
    let setup = Setup::default().option("--public-url", PUBLIC_URL);
    let mut world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let picture = ana.has_image().await;
    let image = json!({"type": "image", "url": picture, "source_url": "https://a.example/rope",
        "blur_hash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj"});
    let plain = json!({"type": "image", "url": picture});
    let path = format!("/v3/conversations/{}/files?name=plan.txt", climbers.id);
    let file = ana.posts(&path).body("text/plain", "rope").await.created()["file"].take();
    let emptied = json!({"type": "image", "url": picture, "source_url": "", "blur_hash": null});
    let sent = json!({"attachments": [image, emptied, file]});
    let sent = ana.posting(&climbers, sent).await.created();
    assert_eq!(sent["message"]["attachments"], json!([image, plain, file]));
    for _ in 0..2 {
        let read = ana.reads(&climbers, "").await;
        assert_eq!(read[0]["attachments"], json!([image, plain, file]));
        let listed = ana.gets(&format!("/compat{}", climbers.path("/messages"))).await.ok();
        let short = json!({"type": "file", "file_id": file["file_id"]});
        assert_eq!(listed["messages"][0]["attachments"], json!([image, plain, short]));
        world.restarts().await;
    }
    let long = json!({"type": "image", "url": picture, "blur_hash": "x".repeat(1001)});
    let refused = ana.posting(&climbers, json!({"attachments": [long]})).await.refused(400);
    assert!(refused[0].contains("attachments[0].blur_hash"), "{refused:?}");
}

#[tokio::test]
async fn recordings_and_linked_images_keep_what_their_sender_wrote() {
    // The port changes at a restart.
    let setup = Setup::default().option("--public-url", PUBLIC_URL);
    let mut world = World::with(setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let path = format!("/v3/conversations/{}/files?name=call.mp3", climbers.id);
    let uploaded = async |bytes: Vec<u8>| -> String {
        let file = ana.posts(&path).bytes(bytes).await.created()["file"].take();
        let id = text(&file["file_id"]).to_owned();
        format!("{PUBLIC_URL}/v3/files/{}/{id}", climbers.id)
    };
    let call = uploaded(b"ID3\x04\0\0\0\0\0\0".to_vec()).await;
    let other = uploaded(b"rope".to_vec()).await;
    let audio = json!({"type": "audio", "url": call, "duration": 2.5, "peaks": [0, 0.5, 1],
        "transcript_url": "https://a.example/words"});
    let plain = json!({"type": "audio", "url": call});
    let linked = json!({"type": "linked_image", "url": "https://a.example/rope.png"});
    let sent = json!([audio, plain, linked]);
    ana.posting(&climbers, json!({"attachments": sent})).await.created();
    for _ in 0..2 {
        assert_eq!(ana.reads(&climbers, "").await[0]["attachments"], sent);
        let listed = ana.gets(&format!("/compat{}", climbers.path("/messages"))).await.ok();
        assert_eq!(listed["messages"][0]["attachments"], sent);
        assert_eq!(ana.gets(&path_of(&call)).await.status, 200);
        world.restarts().await;
    }
    for (wrong, field) in [
        (json!({"type": "audio", "url": other}), "url"),
        (json!({"type": "audio", "url": "https://a.example/call.mp3"}), "url"),
        (json!({"type": "audio"}), "url"),
        (json!({"type": "audio", "url": call, "duration": "long"}), "duration"),
        (json!({"type": "audio", "url": call, "peaks": ["loud"]}), "peaks"),
        (json!({"type": "audio", "url": call, "peaks": 1}), "peaks"),
        (json!({"type": "linked_image", "url": "javascript:alert(1)"}), "url"),
        (json!({"type": "linked_image"}), "url"),
    ] {
        let refused = ana.posting(&climbers, json!({"attachments": [wrong]})).await.refused(400);
        assert!(refused[0].contains(&format!("attachments[0].{field} ")), "{refused:?} {wrong}");
    }
}

fn path_of(url: &str) -> String {
    url[url.find("/v3/").unwrap()..].to_owned()
}
