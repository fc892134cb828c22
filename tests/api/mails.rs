//! Mails as operators see them: those that wait and those that were given up, and the test mail.

use serde_json::{Value, json};

use crate::recovery::with_mail;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::mail_server::MailServer;
use crate::world::person::{Person, text};

const MAIL: &str = "/v3/admin/mail";
const TEST: &str = "/v3/admin/mail/test";
const DEAD: &str = "coterie_mails_total{outcome=\"dead\"}";
const DELAYED: &str = "coterie_mails_total{outcome=\"delayed\"}";
const REFUSED: &str = "550 5.1.1 no such mailbox";

/// A world that sends mail, with an admin, a moderator and an auditor whose mails have arrived.
async fn begins(server: &mut MailServer) -> (World, [Person; 3]) {
    let world = World::with(with_mail(server)).await;
    let operators = world.operators().await;
    for _ in &operators {
        server.receives().await;
    }
    world.counts("coterie_mails_waiting", 0).await;
    (world, operators)
}

async fn lists(operator: &Person, query: &str) -> Value {
    operator.gets(&format!("{MAIL}{query}")).await.ok()
}

/// The only mail that waits or is dead.
async fn only(operator: &Person) -> Value {
    let page = lists(operator, "").await;
    let [mail] = page["mails"].as_array().unwrap().as_slice() else {
        panic!("one mail is listed: {page}")
    };
    mail.clone()
}

async fn retries(operator: &Person, mail: &Value) -> Answer {
    let path = format!("{MAIL}/{}/retry", text(&mail["id"]));
    operator.posts(&path).json(&json!({"reason": "it works again"})).await
}

async fn asks_for_recovery(world: &World, email: &str) {
    let asked = world.address.asks("POST", "/auth/recover");
    asked.json(&json!({"email": email})).await.accepted();
}

#[tokio::test]
async fn dead_mail_is_listed_and_sent_again() {
    let mut server = MailServer::starts().await;
    let (mut world, [admin, moderator, auditor]) = begins(&mut server).await;
    let empty = lists(&auditor, "").await;
    assert_eq!(
        empty,
        json!({"mails": [], "before": null, "counts": {"waiting": 0, "dead": 0},
            "configured": true, "sender": "Coterie <chat@example.org>"})
    );
    server.refuses(&[REFUSED]);
    let ben = world.registers("Ben").await;
    let first = server.receives().await;
    world.counts(DEAD, 1).await;
    world.restarts().await;
    let mail = only(&auditor).await;
    let expected = json!({
        "id": mail["id"],
        "kind": "confirmation",
        "user": {"user_id": ben.id.to_string(), "name": "Ben"},
        "to": ben.email,
        "state": "dead",
        "created_at": mail["created_at"],
        "attempts": 1,
        "next_attempt_at": null,
        "dead_at": mail["dead_at"],
        "last_error": mail["last_error"],
        "can_retry": true,
    });
    assert_eq!(mail, expected);
    assert!(text(&mail["last_error"]).contains("no such mailbox"), "{mail}");
    let link = first.link("confirm");
    assert!(!lists(&admin, "").await.to_string().contains(link.split_once('-').unwrap().1));
    let counts = json!({"waiting": 0, "dead": 1});
    assert_eq!(lists(&admin, "?state=waiting").await["counts"], counts);
    assert_eq!(lists(&admin, "?state=waiting").await["mails"], json!([]));
    assert_eq!(lists(&admin, "?state=dead").await["mails"], json!([mail]));

    for other in [&moderator, &auditor] {
        retries(other, &mail).await.refused(403);
    }
    let path = format!("{MAIL}/{}/retry", text(&mail["id"]));
    let bare = admin.posts(&path).json(&json!({})).await;
    assert_eq!(bare.refused(400), ["reason is required"]);
    retries(&admin, &mail).await.ok();
    let again = server.receives().await;
    assert_eq!(again.to, ben.email);
    assert_eq!(again.header("Message-ID"), first.header("Message-ID"));
    world.counts("coterie_mails_waiting", 0).await;
    assert_eq!(lists(&admin, "").await["counts"], json!({"waiting": 0, "dead": 0}));
    let confirm = format!("/auth/confirm/{}", again.link("confirm"));
    world.address.asks("POST", &confirm).json(&json!({})).await.ok();
    let gone = ["there is no such mail; it was sent meanwhile, or given up more than a week ago"];
    assert_eq!(retries(&admin, &mail).await.refused(404), gone);
    let unknown = json!({"id": "x"});
    assert_eq!(retries(&admin, &unknown).await.refused(404), gone);

    let log = admin.gets("/v3/admin/audit?act=mail_retried").await.ok();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["reason"], "it works again");
    assert_eq!(entries[0]["target"]["user_id"], ben.id.to_string());
    let own = ben.gets("/auth/audit").await.ok();
    assert_eq!(own["entries"][0]["act"], "mail_retried");
}

