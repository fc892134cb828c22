//! Confirmation of email addresses, and changes of an address where the server sends mail.

use serde_json::{Value, json};

use crate::recovery::with_mail;
use crate::world::answer::Answer;
use crate::world::mail_server::MailServer;
use crate::world::person::Person;
use crate::world::{PASSWORD, World};

async fn me(person: &Person) -> Value {
    person.gets("/v3/users/me").await.ok()
}

async fn confirms(world: &World, link: &str) -> Answer {
    world.address.asks("POST", &format!("/auth/confirm/{link}")).await
}

async fn enters(person: &Person, address: &str) -> Answer {
    let body = json!({"email": address, "password": PASSWORD});
    person.posts("/v3/users/update").json(&body).await
}

#[tokio::test]
async fn registered_address_is_confirmed_through_a_mail() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let ana = world.registers("Ana").await;
    assert_eq!(me(&ana).await["email_verified"], false);
    let mail = server.receives().await;
    assert_eq!(mail.to, ana.email);
    let link = mail.link("confirm");
    assert_eq!(confirms(&world, &link).await.ok(), json!({"email": ana.email}));
    assert_eq!(me(&ana).await["email_verified"], true);
    confirms(&world, &link).await.refused(404);
    world.restarts().await;
    assert_eq!(me(&ana).await["email_verified"], true);
    server.has_nothing_more();
}

#[tokio::test]
async fn server_without_mail_neither_confirms_nor_shows_it() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    assert_eq!(me(&ana).await.get("email_verified"), None);
    ana.posts("/auth/confirm").await.refused(403);
    enters(&ana, "ana@example.com").await.ok();
    assert_eq!(me(&ana).await["email"], "ana@example.com");
}

#[tokio::test]
async fn new_address_waits_for_its_confirmation_and_the_old_one_can_take_it_back() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = world.registers("Ana").await;
    server.receives().await;
    let answer = enters(&ana, "ana@example.com").await.ok();
    assert_eq!(
        (&answer["email"], &answer["entered_email"]),
        (&json!(ana.email), &json!("ana@example.com"))
    );
    let mut mails = [server.receives().await, server.receives().await];
    mails.sort_by_key(|mail| mail.to != ana.email);
    let [warning, confirmation] = mails;
    assert_eq!(confirmation.to, "ana@example.com");
    assert!(warning.part("text/plain").contains("ana@example.com"));
    warning.link("protest");
    world.logs_in("ana@example.com", PASSWORD).await.refused(401);
    confirms(&world, &confirmation.link("confirm")).await.ok();
    let account = me(&ana).await;
    assert_eq!(
        (&account["email"], &account["email_verified"]),
        (&json!("ana@example.com"), &json!(true))
    );
    assert_eq!(account.get("entered_email"), None);
    world.logs_in(&ana.email, PASSWORD).await.refused(401);
    world.logs_in("ana@example.com", PASSWORD).await.ok();
    let told = server.receives().await;
    assert_eq!(told.to, ana.email);
    let path = format!("/auth/protest/{}", told.link("protest"));
    world.address.asks("POST", &path).await.ok();
    ana.gets("/v3/users/me").await.refused(401);
    let recovery = server.receives().await;
    assert_eq!(recovery.to, ana.email);
    let path = format!("/auth/recover/{}", recovery.link("recover"));
    let set = world.address.asks("POST", &path).json(&json!({"password": PASSWORD})).await.ok();
    assert_eq!(set, json!({"email": ana.email}));
    world.logs_in(&ana.email, PASSWORD).await.ok();
    world.logs_in("ana@example.com", PASSWORD).await.refused(401);
}

#[tokio::test]
async fn entered_address_may_be_taken_before_it_is_confirmed() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for _ in 0..2 {
        server.receives().await;
    }
    enters(&ana, &ben.email).await.refused(409);
    enters(&ana, "cleo2@example.org").await.ok();
    let mut mails = [server.receives().await, server.receives().await];
    mails.sort_by_key(|mail| mail.to != ana.email);
    let cleo = world.registers("Cleo").await;
    assert_eq!(cleo.email, "cleo2@example.org");
    confirms(&world, &mails[1].link("confirm")).await.refused(409);
    assert_eq!(me(&ana).await["email"], ana.email);
    enters(&ana, &ana.email).await.ok();
    assert_eq!(me(&ana).await.get("entered_email"), None);
    confirms(&world, &mails[1].link("confirm")).await.refused(404);
}

#[tokio::test]
async fn confirmation_is_requested_again_three_times_an_hour() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ana = world.registers("Ana").await;
    server.receives().await;
    for _ in 0..2 {
        ana.posts("/auth/confirm").await.accepted();
        assert_eq!(server.receives().await.to, ana.email);
    }
    ana.posts("/auth/confirm").await.refused(429);
    enters(&ana, "ana@example.com").await.refused(429);
    world.seconds_pass(3600);
    ana.posts("/auth/confirm").await.accepted();
    confirms(&world, &server.receives().await.link("confirm")).await.ok();
    ana.posts("/auth/confirm").await.accepted();
    server.has_nothing_more();
}
