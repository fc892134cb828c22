//! Registration with an address of certain domains, which a mail confirms.

use serde_json::{Value, json};

use crate::recovery::with_mail;
use crate::world::answer::Answer;
use crate::world::mail_server::MailServer;
use crate::world::person::Person;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

const REGISTRATION: &str = "/v3/admin/registration";
/// A password that a stranger chooses for the address of somebody else.
const STRANGE: &str = "a strange horse";

/// A server that lets addresses of example.org register.
fn by_domain(server: &MailServer) -> Setup {
    with_mail(server).option("--registration", "domain:Example.org,chess.example")
}

async fn registers(world: &World, email: &str, password: &str) -> Answer {
    let body = json!({"name": "Ana", "email": email, "password": password});
    world.address.asks("POST", "/auth/register").json(&body).await
}

async fn confirms(world: &World, link: &str, body: Value) -> Answer {
    world.address.asks("POST", &format!("/auth/confirm/{link}")).json(&body).await
}

async fn enters(world: &World, email: &str, password: &str) -> Person {
    let welcome = world.logs_in(email, password).await.ok();
    Person::new(world.address.clone(), &welcome)
}

#[tokio::test]
async fn confirmed_address_of_a_domain_becomes_an_account() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(by_domain(&server)).await;
    let options = world.get("/auth/options").await.ok();
    assert_eq!((&options["registration"], options.get("domains")), (&json!("domain"), None));
    let other = registers(&world, "ana@example.com", PASSWORD).await;
    assert_eq!(
        other.refused(403),
        ["only addresses of certain domains may register on this server"]
    );
    assert_eq!(other.envelope()["meta"]["details"], json!({"needs": "domain"}));
    let waiting = registers(&world, "Ana@EXAMPLE.org", PASSWORD).await.accepted();
    assert_eq!(waiting, json!({"waiting": "confirmation"}));
    let mail = server.receives().await;
    assert_eq!(mail.to, "Ana@EXAMPLE.org");
    world.restarts().await;
    let early = world.logs_in("ana@example.org", PASSWORD).await;
    early.refused(403);
    assert_eq!(early.envelope()["meta"]["details"], json!({"needs": "confirmation"}));
    world.logs_in("ana@example.org", STRANGE).await.refused(401);
    let link = mail.link("confirm");
    let bare = confirms(&world, &link, json!({})).await;
    bare.refused(403);
    assert_eq!(bare.envelope()["meta"]["details"], json!({"needs": "password"}));
    confirms(&world, &link, json!({"password": STRANGE})).await.refused(401);
    let confirmed = confirms(&world, &link, json!({"password": PASSWORD})).await.ok();
    assert_eq!(confirmed, json!({"email": "Ana@EXAMPLE.org"}));
    let ana = enters(&world, "ana@example.org", PASSWORD).await;
    assert_eq!(ana.gets("/v3/users/me").await.ok()["email_verified"], true);
    confirms(&world, &link, json!({"password": PASSWORD})).await.refused(404);
    server.has_nothing_more();
}

#[tokio::test]
async fn registrations_answer_the_same_for_known_addresses() {
    let mut server = MailServer::starts().await;
    let world = World::with(by_domain(&server)).await;
    registers(&world, "ana@example.org", PASSWORD).await.accepted();
    let link = server.receives().await.link("confirm");
    confirms(&world, &link, json!({"password": PASSWORD})).await.ok();
    let unknown = registers(&world, "ben@chess.example", PASSWORD).await;
    assert_eq!(server.receives().await.to, "ben@chess.example");
    let known = registers(&world, "ANA@example.org", STRANGE).await;
    assert_eq!((known.status, &known.text), (unknown.status, &unknown.text));
    let told = server.receives().await;
    assert!(told.to == "ana@example.org" && told.header("Subject").contains("already"), "{told:?}");
    enters(&world, "ana@example.org", PASSWORD).await;
    world.logs_in("ana@example.org", STRANGE).await.refused(401);
}

