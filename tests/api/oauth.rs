//! The consent page for applications, with which an application gets a token (specification,
//! section 5).

use serde_json::{Value, json};

use crate::world::answer::Answer;
use crate::world::browser::Browser;
use crate::world::person::{Person, text};
use crate::world::{PASSWORD, World};

/// The callback URL of the applications in these tests.
pub(crate) const CALLBACK: &str = "https://ropes.example/back?from=coterie";

/// Registers an application of this owner; returns its client id.
pub(crate) async fn application(owner: &Person, callback_url: &str) -> String {
    let body = json!({"name": "Ropes & <Knots>", "callback_url": callback_url});
    let made = owner.posts("/oauth/applications").json(&body).await.created();
    text(&made["client_id"]).to_owned()
}

/// Logs in on the page of an application; the page then asks for consent.
pub(crate) async fn logs_in(world: &World, person: &Person, page: &str) -> Browser {
    let mut browser = Browser::new(&world.address);
    assert_eq!(browser.opens(page).await.status, 200);
    let sent = browser
        .submits(&[("email", &person.email), ("password", PASSWORD), ("act", "log-in")])
        .await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    assert_eq!(browser.follows(&sent).await.status, 200);
    assert!(browser.page.contains("Allow Ropes &amp; &lt;Knots&gt;?"), "{}", browser.page);
    browser
}

/// The parameters that a redirect adds to the callback URL.
#[track_caller]
pub(crate) fn brought_back(answer: &Answer, callback: &str) -> Vec<(String, String)> {
    assert_eq!(answer.status, 302, "{}", answer.text);
    let added = answer.header("location").unwrap().strip_prefix(callback);
    let added = added.unwrap_or_else(|| panic!("elsewhere: {:?}", answer.header("location")));
    form_urlencoded::parse(added.trim_start_matches(['?', '&']).as_bytes()).into_owned().collect()
}

/// Consents to the application; returns the token that it gets.
pub(crate) async fn lets_in(world: &World, person: &Person, client: &str) -> String {
    let mut browser = logs_in(world, person, &format!("/oauth/authorize?client_id={client}")).await;
    let back = brought_back(&browser.submits(&[("act", "allow")]).await, CALLBACK);
    assert_eq!(back.len(), 1, "{back:?}");
    assert_eq!(back[0].0, "access_token");
    back[0].1.clone()
}

#[tokio::test]
async fn consent_brings_a_token_to_the_callback_url() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let page = format!("/oauth/authorize?client_id={client}&state=x%26y+z");
    let mut browser = logs_in(&world, &ana, &page).await;
    assert!(browser.page.contains("logged in as <strong>Ana</strong>"));
    assert!(browser.page.contains("registered here by Ben"));
    assert!(browser.page.contains("<code>https://ropes.example</code>"));
    let answer = browser.submits(&[("act", "allow")]).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    let back = brought_back(&answer, CALLBACK);
    assert_eq!(back[0].0, "access_token");
    assert_eq!(back[1..], [("state".to_owned(), "x&y z".to_owned())]);
    for _ in 0..2 {
        let me = world.get("/v3/users/me").token(&back[0].1).await.ok();
        assert_eq!(me["id"], ana.id);
        let by_query = world.get(&format!("/v3/users/me?token={}", back[0].1)).await.ok();
        assert_eq!(by_query, me);
        world.restarts().await;
    }
    let tokens: Vec<Value> = serde_json::from_value(ana.gets("/auth/tokens").await.ok()).unwrap();
    let names: Vec<&Value> = tokens.iter().map(|token| &token["application"]).collect();
    assert_eq!(names, ["log-in", "Ropes & <Knots>"]);
}

/// There is one scope; an application that asked for another one has to learn which it got.
#[tokio::test]
async fn oauth_response_states_granted_scope() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    for (asked, told) in [("openid%20email", Some("conversations")), ("conversations", None)] {
        let page = format!("/oauth/authorize?client_id={client}&scope={asked}");
        let mut browser = logs_in(&world, &ana, &page).await;
        let back = brought_back(&browser.submits(&[("act", "allow")]).await, CALLBACK);
        assert_eq!(back[0].0, "access_token");
        let scope = back.iter().find(|(name, _)| name == "scope");
        assert_eq!(scope.map(|(_, value)| value.as_str()), told, "{asked}");
    }
}