#[tokio::test]
async fn waiting_mail_is_sent_again_at_once() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    server.refuses(&["451 4.3.0 try again", "451 4.3.0 try again"]);
    let ben = world.registers("Ben").await;
    server.receives().await;
    world.counts(DELAYED, 1).await;
    let mail = only(&admin).await;
    assert_eq!((&mail["state"], &mail["attempts"]), (&json!("waiting"), &json!(1)));
    assert_eq!(mail["next_attempt_at"].as_u64(), Some(mail["created_at"].as_u64().unwrap() + 60));
    assert!(text(&mail["last_error"]).contains("try again"), "{mail}");
    retries(&admin, &mail).await.ok();
    server.receives().await;
    world.counts(DELAYED, 2).await;
    assert_eq!(only(&admin).await["attempts"], 2);
    retries(&admin, &mail).await.ok();
    assert_eq!(server.receives().await.to, ben.email);
    world.counts("coterie_mails_waiting", 0).await;
    server.has_nothing_more();
}

#[tokio::test]
async fn repeated_retry_with_a_key_is_one_act() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    server.refuses(&[REFUSED]);
    world.registers("Ben").await;
    server.receives().await;
    world.counts(DEAD, 1).await;
    let path = format!("{MAIL}/{}/retry", text(&only(&admin).await["id"]));
    for _ in 0..2 {
        let asked = admin.posts(&path).header("Idempotency-Key", "once");
        asked.json(&json!({"reason": "it works again"})).await.ok();
    }
    server.receives().await;
    world.counts("coterie_mails_waiting", 0).await;
    server.has_nothing_more();
    let log = admin.gets("/v3/admin/audit?act=mail_retried").await.ok();
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn mail_without_use_is_not_sent_again() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    let ben = world.registers("Ben").await;
    let confirmation = server.receives().await.link("confirm");
    server.refuses(&[REFUSED, REFUSED]);
    asks_for_recovery(&world, &ben.email).await;
    server.receives().await;
    world.counts(DEAD, 1).await;
    let recovery = only(&admin).await;
    assert_eq!((&recovery["kind"], &recovery["can_retry"]), (&json!("recovery"), &json!(true)));
    ben.posts("/auth/confirm").json(&json!({})).await;
    server.receives().await;
    world.counts(DEAD, 2).await;
    let page = lists(&admin, "").await;
    let again = page["mails"].as_array().unwrap().iter().find(|it| it["kind"] == "confirmation");
    let again = again.unwrap().clone();

    let disable = |act: &str| format!("/v3/admin/users/{}/{act}", ben.id);
    let reason = json!({"reason": "spam"});
    admin.posts(&disable("disable")).json(&reason).await.ok();
    let disabled = ["the account is disabled; enable it first"];
    assert_eq!(retries(&admin, &recovery).await.refused(409), disabled);
    admin.posts(&disable("enable")).json(&reason).await.ok();

    let confirm = format!("/auth/confirm/{confirmation}");
    world.address.asks("POST", &confirm).json(&json!({})).await.ok();
    let unneeded = ["nobody needs this mail any more: the address was confirmed, or was changed"];
    assert_eq!(retries(&admin, &again).await.refused(410), unneeded);
    world.seconds_pass(30 * 60);
    let ended = ["the link of this mail has ended; the user can request a new mail"];
    assert_eq!(retries(&admin, &recovery).await.refused(410), ended);
    let page = lists(&admin, "").await;
    assert!(page["mails"].as_array().unwrap().iter().all(|it| it["can_retry"] == false), "{page}");
    server.has_nothing_more();
    let log = admin.gets("/v3/admin/audit?act=mail_retried").await.ok();
    assert_eq!(log["entries"], json!([]));

    world.seconds_pass(7 * 86_400);
    assert_eq!(lists(&admin, "").await["counts"], json!({"waiting": 0, "dead": 0}));
}

