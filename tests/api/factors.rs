//! The second factor: one-time codes, recovery codes, trusted devices, fresh proof.

use serde_json::{Value, json};
use totp_rs::{Builder, Secret};

use crate::oauth::{CALLBACK, application};
use crate::recovery::with_mail;
use crate::world::answer::Answer;
use crate::world::browser::Browser;
use crate::world::mail_server::MailServer;
use crate::world::person::{Person, text};
use crate::world::{PASSWORD, World};

/// The code of a secret, this many steps from now.
pub(crate) fn code(world: &World, secret: &str, steps: u64) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    totp.generate(world.clock_seconds() + 30 * steps).to_string()
}

/// Turns the second factor on. Returns the secret and the recovery codes.
pub(crate) async fn sets_up(world: &World, person: &Person) -> (String, Vec<String>) {
    let made = person.posts("/auth/totp").json(&json!({})).await.created();
    let secret = text(&made["secret"]).to_owned();
    assert!(text(&made["uri"]).contains(&format!("secret={secret}")), "{made}");
    let first = json!({"code": code(world, &secret, 0)});
    let codes = person.posts("/auth/totp/confirm").json(&first).await.ok();
    let codes = codes["recovery_codes"].as_array().unwrap();
    (secret, codes.iter().map(|it| text(it).to_owned()).collect())
}

async fn logs_in_with(world: &World, body: &Value) -> Answer {
    world.address.asks("POST", "/auth/login").json(body).await
}

/// Begins a log-in, and returns its code.
async fn begins(world: &World, person: &Person) -> String {
    let waits = world.logs_in(&person.email, PASSWORD).await.accepted();
    assert_eq!(waits["verification"]["methods"], json!(["totp", "recovery"]));
    text(&waits["verification"]["code"]).to_owned()
}

async fn verifies(world: &World, body: &Value) -> Answer {
    world.address.asks("POST", "/auth/login/verify").json(body).await
}

fn details(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    body["meta"]["details"].clone()
}

#[tokio::test]
async fn log_in_needs_a_code_that_works_once() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let off = json!({"enabled": false, "since": null, "recovery_codes": 0, "required_until": null});
    assert_eq!(ana.gets("/auth/totp").await.ok(), off);
    let (secret, codes) = sets_up(&world, &ana).await;
    assert_eq!(codes.len(), 10);
    assert_eq!(ana.gets("/auth/totp").await.ok()["recovery_codes"], 10);
    ana.posts("/auth/totp").json(&json!({})).await.refused(409);
    world.restarts().await;
    let verification = begins(&world, &ana).await;
    // The code of the set-up was used.
    let used = json!({"code": verification, "totp": code(&world, &secret, 0)});
    assert_eq!(verifies(&world, &used).await.refused(401), ["the code is wrong; tries left: 4"]);
    world.restarts().await;
    let next = json!({"code": verification, "totp": code(&world, &secret, 1)});
    let welcome = verifies(&world, &next).await.ok();
    assert!(welcome.get("device").is_none());
    let again = Person::new(ana.address.clone(), &welcome);
    again.gets("/v3/users/me").await.ok();
    verifies(&world, &next).await.refused(401);
    let other = begins(&world, &ana).await;
    verifies(&world, &json!({"code": other, "totp": next["totp"]})).await.refused(401);
    let typed = codes[3].to_uppercase().replace('-', " ");
    let by_recovery = json!({"code": other, "recovery": typed});
    verifies(&world, &by_recovery).await.ok();
    let other = begins(&world, &ana).await;
    verifies(&world, &json!({"code": other, "recovery": codes[3]})).await.refused(401);
    assert_eq!(ana.gets("/auth/totp").await.ok()["recovery_codes"], 9);
}

#[tokio::test]
async fn verification_takes_five_codes_in_five_minutes() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (secret, _) = sets_up(&world, &ana).await;
    let verification = begins(&world, &ana).await;
    for left in (0..5).rev() {
        if left == 2 {
            world.restarts().await;
        }
        let wrong = json!({"code": verification, "recovery": "aaaa-bbbb-cccc-dddd"});
        let refused = verifies(&world, &wrong).await.refused(401);
        let expected = match left {
            0 => "the code is wrong; log in again".to_owned(),
            left => format!("the code is wrong; tries left: {left}"),
        };
        assert_eq!(refused, [expected]);
    }
    let right = json!({"code": verification, "totp": code(&world, &secret, 1)});
    let expired = ["this log-in has expired; log in again"];
    assert_eq!(verifies(&world, &right).await.refused(401), expired);
    let late = begins(&world, &ana).await;
    world.seconds_pass(300);
    let right = json!({"code": late, "totp": code(&world, &secret, 0)});
    assert_eq!(verifies(&world, &right).await.refused(401), expired);
    let empty = verifies(&world, &json!({})).await.refused(400);
    assert_eq!(empty, ["code is required", "totp, recovery or passkey is required"]);
    verifies(&world, &json!({"code": "x", "totp": "12345"})).await.refused(401);
}

