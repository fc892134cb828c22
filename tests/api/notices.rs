//! Notices: SMS through a gateway, push notices to devices, and when none are sent.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint;

use crate::oauth::{CALLBACK, application, lets_in};
use crate::world::outside::{Heard, Outside};
use crate::world::person::{Group, Person, fresh_guid, text};
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

/// A setup with the account that the SMS gateway of these tests knows.
pub(crate) fn with_gateway(url: &str) -> Setup {
    let setup = Setup::default().option("--sms-url", url).option("--sms-account", "AC1");
    setup.option("--sms-secret", "s3cret").option("--sms-from", "+15550000000")
}

/// Registers a user with a phone number.
pub(crate) async fn with_phone(world: &World, name: &str, phone: &str) -> Person {
    let email = format!("{}@phone.example", name.to_lowercase());
    let body = json!({"name": name, "email": email, "password": PASSWORD, "phone_number": phone});
    let welcome = world.post("/auth/register").json(&body).await.created();
    Person::new(world.address.clone(), &welcome)
}

pub(crate) async fn switches_sms_on(person: &Person, registration: Option<&str>) {
    let body = json!({"duration": 1, "registration_id": registration});
    person.posts("/v3/users/sms_mode").json(&body).await.created();
}

pub(crate) fn sms(heard: &Heard) -> (String, String) {
    let form = heard.form();
    let field = |name: &str| form.iter().find(|(known, _)| known == name).unwrap().1.clone();
    (field("To"), field("Body"))
}

/// A push subscription as browsers send it.
pub(crate) fn subscription(keys: &SecretKey, endpoint: &str) -> Value {
    let key = keys.public_key().to_encoded_point(false);
    json!({
        "endpoint": endpoint,
        "expirationTime": null,
        "keys": {
            "p256dh": URL_SAFE_NO_PAD.encode(key.as_bytes()),
            "auth": URL_SAFE_NO_PAD.encode([7; 16]),
        },
    })
}

/// A browser with its keys, and the push service that receives its notices.
struct Browser {
    keys: SecretKey,
    service: Outside,
}

impl Browser {
    async fn opens(seed: u8) -> Self {
        let keys = SecretKey::from_slice(&[seed; 32]).unwrap();
        Self { keys, service: Outside::listens().await }
    }

    fn subscription(&self) -> Value {
        subscription(&self.keys, &format!("{}/send/abc", self.service.url))
    }

    /// Registers for push notices; returns the registration id.
    async fn subscribes(&self, person: &Person) -> String {
        let answer = person.posts("/v3/push/devices").json(&self.subscription()).await.created();
        text(&answer["registration_id"]).to_owned()
    }

    async fn reads(&mut self) -> Value {
        let heard = self.service.hears().await;
        self.unseals(heard)
    }

    fn unseals(&self, heard: Heard) -> Value {
        let secret = [7; 16].into();
        let plain = web_push_native::decrypt(heard.body, &self.keys, &secret).unwrap();
        serde_json::from_slice(&plain).unwrap()
    }
}

async fn writes_to(from: &Person, to: &Person, words: &str) {
    let guid = fresh_guid();
    let message = json!({"source_guid": guid, "recipient_id": to.id, "text": words});
    let body = json!({"direct_message": message});
    from.posts("/v3/direct_messages").json(&body).await.created();
}

async fn two_in_a_group(ana: &Person, ben: &Person) -> Group {
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(ben, &climbers).await;
    climbers
}

