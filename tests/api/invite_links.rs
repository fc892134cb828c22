//! Invites of groups: links with a name, an end and a number of uses.

use serde_json::{Value, json};

use crate::bans::until;
use crate::blocks::blocks;
use crate::recovery::{DELAYED, with_mail};
use crate::slow_mode::makes_admin;
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::mail_server::MailServer;
use crate::world::person::{Group, Person, text};

const START: u64 = 1_800_000_000;

/// Counts the mails that the mail server accepted.
const SENT: &str = "coterie_mails_total{outcome=\"sent\"}";

impl Person {
    async fn makes_invite(&self, group: &Group, body: &Value) -> Value {
        self.posts(&group.path("/invites")).json(body).await.created()["invite"].clone()
    }

    async fn lists_invites(&self, group: &Group) -> Vec<Value> {
        let list = self.gets(&group.path("/invites")).await.ok();
        list["invites"].as_array().unwrap().clone()
    }

    async fn ends_invite(&self, group: &Group, invite: &Value) -> Answer {
        self.asks("DELETE", &group.path(&format!("/invites/{}", text(&invite["id"])))).await
    }
}

/// The token of an invite.
fn token(invite: &Value) -> &str {
    text(&invite["url"]).rsplit_once('/').unwrap().1
}

fn is_told(frame: &Value) -> bool {
    frame["type"] == "invite.update"
}

fn rejection(refused: &Answer) -> Value {
    let whole: Value = serde_json::from_str(&refused.text).unwrap();
    whole["meta"]["details"]["rejection_reason"].clone()
}

#[tokio::test]
async fn invite_lets_in_as_many_as_it_may() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let body = json!({"name": "Poster", "max_uses": 1, "expires_in": 3600});
    let invite = ben.makes_invite(&climbers, &body).await;
    let path = format!("/join_group/{}/{}", climbers.id, token(&invite));
    assert!(text(&invite["url"]).ends_with(&path), "{invite}");
    let code = text(&invite["qr_code_url"]).find("/qr/").unwrap();
    let code = &text(&invite["qr_code_url"])[code..];
    assert_eq!(world.get(code).await.status, 200);
    let expected = json!({"id": invite["id"], "url": invite["url"], "qr_code_url": invite["qr_code_url"],
        "name": "Poster", "uses": 0, "max_uses": 1, "expires_at": START + 3600, "approval": null,
        "state": "open", "created_by": ben.id, "created_at": START});
    assert_eq!(invite, expected);
    let shown = cem.gets(&climbers.path(&format!("/join/{}", token(&invite)))).await.ok();
    assert_eq!(shown["invited_by"]["nickname"], "Ben");
    assert_eq!(shown["group"]["requires_approval"], false);
    assert_eq!(ben.joins(&climbers, token(&invite)).await.ok()["group"]["id"], json!(climbers.id));
    let (first, second) =
        tokio::join!(cem.joins(&climbers, token(&invite)), dan.joins(&climbers, token(&invite)));
    let (joined, refused) = if first.status == 200 { (first, second) } else { (second, first) };
    joined.ok();
    assert_eq!(rejection(&refused), "link_ended");
    assert_eq!(refused.refused(403), ["this link has ended; ask for a new one"]);
    for _ in 0..2 {
        let listed = ana.lists_invites(&climbers).await;
        let [used] = listed.as_slice() else { panic!("one invite: {listed:?}") };
        assert_eq!((&used["uses"], &used["state"]), (&json!(1), &json!("used_up")));
        world.restarts().await;
    }
    let seen = dan.gets(&climbers.path(&format!("/join/{}", token(&invite)))).await;
    assert_eq!(rejection(&seen), "link_ended");
}

