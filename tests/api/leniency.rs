//! Requests of existing clients that deviate from the specification: all of them are understood
//! (decisions, "leniency").

use serde_json::json;

use crate::world::World;
use crate::world::person::text;

const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn json_needs_no_label_and_may_carry_a_wrong_one() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = r#"{"name":"Climbers"}"#;
    let group = ana.posts("/v3/groups").bare(body).await.created();
    assert_eq!(group["name"], "Climbers");
    for label in ["text/plain", FORM, "application/json; charset=utf-8"] {
        let group = ana.posts("/v3/groups").body(label, body).await.created();
        assert_eq!(group["name"], "Climbers", "{label}");
    }
}

#[tokio::test]
async fn an_empty_body_and_the_query_of_a_post_are_enough() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let path = "/v3/groups?name=By%20query&description=a+b%21";
    for asking in [ana.posts(path), ana.posts(path).body("application/json", "")] {
        let group = asking.await.created();
        assert_eq!((text(&group["name"]), text(&group["description"])), ("By query", "a b!"));
    }
    // Fields in the body override those in the query.
    let group = ana.posts(path).json(&json!({"name": "By body"})).await.created();
    assert_eq!((text(&group["name"]), text(&group["description"])), ("By body", "a b!"));
}

#[tokio::test]
async fn list_error_is_reported_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let poll = format!("/v3/poll/{}", climbers.id);
    let many = vec![json!({"title": "rope"}); 11];
    for (options, problem) in [
        (json!(many), "options has 11 entries, at most 10 are allowed"),
        (json!("rope"), "options must be an array"),
        (json!([]), "options must have 2 to 10 entries"),
    ] {
        let body = json!({"subject": "what?", "expiration": 2_000_000_000, "options": options});
        assert_eq!(ana.posts(&poll).json(&body).await.refused(400), [problem]);
    }
    let body = json!({"message_deletion_mode": ["sender", "admin", "sender"]});
    let problem = "message_deletion_mode has 3 entries, at most 2 are allowed";
    assert_eq!(ana.posts(&climbers.path("/update")).json(&body).await.refused(400), [problem]);
    let bot = json!({"bot": {"name": "Bot", "group_id": climbers.id, "events": "all"}});
    let problem = "bot.events must be an array";
    assert_eq!(ana.posts("/v3/bots").json(&bot).await.refused(400), [problem]);
}

#[tokio::test]
async fn forms_are_read_also_with_brackets() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.posts("/v3/groups").body(FORM, "name=A+form&share=1").await.created();
    assert_eq!(group["name"], "A form");
    assert!(group["share_url"].is_string(), "{group}");
    let nested = "group[name]=Nested&group%5Bdescription%5D=%F0%9F%A7%97";
    let group = ana.posts("/v3/groups").body(FORM, nested).await.created();
    assert_eq!((text(&group["name"]), text(&group["description"])), ("Nested", "🧗"));
    let path = format!("/v3/groups/{}/messages", text(&group["id"]));
    let form = "message[source_guid]=f1&message[text]=said+in+a+form";
    let posted = ana.posts(&path).body(FORM, form).await.created();
    assert_eq!(posted["message"]["text"], "said in a form");
}

#[tokio::test]
async fn a_group_may_come_inside_a_group() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let group = ana.posts("/v3/groups").json(&json!({"group": {"name": "Inside"}})).await.created();
    assert_eq!(group["name"], "Inside");
}

#[tokio::test]
async fn null_counts_as_absent_and_unknown_fields_are_ignored() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let body = json!({"name": "Climbers", "description": null, "image_url": null, "share": null,
        "nonsense": {"deep": [1, 2]}, "id": "7"});
    let group = ana.posts("/v3/groups?page=minus").json(&body).await.created();
    assert_eq!(group["description"], json!(null));
    assert_ne!(group["id"], "7");
    let errors = ana.posts("/v3/groups").json(&json!({"name": null})).await.refused(400);
    assert_eq!(errors, ["name is required"]);
    let climbers = format!("/v3/groups/{}/messages", text(&group["id"]));
    let message = json!({"source_guid": "n1", "text": "hi", "attachments": null, "extra": 1});
    ana.posts(&climbers).json(&json!({"message": message})).await.created();
}

#[tokio::test]
async fn numbers_are_taken_for_ids_and_texts() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let id: u64 = ben.id.parse().unwrap();
    let items = json!([{"nickname": "Ben", "user_id": id}]);
    let members = ana.adds_items(&climbers, items).await;
    assert_eq!(members[0]["user_id"], ben.id);
    let posted = ana.posting(&climbers, json!({"source_guid": 17, "text": "hi"})).await.created();
    assert_eq!(posted["message"]["source_guid"], "17");
}

#[tokio::test]
async fn doubled_and_trailing_slashes_do_no_harm() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "rope at six").await;
    for path in [
        format!("/v3/groups/{}/", climbers.id),
        format!("//v3//groups///{}", climbers.id),
        format!("/v3/groups/{}//messages/?limit=1", climbers.id),
        "/v3/users/me/".to_owned(),
        "/v3/groups/?page=1".to_owned(),
    ] {
        ana.gets(&path).await.ok();
    }
}

#[tokio::test]
async fn flags_are_read_as_people_write_them() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for (flag, shares) in [
        (json!(true), true),
        (json!("true"), true),
        (json!("True"), true),
        (json!("1"), true),
        (json!(1), true),
        (json!("on"), true),
        (json!(false), false),
        (json!("False"), false),
        (json!("0"), false),
        (json!("off"), false),
    ] {
        let body = json!({"name": "Climbers", "share": flag});
        let group = ana.posts("/v3/groups").json(&body).await.created();
        assert_eq!(group.get("share_url").is_some(), shares, "{flag}");
    }
    for flag in [json!("maybe"), json!(2), json!([]), json!({})] {
        let body = json!({"name": "Climbers", "share": flag});
        let errors = ana.posts("/v3/groups").json(&body).await.refused(400);
        assert_eq!(errors, ["share must be true or false"]);
    }
}

