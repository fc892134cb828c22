//! Accounts: registering, logging in and out, tokens (contract, "Accounts").

use serde_json::{Value, json};

use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

#[tokio::test]
async fn registering_welcomes_with_a_user_and_a_token() {
    let world = World::start().await;
    let body = json!({"name": "Ana Alba", "email": "Ana@Example.org", "password": PASSWORD,
        "phone_number": "+1 555 010 9999"});
    let welcome = world.post("/auth/register").json(&body).await.created();
    let user = &welcome["user"];
    assert_eq!(user["name"], "Ana Alba");
    assert_eq!(user["email"], "Ana@Example.org");
    assert_eq!(user["phone_number"], "+1 555 010 9999");
    assert_eq!(user["user_id"], user["id"]);
    assert_eq!((&user["image_url"], &user["sms"]), (&Value::Null, &json!(false)));
    assert_eq!(user["created_at"], 1_800_000_000);
    assert_eq!(user["updated_at"], 1_800_000_000);
    assert!(text(&user["id"]).len() == 8 && text(&user["id"]).parse::<u64>().is_ok());
    let token = text(&welcome["access_token"]);
    assert!(token.len() == 40 && token.bytes().all(|b| b.is_ascii_alphanumeric()), "{token}");
    let me = world.get("/v3/users/me").token(token).await.ok();
    assert_eq!(&me, user);
}

#[tokio::test]
async fn registration_reports_all_problems() {
    let world = World::start().await;
    let errors = world.post("/auth/register").json(&json!({})).await.refused(400);
    assert_eq!(errors, ["name is required", "email is required", "password is required"]);
    let body = json!({"name": "", "email": "ana", "password": "short12", "phone_number": "CALL"});
    let errors = world.post("/auth/register").json(&body).await.refused(400);
    assert_eq!(
        errors,
        [
            "name is required",
            "email must have the form name@domain",
            "phone_number must be a phone number of 3 to 15 digits",
            "password has 7 characters; 8 to 1000 are allowed",
        ]
    );
    let wrong = json!({"name": ["Ana"], "email": {"a": 1}, "password": true});
    let errors = world.post("/auth/register").json(&wrong).await.refused(400);
    let must = |field: &str| format!("{field} must be a string");
    assert_eq!(errors, [must("name"), must("email"), must("password")]);
}

/// Programs that register people rely on it, whatever one may think of these passwords.
#[tokio::test]
async fn any_password_of_eight_characters_is_accepted() {
    let world = World::start().await;
    for (number, password) in
        ["password", "12345678", "ana@example.org", "Ana Alba"].iter().enumerate()
    {
        let email = format!("ana{number}@example.org");
        let body = json!({"name": "Ana Alba", "email": email, "password": password});
        world.post("/auth/register").json(&body).await.created();
        world.logs_in(&email, password).await.ok();
    }
}

#[tokio::test]
async fn an_email_or_a_phone_belongs_to_one_account() {
    let world = World::start().await;
    let body = |email: &str, phone: &str| json!({"name": "Ana", "email": email, "password": PASSWORD, "phone_number": phone});
    let register =
        |email: &str, phone: &str| world.post("/auth/register").json(&body(email, phone));
    register("ana@example.org", "+1 (555) 010-9999").await.created();
    register("ANA@example.ORG", "333").await.refused(409);
    register("ben@example.org", "1-555-010-9999").await.refused(409);
    register("ben@example.org", "1-555-010-9998").await.created();
}

#[tokio::test]
async fn concurrent_registrations_of_an_email_succeed_once() {
    let world = World::start().await;
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    let asked = (0..6).map(|_| async { world.post("/auth/register").json(&body).await.status });
    let mut statuses = futures_util::future::join_all(asked).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
}

#[tokio::test]
async fn a_closed_server_registers_nobody() {
    let world = World::with(Setup::default().option("--registration", "closed")).await;
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    world.post("/auth/register").json(&body).await.refused(403);
    world.logs_in("ana@example.org", PASSWORD).await.refused(401);
}

#[tokio::test]
async fn visitors_learn_whether_registration_is_open() {
    for registration in ["open", "closed"] {
        let world = World::with(Setup::default().option("--registration", registration)).await;
        let options = world.get("/auth/options").await.ok();
        let without_mail = json!({"registration": registration, "password": "on", "mail": false, "contact": null,
            "name": null, "greeting": null, "passkeys": true, "providers": [],
            "setup": {"code": false, "empty": true}});
        assert_eq!(options, without_mail);
    }
}

#[tokio::test]
async fn login_gives_new_token_and_ignores_email_case() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let welcome = world.logs_in(&ana.email.to_uppercase(), PASSWORD).await.ok();
    assert_eq!(welcome["user"]["id"], ana.id);
    let again = Person::new(ana.address.clone(), &welcome);
    assert_ne!(again.token, ana.token);
    again.gets("/v3/users/me").await.ok();
    ana.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_email_look_the_same() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let wrong = world.logs_in(&ana.email, "wrong horse battery").await;
    let unknown = world.logs_in("nobody@example.org", PASSWORD).await;
    let no_email = world.logs_in("nobody", PASSWORD).await;
    wrong.refused(401);
    assert_eq!((wrong.status, &wrong.text), (unknown.status, &unknown.text));
    assert_eq!((wrong.status, &wrong.text), (no_email.status, &no_email.text));
    let errors = world.post("/auth/login").json(&json!({})).await.refused(400);
    assert_eq!(errors, ["email is required", "password is required"]);
}

