//! Mails about missed messages, and the settings and links that change when they come.

use p256::SecretKey;
use serde_json::{Value, json};

use crate::direct_messages::writes;
use crate::notices::subscription;
use crate::recovery::with_mail;
use crate::world::PASSWORD;
use crate::world::World;
use crate::world::browser::Browser;
use crate::world::mail_server::{MailServer, ReceivedMail};
use crate::world::outside::Outside;
use crate::world::person::{Group, Person, text};

const SETTINGS: &str = "/v3/users/me/settings";
const HALF_HOUR: u64 = 30 * 60;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// A server that sends mail, and the mails.
struct Post {
    world: World,
    mails: MailServer,
}

impl Post {
    async fn opens() -> Self {
        let mails = MailServer::starts().await;
        let world = World::with(with_mail(&mails)).await;
        Self { world, mails }
    }

    /// Registers people whose addresses are confirmed.
    async fn people<const N: usize>(&mut self, names: [&str; N]) -> [Person; N] {
        let people = self.world.people(names).await;
        for _ in &people {
            let link = self.mails.receives().await.link("confirm");
            let path = format!("/auth/confirm/{link}");
            self.world.address.asks("POST", &path).await.ok();
        }
        people
    }

    /// The next mail, which is about missed messages of this person.
    async fn reaches(&mut self, person: &Person) -> ReceivedMail {
        let mail = self.mails.receives().await;
        assert_eq!(mail.to, person.email, "{mail:?}");
        mail.header("List-Unsubscribe");
        self.is_settled().await;
        mail
    }

    /// Waits until the server has recorded that the mails were accepted. Before that, a restart
    /// would send them again.
    async fn is_settled(&self) {
        self.world.counts("coterie_mails_waiting", 0).await;
    }

    /// Waits until everything that was due is sent, and checks that no mail came. `others` are two
    /// people who registered after those who are to get no mail.
    async fn is_silent(&mut self, others: [&Person; 2]) {
        let [from, to] = others;
        writes(from, to, "the last one").await;
        self.world.seconds_pass(HALF_HOUR);
        self.reaches(to).await;
        // Mails that were queued before that one are sent before this one.
        let body = json!({"email": from.email});
        self.world.post("/auth/recover").json(&body).await.accepted();
        self.mails.receives().await.link("recover");
        self.is_settled().await;
        self.mails.has_nothing_more();
    }
}

impl Person {
    async fn chooses(&self, choice: Value) -> Value {
        let body = json!({"email_notices": choice});
        self.asks("PUT", SETTINGS).header("Accept-Language", "de-CH").json(&body).await.ok()
    }

    async fn mentions(&self, group: &Group, ids: &[&str], words: &str) -> Value {
        let loci = vec![[0, 1]; ids.len()];
        let mention = json!({"type": "mentions", "user_ids": ids, "loci": loci});
        self.posting(group, json!({"text": words, "attachments": [mention]})).await.created()
    }
}

#[tokio::test]
async fn one_mail_lists_all_that_is_unread_and_for_the_reader() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    ana.chooses(json!(null)).await;
    let group = ben.creates_group("Climbers").await;
    ben.adds(&ana, &group).await;
    ben.adds(&cleo, &group).await;
    let own = ana.says(&group, "who has a rope?").await;
    ben.says(&group, "nothing special").await;
    ben.mentions(&group, &[&ana.id], "@ see <you> there").await;
    let reply = json!({"type": "reply", "reply_id": own["id"], "base_reply_id": own["id"]});
    cleo.posting(&group, json!({"text": "I have one", "attachments": [reply]})).await.created();
    for number in 1..=7 {
        writes(&ben, &ana, &format!("direct {number}")).await;
    }
    post.world.seconds_pass(HALF_HOUR);
    let mail = post.reaches(&ana).await;
    assert!(mail.header("Subject").starts_with("Ungelesene Nachrichten für dich bei 127.0.0.1:"));
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    let plain = mail.part("text/plain");
    for expected in [
        "Hallo Ana,",
        "Climbers\n  Ben: @ see <you> there\n  Cleo: I have one\n",
        "Ben\n  Ben: direct 3\n  Ben: direct 4\n  Ben: direct 5\n  Ben: direct 6\n  Ben: direct 7\n  … +2\n",
        "Diese Mails abbestellen:\nhttp://",
    ] {
        assert!(plain.contains(expected), "{expected:?} in {plain}");
    }
    assert!(!plain.contains("nothing special") && !plain.contains("rope"), "{plain}");
    let html = mail.part("text/html");
    assert!(
        html.contains("<html lang=\"de\"") && html.contains("@ see &lt;you&gt; there"),
        "{html}"
    );
    assert!(!html.contains("<img"), "{html}");
    post.is_silent([&cleo, &dan]).await;
}

