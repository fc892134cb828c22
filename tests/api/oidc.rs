//! Log-in with OpenID Connect, against an issuer that may be hostile.

use serde_json::{Value, json};

use crate::oauth::{CALLBACK, application};
use crate::world::answer::Answer;
use crate::world::browser::Browser;
use crate::world::issuer::{Issuer, parameter, signed};
use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

const START: &str = "/auth/oidc/sso/start";

/// Begins a log-in, and returns the address at the issuer.
async fn leaves(browser: &mut Browser, path: &str) -> String {
    let answer = browser.opens(path).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.header("location").unwrap().to_owned()
}

/// The code in the fragment of the page to which a browser came back.
fn code_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 302, "{}", answer.text);
    let location = answer.header("location").unwrap();
    location.split_once("#/sso/").unwrap().1.to_owned()
}

/// Logs in as far as the code, with these claims.
async fn arrives(world: &World, issuer: &Issuer, browser: &mut Browser, claims: &Value) -> String {
    let url = leaves(browser, START).await;
    let back = issuer.logs_in(world, &url, claims);
    code_of(&browser.opens(&back).await)
}

async fn finishes(browser: &mut Browser, code: &str) -> Answer {
    browser.posts("/auth/oidc/finish", &[("code", code)]).await
}

/// Logs in with these claims.
pub(crate) async fn logs_in(world: &World, issuer: &Issuer, claims: &Value) -> Person {
    let mut browser = Browser::new(&world.address);
    let code = arrives(world, issuer, &mut browser, claims).await;
    Person::new(world.address.clone(), &finishes(&mut browser, &code).await.ok())
}

fn details(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    body["meta"]["details"].clone()
}

#[tokio::test]
async fn first_log_in_makes_an_account_and_later_ones_find_it() {
    let issuer = Issuer::starts().await;
    let mut world = World::with(issuer.setup()).await;
    let options = world.address.asks("GET", "/auth/options").await.ok();
    assert_eq!(options["providers"], json!([{"id": "sso", "name": "Example ID"}]));
    let mut browser = Browser::new(&world.address);
    let url = leaves(&mut browser, &format!("{START}?return=/admin")).await;
    assert_eq!(parameter(&url, "scope"), "openid profile email");
    assert_eq!(parameter(&url, "response_type"), "code");
    let back = issuer.logs_in(&world, &url, &json!({}));
    let answer = browser.opens(&back).await;
    let location = answer.header("location").unwrap().to_owned();
    assert!(location.contains("/admin#/sso/"), "{location}");
    assert!(!location.contains("ana") && answer.text.is_empty(), "{location}");
    let welcome = finishes(&mut browser, &code_of(&answer)).await.ok();
    assert_eq!(welcome["user"]["name"], "Ana Example");
    let ana = Person::new(world.address.clone(), &welcome);
    let listed = ana.gets("/auth/identities").await.ok();
    assert_eq!(listed[0]["provider"], "Example ID");
    assert_eq!(listed[0]["email"], "ana@example.org");
    world.restarts().await;
    let again = logs_in(&world, &issuer, &json!({"email": "other@example.org"})).await;
    assert_eq!(again.id, ana.id);
    let ben = logs_in(&world, &issuer, &json!({"sub": "ben-1", "email": "ben@example.org"})).await;
    assert_ne!(ben.id, ana.id);
    // A code gives one token, and only to the browser that began.
    finishes(&mut browser, &code_of(&answer)).await.refused(401);
    let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
    let mut other = Browser::new(&world.address);
    finishes(&mut other, &code).await.refused(401);
    leaves(&mut other, START).await;
    finishes(&mut other, &code).await.refused(401);
    world.seconds_pass(600);
    finishes(&mut browser, &code).await.refused(401);
    finishes(&mut browser, "").await.refused(400);
}

