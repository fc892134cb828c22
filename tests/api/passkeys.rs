//! Passkeys: adding, log-ins, as second factor and as fresh proof.

use serde_json::{Value, json};

use crate::factors::{code, sets_up};
use crate::oauth::application;
use crate::recovery::with_mail;
use crate::world::answer::Answer;
use crate::world::authenticator::Authenticator;
use crate::world::browser::Browser;
use crate::world::mail_server::MailServer;
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// The host of the page, whose port a restart does not change.
const PLACE: &str = "https://chat.example.org";

async fn world() -> World {
    World::with(Setup::default().option("--public-url", PLACE)).await
}

fn authenticator() -> Authenticator {
    Authenticator::at(PLACE.to_owned())
}

async fn begins_to_add(person: &Person, proof: &Value) -> Answer {
    person.posts("/auth/passkeys/register/start").json(proof).await
}

/// Adds a passkey with this proof, and returns it.
async fn adds_with(person: &Person, key: &mut Authenticator, proof: &Value) -> Value {
    let begun = begins_to_add(person, proof).await.ok();
    let credential = key.makes(&begun["options"]);
    let body = json!({"state": begun["state"], "credential": credential, "name": " My phone "});
    person.posts("/auth/passkeys/register/finish").json(&body).await.created()
}

async fn adds(person: &Person, key: &mut Authenticator) -> Value {
    adds_with(person, key, &json!({})).await
}

async fn asks_for_log_in(world: &World) -> Value {
    world.post("/auth/passkeys/login/start").await.ok()
}

/// What a key shows for a new challenge.
async fn shows(world: &World, key: &Authenticator) -> Value {
    let begun = asks_for_log_in(world).await;
    json!({"state": begun["state"], "credential": key.signs(&begun["options"])})
}

async fn logs_in_with(world: &World, shown: &Value) -> Answer {
    world.post("/auth/passkeys/login/finish").json(shown).await
}

async fn logs_in(world: &World, key: &Authenticator) -> Answer {
    logs_in_with(world, &shows(world, key).await).await
}

#[tokio::test]
async fn passkey_logs_in_without_a_name() {
    let mut world = world().await;
    let [ana] = world.people(["Ana"]).await;
    assert_eq!(world.get("/auth/options").await.ok()["passkeys"], true);
    let mut key = authenticator();
    let added = adds(&ana, &mut key).await;
    assert_eq!((text(&added["name"]), &added["used_at"]), ("My phone", &Value::Null));
    assert_eq!((text(&added["host"]), &added["synced"]), ("chat.example.org", &json!(false)));
    world.restarts().await;
    world.seconds_pass(60);
    let welcome = logs_in(&world, &key).await.ok();
    let again = Person::new(ana.address.clone(), &welcome);
    assert_eq!(again.gets("/v3/users/me").await.ok()["id"], json!(ana.id));
    let listed = again.gets("/auth/passkeys").await.ok();
    assert_eq!(listed[0]["used_at"], json!(world.clock_seconds()));
    // A passkey alone does not turn two-factor log-in on.
    world.logs_in(&ana.email, PASSWORD).await.ok();
    let path = format!("/auth/passkeys/{}", text(&added["id"]));
    let renames = async |body: Value| ana.asks("PATCH", &path).json(&body).await;
    let long = renames(json!({"name": "n".repeat(61)})).await.refused(400);
    assert!(long[0].starts_with("name ") && long[0].contains("60"), "{long:?}");
    assert_eq!(renames(json!({})).await.refused(400), ["name is required"]);
    renames(json!({"name": "Laptop"})).await.ok();
    assert_eq!(ana.gets(&path).await.ok()["name"], "Laptop");
    ana.asks("DELETE", &path).json(&json!({})).await.ok();
    for method in ["GET", "DELETE"] {
        ana.asks(method, &path).json(&json!({})).await.refused(404);
    }
    logs_in(&world, &key).await.refused(401);
}

