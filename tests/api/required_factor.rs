//! A second factor that operators require, of themselves or of everybody.

use serde_json::{Value, json};

use crate::factors::{code, sets_up};
use crate::world::answer::Answer;
use crate::world::issuer::Issuer;
use crate::world::person::Person;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

const SETTINGS: &str = "/v3/admin/settings";
const DAYS_14: u64 = 14 * 86_400;

async fn requires(admin: &Person, of: Value) -> Value {
    let body = json!({"second_factor": of, "reason": "as agreed"});
    admin.asks("PUT", SETTINGS).json(&body).await.ok()["second_factor"].clone()
}

/// Checks that an answer tells the caller to set a factor up.
fn asks_for_factor(answer: &Answer) {
    let refused = answer.refused(403);
    assert_eq!(refused, ["this server requires a second factor; set up one-time codes first"]);
    assert_eq!(answer.envelope()["meta"]["details"], json!({"needs": "second_factor"}));
}

/// Until when somebody has to set a factor up.
async fn deadline(person: &Person) -> Option<u64> {
    let until = person.gets("/auth/totp").await.ok()["required_until"].as_u64();
    let me = person.gets("/v3/users/me").await;
    if me.status == 200 {
        let snapshot = person.gets("/v3/sync").await.ok();
        for user in [me.ok(), snapshot["user"].clone()] {
            assert_eq!(user.get("second_factor").map(|it| it["until"].as_u64().unwrap()), until);
        }
    }
    until
}

#[tokio::test]
async fn everybody_has_fourteen_days_and_then_only_the_account() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    world.promotes(&ana, Some("admin"));
    assert_eq!(deadline(&ben).await, None);
    world.seconds_pass(100);
    let begun = world.clock_seconds();
    let set = requires(&ana, json!("everyone")).await;
    assert_eq!(set, json!({"value": "everyone", "source": "setting"}));
    world.seconds_pass(DAYS_14 - 60);
    // Saying it again gives nobody more time.
    requires(&ana, json!("everyone")).await;
    assert_eq!(deadline(&ben).await, Some(begun + DAYS_14));
    let cleo = world.registers("Cleo").await;
    assert_eq!(deadline(&cleo).await, Some(world.clock_seconds() + DAYS_14));
    world.seconds_pass(60);
    for path in ["/v3/users/me", "/v3/groups", "/v3/chats", &climbers.path("/messages"), "/v3/sync"]
    {
        asks_for_factor(&ben.gets(path).await);
    }
    asks_for_factor(&ben.posts(&climbers.path("/messages")).json(&json!({})).await);
    asks_for_factor(&ana.gets(SETTINGS).await);
    let mut socket = ben.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "token": ben.token})).await;
    assert_eq!(socket.ends().await, 4403);
    cleo.gets("/v3/groups").await.ok();
    world.restarts().await;
    asks_for_factor(&ben.gets("/v3/groups").await);
    // A log-in is limited too, and is what one sets the factor up with.
    let welcome = world.logs_in(&ben.email, PASSWORD).await.ok();
    let ben = Person::new(ben.address.clone(), &welcome);
    asks_for_factor(&ben.gets("/v3/groups").await);
    let (secret, _) = sets_up(&world, &ben).await;
    assert_eq!(deadline(&ben).await, None);
    ben.gets("/v3/groups").await.ok();
    let off = json!({"password": PASSWORD, "totp": code(&world, &secret, 1)});
    ben.asks("DELETE", "/auth/totp").json(&off).await.ok();
    asks_for_factor(&ben.gets("/v3/groups").await);
}

#[tokio::test]
async fn a_requirement_that_ends_frees_everybody_at_once() {
    let world = World::start().await;
    let [admin, ben] = world.people(["Ana", "Ben"]).await;
    world.promotes(&admin, Some("admin"));
    requires(&admin, json!("everyone")).await;
    world.seconds_pass(DAYS_14);
    asks_for_factor(&ben.gets("/v3/groups").await);
    let welcome = world.logs_in(&admin.email, PASSWORD).await.ok();
    let admin = Person::new(admin.address.clone(), &welcome);
    sets_up(&world, &admin).await;
    let set = requires(&admin, Value::Null).await;
    assert_eq!(set, json!({"value": "optional", "source": "default"}));
    ben.gets("/v3/groups").await.ok();
    let audit = admin.gets("/v3/admin/audit?act=settings_changed").await.ok();
    assert_eq!(audit["entries"][0]["before"], "second_factor: everyone");
    let wrong = json!({"second_factor": "all", "reason": "x"});
    assert_eq!(
        admin.asks("PUT", SETTINGS).json(&wrong).await.refused(400),
        ["second_factor must be optional, operators, everyone or null"]
    );
}

#[tokio::test]
async fn operators_of_a_public_server_need_one_for_their_acts() {
    let setup = Setup::default().option("--public-url", "https://chat.example.org");
    let mut world = World::with(setup).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    world.promotes(&ana, Some("admin"));
    let settings = ana.gets(SETTINGS).await.ok();
    assert_eq!(settings["second_factor"], json!({"value": "operators", "source": "default"}));
    let since = world.clock_seconds();
    assert_eq!(deadline(&ana).await, Some(since + DAYS_14));
    assert_eq!(deadline(&ben).await, None);
    world.seconds_pass(DAYS_14);
    // Another role is no new one, and a new one has its own time.
    world.promotes(&ana, Some("moderator"));
    world.promotes(&ben, Some("admin"));
    assert_eq!(deadline(&ana).await, Some(since + DAYS_14));
    assert_eq!(deadline(&ben).await, Some(world.clock_seconds() + DAYS_14));
    world.restarts().await;
    asks_for_factor(&ana.gets("/v3/admin/users").await);
    ana.gets("/v3/groups").await.ok();
    ben.gets("/v3/admin/users").await.ok();
    let welcome = world.logs_in(&ana.email, PASSWORD).await.ok();
    let ana = Person::new(ana.address.clone(), &welcome);
    sets_up(&world, &ana).await;
    ana.gets("/v3/admin/users").await.ok();
}

#[tokio::test]
async fn people_who_cannot_log_in_with_a_password_need_none() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let [admin, ben] = world.people(["Ana", "Ben"]).await;
    world.promotes(&admin, Some("admin"));
    requires(&admin, json!("everyone")).await;
    world.seconds_pass(DAYS_14 - 60);
    assert!(deadline(&ben).await.is_some());
    let body = json!({"password_login": "operators", "reason": "as agreed"});
    admin.asks("PUT", SETTINGS).json(&body).await.ok();
    world.seconds_pass(60);
    assert_eq!(deadline(&ben).await, None);
    ben.gets("/v3/groups").await.ok();
    asks_for_factor(&admin.gets("/v3/groups").await);
}
