//! How an application ends a token that it was given (RFC 7009).

use serde_json::Value;

use crate::oauth::{CALLBACK, application, lets_in};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};

async fn revokes(world: &World, client: &str, token: &str) -> Answer {
    let pairs = [("client_id", client), ("token", token), ("token_type_hint", "access_token")];
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    world.post("/oauth/revoke").body("application/x-www-form-urlencoded", body).await
}

#[tokio::test]
async fn an_application_ends_its_own_token_at_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let token = lets_in(&world, &ana, &client).await;
    let guest = Person { token: token.clone(), ..ana.clone() };
    let mut feed = guest.listens().await;
    // A token that is over, or never was one, is no error.
    for token in [token.as_str(), &token, &"A".repeat(43), "x"] {
        let answer = revokes(&world, &client, token).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ""), "{token}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    guest.gets("/v3/users/me").await.refused(401);
    assert_eq!(feed.ends().await, 4401);
    ana.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn an_application_ends_no_token_of_others() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (client, other) = (application(&ana, CALLBACK).await, application(&ana, CALLBACK).await);
    let token = lets_in(&world, &ana, &client).await;
    for (client, token, error) in [
        (other.as_str(), token.as_str(), "invalid_grant"),
        (&client, &ana.token, "invalid_grant"),
        (&client, "", "invalid_request"),
        ("", &token, "invalid_request"),
        (&"0".repeat(32), &token, "invalid_client"),
    ] {
        let answer = revokes(&world, client, token).await;
        let told: Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!((answer.status, text(&told["error"])), (400, error), "{client} {token}");
    }
    ana.gets("/v3/users/me").await.ok();
    world.get("/v3/users/me").token(&token).await.ok();
}