#[tokio::test]
async fn misspelt_cases_of_query_names_are_understood() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "first").await;
    let second = ana.says(&climbers, "second").await;
    let query = format!("?before_ID={}", text(&second["id"]));
    assert_eq!(ana.reads_texts(&climbers, &query).await, ["first"]);
}

#[tokio::test]
async fn an_empty_parameter_is_an_absent_one() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.says(&climbers, "first").await;
    assert_eq!(ana.reads_texts(&climbers, "?before_id=&after_id=&limit=").await, ["first"]);
    ana.gets("/v3/groups?page=&per_page=&omit=").await.ok();
    ana.gets(&climbers.path("/likes?period=")).await.refused(400);
    let body = json!({"name": "", "description": "ropes", "image_url": "", "share": "",
        "office_mode": ""});
    let group = ana.posts(&climbers.path("/update")).json(&body).await.ok();
    assert_eq!((text(&group["name"]), text(&group["description"])), ("Climbers", "ropes"));
    let group = ana.posts(&climbers.path("/update")).json(&json!({"description": ""})).await.ok();
    assert_eq!(group["description"], json!(null));
    let errors = ana.posts("/v3/groups").json(&json!({"name": ""})).await.refused(400);
    assert_eq!(errors, ["name is required"]);
    let items = json!([{"nickname": "Ben", "user_id": ben.id, "phone_number": "", "email": ""}]);
    assert_eq!(ana.adds_items(&climbers, items).await.len(), 1);
}

#[tokio::test]
async fn pages_may_be_counted_from_zero() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    ana.creates_group("Climbers").await;
    for path in ["/v3/groups?page=0", "/v3/groups?page=1"] {
        assert_eq!(ana.gets(path).await.ok()[0]["name"], "Climbers");
    }
    ana.gets("/v3/chats?page=0").await.ok();
}

#[tokio::test]
async fn a_message_may_stand_alone_also_in_a_query() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let path = climbers.path("/messages");
    let alone = json!({"source_guid": "1", "text": "alone"});
    assert_eq!(ana.posts(&path).json(&alone).await.created()["message"]["text"], "alone");
    let query = format!("{path}?source_guid=2&text=asked");
    assert_eq!(ana.posts(&query).await.created()["message"]["text"], "asked");
    let refused = ana.posts(&path).json(&json!({"text": "no guid"})).await.refused(400);
    assert_eq!(refused, ["message is required"]);
}

#[tokio::test]
async fn a_direct_message_may_stand_under_message() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let body = json!({"message": {"source_guid": "d1", "recipient_id": ben.id, "text": "hello"}});
    let sent = ana.posts("/v3/direct_messages").json(&body).await.created();
    assert_eq!(sent["direct_message"]["text"], "hello");
}

#[tokio::test]
async fn existing_clients_may_send_by_conversation_id() {
    let world = World::start().await;
    let [ana, ben, cleo] = world.people(["Ana", "Ben", "Cleo"]).await;
    // As clients write it: the recipient's id first, whichever id is lower.
    for (from, to) in [(&ana, &ben), (&ben, &ana)] {
        let body = json!({
            "message": {"text": "hello"}, "conversation_id": format!("{}+{}", to.id, from.id),
        });
        from.posts("/v3/direct_messages").json(&body).await.refused(400);
        let sent = from.posts("/compat/v3/direct_messages").json(&body).await.created();
        let sent = &sent["direct_message"];
        assert_eq!((&sent["text"], &sent["recipient_id"]), (&json!("hello"), &json!(to.id)));
        let again = from.posts("/compat/v3/direct_messages").json(&body).await.created();
        assert_ne!(again["direct_message"]["source_guid"], sent["source_guid"]);
        cleo.posts("/compat/v3/direct_messages").json(&body).await.refused(400);
    }
}

#[tokio::test]
async fn places_may_be_numbers_and_nameless() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let place = json!({"type": "location", "name": "", "lat": 40.738206, "lng": -73});
    let posted = ana.posting(&climbers, json!({"attachments": [place]})).await.created();
    let kept = json!([{"type": "location", "name": "", "lat": "40.738206", "lng": "-73"}]);
    assert_eq!(posted["message"]["attachments"], kept);
    let place = json!({"type": "location", "name": "Hut", "lat": true, "lng": "1"});
    ana.posting(&climbers, json!({"attachments": [place]})).await.refused(400);
}

#[tokio::test]
async fn unsupported_known_field_is_named() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for (field, wanted) in
        [("theme_name", json!("dark")), ("max_members", json!(5)), ("max_members", json!("5"))]
    {
        let told = [format!("{field} is not served by this server")];
        let body = json!({"name": "Divers", field: wanted});
        assert_eq!(ana.posts("/v3/groups").json(&body).await.refused(400), told);
        assert_eq!(ana.posts(&climbers.path("/update")).json(&body).await.refused(400), told);
    }
    // These values describe every group of this server, so they are accepted.
    let body = json!({"name": "Divers", "requires_approval": false, "group_type": "private",
        "join_question": null, "visibility": "hidden", "theme_name": ""});
    ana.posts("/v3/groups").json(&body).await.created();
    // As the group is shown, it can be sent back.
    let shown = ana.gets(&climbers.path("")).await.ok();
    assert!(shown["type"].is_string() && shown["max_members"].is_u64(), "{shown}");
    ana.posts(&climbers.path("/update")).json(&shown).await.ok();
}