#[tokio::test]
async fn denied_consent_grants_nothing() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let page = format!("/oauth/authorize?client_id={client}&state=7");
    let mut browser = logs_in(&world, &ana, &page).await;
    let back = brought_back(&browser.submits(&[("act", "deny")]).await, CALLBACK);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(back, [pair("error", "access_denied"), pair("state", "7")]);
    assert_eq!(ana.gets("/auth/tokens").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_removed_application_is_out_everywhere_at_once() {
    let mut world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let (client, other) = (application(&cara, CALLBACK).await, application(&cara, CALLBACK).await);
    let mut guests = Vec::new();
    for person in [&ana, &ben] {
        let token = lets_in(&world, person, &client).await;
        guests.push(Person { token, ..person.clone() });
    }
    let kept = Person { token: lets_in(&world, &ana, &other).await, ..ana.clone() };
    let mut feeds = Vec::new();
    for guest in &guests {
        feeds.push(guest.listens().await);
    }
    let mut own = ana.listens().await;
    let path = format!("/oauth/applications/{client}");
    cara.address.asks("DELETE", &path).token(&cara.token).await.ok();
    for (guest, mut feed) in guests.iter().zip(feeds) {
        guest.gets("/v3/users/me").await.refused(401);
        assert_eq!(feed.ends().await, 4401);
    }
    own.stays_silent().await;
    for _ in 0..2 {
        kept.gets("/v3/users/me").await.ok();
        assert_eq!(ana.gets("/auth/tokens").await.ok().as_array().unwrap().len(), 2);
        guests[1].gets("/v3/users/me").await.refused(401);
        world.restarts().await;
    }
}

/// The application is removed while its page is open.
#[tokio::test]
async fn consent_for_an_application_that_is_gone_opens_nothing() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let page = format!("/oauth/authorize?client_id={client}");
    let mut browser = logs_in(&world, &ana, &page).await;
    let path = format!("/oauth/applications/{client}");
    ben.address.asks("DELETE", &path).token(&ben.token).await.ok();
    assert_eq!(browser.submits(&[("act", "allow")]).await.status, 400);
    assert_eq!(ana.gets("/auth/tokens").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn applications_go_with_their_owner() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let guest = Person { token: lets_in(&world, &ana, &client).await, ..ana.clone() };
    guest.gets("/v3/users/me").await.ok();
    let gone = ben.address.asks("DELETE", "/auth/account").token(&ben.token);
    gone.json(&json!({"password": PASSWORD})).await.ok();
    guest.gets("/v3/users/me").await.refused(401);
    let page = format!("/oauth/authorize?client_id={client}");
    assert_eq!(Browser::new(&world.address).opens(&page).await.status, 400);
}

/// An application acts for its users in conversations; what gives access to the account is reserved
/// to the users themselves.
#[tokio::test]
async fn application_cannot_access_credentials() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let guest = Person { token: lets_in(&world, &ana, &client).await, ..ana.clone() };
    for (method, path) in [
        ("GET", "/auth/tokens"),
        ("DELETE", "/auth/tokens/1"),
        ("POST", "/auth/password"),
        ("DELETE", "/auth/account"),
        ("GET", "/oauth/applications"),
        ("POST", "/oauth/applications"),
        ("DELETE", &format!("/oauth/applications/{client}")),
    ] {
        let body = json!({"password": PASSWORD, "current_password": PASSWORD,
            "new_password": PASSWORD, "name": "Ropes", "callback_url": CALLBACK});
        let asked = guest.address.asks(method, path).token(&guest.token).json(&body).await;
        asked.refused(403);
    }
    guest.creates_group("Climbers").await;
    guest.posts("/auth/logout").await.ok();
    guest.gets("/v3/users/me").await.refused(401);
    ana.gets("/v3/users/me").await.ok();
}