#[tokio::test]
async fn response_counts_once_and_only_where_it_belongs() {
    let world = world().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut key = authenticator();
    key.counter = 5;
    let added = adds(&ana, &mut key).await;
    let path = format!("/auth/passkeys/{}", text(&added["id"]));
    for (method, body) in
        [("GET", json!({})), ("PATCH", json!({"name": "n"})), ("DELETE", json!({}))]
    {
        ben.asks(method, &path).json(&body).await.refused(404);
    }
    let empty = ["state is required", "credential is required"];
    assert_eq!(logs_in_with(&world, &json!({})).await.refused(400), empty);
    let nonsense = json!({"state": "s", "credential": {"id": "x"}});
    logs_in_with(&world, &nonsense).await.refused(400);
    // The counter has to go forward.
    logs_in(&world, &key).await.refused(401);
    key.counter = 6;
    let shown = shows(&world, &key).await;
    logs_in_with(&world, &shown).await.ok();
    logs_in_with(&world, &shown).await.refused(401);
    key.counter = 7;
    let other = asks_for_log_in(&world).await;
    let mixed =
        json!({"state": other["state"], "credential": shows(&world, &key).await["credential"]});
    logs_in_with(&world, &mixed).await.refused(401);
    let late = shows(&world, &key).await;
    key.origin = "https://evil.example.org".to_owned();
    logs_in(&world, &key).await.refused(401);
    key.origin = PLACE.to_owned();
    world.seconds_pass(300);
    logs_in_with(&world, &late).await.refused(401);
    logs_in(&world, &key).await.ok();
    // A key that names no user.
    logs_in(&world, &authenticator()).await.refused(400);
}

