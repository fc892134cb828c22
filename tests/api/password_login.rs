//! Who may log in with a password: everybody, operators or nobody.

use serde_json::{Value, json};

use crate::oauth::{CALLBACK, application};
use crate::oidc::logs_in;
use crate::world::browser::Browser;
use crate::world::issuer::Issuer;
use crate::world::person::{Person, text};
use crate::world::{PASSWORD, World};

impl Person {
    async fn sets_password_login(&self, mode: Value) -> crate::world::answer::Answer {
        let body = json!({"password_login": mode, "reason": "single sign-on"});
        self.asks("PUT", "/v3/admin/settings").json(&body).await
    }
}

async fn place(issuer: &Issuer) -> (World, Person, Person) {
    let world = World::with(issuer.setup()).await;
    let [ada, ben] = world.people(["Ada", "Ben"]).await;
    world.promotes(&ada, Some("admin"));
    (world, ada, ben)
}

#[tokio::test]
async fn setting_decides_who_logs_in_with_a_password() {
    let issuer = Issuer::starts().await;
    let (mut world, ada, ben) = place(&issuer).await;
    let options = async |world: &World| world.address.asks("GET", "/auth/options").await.ok();
    assert_eq!(options(&world).await["password"], "on");
    let wrong = ada.sets_password_login(json!("never")).await.refused(400);
    assert_eq!(wrong, ["password_login must be on, operators, off or null"]);
    let set = ada.sets_password_login(json!("operators")).await.ok();
    assert_eq!(set["password_login"], json!({"value": "operators", "source": "setting"}));
    world.restarts().await;
    assert_eq!(options(&world).await["password"], "operators");
    world.logs_in(&ada.email, PASSWORD).await.ok();
    let refused = world.logs_in(&ben.email, PASSWORD).await;
    let reason =
        "this server takes no password of this account; log in with Example ID or a passkey";
    assert_eq!(refused.refused(403), [reason]);
    // A wrong password is answered as ever.
    world.logs_in(&ben.email, "wrong password").await.refused(401);
    let theirs = json!({"username": ben.email, "password": PASSWORD, "grant_type": "password"});
    world.address.asks("POST", "/v2/access_tokens").json(&theirs).await.refused(403);
    let new = json!({"name": "Cem", "email": "cem@example.org", "password": PASSWORD});
    world.address.asks("POST", "/auth/register").json(&new).await.refused(403);
    // Tokens and providers go on.
    ben.gets("/v3/users/me").await.ok();
    logs_in(&world, &issuer, &json!({})).await;
    ada.sets_password_login(json!("off")).await.ok();
    world.logs_in(&ada.email, PASSWORD).await.refused(403);
    assert_eq!(ada.sets_password_login(Value::Null).await.ok()["password_login"]["value"], "on");
    world.logs_in(&ben.email, PASSWORD).await.ok();
    let log = ada.gets("/v3/admin/audit?act=settings_changed").await.ok();
    assert_eq!(log["entries"][0]["before"], "password_login: off");
}

#[tokio::test]
async fn passwords_stay_where_no_provider_is_configured() {
    let world = World::start().await;
    let ada = world.registers("Ada").await;
    world.promotes(&ada, Some("admin"));
    for mode in ["operators", "off"] {
        let refused = ada.sets_password_login(json!(mode)).await.refused(409);
        assert!(refused[0].starts_with("password_login: no provider is configured"), "{refused:?}");
    }
    ada.sets_password_login(json!("on")).await.ok();
}

#[tokio::test]
async fn recovery_by_an_operator_opens_the_account_for_a_day() {
    let issuer = Issuer::starts().await;
    let (world, ada, ben) = place(&issuer).await;
    ada.sets_password_login(json!("off")).await.ok();
    let path = format!("/v3/admin/users/{}/recover", ben.id);
    let link = ada.posts(&path).json(&json!({"reason": "provider is down"})).await.ok();
    let (_, secret) = text(&link["url"]).split_once("/#/recover/").unwrap();
    let better = json!({"password": "a better horse battery"});
    world.address.asks("POST", &format!("/auth/recover/{secret}")).json(&better).await.ok();
    world.logs_in(&ben.email, "a better horse battery").await.ok();
    world.seconds_pass(24 * 3600);
    world.logs_in(&ben.email, "a better horse battery").await.refused(403);
}

#[tokio::test]
async fn page_for_consent_refuses_passwords_with_words() {
    let issuer = Issuer::starts().await;
    let (world, ada, ben) = place(&issuer).await;
    let ropes = application(&ada, CALLBACK).await;
    ada.sets_password_login(json!("off")).await.ok();
    let mut browser = Browser::new(&world.address);
    let page = format!("/oauth/authorize?client_id={ropes}");
    browser.opens(&page).await;
    let fields = [("email", ben.email.as_str()), ("password", PASSWORD), ("act", "log-in")];
    let answer = browser.submits(&fields).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    assert!(answer.text.contains("log in with Example ID or a passkey"), "{}", answer.text);
}