#[tokio::test]
async fn wrong_codes_lock_the_account_but_not_a_trusted_device() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (secret, codes) = sets_up(&world, &ana).await;
    let verification = begins(&world, &ana).await;
    let trusting = json!({"code": verification, "totp": code(&world, &secret, 1), "trust": true});
    let device = verifies(&world, &trusting).await.ok()["device"].clone();
    for _ in 0..2 {
        let verification = begins(&world, &ana).await;
        for _ in 0..5 {
            let wrong = json!({"code": verification, "recovery": "aaaa"});
            verifies(&world, &wrong).await.refused(401);
        }
    }
    // A right password resets nothing before the factor passes.
    world.logs_in(&ana.email, PASSWORD).await.refused(429);
    let known = json!({"email": ana.email, "password": PASSWORD, "device": device});
    logs_in_with(&world, &known).await.ok();
    let wrong = json!({"email": ana.email, "password": "wrong horse", "device": device});
    logs_in_with(&world, &wrong).await.refused(401);
    let strange = json!({"email": ana.email, "password": PASSWORD, "device": "strange"});
    logs_in_with(&world, &strange).await.refused(429);
    world.seconds_pass(15 * 60);
    let verification = begins(&world, &ana).await;
    verifies(&world, &json!({"code": verification, "recovery": codes[0]})).await.ok();
}

#[tokio::test]
async fn trusted_device_is_listed_revoked_and_ends_with_the_password() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (_, codes) = sets_up(&world, &ana).await;
    let trusts = async |number: usize| {
        let body =
            json!({"code": begins(&world, &ana).await, "recovery": codes[number], "trust": true});
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let asked = world.address.asks("POST", "/auth/login/verify").header("User-Agent", agent);
        asked.json(&body).await.ok()["device"].clone()
    };
    let logs_in = async |device: &Value| {
        let body = json!({"email": ana.email, "password": PASSWORD, "device": device});
        logs_in_with(&world, &body).await
    };
    let device = trusts(0).await;
    logs_in(&device).await.ok();
    let listed = ana.gets("/auth/devices").await.ok();
    assert_eq!(listed[0]["name"], "Firefox, Linux");
    let path = format!("/auth/devices/{}", text(&listed[0]["id"]));
    ben.asks("DELETE", &path).await.refused(404);
    ana.asks("DELETE", "/auth/devices/x").await.refused(404);
    ana.asks("DELETE", &path).await.ok();
    ana.asks("DELETE", &path).await.refused(404);
    logs_in(&device).await.accepted();
    let device = trusts(1).await;
    world.seconds_pass(30 * 24 * 3600 - 1);
    logs_in(&device).await.ok();
    world.seconds_pass(1);
    logs_in(&device).await.accepted();
    let device = trusts(2).await;
    let body = json!({"current_password": PASSWORD, "new_password": PASSWORD});
    ana.posts("/auth/password").json(&body).await.ok();
    logs_in(&device).await.accepted();
    assert_eq!(ana.gets("/auth/devices").await.ok(), json!([]));
}

#[tokio::test]
async fn removal_needs_password_and_code_and_mails_tell_of_changes() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let [ana] = world.people(["Ana"]).await;
    server.receives().await;
    let (secret, codes) = sets_up(&world, &ana).await;
    let told = server.receives().await;
    assert!(told.header("Subject").starts_with("Two-factor log-in was turned on"), "{told:?}");
    let removes = async |body: Value| ana.asks("DELETE", "/auth/totp").json(&body).await;
    let empty = removes(json!({})).await.refused(400);
    assert_eq!(empty, ["password is required", "totp or recovery is required"]);
    let right = code(&world, &secret, 1);
    removes(json!({"password": "wrong horse", "totp": right})).await.refused(403);
    removes(json!({"password": PASSWORD, "recovery": "aaaa"})).await.refused(403);
    removes(json!({"password": PASSWORD, "totp": right})).await.ok();
    removes(json!({"password": PASSWORD, "recovery": codes[0]})).await.refused(404);
    world.logs_in(&ana.email, PASSWORD).await.ok();
    let told = server.receives().await;
    assert!(told.header("Subject").starts_with("Two-factor log-in was turned off"), "{told:?}");
}