#[tokio::test]
async fn wrong_responses_lock_the_passkey_alone() {
    let world = world().await;
    let [ana] = world.people(["Ana"]).await;
    let mut key = authenticator();
    let mut other = authenticator();
    adds(&ana, &mut key).await;
    adds(&ana, &mut other).await;
    key.origin = "https://evil.example.org".to_owned();
    let mut refused = 0;
    while logs_in(&world, &key).await.status == 401 {
        refused += 1;
    }
    assert_eq!(refused, 10);
    logs_in(&world, &key).await.refused(429);
    logs_in(&world, &other).await.ok();
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn passkey_is_a_second_factor() {
    let world = world().await;
    let [ana] = world.people(["Ana"]).await;
    let mut key = authenticator();
    adds(&ana, &mut key).await;
    let (secret, codes) = sets_up(&world, &ana).await;
    let waits = world.logs_in(&ana.email, PASSWORD).await.accepted();
    assert_eq!(waits["verification"]["methods"], json!(["totp", "recovery", "passkey"]));
    let waiting = waits["verification"]["code"].clone();
    let verifies = async |passkey: Value, trust: bool| {
        let body = json!({"code": waiting, "passkey": passkey, "trust": trust});
        world.post("/auth/login/verify").json(&body).await
    };
    let empty = verifies(json!({}), false).await.refused(400);
    assert_eq!(empty, ["passkey.state is required", "passkey.credential is required"]);
    let nonsense = json!({"state": "s", "credential": {}});
    let wrong = verifies(nonsense, false).await.refused(401);
    assert_eq!(wrong, ["the code is wrong; tries left: 4"]);
    // One factor beside the password: it need not verify its user.
    key.verifies = false;
    let unverified = logs_in(&world, &key).await.refused(403);
    assert!(unverified[0].starts_with("this passkey did not verify you"), "{unverified:?}");
    let welcome = verifies(shows(&world, &key).await, true).await.ok();
    assert!(welcome["device"].is_string(), "{welcome}");
    verifies(shows(&world, &key).await, false).await.refused(401);
    key.verifies = true;
    logs_in(&world, &key).await.ok();
    // Changes of the factors need both, or a passkey that verified its user.
    let refused = begins_to_add(&ana, &json!({})).await.refused(400);
    assert_eq!(refused, ["password is required", "totp or recovery is required"]);
    let both = json!({"password": PASSWORD, "totp": code(&world, &secret, 1)});
    adds_with(&ana, &mut authenticator(), &both).await;
    let both = json!({"password": PASSWORD, "recovery": codes[0]});
    let second = adds_with(&ana, &mut authenticator(), &both).await;
    let path = format!("/auth/passkeys/{}", text(&second["id"]));
    key.verifies = false;
    let weak = json!({"passkey": shows(&world, &key).await});
    ana.asks("DELETE", &path).json(&weak).await.refused(403);
    ana.asks("DELETE", "/auth/totp").json(&weak).await.refused(403);
    key.verifies = true;
    let strong = json!({"passkey": shows(&world, &key).await});
    ana.asks("DELETE", &path).json(&strong).await.ok();
    ana.asks("DELETE", "/auth/totp").json(&strong).await.refused(403);
    let strong = json!({"passkey": shows(&world, &key).await});
    ana.asks("DELETE", "/auth/totp").json(&strong).await.ok();
    assert_eq!(ana.gets("/auth/passkeys").await.ok().as_array().unwrap().len(), 2);
    logs_in(&world, &key).await.ok();
}

#[tokio::test]
async fn passkey_is_a_fresh_proof() {
    let world = world().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut key = authenticator();
    adds(&ana, &mut key).await;
    let mut bens = authenticator();
    adds(&ben, &mut bens).await;
    world.seconds_pass(600);
    let refused = begins_to_add(&ana, &json!({})).await;
    refused.refused(403);
    let proves =
        async |shown: Value| ana.posts("/auth/fresh").json(&json!({"passkey": shown})).await;
    proves(shows(&world, &bens).await).await.refused(403);
    let shown = shows(&world, &key).await;
    proves(shown.clone()).await.ok();
    proves(shown).await.refused(403);
    begins_to_add(&ana, &json!({})).await.ok();
}

#[tokio::test]
async fn passkey_is_added_once_by_the_session_that_began() {
    let world = world().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut key = authenticator();
    let begun = begins_to_add(&ana, &json!({})).await.ok();
    assert_eq!(begun["options"]["user"]["name"], json!(ana.email));
    let finishes = async |person: &Person, state: &Value, credential: &Value, name: &str| {
        let body = json!({"state": state, "credential": credential, "name": name});
        person.posts("/auth/passkeys/register/finish").json(&body).await
    };
    let credential = key.makes(&begun["options"]);
    let state = &begun["state"];
    finishes(&ana, state, &credential, "").await.refused(400);
    finishes(&ben, state, &credential, "n").await.refused(403);
    finishes(&ana, &asks_for_log_in(&world).await["state"], &credential, "n").await.refused(403);
    finishes(&ana, state, &json!({"id": "x"}), "n").await.refused(400);
    let other = begins_to_add(&ana, &json!({})).await.ok();
    finishes(&ana, &other["state"], &credential, "n").await.refused(403);
    finishes(&ana, state, &credential, "n").await.created();
    let known = finishes(&ana, state, &credential, "n").await.refused(409);
    assert_eq!(known, ["this passkey was added already"]);
    let excluded =
        begins_to_add(&ana, &json!({})).await.ok()["options"]["excludeCredentials"].clone();
    assert_eq!(excluded[0]["id"], credential["id"]);
    for _ in 1..20 {
        adds(&ana, &mut authenticator()).await;
    }
    let begun = begins_to_add(&ana, &json!({})).await.ok();
    let one_more = authenticator().makes(&begun["options"]);
    let full = finishes(&ana, &begun["state"], &one_more, "n").await.refused(409);
    assert_eq!(full, ["an account has at most 20 passkeys; remove one first"]);
    let late = begins_to_add(&ben, &json!({})).await.ok();
    world.seconds_pass(300);
    let credential = authenticator().makes(&late["options"]);
    finishes(&ben, &late["state"], &credential, "n").await.refused(403);
}

#[tokio::test]
async fn mails_tell_of_passkeys_and_a_protest_removes_them() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server).option("--public-url", PLACE)).await;
    let [ana] = world.people(["Ana"]).await;
    server.receives().await;
    let mut key = authenticator();
    let first = adds(&ana, &mut key).await;
    let told = server.receives().await;
    assert!(told.header("Subject").starts_with("A passkey was added"), "{told:?}");
    let path = format!("/auth/passkeys/{}", text(&first["id"]));
    ana.asks("DELETE", &path).json(&json!({})).await.ok();
    let told = server.receives().await;
    assert!(told.header("Subject").starts_with("A passkey was removed"), "{told:?}");
    adds(&ana, &mut key).await;
    let (_, codes) = sets_up(&world, &ana).await;
    let added = server.receives().await.link("protest");
    server.receives().await;
    world.post(&format!("/auth/protest/{added}")).json(&json!({})).await.ok();
    logs_in(&world, &key).await.refused(401);
    // The protest is about the passkey: the other factor stays.
    let path = format!("/auth/recover/{}", server.receives().await.link("recover"));
    world.post(&path).json(&json!({"password": PASSWORD})).await.ok();
    let waits = world.logs_in(&ana.email, PASSWORD).await.accepted();
    let body = json!({"code": waits["verification"]["code"], "recovery": codes[0]});
    world.post("/auth/login/verify").json(&body).await.ok();
}