#[tokio::test]
async fn ended_and_expired_invites_open_nothing() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let ended = ben.makes_invite(&climbers, &json!({})).await;
    let expiring = ben.makes_invite(&climbers, &json!({"expires_in": 60})).await;
    assert_eq!(ben.ends_invite(&climbers, &ended).await.status, 200);
    ben.ends_invite(&climbers, &ended).await.refused(404);
    world.seconds_pass(60);
    world.restarts().await;
    for invite in [&ended, &expiring] {
        let refused = cem.joins(&climbers, token(invite)).await;
        assert_eq!(rejection(&refused), "link_ended");
    }
    let listed = ana.lists_invites(&climbers).await;
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["state"]), (&expiring["id"], &json!("expired")));
    cem.joins(&climbers, "x").await.refused(404);
    let ban = climbers.path(&format!("/bans/{}", cem.id));
    ana.asks("PUT", &ban).json(&json!({})).await.ok();
    let open = ana.makes_invite(&climbers, &json!({})).await;
    assert_eq!(rejection(&cem.joins(&climbers, token(&open)).await), "banned");
    cem.gets(&climbers.path(&format!("/join/{}", token(&open)))).await.refused(404);
    ana.posts(&climbers.path("/destroy")).await.ok();
    let [dan] = world.people(["Dan"]).await;
    dan.joins(&climbers, token(&open)).await.refused(404);
}

