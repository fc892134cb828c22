//! Recovery of an account whose password is lost, by mail and without.

use serde_json::json;

use crate::factors::sets_up;
use crate::world::answer::Answer;
use crate::world::certificate::Authority;
use crate::world::mail_server::{MailServer, ReceivedMail};
use crate::world::person::Person;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// The password that is set through a link.
const BETTER: &str = "a better horse battery";

/// Counts the attempts to send a mail that are followed by another one.
pub(crate) const DELAYED: &str = "coterie_mails_total{outcome=\"delayed\"}";

/// A setup that sends mail through this server.
pub(crate) fn with_mail(server: &MailServer) -> Setup {
    Setup::default()
        .option("--smtp-url", &server.url())
        .option("--mail-from", "Coterie <chat@example.org>")
        .option("--contact", "admin@example.org")
}

/// Registers a person, and takes the mail that confirms their address.
async fn joins(world: &World, server: &mut MailServer, name: &str) -> Person {
    let person = world.registers(name).await;
    assert_eq!(server.receives().await.to, person.email);
    person
}

async fn requests(world: &World, email: &str) -> Answer {
    let asked = world.address.asks("POST", "/auth/recover").header("Accept-Language", "de-CH,en");
    asked.json(&json!({"email": email})).await
}

async fn sets(world: &World, link: &str, password: &str) -> Answer {
    let path = format!("/auth/recover/{link}");
    world.address.asks("POST", &path).json(&json!({"password": password})).await
}

/// Requests a recovery and waits for its mail.
async fn gets_mail(world: &World, server: &mut MailServer, email: &str) -> ReceivedMail {
    requests(world, email).await.accepted();
    server.receives().await
}

#[tokio::test]
async fn lost_password_is_replaced_through_a_mail() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let mail = gets_mail(&world, &mut server, &ana.email.to_uppercase()).await;
    assert_eq!(mail.to, ana.email);
    assert_eq!(mail.header("From"), "Coterie <chat@example.org>");
    assert!(mail.header("Subject").starts_with("Neues Passwort für 127.0.0.1:"), "{mail:?}");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert!(mail.part("text/plain").starts_with("Hallo Ana,"));
    let html = mail.part("text/html");
    assert!(html.contains("lang=\"de\"") && !html.contains("<img"), "{html}");
    let link = mail.link("recover");
    assert_eq!(sets(&world, &link, "short").await.refused(400).len(), 1);
    world.restarts().await;
    let mut socket = ana.listens().await;
    assert_eq!(sets(&world, &link, BETTER).await.ok(), json!({"email": ana.email}));
    assert_eq!(socket.ends().await, 4401);
    ana.gets("/v3/users/me").await.refused(401);
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    let back = Person::new(ana.address.clone(), &world.logs_in(&ana.email, BETTER).await.ok());
    assert_eq!(back.gets("/v3/users/me").await.ok()["email_verified"], true);
    sets(&world, &link, PASSWORD).await.refused(404);
    let told = server.receives().await;
    assert!(told.header("Subject").contains("has a new password"));
    server.has_nothing_more();
}

/// Strangers may lock an account by wrong passwords; its owner opens it by mail.
#[tokio::test]
async fn recovery_opens_a_locked_account() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    for _ in 0..10 {
        world.logs_in(&ana.email, "a wrong horse").await.refused(401);
    }
    world.logs_in(&ana.email, PASSWORD).await.refused(429);
    let link = gets_mail(&world, &mut server, &ana.email).await.link("recover");
    sets(&world, &link, BETTER).await.ok();
    world.logs_in(&ana.email, BETTER).await.ok();
    assert!(server.receives().await.header("Subject").contains("has a new password"));
    // With a second factor, the wrong ones go on counting.
    let ben = joins(&world, &mut server, "Ben").await;
    sets_up(&world, &ben).await;
    server.receives().await;
    for _ in 0..10 {
        world.logs_in(&ben.email, "a wrong horse").await.refused(401);
    }
    let link = gets_mail(&world, &mut server, &ben.email).await.link("recover");
    sets(&world, &link, BETTER).await.ok();
    world.logs_in(&ben.email, BETTER).await.refused(429);
}

#[tokio::test]
async fn recovery_answers_the_same_for_unknown_addresses() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let [known, unknown] = [ana.email.as_str(), "nobody@example.org"];
    assert_eq!(
        requests(&world, unknown).await.accepted(),
        requests(&world, known).await.accepted()
    );
    assert_eq!(server.receives().await.to, ana.email);
    let empty = world.address.asks("POST", "/auth/recover").json(&json!({})).await;
    assert_eq!(empty.refused(400), ["email is required"]);
}

#[tokio::test]
async fn recoveries_are_limited_per_account_and_per_address() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let ben = joins(&world, &mut server, "Ben").await;
    for _ in 0..19 {
        requests(&world, &ana.email).await.accepted();
    }
    for _ in 0..3 {
        assert_eq!(server.receives().await.to, ana.email);
    }
    // Ben's mail is queued after Ana's last request, which brought no mail.
    assert_eq!(gets_mail(&world, &mut server, &ben.email).await.to, ben.email);
    server.has_nothing_more();
    for email in [ana.email.as_str(), "nobody@example.org"] {
        let locked = requests(&world, email).await;
        assert_eq!(locked.refused(429), ["too many recoveries from this address"]);
        assert_eq!(locked.header("Retry-After"), Some("180"));
    }
    world.seconds_pass(3600);
    assert_eq!(gets_mail(&world, &mut server, &ana.email).await.to, ana.email);
}