#[tokio::test]
async fn in_sms_mode_messages_of_groups_and_people_go_to_the_gateway() {
    let mut gateway = Outside::listens().await;
    let world = World::with(with_gateway(&gateway.url)).await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+1 555 010 1234").await;
    let climbers = two_in_a_group(&ana, &ben).await;
    ana.says(&climbers, "before").await;
    switches_sms_on(&ben, None).await;
    ben.says(&climbers, "mine").await;
    ana.says(&climbers, "Rope? 🧗").await;
    let heard = gateway.hears().await;
    assert_eq!(heard.path, "/2010-04-01/Accounts/AC1/Messages.json");
    assert_eq!(heard.header("authorization"), Some("Basic QUMxOnMzY3JldA=="));
    assert_eq!(heard.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert!(heard.form().contains(&("From".to_owned(), "+15550000000".to_owned())));
    assert_eq!(sms(&heard), ("+15550101234".to_owned(), "Ana in Climbers: Rope? 🧗".to_owned()));
    writes_to(&ana, &ben, "hi").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana: hi");
}

#[tokio::test]
async fn sms_stop_when_the_mode_ends_and_bots_never_send_any() {
    let mut gateway = Outside::listens().await;
    let world = World::with(with_gateway(&gateway.url)).await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+15550101234").await;
    let climbers = two_in_a_group(&ana, &ben).await;
    switches_sms_on(&ben, None).await;
    let bot = json!({"bot": {"name": "Bot", "group_id": climbers.id}});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    let beep = json!({"bot_id": bot["bot_id"], "text": "beep"});
    world.post("/v3/bots/post").json(&beep).await.created();
    ana.says(&climbers, "one").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: one");
    ben.posts("/v3/users/sms_mode/delete").await.ok();
    ana.says(&climbers, "two").await;
    switches_sms_on(&ben, None).await;
    ana.says(&climbers, "three").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: three");
    world.seconds_pass(3600);
    ana.says(&climbers, "four").await;
    switches_sms_on(&ben, None).await;
    ana.says(&climbers, "five").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana in Climbers: five");
}

#[tokio::test]
async fn a_gateway_that_is_busy_or_broken_is_asked_again_in_order() {
    let mut gateway = Outside::listens().await;
    let mut world = World::with(with_gateway(&format!("{}/sms", gateway.url))).await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+15550101234").await;
    switches_sms_on(&ben, None).await;
    world.restarts().await;
    gateway.answers_next("429 Too Many Requests", "Retry-After: 0\r\n");
    gateway.answers_next("503 Service Unavailable", "Retry-After: 0\r\n");
    writes_to(&ana, &ben, "one").await;
    writes_to(&ana, &ben, "two").await;
    let mut bodies = Vec::new();
    for _ in 0..4 {
        let heard = gateway.hears().await;
        assert_eq!(heard.path, "/sms");
        bodies.push(sms(&heard).1);
    }
    assert_eq!(bodies, ["Ana: one", "Ana: one", "Ana: one", "Ana: two"]);
    gateway.answers_next("400 Bad Request", "");
    writes_to(&ana, &ben, "refused").await;
    writes_to(&ana, &ben, "next").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ana: refused");
    assert_eq!(sms(&gateway.hears().await).1, "Ana: next");
}

#[tokio::test]
async fn a_notice_reaches_a_browser_sealed_and_signed() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = two_in_a_group(&ana, &ben).await;
    let mut browser = Browser::opens(1).await;
    let id = browser.subscribes(&ben).await;
    assert_eq!(browser.subscribes(&ben).await, id, "the same browser is the same device");
    let devices = ben.gets("/v3/push/devices").await.ok();
    assert_eq!(devices.as_array().unwrap().len(), 1);
    assert_eq!(devices[0]["registration_id"], id);
    let message = ana.says(&climbers, "Rope?").await;
    let heard = browser.service.hears().await;
    assert_eq!(heard.path, "/send/abc");
    assert_eq!(heard.header("content-encoding"), Some("aes128gcm"));
    assert_eq!(heard.header("ttl"), Some("86400"));
    let key = ben.gets("/v3/push/key").await.ok();
    let signed = heard.header("authorization").unwrap();
    assert!(signed.starts_with("vapid t="), "{signed}");
    assert!(signed.ends_with(&format!(", k={}", text(&key["key"]))), "{signed}");
    let notice = browser.unseals(heard);
    let conversation = format!("g:{}", climbers.id);
    let expected = json!({
        "title": "Climbers", "body": "Ana: Rope?",
        "conversation": conversation, "message_id": message["id"],
    });
    assert_eq!(notice, expected);
    writes_to(&ana, &ben, &"🧗".repeat(1000)).await;
    let notice = browser.reads().await;
    assert_eq!(notice["title"], "Ana");
    assert_eq!(notice["body"], "🧗".repeat(300));
}