#[tokio::test]
async fn changed_password_ends_a_dead_recovery() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    let ben = world.registers("Ben").await;
    server.receives().await;
    server.refuses(&[REFUSED]);
    asks_for_recovery(&world, &ben.email).await;
    server.receives().await;
    world.counts(DEAD, 1).await;
    let body =
        json!({"current_password": crate::world::PASSWORD, "new_password": "a better horse"});
    ben.posts("/auth/password").json(&body).await.ok();
    server.receives().await;
    world.counts("coterie_mails_waiting", 0).await;
    let ended = ["the link of this mail has ended; the user can request a new mail"];
    assert_eq!(retries(&admin, &only(&admin).await).await.refused(410), ended);
}

#[tokio::test]
async fn ended_invite_is_not_mailed_again() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    let ben = world.registers("Ben").await;
    let confirm = format!("/auth/confirm/{}", server.receives().await.link("confirm"));
    world.address.asks("POST", &confirm).json(&json!({})).await.ok();
    let climbers = ben.creates_group("Climbers").await;
    server.refuses(&[REFUSED]);
    let path = climbers.path("/invites/email");
    ben.posts(&path).json(&json!({"emails": ["cem@example.net"]})).await.created();
    server.receives().await;
    world.counts(DEAD, 1).await;
    let mail = only(&admin).await;
    assert_eq!((&mail["kind"], &mail["to"]), (&json!("group_invite"), &json!("cem@example.net")));
    assert_eq!(mail["user"]["name"], "Ben");
    server.refuses(&[REFUSED]);
    retries(&admin, &mail).await.ok();
    server.receives().await;
    world.counts(DEAD, 2).await;
    assert_eq!(only(&admin).await["attempts"], 2);
    ben.posts(&climbers.path("/destroy")).json(&json!({})).await.ok();
    let ended = ["the invite in this mail or its group has ended"];
    assert_eq!(retries(&admin, &mail).await.refused(410), ended);
}

#[tokio::test]
async fn deleted_account_leaves_no_mail() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    server.refuses(&[REFUSED]);
    let ben = world.registers("Ben").await;
    server.receives().await;
    world.counts(DEAD, 1).await;
    let mail = only(&admin).await;
    let body = json!({"password": crate::world::PASSWORD});
    ben.asks("DELETE", "/auth/account").json(&body).await.ok();
    let page = lists(&admin, "").await;
    assert_eq!((&page["mails"], &page["counts"]["dead"]), (&json!([]), &json!(0)));
    retries(&admin, &mail).await.refused(404);
}

#[tokio::test]
async fn mails_are_paged_newest_first() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    server.refuses(&[REFUSED, "451 4.3.0 try again", REFUSED]);
    for (number, name) in ["Ben", "Cleo", "Dan"].into_iter().enumerate() {
        world.registers(name).await;
        server.receives().await;
        let outcome = ["550", "451", "550"][number];
        let (dead, delayed) = [(1, 0), (1, 1), (2, 1)][number];
        let counted = if outcome == "451" { (DELAYED, delayed) } else { (DEAD, dead) };
        world.counts(counted.0, counted.1).await;
        world.seconds_pass(1);
    }
    let mut names = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = lists(&admin, &query).await;
        assert_eq!(page["counts"], json!({"waiting": 1, "dead": 2}));
        let mails = page["mails"].as_array().unwrap();
        names.extend(mails.iter().map(|it| text(&it["user"]["name"]).to_owned()));
        let Some(before) = page["before"].as_str() else { break };
        query = format!("?limit=2&before={before}");
    }
    assert_eq!(names, ["Dan", "Cleo", "Ben"]);
    for (query, problem) in [
        ("?state=sent", "state must be waiting or dead"),
        ("?before=7", "before must be the before of a page"),
    ] {
        assert_eq!(admin.gets(&format!("{MAIL}{query}")).await.refused(400), [problem]);
    }
}