#[tokio::test]
async fn invite_that_asks_files_a_request() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let body = json!({"name": "Club", "approval": "ask"});
    let invite = ben.makes_invite(&climbers, &body).await;
    let shown = cem.gets(&climbers.path(&format!("/join/{}", token(&invite)))).await.ok();
    assert_eq!(shown["group"]["requires_approval"], true);
    let asked = cem.joins(&climbers, token(&invite)).await.accepted();
    assert_eq!(asked["membership"]["state"], "requested_pending");
    assert_eq!(asked["group"]["name"], "Climbers");
    assert_eq!(asked["group"].get("members"), None);
    world.restarts().await;
    assert_eq!(cem.joins(&climbers, token(&invite)).await.accepted(), asked);
    let old = format!("/compat/v3/groups/{}/join/{}", climbers.id, token(&invite));
    let filed = dan.posts(&old).await;
    assert_eq!(filed.status, 201);
    let whole: Value = serde_json::from_str(&filed.text).unwrap();
    assert_eq!(whole["meta"]["code"], 20_101);
    assert_eq!(ana.lists_invites(&climbers).await[0]["uses"], 2);
    cem.gets(&climbers.path("")).await.refused(404);
    let pending = ana.gets(&climbers.path("/pending_memberships")).await.ok();
    let request = &pending[0];
    assert_eq!(request["reason"]["question"]["text"], "By the invite \"Club\" of Ben");
    assert_eq!(request["reason"]["method"], "share_url");
    assert_eq!(ben.gets(&climbers.path("/pending_memberships")).await.ok(), json!([]));
    let membership = text(&asked["membership"]["id"]);
    let path = climbers.path(&format!("/members/{membership}/approval"));
    ben.posts(&path).json(&json!({"approval": true})).await.refused(403);
    ana.posts(&path).json(&json!({"approval": true})).await.ok();
    assert_eq!(cem.sees(&climbers).await["members"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn invite_is_refused_with_its_field_or_role() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    for (body, error) in [
        (
            json!({"name": "x".repeat(61)}),
            "name is too long: 61 characters, at most 60 are allowed",
        ),
        (json!({"max_uses": 0}), "max_uses must be between 1 and 100000"),
        (json!({"expires_in": 59}), "expires_in must be between 60 and 31622400"),
        (json!({"approval": "maybe"}), "approval must be ask or skip"),
        (json!({"guest": "some"}), "guest must be true or false"),
    ] {
        assert_eq!(ana.posts(&climbers.path("/invites")).json(&body).await.refused(400), [error]);
    }
    let skips = json!({"approval": "skip"});
    ben.posts(&climbers.path("/invites")).json(&skips).await.refused(403);
    let anas = ana.makes_invite(&climbers, &skips).await;
    assert_eq!(anas["approval"], "skip");
    ben.ends_invite(&climbers, &anas).await.refused(404);
    assert_eq!(ben.lists_invites(&climbers).await, [] as [Value; 0]);
    for _ in 1..50 {
        ana.makes_invite(&climbers, &json!({})).await;
    }
    let errors = ana.posts(&climbers.path("/invites")).json(&json!({})).await.refused(400);
    assert_eq!(errors, ["a group has at most 50 open invites"]);
    let closed = json!({"group_type": "closed"});
    ana.posts(&climbers.path("/update")).json(&closed).await.ok();
    ben.posts(&climbers.path("/invites")).json(&json!({})).await.refused(403);
}

#[tokio::test]
async fn invites_are_told_to_those_who_see_them() {
    let world = World::start().await;
    let ([ana, ben, cem, dan], climbers) = world.climbing(["Ana", "Ben", "Cem", "Dan"]).await;
    makes_admin(&ana, &cem, &climbers).await;
    let [eve] = world.people(["Eve"]).await;
    let mut feeds = Vec::new();
    for person in [&ana, &ben, &cem, &dan] {
        feeds.push(person.listens().await);
    }
    let invite = ben.makes_invite(&climbers, &json!({"name": "Club"})).await;
    let told = json!({"invite_id": invite["id"]});
    for feed in &mut feeds[..3] {
        assert_eq!(until(feed, is_told).await.last().unwrap()["data"], told);
    }
    eve.joins(&climbers, token(&invite)).await.ok();
    ana.ends_invite(&climbers, &invite).await.ok();
    for feed in &mut feeds[..3] {
        for _ in 0..2 {
            assert_eq!(until(feed, is_told).await.last().unwrap()["data"], told);
        }
    }
    ana.says(&climbers, "last").await;
    let others = until(&mut feeds[3], |frame| frame["data"]["text"] == "last").await;
    assert!(!others.iter().any(is_told), "{others:?}");
    let audit = ana.gets(&climbers.path("/audit")).await.ok();
    let acts: Vec<&Value> =
        audit["entries"].as_array().unwrap().iter().map(|entry| &entry["act"]).collect();
    assert_eq!(acts[..2], [&json!("invite_ended"), &json!("invite_created")]);
    assert_eq!(audit["entries"][0]["by"]["user_id"], json!(ana.id));
}

#[tokio::test]
async fn repeated_request_makes_one_invite() {
    let world = World::start().await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let body = json!({"name": "Club"});
    let mut made = Vec::new();
    for _ in 0..2 {
        let asked = ana.posts(&climbers.path("/invites")).json(&body);
        made.push(asked.header("Idempotency-Key", "invite-1").await.created());
    }
    assert_eq!(made[0], made[1]);
    assert_eq!(ana.lists_invites(&climbers).await.len(), 1);
}

async fn invites_by_email(person: &Person, group: &Group, emails: &[&str]) -> Answer {
    let body = json!({"emails": emails});
    person.posts(&group.path("/invites/email")).header("Accept-Language", "de").json(&body).await
}

#[tokio::test]
async fn email_invites_are_offered_where_no_mail_is_sent() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    let emails = ["Cem@Example.org", "cem@example.org", "dan@example.org"];
    let made = invites_by_email(&ben, &climbers, &emails).await.created();
    let [first, second] = made.as_array().unwrap().as_slice() else { panic!("two: {made}") };
    let url = format!("/join_group/{}/", climbers.id);
    assert!(text(&first["url"]).contains(&url), "{made}");
    assert_eq!(
        first,
        &json!({"email": "Cem@Example.org", "sent": false, "url": first["url"]}),
        "an address that is listed twice counts once"
    );
    world.restarts().await;
    let listed = ana.lists_invites(&climbers).await;
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0]["email"], "dan@example.org");
    assert_eq!((token(&listed[0]), &listed[0]["max_uses"]), (token(second), &json!(1)));
    assert_eq!(listed[0]["expires_at"], json!(START + 7 * 86_400));
    dan.joins(&climbers, token(second)).await.ok();
    assert_eq!(rejection(&cem.joins(&climbers, token(second)).await), "link_ended");
    world.seconds_pass(7 * 86_400);
    assert_eq!(rejection(&cem.joins(&climbers, token(first)).await), "link_ended");
}