#[tokio::test]
async fn invalid_tokens_log_nobody_in() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let now = world.clock_seconds();
    let mut browser = Browser::new(&world.address);
    for changes in [
        json!({"nonce": "another"}),
        json!({"nonce": null}),
        json!({"aud": "mail"}),
        json!({"aud": ["chat:1", "mail"]}),
        json!({"aud": ["chat:1", "mail"], "azp": "mail"}),
        json!({"iss": "http://127.0.0.1:1/realm"}),
        json!({"exp": now - 60}),
        json!({"exp": null}),
        json!({"iat": now + 61}),
        json!({"sub": null}),
        json!({"sub": "x".repeat(256)}),
    ] {
        let url = leaves(&mut browser, START).await;
        let back = issuer.logs_in(&world, &url, &changes);
        let answer = browser.opens(&back).await;
        assert_eq!((answer.status, answer.header("location")), (400, None), "{changes}");
        assert!(answer.text.contains("role=\"alert\""), "{changes}");
        assert!(!answer.text.contains("ana@example.org"), "no claim is shown: {changes}");
    }
    let claims =
        json!({"aud": ["mail", "chat:1"], "azp": "chat:1", "exp": now - 59, "iat": now + 60});
    logs_in(&world, &issuer, &claims).await;
    let forged = |token: String| {
        let (rest, _) = token.rsplit_once('.').unwrap();
        format!("{rest}.AAAA")
    };
    let kid = json!({"kid": "ES256"});
    for (name, header, spoil) in [
        ("none", json!({"alg": "none"}), false),
        ("HS256", json!({"alg": "HS256", "kid": "ES256"}), false),
        ("other algorithm", json!({"alg": "EdDSA", "kid": "ES256"}), false),
        ("crit", json!({"crit": ["b64"], "kid": "ES256"}), false),
        ("unknown key", json!({"kid": "x"}), false),
        ("forged", kid.clone(), true),
    ] {
        let url = leaves(&mut browser, START).await;
        let token = signed("ES256", &header, &issuer.claims(&world, &url, &json!({})));
        let token = if spoil { forged(token) } else { token };
        let answer = browser.opens(&issuer.gives(&url, &token, &json!({}))).await;
        assert_eq!(answer.status, 400, "{name}");
    }
    let url = leaves(&mut browser, START).await;
    let back = issuer.logs_in(&world, &url, &json!({}));
    let wrong_code = back.replace("code=code-", "code=none-");
    assert_eq!(browser.opens(&wrong_code).await.status, 400);
}

#[tokio::test]
async fn state_belongs_to_its_browser_and_return_to_this_server() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let mut browser = Browser::new(&world.address);
    for path in ["//evil.example", "https://evil.example/", "/%5Cevil.example", "evil", "/%0D%0Aa"]
    {
        let answer = browser.opens(&format!("{START}?return={path}")).await;
        assert_eq!((answer.status, answer.header("location")), (400, None), "{path}");
    }
    assert_eq!(browser.opens("/auth/oidc/other/start").await.status, 404);
    let url = leaves(&mut browser, START).await;
    let back = issuer.logs_in(&world, &url, &json!({}));
    // Somebody else is led to the end of this log-in.
    assert_eq!(Browser::new(&world.address).opens(&back).await.status, 400);
    let mut other = Browser::new(&world.address);
    leaves(&mut other, START).await;
    assert_eq!(other.opens(&back).await.status, 400);
    assert_eq!(browser.opens(&format!("{back}x")).await.status, 400);
    let wrong_issuer = format!("{back}&iss=https%3A%2F%2Fevil.example");
    assert_eq!(browser.opens(&wrong_issuer).await.status, 400);
    let refused = back.replace("code=", "error=access_denied&x=");
    assert_eq!(browser.opens(&refused).await.status, 403);
    // A state that comes twice gives one token.
    let first = code_of(&browser.opens(&back).await);
    let second = code_of(&browser.opens(&back).await);
    finishes(&mut browser, &first).await.ok();
    assert_eq!(finishes(&mut browser, &second).await.refused(401), ["this code was used already"]);
    world.seconds_pass(900);
    assert_eq!(browser.opens(&back).await.status, 400);
}

#[tokio::test]
async fn keys_are_read_again_once_a_minute_for_an_unknown_key() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    logs_in(&world, &issuer, &json!({})).await;
    logs_in(&world, &issuer, &json!({})).await;
    assert_eq!(issuer.key_reads(), 1);
    issuer.publishes(&["ES256", "EdDSA"]);
    let mut browser = Browser::new(&world.address);
    let mut status = async |world: &World| {
        let url = leaves(&mut browser, START).await;
        let claims = issuer.claims(world, &url, &json!({}));
        let token = signed("EdDSA", &json!({"kid": "EdDSA"}), &claims);
        browser.opens(&issuer.gives(&url, &token, &json!({}))).await.status
    };
    assert_eq!(status(&world).await, 400);
    assert_eq!(issuer.key_reads(), 1);
    world.seconds_pass(60);
    assert_eq!(status(&world).await, 302);
    assert_eq!(status(&world).await, 302);
    assert_eq!(issuer.key_reads(), 2);
    world.seconds_pass(3600);
    assert_eq!(status(&world).await, 302);
    assert_eq!(issuer.key_reads(), 3);
}