#[tokio::test]
async fn ten_failures_lock_an_account_for_a_quarter_of_an_hour() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for _ in 0..10 {
        world.logs_in(&ana.email, "wrong horse battery").await.refused(401);
    }
    world.seconds_pass(60);
    let locked = world.logs_in(&ana.email, PASSWORD).await;
    locked.refused(429);
    assert_eq!(locked.header("retry-after"), Some("840"));
    world.logs_in(&ana.email.to_uppercase(), PASSWORD).await.refused(429);
    world.logs_in(&ben.email, PASSWORD).await.ok();
    // Tokens from before the lock keep working.
    ana.gets("/v3/users/me").await.ok();
    world.seconds_pass(840);
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

/// The lock used to be checked before the password, and the failure noted after it: a client that
/// sent its guesses at the same time had as many as it liked.
#[tokio::test]
async fn concurrent_guessing_allows_ten_attempts() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let guesses = (0..24).map(|_| async { world.logs_in(&ana.email, "wrong horse").await.status });
    let statuses = futures_util::future::join_all(guesses).await;
    let guessed = statuses.iter().filter(|status| **status == 401).count();
    assert_eq!(guessed, 10, "{statuses:?}");
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn getting_in_forgets_earlier_failures() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..9 {
        world.logs_in(&ana.email, "wrong horse battery").await.refused(401);
    }
    world.logs_in(&ana.email, PASSWORD).await.ok();
    for _ in 0..9 {
        world.logs_in(&ana.email, "wrong horse battery").await.refused(401);
    }
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn a_token_is_dead_after_logging_out_also_after_a_restart() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let again = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    assert_eq!(ana.posts("/auth/logout").await.ok(), Value::Null);
    ana.gets("/v3/users/me").await.refused(401);
    ana.posts("/auth/logout").await.refused(401);
    again.gets("/v3/users/me").await.ok();
    world.restarts().await;
    ana.gets("/v3/users/me").await.refused(401);
    again.gets("/v3/users/me").await.ok();
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn token_ttl_ends_tokens() {
    let world = World::with(Setup::default().option("--token-ttl", "1h")).await;
    let [ana] = world.people(["Ana"]).await;
    world.seconds_pass(3599);
    ana.gets("/v3/users/me").await.ok();
    let again = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    world.seconds_pass(1);
    ana.gets("/v3/users/me").await.refused(401);
    again.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn one_address_cannot_register_without_end() {
    let world = World::start().await;
    // The email address is taken, so these requests are refused for their content and do not count
    // for their cost.
    let asked = (0..200).map(|_| async {
        let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
        world.post("/auth/register").json(&body).await.status
    });
    let statuses = futures_util::future::join_all(asked).await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1);
    assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
    let body = json!({"name": "Ben", "email": "ben@example.org", "password": PASSWORD});
    let refused = world.post("/auth/register").json(&body).await;
    refused.refused(429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    world.seconds_pass(1);
    world.post("/auth/register").json(&body).await.created();
}

/// A client that lost the response to its registration was told that the email is taken.
#[tokio::test]
async fn a_registration_that_is_repeated_under_its_key_gets_in() {
    let mut world = World::start().await;
    let body = |name: &str, email: &str, password: &str| json!({"name": name, "email": email, "password": password});
    let own = body("Ana", "ana@example.org", PASSWORD);
    let first = world.post("/auth/register").key("k").json(&own).await.created();
    for _ in 0..2 {
        let again = world.post("/auth/register").key("k").json(&own).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let again = again.created();
        assert_eq!(again["user"], first["user"]);
        assert_ne!(again["access_token"], first["access_token"]);
        for token in [&first["access_token"], &again["access_token"]] {
            world.get("/v3/users/me").token(text(token)).await.ok();
        }
        for other in [
            body("Eve", "ana@example.org", PASSWORD),
            body("Ana", "ana@example.org", "another horse"),
        ] {
            let refused = world.post("/auth/register").key("k").json(&other).await.refused(422);
            assert_eq!(refused, ["this Idempotency-Key was already used for another request"]);
        }
        world.post("/auth/register").json(&own).await.refused(409);
        world.post("/auth/register").key("another").json(&own).await.refused(409);
        world.restarts().await;
    }
    world.post("/auth/register").key("no key").json(&own).await.refused(400);
    // Keys of different people are different keys.
    let bens = body("Ben", "ben@example.org", PASSWORD);
    let ben = world.post("/auth/register").key("k").json(&bens).await.created();
    assert_ne!(ben["user"]["id"], first["user"]["id"]);
    // A day later the key is free again, and the email is not.
    world.seconds_pass(24 * 60 * 60);
    world.post("/auth/register").key("k").json(&own).await.refused(409);
}

#[tokio::test]
async fn registrations_with_one_key_at_once_make_one_account() {
    let world = World::start().await;
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
    let asked = (0..6).map(|_| world.post("/auth/register").key("k").json(&body).into_future());
    let answers = futures_util::future::join_all(asked).await;
    let users: Vec<Value> =
        answers.into_iter().map(|it| it.created()["user"]["id"].clone()).collect();
    assert!(users.iter().all(|user| *user == users[0]), "{users:?}");
}
