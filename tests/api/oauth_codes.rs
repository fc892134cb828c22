//! The authorization code with PKCE (RFC 6749, RFC 7636, RFC 9700).

use serde_json::{Value, json};

use crate::oauth::{CALLBACK, application, brought_back, logs_in};
use crate::trouble::troubled;
use crate::world::answer::Answer;
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::stream::Stream;
use crate::world::{PASSWORD, World};

// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Consents to the application; returns the code that it gets.
async fn code(world: &World, person: &Person, client: &str, more: &str) -> String {
    let page = format!(
        "/oauth/authorize?response_type=code&client_id={client}&code_challenge={CHALLENGE}\
         &code_challenge_method=S256&state=7{more}"
    );
    let mut browser = logs_in(world, person, &page).await;
    let back = brought_back(&browser.submits(&[("act", "allow")]).await, CALLBACK);
    let issuer = world.address.url("");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(back[0].0, "code");
    assert_eq!(back[1..], [pair("state", "7"), pair("iss", &issuer)]);
    back[0].1.clone()
}

/// The fields with which an application exchanges a code.
fn claim(code: &str, client: &str) -> Value {
    json!({"grant_type": "authorization_code", "client_id": client, "code": code,
        "code_verifier": VERIFIER})
}

/// The same fields with one of them changed.
fn but(mut claim: Value, name: &str, value: &str) -> Value {
    claim[name] = json!(value);
    claim
}

async fn spends(world: &World, claim: &Value) -> Answer {
    let pairs = claim.as_object().unwrap().iter().map(|(name, value)| (name, text(value)));
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    world.post("/oauth/token").body("application/x-www-form-urlencoded", body).await
}

#[track_caller]
fn given(answer: Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    serde_json::from_str(&answer.text).unwrap()
}

#[track_caller]
fn refused(answer: &Answer, error: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let told: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(told["error"], error, "{told}");
}

#[tokio::test]
async fn a_code_becomes_a_token() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let by_form = spends(&world, &claim(&code(&world, &ana, &client, "").await, &client)).await;
    let json = claim(&code(&world, &ana, &client, "").await, &client);
    let by_json = world.post("/oauth/token").json(&json).await;
    for answer in [by_form, by_json] {
        let token = given(answer);
        assert_eq!(
            (&token["token_type"], &token["scope"]),
            (&json!("Bearer"), &json!("conversations"))
        );
        assert_eq!(token.get("expires_in"), None);
        let bearer = format!("Bearer {}", text(&token["access_token"]));
        let me = world.get("/v3/users/me").header("Authorization", &bearer).await.ok();
        assert_eq!(me["id"], ana.id);
    }
    let tokens = ana.gets("/auth/tokens").await.ok();
    assert_eq!(tokens[2]["application"], "Ropes & <Knots>");
}

#[tokio::test]
async fn token_response_has_the_granted_scopes() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let code = code(&world, &ana, &client, "&scope=dms:read%20messages:read").await;
    let token = given(spends(&world, &claim(&code, &client)).await);
    assert_eq!(token["scope"], "messages:read dms:read");
    let guest = Person { token: text(&token["access_token"]).to_owned(), ..ana.clone() };
    guest.gets("/v3/chats").await.ok();
    assert_eq!(guest.gets("/v3/groups").await.refused(403), ["this token lacks groups:read"]);
}

#[tokio::test]
async fn token_response_has_expires_in() {
    let world = World::with(Setup::default().option("--token-ttl", "1h")).await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let token =
        given(spends(&world, &claim(&code(&world, &ana, &client, "").await, &client)).await);
    assert_eq!(token["expires_in"], 3600);
    world.seconds_pass(3600);
    world.get("/v3/users/me").token(text(&token["access_token"])).await.refused(401);
}