#[tokio::test]
async fn silent_or_deceiving_issuer_is_named() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let [ana] = world.people(["Ana"]).await;
    issuer.is_down(true);
    let mut browser = Browser::new(&world.address);
    let answer = browser.opens(START).await;
    assert_eq!(answer.status, 502);
    assert!(answer.text.contains("Example ID does not answer"), "{}", answer.text);
    ana.gets("/v3/users/me").await.ok();
    issuer.is_down(false);
    let base = issuer.base();
    for fields in [
        json!({"issuer": "https://id.example.org"}),
        json!({"authorization_endpoint": "javascript:alert(1)"}),
        json!({"token_endpoint": 7}),
    ] {
        issuer.describes(fields.clone());
        assert_eq!(browser.opens(START).await.status, 502, "{fields}");
    }
    // What its documents name in another private network is not asked.
    let elsewhere = base.replace("127.0.0.1", "127.0.0.2");
    issuer.describes(json!({"jwks_uri": format!("{elsewhere}/keys")}));
    let url = leaves(&mut browser, START).await;
    assert_eq!(browser.opens(&issuer.logs_in(&world, &url, &json!({}))).await.status, 502);
    assert_eq!(issuer.key_reads(), 0);
}

#[tokio::test]
async fn claims_of_the_user_endpoint_count_for_the_same_subject() {
    let issuer = Issuer::starts().await;
    issuer.describes(json!({"userinfo_endpoint": format!("{}/user", issuer.base())}));
    let world = World::with(issuer.setup()).await;
    let mut browser = Browser::new(&world.address);
    let mut comes_back = async |about: Value| {
        let url = leaves(&mut browser, START).await;
        let changes = json!({"email": null, "name": null});
        let claims = issuer.claims(&world, &url, &changes);
        let token = signed("ES256", &json!({}), &claims);
        let answer = browser.opens(&issuer.gives(&url, &token, &about)).await;
        match answer.status {
            302 => Ok(finishes(&mut browser, &code_of(&answer)).await),
            status => Err(status),
        }
    };
    assert_eq!(comes_back(json!({"sub": "ben-1"})).await.err(), Some(400));
    let nameless = comes_back(json!({"sub": "ana-1"})).await.unwrap().refused(403);
    assert!(nameless[0].contains("sent no email address"), "{nameless:?}");
    let about = json!({"sub": "ana-1", "email": "ana@example.org", "preferred_username": "ana"});
    let welcome = comes_back(about).await.unwrap().ok();
    assert_eq!(welcome["user"]["name"], "ana");
}

#[tokio::test]
async fn closed_registration_needs_the_option_for_new_accounts() {
    let issuer = Issuer::starts().await;
    let closed = |setup: Setup| setup.option("--registration", "closed");
    let world = World::with(closed(issuer.setup())).await;
    let mut browser = Browser::new(&world.address);
    let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
    let closed_here = finishes(&mut browser, &code).await.refused(403);
    assert_eq!(closed_here, ["registration is closed on this server"]);
    let world = World::with(closed(issuer.setup()).flag("--oidc-create")).await;
    logs_in(&world, &issuer, &json!({})).await;
}

#[tokio::test]
async fn first_log_in_asks_for_an_account_that_operators_approve() {
    let issuer = Issuer::starts().await;
    let asking = issuer.setup().option("--registration", "approval");
    let world = World::with(asking).await;
    let mut browser = Browser::new(&world.address);
    let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
    let refused = finishes(&mut browser, &code).await.refused(403);
    assert_eq!(refused, ["registration is closed on this server"]);
    let world = World::with(issuer.setup().flag("--oidc-create")).await;
    let [admin, ..] = world.operators().await;
    let body = json!({"mode": "approval", "reason": "too many strangers"});
    admin.asks("PUT", "/v3/admin/registration").json(&body).await.ok();
    for _ in 0..2 {
        let mut browser = Browser::new(&world.address);
        let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
        let waits = finishes(&mut browser, &code).await;
        waits.refused(403);
        assert_eq!(waits.envelope()["meta"]["details"], json!({"needs": "approval"}));
    }
    let listed = admin.gets("/v3/admin/requests").await.ok();
    assert_eq!(listed["requests"].as_array().unwrap().len(), 1);
    assert_eq!(listed["requests"][0]["about"], Value::Null);
    let path = format!("/v3/admin/requests/{}", text(&listed["requests"][0]["user"]["id"]));
    let approve = json!({"action": "approve", "reason": "of the house"});
    admin.asks("POST", &path).json(&approve).await.ok();
    logs_in(&world, &issuer, &json!({})).await;
}