#[tokio::test]
async fn email_invites_name_the_group_and_the_inviter() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let confirmation = server.receives().await.link("confirm");
    let refused = invites_by_email(&ana, &climbers, &["cem@example.net"]).await.refused(403);
    assert_eq!(
        refused,
        ["confirm your email address first; only confirmed accounts invite people by email"]
    );
    world.address.asks("POST", &format!("/auth/confirm/{confirmation}")).await.ok();
    let made = invites_by_email(&ana, &climbers, &["cem@example.net"]).await.created();
    assert_eq!(made[0]["sent"], true);
    let mail = server.receives().await;
    assert_eq!(mail.to, "cem@example.net");
    let subject = mail.header("Subject");
    assert!(subject.starts_with("Ana lädt dich in Climbers bei "), "{subject}");
    for part in ["text/plain", "text/html"] {
        let part = mail.part(part);
        assert!(part.contains(text(&made[0]["url"])), "{part}");
        assert!(part.contains("Ana lädt dich in die Gruppe Climbers"), "{part}");
    }
    assert!(!mail.part("text/html").contains("<img"));
    let cem = world.registers("Cem").await;
    assert_eq!(server.receives().await.to, cem.email);
    cem.joins(&climbers, token(&made[0])).await.ok();
    server.has_nothing_more();
}

#[tokio::test]
async fn repeated_request_mails_an_address_once() {
    let mut server = MailServer::starts().await;
    let mut world = World::with(with_mail(&server)).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let confirmation = server.receives().await.link("confirm");
    world.address.asks("POST", &format!("/auth/confirm/{confirmation}")).await.ok();
    let ask = async |person: &Person| {
        let asked = person.posts(&climbers.path("/invites/email"));
        let asked = asked.json(&json!({"emails": ["cem@example.net", "dan@example.net"]}));
        asked.header("Idempotency-Key", "invite-1").await.created()
    };
    let first = ask(&ana).await;
    let mut to = [server.receives().await.to, server.receives().await.to];
    to.sort();
    assert_eq!(to, ["cem@example.net", "dan@example.net"]);
    world.counts(SENT, 3).await;
    world.restarts().await;
    assert_eq!(ask(&ana).await, first);
    assert_eq!(ana.lists_invites(&climbers).await.len(), 2);
    invites_by_email(&ana, &climbers, &["eve@example.net"]).await.created();
    assert_eq!(server.receives().await.to, "eve@example.net", "the repeat mailed nothing");
}

#[tokio::test]
async fn ended_invite_is_not_mailed() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    let confirmation = server.receives().await.link("confirm");
    world.address.asks("POST", &format!("/auth/confirm/{confirmation}")).await.ok();
    server.refuses(&["451 4.7.1 later"]);
    invites_by_email(&ana, &climbers, &["cem@example.net"]).await.created();
    assert_eq!(server.receives().await.to, "cem@example.net");
    world.counts(DELAYED, 1).await;
    let invites = ana.lists_invites(&climbers).await;
    ana.ends_invite(&climbers, &invites[0]).await.ok();
    world.seconds_pass(60);
    world.counts("coterie_mails_total{outcome=\"dead\"}", 1).await;
    server.has_nothing_more();
}