#[tokio::test]
async fn protest_against_a_new_factor_removes_it() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let [ana] = world.people(["Ana"]).await;
    server.receives().await;
    sets_up(&world, &ana).await;
    let added = server.receives().await.link("protest");
    world.address.asks("POST", &format!("/auth/protest/{added}")).json(&json!({})).await.ok();
    let path = format!("/auth/recover/{}", server.receives().await.link("recover"));
    world.address.asks("POST", &path).json(&json!({"password": PASSWORD})).await.ok();
    world.logs_in(&ana.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn recovery_keeps_the_second_factor() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let [ana] = world.people(["Ana"]).await;
    server.receives().await;
    let (secret, _) = sets_up(&world, &ana).await;
    server.receives().await;
    let body = json!({"email": ana.email});
    world.address.asks("POST", "/auth/recover").json(&body).await.accepted();
    let path = format!("/auth/recover/{}", server.receives().await.link("recover"));
    world.address.asks("POST", &path).json(&json!({"password": PASSWORD})).await.ok();
    let right = json!({"code": begins(&world, &ana).await, "totp": code(&world, &secret, 1)});
    verifies(&world, &right).await.ok();
}

#[tokio::test]
async fn old_session_needs_a_fresh_proof() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    world.seconds_pass(600);
    let begins = async || ana.posts("/auth/totp").json(&json!({})).await;
    let refused = begins().await;
    assert_eq!(refused.refused(403).len(), 1);
    assert_eq!(details(&refused), json!({"needs": "fresh"}));
    let renames = json!({"email": "new@example.org"});
    let refused = ana.posts("/v3/users/update").json(&renames).await;
    refused.refused(403);
    assert_eq!(details(&refused), json!({"needs": "fresh"}));
    let proves = async |body: Value| ana.posts("/auth/fresh").json(&body).await;
    assert_eq!(
        proves(json!({})).await.refused(400),
        ["password, totp, recovery or passkey is required"]
    );
    proves(json!({"password": "wrong horse"})).await.refused(403);
    proves(json!({"totp": "12345"})).await.refused(403);
    proves(json!({"password": PASSWORD})).await.ok();
    let (_, codes) = sets_up(&world, &ana).await;
    ana.posts("/v3/users/update").json(&renames).await.ok();
    world.seconds_pass(600);
    ana.posts("/v3/users/update").json(&json!({"email": ana.email})).await.refused(403);
    proves(json!({"recovery": codes[0]})).await.ok();
    ana.posts("/v3/users/update").json(&json!({"email": ana.email})).await.ok();
}

#[tokio::test]
async fn first_code_must_fit_the_newest_secret() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let confirms =
        async |code: &str| ana.posts("/auth/totp/confirm").json(&json!({"code": code})).await;
    confirms("12345").await.refused(409);
    let first = ana.posts("/auth/totp").json(&json!({})).await.created();
    let second = ana.posts("/auth/totp").json(&json!({})).await.created();
    confirms(&code(&world, text(&first["secret"]), 0)).await.refused(403);
    world.logs_in(&ana.email, PASSWORD).await.ok();
    confirms(&code(&world, text(&second["secret"]), 0)).await.ok();
    confirms("12345").await.refused(409);
}

#[tokio::test]
async fn page_of_applications_asks_for_the_code() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let (_, codes) = sets_up(&world, &ana).await;
    let path = format!("/oauth/authorize?client_id={client}");
    let mut browser = Browser::new(&world.address);
    browser.opens(&path).await;
    let shown = [("act", "log-in"), ("email", ana.email.as_str()), ("password", PASSWORD)];
    assert_eq!(browser.submits(&shown).await.status, 200);
    let wrong = browser.submits(&[("act", "verify"), ("code", "aaaa")]).await;
    assert_eq!(wrong.status, 401);
    assert!(wrong.text.contains("role=\"alert\"") && wrong.text.contains("name=\"code\""));
    let right = browser.submits(&[("act", "verify"), ("code", &codes[0])]).await;
    assert_eq!(right.status, 303);
    assert!(browser.follows(&right).await.text.contains("value=\"allow\""));
}