#[tokio::test]
async fn domains_and_groups_decide_who_logs_in() {
    let issuer = Issuer::starts().await;
    let setup = issuer
        .setup()
        .option("--oidc-allow-domains", "Example.org")
        .option("--oidc-allow-groups", "staff, guests");
    let world = World::with(setup).await;
    let mut browser = Browser::new(&world.address);
    for claims in [
        json!({}),
        json!({"groups": ["others"]}),
        json!({"groups": ["staff"], "email": "ana@example.com"}),
        json!({"groups": ["staff"], "email": "ana@example.org", "email_verified": false}),
        json!({"groups": ["staff"], "email": null}),
    ] {
        let url = leaves(&mut browser, START).await;
        let answer = browser.opens(&issuer.logs_in(&world, &url, &claims)).await;
        assert_eq!(answer.status, 403, "{claims}");
    }
    logs_in(&world, &issuer, &json!({"groups": ["x", "guests"], "email": "Ana@EXAMPLE.org"})).await;
}

#[tokio::test]
async fn group_of_admins_gives_and_takes_the_role() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup().option("--oidc-operators-from", "chiefs")).await;
    let chief = json!({"groups": ["chiefs"]});
    let ana = logs_in(&world, &issuer, &chief).await;
    ana.gets("/v3/admin/users").await.ok();
    // The last admin stays one.
    let ana = logs_in(&world, &issuer, &json!({})).await;
    ana.gets("/v3/admin/users").await.ok();
    let ben = json!({"sub": "ben-1", "email": "ben@example.org", "groups": ["chiefs"]});
    let ben = logs_in(&world, &issuer, &ben).await;
    let ana = logs_in(&world, &issuer, &json!({})).await;
    ana.gets("/v3/admin/users").await.refused(404);
    let acts = ben.gets("/v3/admin/audit").await.ok();
    assert_eq!(acts["entries"].as_array().unwrap().len(), 3, "{acts}");
}

#[tokio::test]
async fn log_in_outside_of_the_group_makes_a_guest() {
    let issuer = Issuer::starts().await;
    let setup = issuer.setup().option("--oidc-guest-unless", "staff");
    let world = World::with(setup.option("--oidc-operators-from", "chiefs")).await;
    let ana = logs_in(&world, &issuer, &json!({"groups": ["chiefs"]})).await;
    assert_eq!(ana.gets("/v3/users/me").await.ok().get("kind"), None, "an operator is no guest");
    let ben = |groups: Value| json!({"sub": "ben-1", "email": "ben@example.org", "groups": groups});
    let guest = logs_in(&world, &issuer, &ben(json!([]))).await;
    let me = guest.gets("/v3/users/me").await.ok();
    assert_eq!((&me["kind"], me.get("expires_at")), (&json!("guest"), None));
    let refused = guest.posts("/v3/groups").json(&json!({"name": "Climbers"})).await.refused(403);
    assert_eq!(refused, ["guests may not make groups"]);
    let member = logs_in(&world, &issuer, &ben(json!(["staff"]))).await;
    assert_eq!(member.gets("/v3/users/me").await.ok().get("kind"), None);
    guest.creates_group("Climbers").await;
    logs_in(&world, &issuer, &ben(json!([]))).await;
    assert_eq!(member.gets("/v3/users/me").await.ok()["kind"], "guest");
    let acts = ana.gets("/v3/admin/audit?act=kind_set").await.ok();
    let entries = acts["entries"].as_array().unwrap();
    let kinds: Vec<_> = entries.iter().map(|it| (&it["before"], &it["after"])).collect();
    let [guest, member] = [json!("guest"), json!("member")];
    assert_eq!(kinds, [(&member, &guest), (&guest, &member), (&member, &guest)]);
}