#[tokio::test]
async fn disabled_account_logs_in_with_no_passkey() {
    let world = world().await;
    let [ana] = world.people(["Ana"]).await;
    let mut key = authenticator();
    adds(&ana, &mut key).await;
    let ada = world.registers("Ada").await;
    world.promotes(&ada, Some("admin"));
    let path = format!("/v3/admin/users/{}/disable", ana.id);
    ada.posts(&path).json(&json!({"reason": "lost"})).await.ok();
    let refused = logs_in(&world, &key).await.refused(403);
    assert_eq!(refused, ["this account is disabled; contact the operators of this server"]);
}

#[tokio::test]
async fn server_without_a_name_has_no_passkeys() {
    let setup = Setup::default().option("--public-url", "https://192.0.2.1");
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    assert_eq!(world.get("/auth/options").await.ok()["passkeys"], false);
    let off = ["this server has no passkeys: its public URL needs https and a name"];
    assert_eq!(world.post("/auth/passkeys/login/start").await.refused(404), off);
    assert_eq!(begins_to_add(&ana, &json!({})).await.refused(404), off);
    assert_eq!(ana.gets("/auth/passkeys").await.ok(), json!([]));
}

#[tokio::test]
async fn passkey_logs_in_on_the_consent_page() {
    let world = world().await;
    let [ana] = world.people(["Ana"]).await;
    let mut key = authenticator();
    adds(&ana, &mut key).await;
    let client = application(&ana, "https://ropes.example.org/").await;
    let page = format!("/oauth/authorize?client_id={client}");
    let mut browser = Browser::new(&world.address);
    browser.opens(&page).await;
    assert!(browser.page.contains("Log in with a passkey"), "{}", browser.page);
    for (shown, status) in [("", 400), ("{}", 400), ("{\"state\": 1}", 400)] {
        let refused = browser.submits(&[("passkey", shown), ("act", "passkey")]).await;
        assert_eq!(refused.status, status, "{shown}");
        assert!(browser.page.contains("This passkey is not accepted."), "{}", browser.page);
    }
    let used = shows(&world, &key).await.to_string();
    let sent = browser.submits(&[("passkey", &used), ("act", "passkey")]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    browser.follows(&sent).await;
    assert!(browser.page.contains("You are logged in as <strong>Ana</strong>"), "{}", browser.page);
    // What was shown once is worth nothing for another browser.
    let mut other = Browser::new(&world.address);
    other.opens(&page).await;
    let again = other.submits(&[("passkey", &used), ("act", "passkey")]).await;
    assert_eq!(again.status, 401, "{}", again.text);
    assert!(again.header("www-authenticate").is_some());
}

#[tokio::test]
async fn local_server_has_passkeys_of_localhost() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let port = world.address.get().port();
    let mut key = Authenticator::at(format!("http://localhost:{port}"));
    assert_eq!(adds(&ana, &mut key).await["host"], "localhost");
    logs_in(&world, &key).await.ok();
}
