//! Registering applications (contract, "Accounts").

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Person, text};

async fn registers(person: &Person, name: &str, callback_url: &str) -> Value {
    let body = json!({"name": name, "callback_url": callback_url});
    person.posts("/oauth/applications").json(&body).await.created()
}

#[tokio::test]
async fn applications_are_kept_as_registered() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let ropes = registers(&ana, " Ropes ", "https://Ropes.example/back?a=b").await;
    assert_eq!(ropes["name"], "Ropes");
    assert_eq!(ropes["callback_url"], "https://Ropes.example/back?a=b");
    assert_eq!(text(&ropes["client_id"]).len(), 32);
    world.seconds_pass(1);
    let tides = registers(&ana, "Tides", "http://localhost:9000").await;
    world.restarts().await;
    assert_eq!(ana.gets("/oauth/applications").await.ok(), json!([ropes, tides]));
    assert_eq!(ben.gets("/oauth/applications").await.ok(), json!([]));
    let path = format!("/oauth/applications/{}", text(&ropes["client_id"]));
    let removes = |person: &Person| person.address.asks("DELETE", &path).token(&person.token);
    removes(&ben).await.refused(404);
    assert_eq!(removes(&ana).await.ok(), Value::Null);
    removes(&ana).await.refused(404);
    assert_eq!(ana.gets("/oauth/applications").await.ok(), json!([tides]));
}

#[tokio::test]
async fn a_callback_url_is_https_or_on_the_own_machine() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let refused = |callback_url: &str| {
        let body = json!({"name": "Ropes", "callback_url": callback_url});
        let asked = ana.posts("/oauth/applications").json(&body);
        async move { asked.await.refused(400) }
    };
    let form = "callback_url must be an https URL, or http on localhost";
    assert_eq!(refused("http://ropes.example/back").await, [form]);
    assert_eq!(refused("javascript:alert(1)").await, [form]);
    assert_eq!(
        refused("https://ropes.example/back#here").await,
        ["callback_url must not have a fragment"]
    );
    assert_eq!(
        refused("https://ana:secret@ropes.example/").await,
        ["callback_url must not have credentials"]
    );
    let long = format!("https://ropes.example/{}", "x".repeat(2048));
    assert!(refused(&long).await[0].starts_with("callback_url is too long: 2070 characters"));
    let errors = ana.posts("/oauth/applications").json(&json!({"name": "a\nb"})).await;
    assert_eq!(
        errors.refused(400),
        ["name must not have invisible characters", "callback_url is required"]
    );
}

#[tokio::test]
async fn a_hundred_applications_are_enough() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..100 {
        registers(&ana, "Ropes", "https://ropes.example/").await;
    }
    let body = json!({"name": "Ropes", "callback_url": "https://ropes.example/"});
    let refused = ana.posts("/oauth/applications").json(&body).await.refused(400);
    assert_eq!(refused, ["a user has at most 100 applications"]);
}