#[tokio::test]
async fn account_with_the_same_address_is_linked_only_by_its_password() {
    let issuer = Issuer::starts().await;
    let mut mails = crate::world::mail_server::MailServer::starts().await;
    let setup = issuer
        .setup()
        .flag("--oidc-trust-email")
        .option("--smtp-url", &mails.url())
        .option("--mail-from", "chat@example.org");
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    let claims = json!({"email": ana.email});
    let mut browser = Browser::new(&world.address);
    // Nobody confirmed the address of the account yet: it may be somebody else's.
    let code = arrives(&world, &issuer, &mut browser, &claims).await;
    finishes(&mut browser, &code).await.refused(409);
    let link = mails.receives().await.link("confirm");
    world.address.asks("POST", &format!("/auth/confirm/{link}")).json(&json!({})).await.ok();
    let unverified = json!({"email": ana.email, "email_verified": false});
    let code = arrives(&world, &issuer, &mut browser, &unverified).await;
    finishes(&mut browser, &code).await.refused(409);
    let code = arrives(&world, &issuer, &mut browser, &claims).await;
    let waits = finishes(&mut browser, &code).await.accepted();
    assert_eq!(waits["link"], json!({"email": ana.email, "provider": "Example ID"}));
    let wrong = [("code", code.as_str()), ("password", "wrong password")];
    browser.posts("/auth/oidc/finish", &wrong).await.refused(401);
    let right = [("code", code.as_str()), ("password", PASSWORD)];
    let welcome = browser.posts("/auth/oidc/finish", &right).await.ok();
    assert_eq!(welcome["user"]["id"], json!(ana.id));
    assert_eq!(logs_in(&world, &issuer, &json!({})).await.id, ana.id);
}

#[tokio::test]
async fn untrusted_provider_links_no_account_by_its_address() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let mut browser = Browser::new(&world.address);
    let code = arrives(&world, &issuer, &mut browser, &json!({"email": ana.email})).await;
    let refused = finishes(&mut browser, &code).await.refused(409);
    assert!(refused[0].contains("link the identity there"), "{refused:?}");
    // Ana links it from her account.
    let url = links(&mut browser, &ana).await;
    let back = issuer.logs_in(&world, &url, &json!({"email": ana.email}));
    let answer = browser.opens(&back).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    assert!(answer.header("location").unwrap().ends_with("/#/account"));
    assert_eq!(logs_in(&world, &issuer, &json!({})).await.id, ana.id);
    // Neither a second identity for Ana, nor hers for Ben.
    let url = links(&mut browser, &ana).await;
    let second = browser.opens(&issuer.logs_in(&world, &url, &json!({"sub": "ana-2"}))).await;
    assert_eq!(second.status, 409);
    let url = links(&mut browser, &ben).await;
    assert_eq!(browser.opens(&issuer.logs_in(&world, &url, &json!({}))).await.status, 409);
    // A token that ended meanwhile links nothing.
    let url = links(&mut browser, &ben).await;
    ben.posts("/auth/logout").json(&json!({})).await.ok();
    let late = issuer.logs_in(&world, &url, &json!({"sub": "ben-1"}));
    assert_eq!(browser.opens(&late).await.status, 403);
    let listed = ana.gets("/auth/identities").await.ok();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let path = format!("/auth/identities/{}", text(&listed[0]["id"]));
    world.seconds_pass(601);
    let stale = ana.asks("DELETE", &path).await;
    assert_eq!(details(&stale), json!({"needs": "fresh"}));
    ana.posts("/auth/fresh").json(&json!({"password": PASSWORD})).await.ok();
    ana.asks("DELETE", &path).await.ok();
    ana.asks("DELETE", &path).await.refused(404);
    // The identity is free for another account.
    let fresh = logs_in(&world, &issuer, &json!({"email": "new@example.org"})).await;
    assert_ne!(fresh.id, ana.id);
}

/// Begins to link an identity, in a browser, and returns the address at the issuer.
async fn links(browser: &mut Browser, person: &Person) -> String {
    let body = json!({"return": "/#/account"});
    let answer = person.posts("/auth/oidc/sso/link").json(&body).await;
    let set = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let (name, value) = set.split_once('=').unwrap();
    browser.cookies.insert(name.to_owned(), value.to_owned());
    text(&answer.created()["url"]).to_owned()
}