#[tokio::test]
async fn browser_receives_event_reminders() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = two_in_a_group(&ana, &ben).await;
    let mut browser = Browser::opens(1).await;
    browser.subscribes(&ben).await;
    // Ana plans an event that begins five hours after the beginning of the test.
    let event = json!({"name": "Climb", "start_at": "2027-01-15T14:00:00+01:00",
        "end_at": "2027-01-15T16:00:00+01:00", "is_all_day": false, "timezone": "Europe/Berlin",
        "reminders": [900]});
    let place = format!("/v3/conversations/{}/events/create", climbers.id);
    let made = ana.posts(&place).json(&event).await.created();
    assert_eq!(browser.reads().await["message_id"], made["message"]["id"]);
    world.seconds_pass(5 * 3600 - 900 + 1);
    let notice = browser.reads().await;
    assert_eq!(notice["title"], "Climbers");
    assert_eq!(notice["body"], "Climb: starts in 15 minutes");
    assert_eq!(notice["conversation"], format!("g:{}", climbers.id));
}

#[tokio::test]
async fn owner_and_admins_receive_join_request_notices() {
    let setup = Setup::default().option("--public-url", "http://chat.example.org");
    let world = World::with(setup.option("--callback-allow", "127.0.0.0/8")).await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let mut browsers = [Browser::opens(1).await, Browser::opens(2).await, Browser::opens(3).await];
    for (browser, person) in browsers.iter().zip([&ana, &ben, &cem]) {
        browser.subscribes(person).await;
    }
    let items = json!([{"nickname": "Boss", "email": "boss@example.org"}]);
    ben.adds_items(&climbers, items).await;
    let mal = world.registers("Mal").await;
    mal.posts("/v3/users/update").json(&json!({"email": "boss@example.org"})).await.ok();
    let [owners, inviters, members] = &mut browsers;
    for browser in [owners, inviters] {
        let notice = browser.reads().await;
        assert_eq!(
            (&notice["title"], &notice["body"]),
            (&json!("Climbers"), &json!("Mal: asks to join"))
        );
        assert_eq!(notice["conversation"], format!("g:{}", climbers.id));
    }
    ana.says(&climbers, "later").await;
    assert_eq!(members.reads().await["body"], "Ana: later", "a member decides nothing");
}

#[tokio::test]
async fn muting_and_sms_mode_suppress_notices() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let ben = with_phone(&world, "Ben", "+15550101234").await;
    let climbers = two_in_a_group(&ana, &ben).await;
    let (mut loud, mut silent) = (Browser::opens(1).await, Browser::opens(2).await);
    loud.subscribes(&ben).await;
    let quiet = silent.subscribes(&ben).await;
    let muted = ben.posts(&climbers.path("/memberships/mute")).await.ok();
    assert_eq!(muted["muted"], true);
    world.restarts().await;
    ana.says(&climbers, "unheard").await;
    assert_eq!(ben.posts(&climbers.path("/memberships/unmute")).await.ok()["muted"], false);
    ana.says(&climbers, "heard").await;
    assert_eq!(loud.reads().await["body"], "Ana: heard");
    assert_eq!(silent.reads().await["body"], "Ana: heard");
    switches_sms_on(&ben, Some(&quiet)).await;
    ana.says(&climbers, "by SMS").await;
    ben.posts("/v3/users/sms_mode/delete").await.ok();
    ana.says(&climbers, "by push").await;
    assert_eq!(loud.reads().await["body"], "Ana: by SMS");
    assert_eq!(loud.reads().await["body"], "Ana: by push");
    assert_eq!(silent.reads().await["body"], "Ana: by push");
}

