//! The OAuth page itself: which requests it accepts, which it refuses, and that pages of other
//! sites cannot abuse it.

use serde_json::json;

use crate::oauth::{CALLBACK, application, brought_back, logs_in};
use crate::world::browser::Browser;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

#[tokio::test]
async fn unregistered_application_is_reported_without_redirect() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let unknown = "0".repeat(32);
    let named = |url: &str| format!("client_id={client}&redirect_uri={url}");
    for query in [
        String::new(),
        "client_id=".to_owned(),
        "client_id=x".to_owned(),
        format!("client_id={unknown}"),
        format!("client_id={client}&client_id={unknown}"),
        named("https%3A%2F%2Fevil.example%2F"),
        named("https%3A%2F%2Fropes.example%2Fback"),
        named("https%3A%2F%2Fropes.example%2Fback%3Ffrom%3Dcoterie%26"),
        named("https%3A%2F%2FROPES.example%2Fback%3Ffrom%3Dcoterie"),
    ] {
        let mut browser = Browser::new(&world.address);
        let answer = browser.opens(&format!("/oauth/authorize?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.header("location"), None, "{query}");
        assert!(answer.text.contains("role=\"alert\""), "{query}");
        assert!(!answer.text.contains("<form") && !answer.text.contains("evil"), "{query}");
    }
    let exact = named("https%3A%2F%2Fropes.example%2Fback%3Ffrom%3Dcoterie");
    let answer = Browser::new(&world.address).opens(&format!("/oauth/authorize?{exact}")).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn invalid_authorization_is_reported_with_a_link_back() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    for (query, error) in [
        ("response_type=id_token&state=7", "error=unsupported_response_type"),
        ("response_type=code&state=7", "error=invalid_request"),
    ] {
        let mut browser = Browser::new(&world.address);
        let answer = browser.opens(&format!("/oauth/authorize?client_id={client}&{query}")).await;
        assert_eq!((answer.status, answer.header("location")), (400, None), "{query}");
        let link = answer.text.split_once("href=\"https://ropes.example/back?from=coterie&amp;");
        let link = link.unwrap().1.split_once('"').unwrap().0;
        assert!(link.starts_with(error) && link.contains("&amp;state=7"), "{link}");
    }
}

#[tokio::test]
async fn consent_page_forbids_frames_and_caches() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let mut browser = Browser::new(&world.address);
    let page = format!("/oauth/authorize?client_id={client}");
    let log_in = browser.opens(&page).await;
    let mut inside = logs_in(&world, &ana, &page).await;
    let consent = inside.opens(&page).await;
    let misfit = browser.opens("/oauth/authorize").await;
    for answer in [&log_in, &consent, &misfit] {
        let header = |name| answer.header(name).unwrap();
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("x-content-type-options"), "nosniff");
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!answer.text.contains("style="));
        // Only the log-in with a passkey has a script, which is a file of the server.
        let has_script = std::ptr::eq(answer, &log_in);
        assert_eq!(policy.ends_with("; script-src 'self'; connect-src 'self'"), has_script);
        assert_eq!(answer.text.matches("<script").count(), usize::from(has_script));
    }
    let forms = |answer: &crate::world::answer::Answer| {
        let policy = answer.header("content-security-policy").unwrap().to_owned();
        policy.split_once("form-action ").unwrap().1.split_once(';').unwrap().0.to_owned()
    };
    assert_eq!((forms(&log_in), forms(&misfit)), ("'self'".to_owned(), "'none'".to_owned()));
    // The policy must allow the redirect back to the application.
    assert_eq!(forms(&consent), "'self' https:");
    let cookie = log_in.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
}

#[tokio::test]
async fn the_cookie_is_for_https_where_the_server_is() {
    let url = "https://chat.example.org";
    let world = World::with(Setup::default().option("--public-url", url)).await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let page = format!("/oauth/authorize?client_id={client}");
    let answer = Browser::new(&world.address).opens(&page).await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-coterie_page="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
    logs_in(&world, &ana, &page).await;
}

#[tokio::test]
async fn logging_in_there_is_throttled_as_everywhere() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let client = application(&ana, CALLBACK).await;
    let mut browser = Browser::new(&world.address);
    browser.opens(&format!("/oauth/authorize?client_id={client}")).await;
    let wrong = [("email", ana.email.as_str()), ("password", "wrong"), ("act", "log-in")];
    for _ in 0..5 {
        assert_eq!(browser.submits(&wrong).await.status, 401);
        assert!(browser.page.contains("Wrong email or password."));
        world.logs_in(&ana.email, "wrong").await.refused(401);
    }
    let right = [("email", ana.email.as_str()), ("password", PASSWORD), ("act", "log-in")];
    let locked = browser.submits(&right).await;
    assert_eq!((locked.status, locked.header("retry-after")), (429, Some("900")));
    assert!(browser.page.contains("Try again in 15 minutes."), "{}", browser.page);
    world.seconds_pass(900);
    assert_eq!(browser.submits(&right).await.status, 303);
}