#[tokio::test]
async fn account_without_password_keeps_its_only_identity_and_proves_by_it() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let ana = logs_in(&world, &issuer, &json!({})).await;
    let listed = ana.gets("/auth/identities").await.ok();
    let path = format!("/auth/identities/{}", text(&listed[0]["id"]));
    let refused = ana.asks("DELETE", &path).await.refused(400);
    assert!(refused[0].contains("only way to log in"), "{refused:?}");
    world.seconds_pass(700);
    let stale = ana.posts("/auth/oidc/sso/link").json(&json!({})).await;
    assert_eq!(details(&stale), json!({"needs": "fresh"}));
    let mut browser = Browser::new(&world.address);
    for (claims, status) in [
        (json!({"auth_time": world.clock_seconds() - 700}), 400),
        (json!({}), 400),
        (json!({"auth_time": world.clock_seconds(), "sub": "ben-1"}), 403),
        (json!({"auth_time": world.clock_seconds()}), 302),
    ] {
        let answer = ana.posts("/auth/oidc/sso/proof").json(&json!({})).await;
        let set = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let (name, value) = set.split_once('=').unwrap();
        browser.cookies.insert(name.to_owned(), value.to_owned());
        let url = text(&answer.created()["url"]).to_owned();
        assert_eq!(
            (parameter(&url, "prompt").as_str(), parameter(&url, "max_age").as_str()),
            ("login", "0")
        );
        let answer = browser.opens(&issuer.logs_in(&world, &url, &claims)).await;
        assert_eq!(answer.status, status, "{claims}");
    }
    ana.posts("/auth/oidc/sso/link").json(&json!({})).await.created();
}

#[tokio::test]
async fn second_factor_of_the_account_is_asked_where_the_option_says_so() {
    let issuer = Issuer::starts().await;
    let mut world = World::with(issuer.setup()).await;
    let ana = logs_in(&world, &issuer, &json!({})).await;
    crate::factors::sets_up(&world, &ana).await;
    logs_in(&world, &issuer, &json!({})).await;
    world.restarts_with(issuer.setup().flag("--oidc-ask-factor")).await;
    let mut browser = Browser::new(&world.address);
    let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
    let waits = finishes(&mut browser, &code).await.accepted();
    assert_eq!(waits["verification"]["methods"], json!(["totp", "recovery"]));
}

#[tokio::test]
async fn disabled_account_logs_in_by_no_provider() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup().option("--oidc-operators-from", "chiefs")).await;
    let admin = json!({"sub": "chief", "email": "chief@example.org", "groups": ["chiefs"]});
    let admin = logs_in(&world, &issuer, &admin).await;
    let ana = logs_in(&world, &issuer, &json!({})).await;
    let path = format!("/v3/admin/users/{}/disable", ana.id);
    admin.posts(&path).json(&json!({"reason": "left"})).await.ok();
    let mut browser = Browser::new(&world.address);
    let code = arrives(&world, &issuer, &mut browser, &json!({"groups": ["chiefs"]})).await;
    let refused = finishes(&mut browser, &code).await.refused(403);
    assert!(refused[0].contains("disabled"), "{refused:?}");
}