#[tokio::test]
async fn banned_addressee_gets_no_usable_link_and_nobody_learns_it() {
    let mut server = MailServer::starts().await;
    let world = World::with(with_mail(&server)).await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem, eve, dan] = world.people(["Cem", "Eve", "Dan"]).await;
    let mut confirmations = Vec::new();
    for _ in 0..5 {
        let mail = server.receives().await;
        confirmations.extend((mail.to == ben.email).then(|| mail.link("confirm")));
    }
    world.address.asks("POST", &format!("/auth/confirm/{}", confirmations[0])).await.ok();
    ana.asks("PUT", &climbers.path(&format!("/bans/{}", cem.id))).json(&json!({})).await.ok();
    blocks(&eve, &ben).await.created();
    let emails = [cem.email.as_str(), &eve.email, &dan.email];
    let made = invites_by_email(&ben, &climbers, &emails).await.created();
    assert_eq!(server.receives().await.to, dan.email, "the others get no mail");
    world.counts(SENT, 6).await;
    world.counts("coterie_mails_waiting", 0).await;
    server.has_nothing_more();
    let listed = ben.lists_invites(&climbers).await;
    for (place, shown) in listed.iter().enumerate() {
        let invite = &made[2 - place];
        assert_eq!((&invite["sent"], &shown["state"]), (&json!(true), &json!("open")));
        assert_eq!(shown["email"], invite["email"]);
        let preview = climbers.path(&format!("/join/{}", token(invite)));
        assert_eq!(ben.gets(&preview).await.ok()["invited_by"]["nickname"], "Ben");
    }
    for invite in &made.as_array().unwrap()[..2] {
        assert_eq!(rejection(&dan.joins(&climbers, token(invite)).await), "link_ended");
    }
    dan.joins(&climbers, token(&made[2])).await.ok();
}

#[tokio::test]
async fn email_invites_are_refused_with_their_limit() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let path = climbers.path("/invites/email");
    let many: Vec<String> = (0..51).map(|number| format!("p{number}@example.net")).collect();
    for (body, errors) in [
        (json!({}), vec!["emails must be an array of email addresses"]),
        (json!({"emails": "cem@example.net"}), vec!["emails must be an array of email addresses"]),
        (json!({"emails": []}), vec!["emails must have 1 to 50 addresses, not 0"]),
        (json!({"emails": many}), vec!["emails must have 1 to 50 addresses, not 51"]),
        (
            json!({"emails": ["cem", 7, "dan@example.net"]}),
            vec!["emails[0] must have the form name@domain", "emails[1] must be a string"],
        ),
    ] {
        assert_eq!(ben.posts(&path).json(&body).await.refused(400), errors);
    }
    invites_by_email(&cem, &climbers, &["dan@example.net"]).await.refused(404);
    for day in 0..2 {
        for round in 0..4 {
            let person = |number| format!("p{day}-{round}-{number}@example.net");
            let emails: Vec<String> = (0..50).map(person).collect();
            ben.posts(&path).json(&json!({"emails": emails})).await.created();
            if round == 0 {
                world.seconds_pass(3_600);
            }
        }
        let refused = invites_by_email(&ben, &climbers, &["dan@example.net"]).await;
        assert_eq!(
            refused.refused(429),
            ["emails are too many: you may invite at most 200 addresses a day, and 0 more now"]
        );
        assert_eq!(refused.header("Retry-After"), Some("82800"));
        world.restarts().await;
        invites_by_email(&ben, &climbers, &["dan@example.net"]).await.refused(429);
        world.seconds_pass(86_400);
    }
    assert_eq!(ben.lists_invites(&climbers).await.len(), 400);
    for _ in 0..2 {
        let emails: Vec<String> = (0..50).map(|number| format!("q{number}@example.net")).collect();
        ana.posts(&path).json(&json!({"emails": emails})).await.created();
    }
    assert_eq!(
        invites_by_email(&ana, &climbers, &["dan@example.net"]).await.refused(400),
        ["emails would exceed the 500 open invites by email that a group may have"]
    );
    ana.makes_invite(&climbers, &json!({})).await;
    let closed = json!({"group_type": "closed"});
    ana.posts(&climbers.path("/update")).json(&closed).await.ok();
    invites_by_email(&ben, &climbers, &["eve@example.net"]).await.refused(403);
}
