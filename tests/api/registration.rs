//! Registration with an address of certain domains, which a mail confirms, and registration that operators
//! approve.

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

const REQUESTS: &str = "/v3/admin/requests";

async fn asks(world: &World, email: &str, about: &str) -> Answer {
    let body = json!({"name": "Ana", "email": email, "password": PASSWORD, "about": about});
    world.address.asks("POST", "/auth/register").json(&body).await
}

/// Makes operators approve, and returns an admin, a moderator and an auditor.
async fn approving(world: &World) -> [Person; 3] {
    let operators = world.operators().await;
    let body = json!({"mode": "approval", "reason": "too many strangers"});
    let set = operators[0].asks("PUT", REGISTRATION).json(&body).await.ok();
    assert_eq!(set["mode"], "approval");
    operators
}

/// The requests that wait, once there are as many.
async fn requests(operator: &Person, count: usize) -> Vec<Value> {
    loop {
        let listed = operator.gets(REQUESTS).await.ok();
        assert_eq!(listed["more"], false);
        let requests = listed["requests"].as_array().unwrap().clone();
        if requests.len() == count {
            return requests;
        }
    }
}

async fn decides(operator: &Person, request: &Value, action: &str) -> Answer {
    let path = format!("{REQUESTS}/{}", request["user"]["id"].as_str().unwrap());
    operator.asks("POST", &path).json(&json!({"action": action, "reason": "known"})).await
}

#[tokio::test]
async fn approved_person_logs_in() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let [admin, moderator, auditor] = approving(&world).await;
    for _ in 0..3 {
        server.receives().await;
    }
    assert_eq!(world.get("/auth/options").await.ok()["registration"], "approval");
    let bare = registers(&world, "ana@example.org", PASSWORD).await.refused(400);
    assert!(bare[0].starts_with("about is required"), "{bare:?}");
    let long = asks(&world, "ana@example.org", &"a".repeat(501)).await.refused(400);
    assert!(long[0].starts_with("about ") && long[0].contains("500"), "{long:?}");
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD,
        "about": "I climb with Ben"});
    let german = world.address.asks("POST", "/auth/register").header("Accept-Language", "de");
    let waiting = german.json(&body).await.accepted();
    assert_eq!(waiting, json!({"waiting": "approval"}));
    requests(&admin, 1).await;
    world.restarts().await;
    let early = world.logs_in("ana@example.org", PASSWORD).await;
    assert_eq!(
        early.refused(403),
        ["this account waits for the approval of the operators of this server"]
    );
    assert_eq!(early.envelope()["meta"]["details"], json!({"needs": "approval"}));
    world.logs_in("ana@example.org", STRANGE).await.refused(401);
    let listed = requests(&auditor, 1).await;
    assert_eq!(listed[0]["about"], "I climb with Ben");
    assert_eq!(
        (&listed[0]["user"]["name"], &listed[0]["user"]["waiting"]),
        (&json!("Ana"), &json!("approval"))
    );
    decides(&auditor, &listed[0], "approve").await.refused(403);
    decides(&moderator, &listed[0], "wave").await.refused(400);
    let path = format!("{REQUESTS}/{}", listed[0]["user"]["id"].as_str().unwrap());
    moderator.asks("POST", &path).json(&json!({"action": "approve"})).await.refused(400);
    decides(&moderator, &listed[0], "approve").await.ok();
    assert_eq!(requests(&moderator, 0).await, Vec::<Value>::new());
    let mail = server.receives().await;
    assert_eq!(mail.to, "ana@example.org");
    assert!(mail.header("Subject").contains("bereit"), "{mail:?}");
    let ana = enters(&world, "ana@example.org", PASSWORD).await;
    assert_eq!(ana.gets("/v3/users/me").await.ok()["email_verified"], false);
    for action in ["approve", "refuse"] {
        decides(&admin, &listed[0], action).await.refused(404);
    }
    let audit = admin.gets("/v3/admin/audit?act=request_approved").await.ok();
    assert_eq!(audit["entries"].as_array().unwrap().len(), 1);
    assert_eq!(audit["entries"][0]["reason"], "known");
    server.has_nothing_more();
}

#[tokio::test]
async fn refused_person_may_ask_again() {
    let world = World::start().await;
    let [admin, ..] = approving(&world).await;
    asks(&world, "ana@example.org", "give me").await.accepted();
    let listed = requests(&admin, 1).await;
    decides(&admin, &listed[0], "refuse").await.ok();
    world.logs_in("ana@example.org", PASSWORD).await.refused(401);
    decides(&admin, &listed[0], "approve").await.refused(404);
    asks(&world, "ana@example.org", "I climb with Ben, please").await.accepted();
    let listed = requests(&admin, 1).await;
    assert_eq!(listed[0]["about"], "I climb with Ben, please");
    decides(&admin, &listed[0], "approve").await.ok();
    enters(&world, "ana@example.org", PASSWORD).await;
}

/// A stranger who asks for somebody's waiting account gets nothing of it.
#[tokio::test]
async fn requests_answer_the_same_for_known_addresses() {
    let world = World::start().await;
    let [admin, ..] = approving(&world).await;
    let first = asks(&world, "ana@example.org", "I climb").await;
    let listed = requests(&admin, 1).await;
    let body = json!({"name": "Eve", "email": "ANA@example.org", "password": STRANGE,
        "about": "I am Ana"});
    let again = world.address.asks("POST", "/auth/register").json(&body).await;
    assert_eq!((first.status, &first.text), (again.status, &again.text));
    let other = asks(&world, "ben@example.org", "me too").await;
    assert_eq!((first.status, &first.text), (other.status, &other.text));
    assert_eq!(requests(&admin, 2).await[0], listed[0]);
    decides(&admin, &listed[0], "approve").await.ok();
    world.logs_in("ana@example.org", STRANGE).await.refused(401);
    let ana = enters(&world, "ana@example.org", PASSWORD).await;
    let known = asks(&world, "ana@example.org", "again").await;
    assert_eq!((first.status, &first.text), (known.status, &known.text));
    assert_eq!(ana.gets("/v3/users/me").await.ok()["name"], "Ana");
    let after = listed[0]["user"]["id"].as_str().unwrap();
    let later = admin.gets(&format!("{REQUESTS}?after={after}")).await.ok();
    assert_eq!(later["requests"][0]["user"]["email"], "ben@example.org");
    admin.gets(&format!("{REQUESTS}?after=x")).await.refused(400);
}
