//! Passwords: changing one's own, and how guessing is limited (contract, "Accounts").

use serde_json::json;

use crate::world::answer::Answer;
use crate::world::person::Person;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// The password to which Ana changes hers.
const BETTER: &str = "a better horse battery";

async fn changes(person: &Person, current: &str, new: &str) -> Answer {
    let body = json!({"current_password": current, "new_password": new});
    person.posts("/auth/password").json(&body).await
}

#[tokio::test]
async fn another_password_ends_every_other_token_and_its_sockets() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let (mut here, mut there) = (ana.listens().await, phone.listens().await);
    let left = changes(&ana, PASSWORD, BETTER).await.ok();
    assert_eq!(left, json!({"bots": [], "applications": []}));
    phone.gets("/v3/users/me").await.refused(401);
    assert_eq!(there.ends().await, 4401);
    ana.gets("/v3/users/me").await.ok();
    here.stays_silent().await;
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    world.restarts().await;
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    world.logs_in(&ana.email, BETTER).await.ok();
    phone.gets("/v3/users/me").await.refused(401);
    ana.gets("/v3/users/me").await.ok();
}

#[tokio::test]
async fn password_change_needs_the_current_password() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    assert_eq!(changes(&ana, BETTER, BETTER).await.refused(403), ["the password is wrong"]);
    let errors = ana.posts("/auth/password").json(&json!({"new_password": "short"})).await;
    assert_eq!(
        errors.refused(400),
        ["current_password is required", "new_password has 5 characters; 8 to 1000 are allowed"]
    );
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

/// A stolen token must not be a way to guess the password without a limit.
#[tokio::test]
async fn guessing_with_a_token_is_limited() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..10 {
        changes(&ana, "wrong horse", BETTER).await.refused(403);
    }
    let locked = changes(&ana, PASSWORD, BETTER).await;
    locked.refused(429);
    assert_eq!(locked.header("retry-after"), Some("900"));
    world.seconds_pass(900);
    changes(&ana, PASSWORD, BETTER).await.ok();
}

#[tokio::test]
async fn new_password_ends_bots_and_applications_on_request() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let bot = json!({"bot": {"name": "Thief", "group_id": climbers.id}});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let bot_id = bot["bot"]["bot_id"].clone();
    let application = json!({"name": "Ropes", "callback_url": "https://example.org/back"});
    ana.posts("/oauth/applications").json(&application).await.created();
    let listed = changes(&ana, PASSWORD, BETTER).await.ok();
    assert_eq!(listed["bots"][0]["bot_id"], bot_id);
    assert_eq!(listed["bots"][0]["group_name"], "Climbers");
    assert_eq!(listed["applications"][0]["name"], "Ropes");
    let post = json!({"bot_id": bot_id, "text": "still here"});
    assert!(ana.posts("/v3/bots/post").json(&post).await.status < 300);
    let end = json!({"current_password": BETTER, "new_password": PASSWORD, "end_bots": true,
        "end_applications": true});
    let left = ana.posts("/auth/password").json(&end).await.ok();
    assert_eq!(left, json!({"bots": [], "applications": []}));
    ana.posts("/v3/bots/post").json(&post).await.refused(404);
    assert_eq!(ana.gets("/oauth/applications").await.ok(), json!([]));
    assert_eq!(ana.gets("/v3/bots").await.ok(), json!([]));
}

#[tokio::test]
async fn failed_guesses_do_not_lock_a_logged_in_owner() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..10 {
        guesses(&world, "192.0.2.7", &ana.email).await.refused(401);
    }
    world.logs_in(&ana.email, PASSWORD).await.refused(429);
    changes(&ana, PASSWORD, BETTER).await.ok();
    let delete = json!({"password": BETTER});
    ana.asks("DELETE", "/auth/account").json(&delete).await.ok();
}

#[tokio::test]
async fn guesses_with_one_token_lock_that_token_alone() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..10 {
        changes(&ana, "wrong horse battery", BETTER).await.refused(403);
    }
    changes(&ana, PASSWORD, BETTER).await.refused(429);
    let other = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    changes(&other, PASSWORD, BETTER).await.ok();
}

/// Two changes at the same time: one is told that the password has changed meanwhile.
#[tokio::test]
async fn concurrent_password_changes_succeed_once() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let phone = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let (one, other) = futures_util::future::join(
        changes(&ana, PASSWORD, BETTER),
        changes(&phone, PASSWORD, "the best horse battery"),
    )
    .await;
    let statuses = [one.status, other.status];
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    // 401: the other change ended the token first. 403: the old password was no longer right. 409:
    // the other change was committed first.
    assert!(statuses.iter().all(|status| [200, 401, 403, 409].contains(status)), "{statuses:?}");
}

async fn guesses(world: &World, address: &str, email: &str) -> Answer {
    let body = json!({"email": email, "password": "wrong horse battery"});
    world.post("/auth/login").header("X-Forwarded-For", address).json(&body).await
}

/// One password is tried on many accounts: no account gets locked, so the address must be.
#[tokio::test]
async fn a_hundred_failures_lock_an_address() {
    let world = World::with(Setup::default().option("--trust-proxy", "127.0.0.1")).await;
    let [ana] = world.people(["Ana"]).await;
    // The last entry was added by the trusted proxy; anybody can forge the entries before it.
    let bad = |at: usize| format!("198.51.100.{at}, 192.0.2.7");
    let tries = (0..100).map(|at| {
        let (address, email) = (bad(at), format!("nobody{at}@example.org"));
        let world = &world;
        async move { guesses(world, &address, &email).await.status }
    });
    let statuses = futures_util::future::join_all(tries).await;
    assert!(statuses.iter().all(|status| *status == 401), "{statuses:?}");
    let locked = guesses(&world, &bad(1), &ana.email).await;
    assert_eq!(locked.refused(429), ["too many failed log-ins from this address"]);
    assert_eq!(locked.header("retry-after"), Some("900"));
    guesses(&world, "192.0.2.8", &ana.email).await.refused(401);
    world.logs_in(&ana.email, PASSWORD).await.ok();
    world.seconds_pass(900);
    guesses(&world, &bad(1), &ana.email).await.refused(401);
}

#[tokio::test]
async fn getting_in_costs_an_address_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..3 {
        let tries = (0..50).map(|_| async { world.logs_in(&ana.email, PASSWORD).await.status });
        let statuses = futures_util::future::join_all(tries).await;
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    }
}

#[tokio::test]
async fn unknown_email_costs_as_much_as_wrong_password() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for email in [ana.email.as_str(), "nobody@example.org"] {
        let before = world.metric("coterie_passwords_total").await;
        world.logs_in(email, "wrong horse battery").await.refused(401);
        let after = world.metric("coterie_passwords_total").await;
        assert_eq!(after - before, 1, "{email}");
    }
}