#[tokio::test]
async fn ended_application_takes_only_its_own_devices() {
    let mut world = World::start().await;
    let [ana, ben, cara] = world.people(["Ana", "Ben", "Cara"]).await;
    let climbers = two_in_a_group(&ana, &ben).await;
    let (mut own, mut other) = (Browser::opens(1).await, Browser::opens(2).await);
    own.subscribes(&ben).await;
    for (words, restarts) in [("before", false), ("after a restart", true)] {
        let client = application(&cara, CALLBACK).await;
        let guest = Person { token: lets_in(&world, &ben, &client).await, ..ben.clone() };
        other.subscribes(&guest).await;
        if restarts {
            world.restarts().await;
        }
        ana.says(&climbers, words).await;
        for browser in [&mut own, &mut other] {
            assert_eq!(browser.reads().await["body"], format!("Ana: {words}"));
        }
        let path = format!("/oauth/applications/{client}");
        cara.address.asks("DELETE", &path).token(&cara.token).await.ok();
        ana.says(&climbers, "without it").await;
        assert_eq!(own.reads().await["body"], "Ana: without it");
    }
}

#[tokio::test]
async fn a_device_ends_with_its_log_in_its_push_service_or_on_request() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = two_in_a_group(&ana, &ben).await;
    let phone = world.logs_in(&ben.email, PASSWORD).await.ok();
    let phone = Person::new(world.address.clone(), &phone);
    let (mut first, mut second, mut third) =
        (Browser::opens(1).await, Browser::opens(2).await, Browser::opens(3).await);
    let id = first.subscribes(&ben).await;
    second.subscribes(&ben).await;
    third.subscribes(&phone).await;
    let path = format!("/v3/push/devices/{id}");
    ana.address.asks("DELETE", &path).token(&ana.token).await.refused(404);
    ben.address.asks("DELETE", &path).token(&ben.token).await.ok();
    ben.address.asks("DELETE", &path).token(&ben.token).await.refused(404);
    phone.posts("/auth/logout").await.ok();
    second.service.answers_next("410 Gone", "");
    ana.says(&climbers, "one").await;
    assert_eq!(second.reads().await["body"], "Ana: one");
    while !ben.gets("/v3/push/devices").await.ok().as_array().unwrap().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    ana.says(&climbers, "two").await;
    let mut last = Browser::opens(4).await;
    last.subscribes(&ben).await;
    ana.says(&climbers, "three").await;
    assert_eq!(last.reads().await["body"], "Ana: three");
    for browser in [&mut first, &mut second, &mut third] {
        assert!(browser.service.heard_meanwhile().is_empty());
    }
}

#[tokio::test]
async fn invalid_push_subscription_is_refused_with_all_reasons() {
    let world = World::with(Setup::default().option("--callback-allow", "none")).await;
    let [ana] = world.people(["Ana"]).await;
    let adds = |body: Value| ana.posts("/v3/push/devices").json(&body);
    assert_eq!(adds(json!({})).await.refused(400), ["endpoint is required", "keys is required"]);
    let keys = json!({"p256dh": "AAAA", "auth": "*"});
    let errors = adds(json!({"endpoint": "https://push.example/", "keys": keys})).await;
    let expected = ["keys.p256dh has 3 bytes; it must be 65", "keys.auth is no base64url"];
    assert_eq!(errors.refused(400), expected);
    let mut flat = json!({"endpoint": "https://push.example/"});
    let zeros = URL_SAFE_NO_PAD.encode([4; 65]);
    flat["keys"] = json!({"p256dh": zeros, "auth": URL_SAFE_NO_PAD.encode([7; 16])});
    let errors = adds(flat).await.refused(400);
    assert_eq!(errors, ["keys.p256dh is no point of P-256"]);
    let browser = Browser::opens(1).await;
    let errors = adds(browser.subscription()).await.refused(400);
    assert!(errors[0].starts_with("endpoint "), "{errors:?}");
    assert!(errors[0].contains("--callback-allow"), "{errors:?}");
}