#[tokio::test]
async fn message_request_makes_no_mail() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let choice = json!({"email_notices": null, "dm_from": "requests"});
    ana.asks("PUT", SETTINGS).json(&choice).await.ok();
    writes(&ben, &ana, "hello").await;
    post.world.seconds_pass(HALF_HOUR);
    post.is_silent([&cleo, &dan]).await;
    ana.posts(&format!("/v3/chats/{}/approve", ben.id)).await.ok();
    writes(&ben, &ana, "and now?").await;
    post.world.seconds_pass(HALF_HOUR);
    let mail = post.reaches(&ana).await;
    assert!(mail.part("text/plain").contains("Ben: and now?"));
}

#[tokio::test]
async fn reader_who_was_here_gets_no_mail() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    writes(&ben, &ana, "are you there?").await;
    post.world.seconds_pass(10 * 60);
    ana.gets("/v3/users/me").await.ok();
    post.world.seconds_pass(20 * 60);
    post.is_silent([&cleo, &dan]).await;
    post.world.seconds_pass(60);
    writes(&ben, &ana, "and now?").await;
    post.world.seconds_pass(HALF_HOUR);
    let plain = post.reaches(&ana).await.part("text/plain");
    assert!(plain.contains("are you there?") && plain.contains("and now?"), "{plain}");
}

#[tokio::test]
async fn pauses_grow_while_the_reader_stays_away() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    writes(&ben, &ana, "first").await;
    post.world.seconds_pass(HALF_HOUR);
    post.reaches(&ana).await;
    for (number, pause) in [(1, 6 * HOUR), (2, 24 * HOUR), (3, 72 * HOUR), (4, 72 * HOUR)] {
        post.world.seconds_pass(60);
        writes(&ben, &ana, &format!("more {number}")).await;
        if number == 1 {
            post.world.seconds_pass(HOUR);
            post.is_silent([&cleo, &dan]).await;
            post.world.restarts().await;
        }
        post.world.seconds_pass(pause - 60);
        let plain = post.reaches(&ana).await.part("text/plain");
        assert!(plain.contains(&format!("more {number}")), "{plain}");
    }
    post.world.seconds_pass(60);
    // A log-in is recorded when it happens, a use of a token a moment later.
    post.world.logs_in(&ana.email, PASSWORD).await.ok();
    post.world.seconds_pass(60);
    writes(&ben, &ana, "after the return").await;
    post.world.seconds_pass(HALF_HOUR);
    post.reaches(&ana).await;
}

#[tokio::test]
async fn muted_blocked_read_and_deleted_messages_cause_no_mail() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan, eve, fred] =
        post.people(["Ana", "Ben", "Cleo", "Dan", "Eve", "Fred"]).await;
    let group = ben.creates_group("Climbers").await;
    for other in [&ana, &cleo, &dan] {
        ben.adds(other, &group).await;
    }
    ana.posts(&group.path("/memberships/mute")).json(&json!({"duration": null})).await.ok();
    let level = format!("/v3/conversations/{}/notifications", group.id);
    cleo.asks("PUT", &level).json(&json!({"level": "none"})).await.ok();
    let path = format!("/v3/blocks?user={}&otherUser={}", dan.id, ben.id);
    dan.posts(&path).await.created();
    ben.mentions(&group, &[&ana.id, &cleo.id, &dan.id], "@ muted, silent and blocked").await;
    let gone = cleo.mentions(&group, &[&dan.id], "@ deleted").await;
    let path = format!("/v3/conversations/{}/messages/{}", group.id, text(&gone["message"]["id"]));
    cleo.asks("DELETE", &path).await;
    post.world.seconds_pass(HALF_HOUR);
    post.is_silent([&eve, &fred]).await;
}