#[tokio::test]
async fn test_mail_answers_with_what_the_mail_server_said() {
    let mut server = MailServer::starts().await;
    let (world, [admin, moderator, auditor]) = begins(&mut server).await;
    let sent = admin.posts(TEST).header("Accept-Language", "de").json(&json!({})).await.ok();
    assert_eq!(sent, json!({"to": admin.email, "sender": "Coterie <chat@example.org>"}));
    let mail = server.receives().await;
    assert_eq!(mail.to, admin.email);
    assert_eq!(mail.header("Subject"), format!("Testmail von {}", world.address.get()));
    let words = mail.part("text/plain");
    assert!(words.contains(&format!("Ada hat diese Mail an {}", admin.email)), "{words}");
    let body = json!({"to": "Cem@example.net", "reason": "new provider"});
    admin.posts(TEST).json(&body).await.ok();
    assert_eq!(server.receives().await.to, "Cem@example.net");
    server.refuses(&[REFUSED]);
    let refused = admin.posts(TEST).json(&body).await.refused(502);
    assert!(refused[0].starts_with("the mail server 127.0.0.1:"), "{refused:?}");
    assert!(refused[0].contains("did not accept the mail"), "{refused:?}");
    assert!(refused[0].contains("no such mailbox"), "{refused:?}");
    server.receives().await;
    // Nothing of a test waits.
    assert_eq!(lists(&admin, "").await["counts"], json!({"waiting": 0, "dead": 0}));
    let wrong = admin.posts(TEST).json(&json!({"to": "cem"})).await.refused(400);
    assert!(wrong[0].starts_with("to "), "{wrong:?}");
    for other in [&moderator, &auditor] {
        other.posts(TEST).json(&json!({})).await.refused(403);
    }
    let log = admin.gets("/v3/admin/audit?act=mail_tested").await.ok();
    let entries = log["entries"].as_array().unwrap();
    let told: Vec<_> = entries.iter().map(|it| (&it["reason"], text(&it["after"]))).collect();
    assert_eq!(told.len(), 3);
    assert!(told[0].1.contains("no such mailbox"), "{told:?}");
    assert_eq!(told[1], (&json!("new provider"), "to: Cem@example.net\noutcome: accepted"));
    assert_eq!(told[2].0, "");
}

#[tokio::test]
async fn test_mails_are_limited_to_ten_an_hour() {
    let mut server = MailServer::starts().await;
    let (world, [admin, ..]) = begins(&mut server).await;
    for _ in 0..10 {
        admin.posts(TEST).json(&json!({})).await.ok();
        server.receives().await;
    }
    let limited = admin.posts(TEST).json(&json!({})).await;
    assert_eq!(limited.refused(429), ["too many test mails: ten an hour are allowed"]);
    assert_eq!(limited.header("Retry-After"), Some("360"));
    world.seconds_pass(360);
    admin.posts(TEST).json(&json!({})).await.ok();
}

#[tokio::test]
async fn server_without_mail_says_so() {
    let world = World::start().await;
    let [admin, moderator, _] = world.operators().await;
    let page = lists(&admin, "").await;
    assert_eq!((&page["configured"], &page["sender"]), (&json!(false), &Value::Null));
    let reason = ["this server sends no mail; set --smtp-url and --mail-from"];
    assert_eq!(admin.posts(TEST).json(&json!({})).await.refused(409), reason);
    assert_eq!(retries(&admin, &json!({"id": "1"})).await.refused(409), reason);
    assert_eq!(
        moderator.gets(MAIL).await.refused(403),
        ["your role (moderator) does not allow this: see the mails that wait"]
    );
}