/// A stranger who registers somebody's address first knows no password of theirs afterwards.
#[tokio::test]
async fn later_registration_replaces_one_that_waits() {
    let mut server = MailServer::starts().await;
    let world = World::with(by_domain(&server)).await;
    registers(&world, "ana@example.org", STRANGE).await.accepted();
    let strange = server.receives().await.link("confirm");
    confirms(&world, &strange, json!({"password": PASSWORD})).await.refused(401);
    registers(&world, "ana@example.org", PASSWORD).await.accepted();
    let link = server.receives().await.link("confirm");
    confirms(&world, &strange, json!({"password": STRANGE})).await.refused(404);
    confirms(&world, &link, json!({"password": STRANGE})).await.refused(401);
    confirms(&world, &link, json!({"password": PASSWORD})).await.ok();
    enters(&world, "ana@example.org", PASSWORD).await;
}

#[tokio::test]
async fn unconfirmed_account_ends_after_a_week() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(by_domain(&server)).await;
    registers(&world, "ana@example.org", PASSWORD).await.accepted();
    let link = server.receives().await.link("confirm");
    world.restarts().await;
    world.seconds_pass(7 * 24 * 3600);
    confirms(&world, &link, json!({"password": PASSWORD})).await.refused(404);
    // The account is gone once a log-in with its password is as wrong as any.
    while world.logs_in("ana@example.org", PASSWORD).await.status != 401 {}
    registers(&world, "ana@example.org", STRANGE).await.accepted();
    let link = server.receives().await.link("confirm");
    confirms(&world, &link, json!({"password": STRANGE})).await.ok();
}

#[tokio::test]
async fn admins_choose_the_domains_while_the_server_runs() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let [admin, ..] = world.operators().await;
    for _ in 0..3 {
        server.receives().await;
    }
    let puts = async |body: Value| admin.asks("PUT", REGISTRATION).json(&body).await;
    let named = json!({"mode": "domain", "reason": "staff"});
    assert_eq!(puts(named.clone()).await.refused(400), ["domains is required"]);
    let wrong = json!({"mode": "domain", "domains": ["https://example.org"], "reason": "staff"});
    assert_eq!(puts(wrong).await.refused(400), ["domains must be domains, like example.org"]);
    let wanted = json!({"mode": "domain", "domains": ["Example.org"], "show_domains": true,
        "reason": "staff"});
    let set = json!({"mode": "domain", "source": "setting", "domains": ["example.org"],
        "show_domains": true});
    assert_eq!(puts(wanted).await.ok(), set);
    let options = world.get("/auth/options").await.ok();
    assert_eq!(options["domains"], json!(["example.org"]));
    let other = registers(&world, "eve@evil.example", PASSWORD).await.refused(403);
    assert!(other[0].ends_with("on this server: example.org"), "{other:?}");
    registers(&world, "eve@example.org", PASSWORD).await.accepted();
    let link = server.receives().await.link("confirm");
    let people = admin.gets("/v3/admin/users?q=eve@example.org").await.ok();
    assert_eq!(people["users"][0]["waiting"], "confirmation");
    // Who waits comes in only as long as the mode allows it.
    let closed = puts(json!({"mode": "closed", "reason": "full"})).await.ok();
    assert_eq!((&closed["mode"], &closed["domains"]), (&json!("closed"), &set["domains"]));
    confirms(&world, &link, json!({"password": PASSWORD})).await.refused(403);
    puts(named).await.ok();
    confirms(&world, &link, json!({"password": PASSWORD})).await.ok();
    let people = admin.gets("/v3/admin/users?q=eve@example.org").await.ok();
    assert_eq!(people["users"][0]["waiting"], Value::Null);
    let entry = &admin.gets("/v3/admin/audit?act=settings_changed").await.ok()["entries"][2];
    assert_eq!(entry["after"], "registration: domain\ndomains: example.org (shown)");
}

#[tokio::test]
async fn server_without_mail_takes_no_domains() {
    let world = World::start().await;
    let [admin, ..] = world.operators().await;
    let body = json!({"mode": "domain", "domains": ["example.org"], "reason": "staff"});
    assert_eq!(
        admin.asks("PUT", REGISTRATION).json(&body).await.refused(409),
        ["mode: domain needs mail, and this server sends none (--smtp-url, --mail-from)"]
    );
}