#[tokio::test]
async fn recovery_link_expires_and_one_use_ends_the_others() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let first = gets_mail(&world, &mut server, &ana.email).await.link("recover");
    world.seconds_pass(30 * 60);
    sets(&world, &first, BETTER).await.refused(404);
    let second = gets_mail(&world, &mut server, &ana.email).await.link("recover");
    let third = gets_mail(&world, &mut server, &ana.email).await.link("recover");
    let [ben] = world.people(["Ben"]).await;
    let (_, secret) = third.split_once('-').unwrap();
    sets(&world, &format!("{}-{secret}", ben.id), BETTER).await.refused(404);
    for wrong in [secret, "1-", "x-y", &format!("99-{secret}"), &format!("{third}x")] {
        sets(&world, wrong, BETTER).await.refused(404);
    }
    sets(&world, &third, BETTER).await.ok();
    sets(&world, &second, PASSWORD).await.refused(404);
}

#[tokio::test]
async fn changed_password_ends_recovery_links() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let link = gets_mail(&world, &mut server, &ana.email).await.link("recover");
    let body = json!({"current_password": PASSWORD, "new_password": BETTER});
    ana.posts("/auth/password").json(&body).await.ok();
    sets(&world, &link, PASSWORD).await.refused(404);
}

#[tokio::test]
async fn server_without_mail_names_the_contact() {
    let setup = Setup::default().option("--contact", "admin@example.org");
    let world = World::with(setup).await;
    let options = world.address.asks("GET", "/auth/options").await.ok();
    let expected = json!({"registration": "open", "password": "on", "mail": false, "contact": "admin@example.org",
        "name": null, "greeting": null, "passkeys": true, "providers": [],
        "setup": {"code": false, "empty": true}});
    assert_eq!(options, expected);
    let refused = requests(&world, "ana@example.org").await.refused(403);
    assert_eq!(refused, ["this server sends no mail; ask those who run it: admin@example.org"]);
}

#[tokio::test]
async fn mail_server_in_trouble_gets_the_same_mail_again() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    server.refuses(&["451 4.3.0 try again", "451 4.3.0 try again"]);
    let first = gets_mail(&world, &mut server, &ana.email).await;
    world.counts(DELAYED, 1).await;
    world.seconds_pass(60);
    let second = server.receives().await;
    world.counts(DELAYED, 2).await;
    world.restarts().await;
    world.seconds_pass(5 * 60);
    let third = server.receives().await;
    let numbers = [&first, &second, &third].map(|mail| mail.header("Message-ID"));
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
    assert!(numbers[0].ends_with("@example.org>"), "{numbers:?}");
    sets(&world, &third.link("recover"), BETTER).await.ok();
}

/// Otherwise the next start would send it again, with another link.
#[tokio::test]
async fn mail_that_is_accepted_while_the_server_stops_is_sent_once() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let mut feed = ana.listens().await;
    server.hesitates();
    let mail = gets_mail(&world, &mut server, &ana.email).await;
    let stopping = async {
        feed.socket.hears("bye").await;
        server.replies();
    };
    tokio::join!(world.stops(), stopping);
    world.restarts().await;
    world.counts("coterie_mails_waiting", 0).await;
    sets(&world, &mail.link("recover"), BETTER).await.ok();
    let told = server.receives().await;
    assert_ne!(told.header("Message-ID"), mail.header("Message-ID"));
    server.has_nothing_more();
}

#[tokio::test]
async fn refused_mail_is_dead_at_once() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    server.refuses(&["550 5.1.1 no such mailbox"]);
    gets_mail(&world, &mut server, &ana.email).await;
    world.counts("coterie_mails_total{outcome=\"dead\"}", 1).await;
    assert_eq!(world.metric("coterie_mails_waiting").await, 0);
    world.seconds_pass(2 * 3600);
    assert_eq!(gets_mail(&world, &mut server, &ana.email).await.to, ana.email);
    server.has_nothing_more();
}

#[tokio::test]
async fn mail_goes_through_a_server_with_a_certificate_of_its_own() {
    let authority = Authority::begins();
    let mut server = MailServer::with(Some(authority.acceptor())).await;
    let url = format!("smtps://chat:p%40ss@127.0.0.1:{}", server.port());
    let setup = Setup::default()
        .option("--smtp-url", &url)
        .option("--mail-from", "chat@example.org")
        .option("--mail-ca", authority.root().to_str().unwrap());
    let world = World::with(setup).await;
    let ana = joins(&world, &mut server, "Ana").await;
    assert_eq!(gets_mail(&world, &mut server, &ana.email).await.to, ana.email);
}

#[tokio::test]
async fn protest_ends_every_token_and_begins_a_recovery() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = joins(&world, &mut server, "Ana").await;
    let thief = Person::new(ana.address.clone(), &world.logs_in(&ana.email, PASSWORD).await.ok());
    let mut socket = thief.listens().await;
    let body = json!({"current_password": PASSWORD, "new_password": BETTER});
    thief.posts("/auth/password").json(&body).await.ok();
    let told = server.receives().await;
    assert_eq!(
        told.header("Subject"),
        format!("Your password for {} was changed", world.address.get())
    );
    let protests =
        async |link: &str| world.address.asks("POST", &format!("/auth/protest/{link}")).await;
    let link = told.link("protest");
    sets(&world, &link, BETTER).await.refused(404);
    protests(&link).await.ok();
    assert_eq!(socket.ends().await, 4401);
    for password in [PASSWORD, BETTER] {
        world.logs_in(&ana.email, password).await.refused(401);
    }
    protests(&link).await.refused(404);
    let recovery = server.receives().await;
    assert_eq!(recovery.to, ana.email);
    sets(&world, &recovery.link("recover"), PASSWORD).await.ok();
    world.logs_in(&ana.email, PASSWORD).await.ok();
    let told = server.receives().await;
    world.seconds_pass(48 * 3600);
    protests(&told.link("protest")).await.refused(404);
}
