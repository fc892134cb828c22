//! What existing clients send although the specification has it otherwise: all of it
//! is understood (decisions, "leniency").

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
    // What the body says counts more than what the query says.
    let group = ana.posts(path).json(&json!({"name": "By body"})).await.created();
    assert_eq!((text(&group["name"]), text(&group["description"])), ("By body", "a b!"));
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