#[tokio::test]
async fn provider_ends_sessions_by_the_back_channel() {
    let issuer = Issuer::starts().await;
    let mut world = World::with(issuer.setup()).await;
    let here = logs_in(&world, &issuer, &json!({"sid": "here"})).await;
    let there = logs_in(&world, &issuer, &json!({"sid": "there"})).await;
    let ends = async |world: &World, token: &str| {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("logout_token", token)
            .finish();
        let asked = world.address.asks("POST", "/auth/oidc/sso/logout");
        asked.body("application/x-www-form-urlencoded", form).await
    };
    let mut socket = here.listens().await;
    let token = issuer.logout_token(&world, &json!({"sub": "ana-1", "sid": "here"}));
    let ended = ends(&world, &token).await;
    assert_eq!(ended.header("cache-control"), Some("no-store"));
    ended.ok();
    assert_eq!(socket.ends().await, 4401);
    here.gets("/v3/users/me").await.refused(401);
    there.gets("/v3/users/me").await.ok();
    world.restarts().await;
    assert_eq!(ends(&world, &token).await.refused(400), ["this logout_token was used already"]);
    for changes in [
        json!({"sub": "ana-1", "nonce": "n"}),
        json!({"sub": "ana-1", "events": {}}),
        json!({"sub": "ana-1", "jti": null}),
        json!({"sub": "ana-1", "aud": "mail"}),
        json!({"sub": "ana-1", "iss": "https://evil.example"}),
        json!({"sub": "ana-1", "exp": world.clock_seconds() - 61}),
        json!({"sub": "ana-1", "iat": world.clock_seconds() - 600}),
        json!({}),
    ] {
        ends(&world, &issuer.logout_token(&world, &changes)).await.refused(400);
    }
    ends(&world, "nonsense").await.refused(400);
    let nobody = issuer.logout_token(&world, &json!({"sub": "nobody"}));
    ends(&world, &nobody).await.ok();
    there.gets("/v3/users/me").await.ok();
    // A session alone, and all of a subject.
    let third = logs_in(&world, &issuer, &json!({"sid": "third"})).await;
    ends(&world, &issuer.logout_token(&world, &json!({"sid": "third"}))).await.ok();
    third.gets("/v3/users/me").await.refused(401);
    there.gets("/v3/users/me").await.ok();
    ends(&world, &issuer.logout_token(&world, &json!({"sub": "ana-1"}))).await.ok();
    there.gets("/v3/users/me").await.refused(401);
}

#[tokio::test]
async fn page_for_consent_takes_a_log_in_by_a_provider() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    let [ben] = world.people(["Ben"]).await;
    let client = application(&ben, CALLBACK).await;
    let page = format!("/oauth/authorize?client_id={client}");
    let mut browser = Browser::new(&world.address);
    let shown = browser.opens(&page).await;
    let way = "/auth/oidc/sso/start?return=%2Foauth%2Fauthorize%3Fclient_id%3D";
    assert!(shown.text.contains(way) && shown.text.contains("Example ID"), "{}", shown.text);
    let url = leaves(&mut browser, &format!("{way}{client}")).await;
    let answer = browser.opens(&issuer.logs_in(&world, &url, &json!({}))).await;
    assert!(answer.header("location").unwrap().ends_with(&page), "{:?}", answer.headers);
    let shown = browser.opens(&page).await;
    assert!(shown.text.contains("You are logged in as <strong>Ana Example"), "{}", shown.text);
}

#[tokio::test]
async fn log_out_goes_on_to_the_provider() {
    for (endpoint, leads_away) in [(None, false), (Some("/end?x=1"), true)] {
        let issuer = Issuer::starts().await;
        if let Some(endpoint) = endpoint {
            let endpoint = format!("{}{endpoint}", issuer.base());
            issuer.describes(json!({"end_session_endpoint": endpoint}));
        }
        let world = World::with(issuer.setup()).await;
        let mut browser = Browser::new(&world.address);
        let code = arrives(&world, &issuer, &mut browser, &json!({})).await;
        assert_eq!(finishes(&mut browser, &code).await.ok()["provider"], "sso");
        let home = world.address.url("/");
        let way = leaves(&mut browser, "/auth/oidc/sso/logout").await;
        if !leads_away {
            assert_eq!(way, home);
            continue;
        }
        assert!(way.starts_with(&format!("{}/end?x=1&client_id=", issuer.base())), "{way}");
        assert_eq!(parameter(&way, "post_logout_redirect_uri"), home);
        // The ID token of the log-in tells the provider whose session ends.
        let hint = parameter(&way, "id_token_hint");
        assert_eq!(hint.split('.').count(), 3, "{hint}");
        // The browser forgets it.
        browser.cookies.retain(|name, value| name != "coterie_sso_hint" || !value.is_empty());
        let again = leaves(&mut browser, "/auth/oidc/sso/logout").await;
        assert!(!again.contains("id_token_hint"), "{again}");
    }
}

#[tokio::test]
async fn log_out_ends_at_home_while_the_provider_is_down() {
    let issuer = Issuer::starts().await;
    let world = World::with(issuer.setup()).await;
    issuer.is_down(true);
    let mut browser = Browser::new(&world.address);
    assert_eq!(leaves(&mut browser, "/auth/oidc/sso/logout").await, world.address.url("/"));
    assert_eq!(browser.opens("/auth/oidc/other/logout").await.status, 404);
}