#[tokio::test]
async fn mail_for_everybody_in_a_group_reaches_each_member() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo] = post.people(["Ana", "Ben", "Cleo"]).await;
    let group = ben.creates_group("Climbers").await;
    for other in [&ana, &cleo] {
        ben.adds(other, &group).await;
    }
    ben.mentions(&group, &["all"], "@ everybody").await;
    post.world.seconds_pass(HALF_HOUR);
    let mut reached = [post.mails.receives().await.to, post.mails.receives().await.to];
    reached.sort();
    assert_eq!(reached, [ana.email.clone(), cleo.email.clone()]);
}

#[tokio::test]
async fn mails_need_a_confirmed_address_and_an_open_account() {
    let mut post = Post::opens().await;
    let unconfirmed = post.world.registers("Ana").await;
    post.mails.receives().await;
    let [disabled, ben, cleo, dan] = post.people(["Bea", "Ben", "Cleo", "Dan"]).await;
    post.world.promotes(&ben, Some("admin"));
    writes(&ben, &unconfirmed, "one").await;
    writes(&ben, &disabled, "two").await;
    let path = format!("/v3/admin/users/{}/disable", disabled.id);
    ben.posts(&path).json(&json!({"reason": "as agreed"})).await.ok();
    post.world.seconds_pass(HALF_HOUR);
    post.is_silent([&cleo, &dan]).await;
    unconfirmed.posts("/auth/confirm").await.accepted();
    let link = post.mails.receives().await.link("confirm");
    post.world.address.asks("POST", &format!("/auth/confirm/{link}")).await.ok();
    writes(&ben, &unconfirmed, "three").await;
    post.world.seconds_pass(HALF_HOUR);
    post.reaches(&unconfirmed).await;
}

#[tokio::test]
async fn mails_survive_restarts_and_a_rebuilt_index() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    writes(&ben, &ana, "are you there?").await;
    post.world.restarts().await;
    post.world.seconds_pass(HALF_HOUR);
    post.reaches(&ana).await;
    post.world.rebuilds_index().await;
    post.is_silent([&cleo, &dan]).await;
}

#[tokio::test]
async fn mail_that_nobody_needs_any_more_is_not_sent() {
    let mut post = Post::opens().await;
    let [ana, ben] = post.people(["Ana", "Ben"]).await;
    let message = writes(&ben, &ana, "are you there?").await;
    post.mails.refuses(&["451 later"]);
    post.world.seconds_pass(HALF_HOUR);
    assert_eq!(post.mails.receives().await.to, ana.email);
    post.world.counts("coterie_mails_total{outcome=\"delayed\"}", 1).await;
    let mark = format!("/v3/conversations/{}/read", text(&message["conversation_id"]));
    ana.posts(&mark).json(&json!({"message_id": message["id"]})).await.ok();
    post.world.seconds_pass(60);
    post.world.counts("coterie_mails_total{outcome=\"unneeded\"}", 1).await;
    post.mails.has_nothing_more();
}

#[tokio::test]
async fn digests_come_once_a_day_or_week() {
    let mut post = Post::opens().await;
    let [ana, bea, ben, cleo, dan] = post.people(["Ana", "Bea", "Ben", "Cleo", "Dan"]).await;
    assert_eq!(ana.chooses(json!("daily")).await["email_notices"], "daily");
    bea.chooses(json!("weekly")).await;
    writes(&ben, &ana, "one").await;
    writes(&ben, &bea, "two").await;
    post.world.seconds_pass(HALF_HOUR);
    ana.gets("/v3/users/me").await.ok();
    post.is_silent([&cleo, &dan]).await;
    post.world.seconds_pass(DAY - HOUR);
    post.reaches(&ana).await;
    post.world.seconds_pass(6 * DAY);
    post.reaches(&bea).await;
}