#[tokio::test]
async fn existing_clients_confirm_a_pin() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let asks = async |world: &World, path: &str, body: &Value| {
        world.address.asks("POST", path).json(body).await
    };
    let mut login = json!({"username": ana.email, "password": PASSWORD, "grant_type": "password",
        "app_id": "a", "device_id": "d"});
    let welcome = asks(&world, "/v2/access_tokens", &login).await.created();
    assert_eq!(welcome["user_id"], json!(ana.id));
    assert_eq!(welcome["user"]["email"], json!(ana.email));
    let empty = asks(&world, "/v2/access_tokens", &json!({})).await.refused(400);
    assert_eq!(empty, ["password is required", "username or email is required"]);
    let none = json!({"mfa": {"enabled": false, "channels": null}});
    assert_eq!(ana.gets("/v3/user/mfa").await.ok(), none);
    let (secret, _) = sets_up(&world, &ana).await;
    let mfa = ana.gets("/v3/user/mfa").await.ok();
    assert_eq!(mfa["mfa"]["channels"][0]["type"], "totp");
    assert_eq!(ana.gets("/compat/v3/users/me").await.ok()["mfa"], mfa["mfa"]);
    let challenge = asks(&world, "/v2/access_tokens", &login).await;
    assert_eq!(challenge.status, 202);
    let challenge: Value = serde_json::from_str(&challenge.text).unwrap();
    assert_eq!(challenge["meta"]["code"], 20_200);
    let waits = &challenge["response"]["verification"];
    assert_eq!((&waits["status"], &waits["type"]), (&json!("unverified"), &json!("force")));
    let code_of_log_in = text(&waits["code"]).to_owned();
    assert_eq!(code_of_log_in.len(), 64);
    let path = format!("/v3/verifications/{code_of_log_in}");
    let method = json!({"verification": {"method": "totp"}});
    let begun = asks(&world, &format!("{path}/initiate"), &method).await.ok();
    assert_eq!(begun["code_format"]["min_length"], 6);
    login["verification"] = json!({"code": code_of_log_in});
    asks(&world, "/v2/access_tokens", &login).await.refused(401);
    let confirm = format!("{path}/confirm");
    let wrong = asks(&world, &confirm, &json!({"verification": {"pin": "aaaa"}})).await;
    let body: Value = serde_json::from_str(&wrong.text).unwrap();
    assert_eq!((wrong.status, &body["response"]), (400, &json!({"remaining_attempts": 4})));
    asks(&world, &confirm, &json!({})).await.refused(400);
    let pin = json!({"verification": {"pin": code(&world, &secret, 1)}});
    assert_eq!(asks(&world, &confirm, &pin).await.ok(), json!({"status": 20_000}));
    world.restarts().await;
    assert_eq!(world.address.asks("GET", &path).await.ok()["status"], "verified");
    asks(&world, "/v2/access_tokens", &login).await.created();
    asks(&world, "/v2/access_tokens", &login).await.refused(401);
    world.address.asks("GET", &path).await.refused(404);
    asks(&world, &format!("/v3/verifications/{}/initiate", "0".repeat(64)), &method)
        .await
        .refused(404);
}

#[tokio::test]
async fn sessions_are_listed_with_their_devices() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let agent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    let asked = world.address.asks("POST", "/auth/login").header("User-Agent", agent);
    asked.json(&json!({"email": ana.email, "password": PASSWORD})).await.ok();
    world.restarts().await;
    let listed = ana.gets("/auth/tokens").await.ok();
    assert_eq!(listed[1]["device"], "Firefox, Windows");
}

#[tokio::test]
async fn recovery_codes_are_renewed_with_password_and_code() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (_, former) = sets_up(&world, &ana).await;
    let renews = async |body: Value| ana.posts("/auth/totp/recovery-codes").json(&body).await;
    renews(json!({"password": PASSWORD})).await.refused(400);
    renews(json!({"password": "wrong one", "recovery": former[0]})).await.refused(403);
    renews(json!({"password": PASSWORD, "recovery": "aaaa-bbbb-cccc-dddd"})).await.refused(403);
    let renewed = renews(json!({"password": PASSWORD, "recovery": former[0]})).await.ok();
    let codes = renewed["recovery_codes"].as_array().unwrap();
    assert_eq!(codes.len(), 10);
    assert_eq!(ana.gets("/auth/totp").await.ok()["recovery_codes"], 10);
    let verification = begins(&world, &ana).await;
    verifies(&world, &json!({"code": verification, "recovery": former[1]})).await.refused(401);
    verifies(&world, &json!({"code": verification, "recovery": codes[0]})).await.ok();
}