/// A stream that always has something to send never waits long enough to check the time on its own.
#[tokio::test]
async fn stream_ends_with_its_token() {
    let world = World::with(Setup::default().option("--token-ttl", "1h")).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let client = application(&ana, CALLBACK).await;
    let token =
        given(spends(&world, &claim(&code(&world, &ana, &client, "").await, &client)).await);
    let guest = Person { token: text(&token["access_token"]).to_owned(), ..ana.clone() };
    let mut stream = Stream::open(&guest, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    world.seconds_pass(1800);
    let later = world.logs_in(&ana.email, PASSWORD).await.ok()["access_token"].clone();
    let ana = Person { token: text(&later).to_owned(), ..ana };
    world.seconds_pass(1800);
    ana.says(&climbers, "a secret").await;
    assert_eq!(stream.hears("bye").await.data["code"], 4401);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn reused_code_revokes_its_token() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let claim = claim(&code(&world, &ana, &client, "").await, &client);
    let token = given(spends(&world, &claim).await);
    let guest = Person { token: text(&token["access_token"]).to_owned(), ..ana.clone() };
    let mut feed = guest.listens().await;
    refused(&spends(&world, &claim).await, "invalid_grant");
    guest.gets("/v3/users/me").await.refused(401);
    assert_eq!(feed.ends().await, 4401);
    ana.gets("/v3/users/me").await.ok();
}

/// If the room cannot write, it gives no token, and the code stays valid.
#[tokio::test]
async fn a_code_that_met_trouble_is_not_spent() {
    let (world, trouble) = troubled().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let claim = claim(&code(&world, &ana, &client, "").await, &client);
    trouble.journal().cut_off(true);
    let answer = spends(&world, &claim).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    trouble.journal().cut_off(false);
    let token = given(spends(&world, &claim).await);
    world.get("/v3/users/me").token(text(&token["access_token"])).await.ok();
    refused(&spends(&world, &claim).await, "invalid_grant");
}

#[tokio::test]
async fn a_code_spent_by_many_at_once_leaves_no_token() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let claim = claim(&code(&world, &ana, &client, "").await, &client);
    let answers = futures_util::future::join_all((0..8).map(|_| spends(&world, &claim))).await;
    let given: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert!(given.len() <= 1, "{given:?}");
    for answer in given {
        let token: Value = serde_json::from_str(&answer.text).unwrap();
        let me = world.get("/v3/users/me").token(text(&token["access_token"])).await;
        me.refused(401);
    }
    assert_eq!(ana.gets("/auth/tokens").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_code_is_for_one_client_one_verifier_and_one_address() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (client, other) = (application(&ana, CALLBACK).await, application(&ana, CALLBACK).await);
    let named = "&redirect_uri=https%3A%2F%2Fropes.example%2Fback%3Ffrom%3Dcoterie";
    let code = code(&world, &ana, &client, named).await;
    let good = but(claim(&code, &client), "redirect_uri", CALLBACK);
    for (bad, error) in [
        (but(good.clone(), "client_id", &other), "invalid_grant"),
        (but(good.clone(), "client_id", &"0".repeat(32)), "invalid_client"),
        (but(good.clone(), "client_id", "x"), "invalid_client"),
        (but(good.clone(), "code_verifier", &"A".repeat(43)), "invalid_grant"),
        (but(good.clone(), "code_verifier", CHALLENGE), "invalid_grant"),
        (but(good.clone(), "redirect_uri", "https://ropes.example/back"), "invalid_grant"),
        (but(good.clone(), "redirect_uri", ""), "invalid_grant"),
        (but(good.clone(), "code", &"A".repeat(43)), "invalid_grant"),
        (but(good.clone(), "grant_type", "password"), "unsupported_grant_type"),
        (but(good.clone(), "grant_type", ""), "invalid_request"),
        (but(good.clone(), "client_id", ""), "invalid_request"),
        (but(good.clone(), "code", ""), "invalid_request"),
        (but(good.clone(), "code_verifier", ""), "invalid_request"),
    ] {
        refused(&spends(&world, &bad).await, error);
    }
    // None of the refused attempts has used up the code.
    given(spends(&world, &good).await);
}

/// A program on the user's machine listens on whatever port is free (RFC 8252, section 7.3).
#[tokio::test]
async fn a_code_comes_to_any_port_of_a_loopback_address() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let registered = "http://127.0.0.1:9000/back";
    let client = application(&ana, registered).await;
    let page = format!(
        "/oauth/authorize?response_type=code&client_id={client}&code_challenge={CHALLENGE}\
         &code_challenge_method=S256&redirect_uri=http%3A%2F%2F127.0.0.1%3A51004%2Fback"
    );
    let mut browser = logs_in(&world, &ana, &page).await;
    assert!(browser.page.contains("<code>http://127.0.0.1:51004</code>"), "{}", browser.page);
    let answer = browser.submits(&[("act", "allow")]).await;
    let back = brought_back(&answer, "http://127.0.0.1:51004/back");
    let claim = claim(&back[0].1, &client);
    let elsewhere = but(claim.clone(), "redirect_uri", registered);
    refused(&spends(&world, &elsewhere).await, "invalid_grant");
    let here = but(claim, "redirect_uri", "http://127.0.0.1:51004/back");
    given(spends(&world, &here).await);
}

#[tokio::test]
async fn a_code_lives_for_two_minutes() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let (early, late) =
        (code(&world, &ana, &client, "").await, code(&world, &ana, &client, "").await);
    world.seconds_pass(119);
    given(spends(&world, &claim(&early, &client)).await);
    world.seconds_pass(1);
    refused(&spends(&world, &claim(&late, &client)).await, "invalid_grant");
}

#[tokio::test]
async fn a_code_is_worth_nothing_after_another_password() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let code = code(&world, &ana, &client, "").await;
    let change = json!({"current_password": PASSWORD, "new_password": "a better horse"});
    ana.posts("/auth/password").json(&change).await.ok();
    refused(&spends(&world, &claim(&code, &client)).await, "invalid_grant");
}

#[tokio::test]
async fn malformed_token_request_gets_rfc_error_codes() {
    let world = World::start().await;
    let form = "application/x-www-form-urlencoded";
    let twice = "grant_type=authorization_code&client_id=a&client_id=b";
    refused(&world.post("/oauth/token").body(form, twice).await, "invalid_request");
    refused(&world.post("/oauth/token").body("application/json", "[1]").await, "invalid_request");
    refused(&world.post("/oauth/token").body(form, "x".repeat(2 << 20)).await, "invalid_request");
    // Fields in the query do not count, since queries end up in logs.
    let query = "/oauth/token?grant_type=authorization_code&client_id=a&code=b&code_verifier=c";
    refused(&world.post(query).await, "invalid_request");
    let secret = "grant_type=authorization_code&code=b&code_verifier=c";
    let basic = world.post("/oauth/token").header("Authorization", "Basic YTpi");
    let answer = basic.body(form, secret).await;
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").unwrap().starts_with("Basic"));
    assert!(answer.text.contains("invalid_client"));
}

#[tokio::test]
async fn programs_find_their_way() {
    let world = World::start().await;
    let answer = world.get("/.well-known/oauth-authorization-server").await;
    let told: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(told["issuer"], world.address.url(""));
    assert_eq!(told["token_endpoint"], world.address.url("/oauth/token"));
    assert_eq!(told["revocation_endpoint"], world.address.url("/oauth/revoke"));
    let scopes = told["scopes_supported"].as_array().unwrap();
    assert!(scopes.contains(&json!("messages:read")) && scopes.contains(&json!("conversations")));
    assert!(!scopes.contains(&json!("account")));
    assert_eq!(told["code_challenge_methods_supported"], json!(["S256"]));
}