#[tokio::test]
async fn devices_with_notices_turn_the_default_off() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    let shown = |choice: &str, chosen: bool| {
        json!({"email_notices": choice, "email_notices_chosen": chosen, "dm_from": "everyone",
            "dm_from_chosen": false})
    };
    assert_eq!(ana.gets(SETTINGS).await.ok(), shown("missed", false));
    let service = Outside::listens().await;
    let keys = SecretKey::from_slice(&[1; 32]).unwrap();
    let device = subscription(&keys, &format!("{}/send/abc", service.url));
    ana.posts("/v3/push/devices").json(&device).await.created();
    assert_eq!(ana.gets(SETTINGS).await.ok(), shown("off", false));
    writes(&ben, &ana, "one").await;
    post.world.seconds_pass(HALF_HOUR);
    post.is_silent([&cleo, &dan]).await;
    assert_eq!(ana.chooses(json!("missed")).await, shown("missed", true));
    assert_eq!(ana.gets(SETTINGS).await.ok(), shown("missed", true));
    assert_eq!(ana.chooses(json!(null)).await, shown("off", false));
    for wrong in [json!({}), json!({"email_notices": "often"}), json!({"email_notices": 1})] {
        let refused = ana.asks("PUT", SETTINGS).json(&wrong).await.refused(400);
        assert!(refused[0].starts_with("email_notices"), "{refused:?}");
    }
}

#[tokio::test]
async fn one_click_turns_the_mails_off_without_a_log_in() {
    let mut post = Post::opens().await;
    let [ana, ben, cleo, dan] = post.people(["Ana", "Ben", "Cleo", "Dan"]).await;
    writes(&ben, &ana, "one").await;
    post.world.seconds_pass(HALF_HOUR);
    let header = post.reaches(&ana).await.header("List-Unsubscribe");
    let url = header.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
    let path = &url[url.find("/auth/").unwrap()..];
    post.world.restarts().await;
    let page = Browser::new(&post.world.address).opens(path).await;
    assert_eq!(page.status, 302);
    let place = page.header("location").unwrap();
    assert!(place.contains("/#/unsubscribe/"), "{place}");
    assert_eq!(ana.gets(SETTINGS).await.ok()["email_notices"], "missed");
    let form = "application/x-www-form-urlencoded";
    let click = || post.world.post(path).body(form, "List-Unsubscribe=One-Click");
    click().await.ok();
    click().await.ok();
    assert_eq!(ana.gets(SETTINGS).await.ok()["email_notices"], "off");
    post.world.post(&format!("{path}x")).await.refused(404);
    post.world.seconds_pass(60);
    writes(&ben, &ana, "two").await;
    post.world.seconds_pass(HALF_HOUR);
    post.is_silent([&cleo, &dan]).await;
}

#[tokio::test]
async fn operators_keep_texts_out_of_mails() {
    let mut post = Post::opens().await;
    let [ana, ben] = post.people(["Ana", "Ben"]).await;
    post.world.promotes(&ben, Some("admin"));
    let body = json!({"mail_shows_text": "off", "reason": "as agreed"});
    let settings = ben.asks("PUT", "/v3/admin/settings").json(&body).await.ok();
    assert_eq!(settings["mail_shows_text"], json!({"value": "off", "source": "setting"}));
    writes(&ben, &ana, "a secret").await;
    writes(&ben, &ana, "another").await;
    post.world.seconds_pass(HALF_HOUR);
    let mail = post.reaches(&ana).await;
    for part in ["text/plain", "text/html"] {
        let part = mail.part(part);
        assert!(part.contains("Ben (2)") && !part.contains("secret"), "{part}");
    }
}
