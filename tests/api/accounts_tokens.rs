//! Tokens of an account: listing and ending them (contract, "Accounts").

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use socket2::SockRef;

use crate::oauth::{CALLBACK, application, lets_in};
use crate::world::person::{Person, SOON, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

async fn lists(person: &Person) -> Vec<Value> {
    serde_json::from_value(person.gets("/auth/tokens").await.ok()).unwrap()
}

#[tokio::test]
async fn token_list_hides_the_tokens() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    world.seconds_pass(100);
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let answer = ana.gets("/auth/tokens").await;
    assert!(!answer.text.contains(&ana.token) && !answer.text.contains(&phone.token));
    let tokens: Vec<Value> = serde_json::from_value(answer.ok()).unwrap();
    let shown: Vec<Value> = tokens
        .iter()
        .map(|it| json!([it["application"], it["created_at"], it["last_used_at"], it["current"]]))
        .collect();
    assert_eq!(
        shown,
        [
            json!(["log-in", 1_800_000_000, 1_800_000_100, true]),
            json!(["log-in", 1_800_000_100, null, false]),
        ]
    );
    assert_eq!(lists(&phone).await[1]["current"], true);
    assert_eq!(lists(&ben).await.len(), 1);
}

#[tokio::test]
async fn a_token_ends_at_once_also_on_its_sockets() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let (mut here, mut there) = (ana.listens().await, phone.listens().await);
    let token = lists(&ana).await[1]["id"].clone();
    let path = format!("/auth/tokens/{}", text(&token));
    let ends = |person: &Person| person.address.asks("DELETE", &path).token(&person.token);
    assert_eq!(ends(&ana).await.ok(), Value::Null);
    phone.gets("/v3/users/me").await.refused(401);
    assert_eq!(there.ends().await, 4401);
    here.stays_silent().await;
    ends(&ana).await.refused(404);
    world.restarts().await;
    phone.gets("/v3/users/me").await.refused(401);
    assert_eq!(lists(&ana).await.len(), 1);
}

/// Logs out, and resets the connection as soon as the request is on its way.
fn logs_out_and_hangs_up(person: &Person) {
    let mut stream = TcpStream::connect(person.address.get()).unwrap();
    SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    let token = &person.token;
    let request = format!("POST /auth/logout HTTP/1.1\r\nhost: x\r\nx-access-token: {token}\r\n");
    stream.write_all(format!("{request}content-length: 0\r\n\r\n").as_bytes()).unwrap();
}

/// A client that hung up cannot tell whether it is logged out. But a token that is no longer listed
/// must no longer work. It did, when the request was dropped before it told the cache of tokens.
#[tokio::test]
async fn abandoned_logout_still_counts() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut ended = 0;
    for _ in 0..12 {
        let phone =
            Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
        phone.gets("/v3/users/me").await.ok();
        let before = lists(&ana).await.len();
        logs_out_and_hangs_up(&phone);
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until && lists(&ana).await.len() == before {}
        if lists(&ana).await.len() < before {
            ended += 1;
            phone.gets("/v3/users/me").await.refused(401);
        }
    }
    assert!(ended > 0, "no request came in before its end");
}

#[tokio::test]
async fn nobody_ends_the_token_of_somebody_else() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let token = lists(&ana).await[0]["id"].clone();
    for id in [text(&token), "0", "x", "99999999999999999999"] {
        let path = format!("/auth/tokens/{id}");
        ben.address.asks("DELETE", &path).token(&ben.token).await.refused(404);
    }
    ana.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn tokens_at_their_end_are_not_listed() {
    let world = World::with(Setup::default().option("--token-ttl", "1h")).await;
    let [ana] = world.people(["Ana"]).await;
    world.seconds_pass(3000);
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    assert_eq!(lists(&phone).await.len(), 2);
    world.seconds_pass(600);
    assert_eq!(lists(&phone).await.len(), 1);
}

#[tokio::test]
async fn new_token_states_its_expiry() {
    let world = World::with(Setup::default().option("--token-ttl", "1h")).await;
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    let welcome = world.post("/auth/register").json(&body).await.created();
    assert_eq!(welcome["expires_in"], 3600);
    world.seconds_pass(600);
    let again = world.logs_in("ana@example.org", PASSWORD).await.ok();
    assert_eq!(again["expires_in"], 3600);
    let tokens = lists(&Person::new(world.address.clone(), &again)).await;
    let ends: Vec<&Value> = tokens.iter().map(|token| &token["expires_at"]).collect();
    assert_eq!(ends, [1_800_003_600, 1_800_004_200]);

    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let again = world.logs_in(&ana.email, PASSWORD).await.ok();
    assert_eq!(again.get("expires_in"), None);
    assert_eq!(lists(&ana).await[0]["expires_at"], Value::Null);
}

/// While the server runs, the last use is exact to a minute; it is written to disk once a day.
#[tokio::test]
async fn last_token_use_survives_a_restart_to_the_day() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let last_use = |tokens: Vec<Value>| tokens[1]["last_used_at"].clone();
    phone.gets("/v3/users/me").await.ok();
    assert_eq!(last_use(lists(&ana).await), 1_800_000_000);
    world.seconds_pass(59);
    phone.gets("/v3/users/me").await.ok();
    assert_eq!(last_use(lists(&ana).await), 1_800_000_000, "not worth a write");
    world.seconds_pass(86_400 - 59);
    phone.gets("/v3/users/me").await.ok();
    assert_eq!(last_use(lists(&ana).await), 1_800_086_400);
    // No request waits for that write, so the test polls for it.
    let deadline = Instant::now() + SOON;
    loop {
        world.restarts().await;
        if last_use(lists(&ana).await) == 1_800_086_400 {
            return;
        }
        assert!(Instant::now() < deadline, "the use is never written down");
        phone.gets("/v3/users/me").await.ok();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The room of a user is not told that the owner of an application removes it. It counted the
/// application's tokens on, and at the limit of 1,000 a log-in ended for one of them.
#[tokio::test]
async fn deleted_applications_token_ends_no_session() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let token = lets_in(&world, &ana, &client).await;
    for _ in 0..998 {
        world.logs_in(&ana.email, PASSWORD).await.ok();
    }
    let path = format!("/oauth/applications/{client}");
    ben.asks("DELETE", &path).await.ok();
    world.get("/v3/users/me").token(&token).await.refused(401);
    world.logs_in(&ana.email, PASSWORD).await.ok();
    assert_eq!(lists(&ana).await.len(), 1000);
    // One more is past the limit: the oldest ends.
    world.logs_in(&ana.email, PASSWORD).await.ok();
    ana.gets("/v3/users/me").await.refused(401);
}