/// A page of another site sends forms as it likes, with the cookie or without.
#[tokio::test]
async fn forms_of_other_pages_do_nothing() {
    let world = World::start().await;
    let [ana, eve] = world.people(["Ana", "Eve"]).await;
    let (good, bad) = (application(&ana, CALLBACK).await, application(&eve, CALLBACK).await);
    let page = |client: &str| format!("/oauth/authorize?client_id={client}");
    let browser = logs_in(&world, &ana, &page(&good)).await;
    let mut of_eve = logs_in(&world, &eve, &page(&bad)).await;
    of_eve.opens(&page(&bad)).await;
    let csrf_token_in = |text: &str| {
        let after = text.split_once("name=\"seal\" value=\"").unwrap().1;
        after.split_once('"').unwrap().0.to_owned()
    };
    let (own, foreign) = (csrf_token_in(&browser.page), csrf_token_in(&of_eve.page));
    for (client, csrf_token, why) in [
        (&good, "", "no seal"),
        (&good, "AAAA", "no seal of this server"),
        (&good, foreign.as_str(), "a seal for another browser"),
        (&bad, own.as_str(), "a seal for another application"),
        (&bad, foreign.as_str(), "a seal that Eve got for her own application"),
    ] {
        let mut browser = browser.clone();
        let answer = browser.posts(&page(client), &[("act", "allow"), ("seal", csrf_token)]).await;
        assert_eq!((answer.status, answer.header("location")), (400, None), "{why}");
    }
    // Nor does a log-in that somebody else prepared in another browser.
    let mut fresh = Browser::new(&world.address);
    fresh.opens(&page(&bad)).await;
    let csrf_token = csrf_token_in(&fresh.page);
    let mut victim = Browser::new(&world.address);
    let log_in = [("email", eve.email.as_str()), ("password", PASSWORD), ("act", "log-in")];
    let sent: Vec<_> = log_in.into_iter().chain([("seal", csrf_token.as_str())]).collect();
    assert_eq!(victim.posts(&page(&bad), &sent).await.status, 400);
    assert_eq!(fresh.posts(&page(&bad), &sent).await.status, 303);
}

#[tokio::test]
async fn login_replaces_the_session_id() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let page = format!("/oauth/authorize?client_id={}", application(&ana, CALLBACK).await);
    let mut browser = Browser::new(&world.address);
    browser.opens(&page).await;
    let mut eavesdropper = browser.clone();
    let log_in = [("email", ana.email.as_str()), ("password", PASSWORD), ("act", "log-in")];
    let sent = browser.submits(&log_in).await;
    assert_ne!(browser.cookies, eavesdropper.cookies);
    browser.follows(&sent).await;
    assert!(browser.page.contains("Ana"));
    eavesdropper.opens(&page).await;
    assert!(eavesdropper.page.contains("<h1 class=\"sign-in-title\">Log in</h1>"));
}

#[tokio::test]
async fn a_browser_session_is_short_and_can_be_left() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let page = format!("/oauth/authorize?client_id={}", application(&ben, CALLBACK).await);
    let mut browser = logs_in(&world, &ana, &page).await;
    let left = browser.submits(&[("act", "leave")]).await;
    assert_eq!(left.status, 303);
    browser.follows(&left).await;
    assert!(browser.page.contains("Log in"));
    let mut browser = logs_in(&world, &ana, &page).await;
    world.seconds_pass(900);
    let late = browser.submits(&[("act", "allow")]).await;
    assert_eq!(late.status, 400);
    assert!(browser.page.contains("This page has expired") && browser.page.contains("Log in"));
}

#[tokio::test]
async fn copied_cookie_opens_nothing_after_use_another_account() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let page = format!("/oauth/authorize?client_id={}", application(&ben, CALLBACK).await);
    let mut browser = logs_in(&world, &ana, &page).await;
    let mut copy = browser.clone();
    let mut other = logs_in(&world, &ana, &page).await;
    browser.submits(&[("act", "leave")]).await;
    assert_eq!(copy.submits(&[("act", "allow")]).await.status, 400);
    copy.opens(&page).await;
    assert!(copy.page.contains("<h1 class=\"sign-in-title\">Log in</h1>"));
    brought_back(&other.submits(&[("act", "allow")]).await, CALLBACK);
}

#[tokio::test]
async fn another_password_ends_browser_sessions() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let page = format!("/oauth/authorize?client_id={}", application(&ana, CALLBACK).await);
    let mut browser = logs_in(&world, &ana, &page).await;
    let change = json!({"current_password": PASSWORD, "new_password": "a better horse"});
    ana.posts("/auth/password").json(&change).await.ok();
    assert_eq!(browser.submits(&[("act", "allow")]).await.status, 400);
    assert!(browser.page.contains("Log in"));
}

#[tokio::test]
async fn consent_is_asked_for_each_time() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let page = format!("/oauth/authorize?client_id={}", application(&ana, CALLBACK).await);
    let mut browser = logs_in(&world, &ana, &page).await;
    brought_back(&browser.submits(&[("act", "allow")]).await, CALLBACK);
    let again = browser.opens(&page).await;
    assert_eq!(again.status, 200);
    assert!(again.text.contains("Allow Ropes &amp; &lt;Knots&gt;?"));
}
