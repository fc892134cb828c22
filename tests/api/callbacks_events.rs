//! Bots that ask for callbacks of other events than messages.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::called_back::{deliveries, newest_becomes, path, signature_by};
use crate::world::listener::{Listener, Request};
use crate::world::person::{Group, Person, text};

const ALL: [&str; 5] = ["message", "message.update", "message.deleted", "reaction", "membership"];

/// Creates a bot that is called back for these types of events.
async fn asks_for(listener: &mut Listener, by: &Person, group: &Group, events: &[&str]) -> Value {
    let bot = json!({"name": "Echo", "group_id": group.id, "callback_url": listener.url(),
        "events": events});
    let bot = by.posts("/v3/bots").json(&bot).await.created();
    if events.contains(&"message") {
        assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    }
    bot
}

fn kind(request: &Request) -> &str {
    request.header("webhook-event").unwrap()
}

/// The path of a message of a group.
fn message_path(group: &Group, message: &Value) -> String {
    format!("/v3/conversations/{}/messages/{}", group.id, text(&message["id"]))
}

#[tokio::test]
async fn bot_receives_pin_events_on_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    asks_for(&mut listener, &ana, &climbers, &["pin", "unpin"]).await;
    let said = ana.says(&climbers, "rope at six").await;
    for act in ["pin", "unpin"] {
        let path = format!("{}/{act}", message_path(&climbers, &said));
        let shown = ana.posts(&path).await.ok()["message"].clone();
        let heard = listener.hears().await;
        assert_eq!((kind(&heard), heard.json()), (act, shown));
    }
}

#[tokio::test]
async fn bot_receives_poll_events_on_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    asks_for(&mut listener, &ana, &climbers, &["poll.create", "poll.finished"]).await;
    let poll = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
        "expiration": 1_800_003_600_u64, "visibility": "anonymous"});
    let place = format!("/v3/poll/{}", climbers.id);
    let made = ana.posts(&place).json(&poll).await.created();
    let data = &made["poll"]["data"];
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["data"]), ("poll.create", data));
    let one = format!("{place}/{}", text(&data["id"]));
    ana.posts(&format!("{one}/2")).await.ok();
    let ended = ana.posts(&format!("{one}/end")).await.ok();
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["data"]), ("poll.finished", &ended["poll"]["data"]));
    assert_eq!(heard.json()["type"], "poll.finished");
}

#[tokio::test]
async fn bot_receives_calendar_events_on_request() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let events = ["event.create", "event.update", "event.rsvp", "event.delete"];
    asks_for(&mut listener, &ana, &climbers, &events).await;
    let (start, end) = ("2027-01-15T14:00:00+01:00", "2027-01-15T16:00:00+01:00");
    let event = json!({"name": "Climb", "start_at": start, "end_at": end,
        "is_all_day": false, "timezone": "Europe/Berlin"});
    let place = |what: &str| format!("/v3/conversations/{}/events/{what}", climbers.id);
    let made = ana.posts(&place("create")).json(&event).await.created();
    let id = text(&made["event"]["event_id"]);
    let heard = listener.hears().await;
    let told = heard.json();
    assert_eq!((kind(&heard), text(&told["type"])), ("event.create", "event.create"));
    assert_eq!((&told["event_id"], &told["name"]), (&json!(id), &json!("Climb")));
    let of = |what: &str| format!("{}?event_id={id}", place(what));
    ana.posts(&of("update")).json(&json!({"name": "Boulder"})).await.ok();
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["name"]), ("event.update", &json!("Boulder")));
    ana.posts(&format!("{}&going=false", of("rsvp"))).await.ok();
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["going_count"]), ("event.rsvp", &json!(0)));
    ana.asks("DELETE", &of("delete")).await.ok();
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["event_id"]), ("event.delete", &json!(id)));
}

#[tokio::test]
async fn bot_receives_signed_events_in_order() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = asks_for(&mut listener, &ana, &climbers, &ALL).await;
    ana.adds(&ben, &climbers).await;
    let said = ana.says(&climbers, "rope at six").await;
    let like = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
    ben.posts(&like).json(&json!({"like_icon": {"type": "unicode", "code": "🔥"}})).await.ok();
    let one = message_path(&climbers, &said);
    let edited = ana.asks("PUT", &one).json(&json!({"text": "rope at seven"})).await.ok();
    assert_eq!(ana.asks("DELETE", &one).await.status, 204);
    let mut heard = Vec::new();
    for _ in 0..6 {
        heard.push(listener.hears().await);
    }
    let kinds: Vec<&str> = heard.iter().map(kind).collect();
    let (update, deleted) = ("message.update", "message.deleted");
    assert_eq!(kinds, ["membership", "message", "message", "reaction", update, deleted]);
    let joined = heard[0].json();
    assert_eq!(
        (&joined["type"], &joined["group_id"]),
        (&json!("membership.create"), &json!(climbers.id))
    );
    assert_eq!(joined["memberships"][0]["user_id"], json!(ben.id));
    let reaction = heard[3].json();
    assert_eq!((&reaction["message_id"], &reaction["liked"]), (&said["id"], &json!(true)));
    assert_eq!((&reaction["user_id"], &reaction["type"]), (&json!(ben.id), &json!("favorite")));
    assert_eq!(reaction["reactions"][0]["code"], "🔥");
    assert_eq!(heard[5].json()["text"], Value::Null);
    assert!(
        heard[4].json()["text"] == edited["message"]["text"]
            || heard[4].json()["text"] == Value::Null
    );
    let mut ids: Vec<&str> = Vec::new();
    for request in &heard {
        let expected = signature_by(text(&bot["secret"]), request);
        assert_eq!(request.header("webhook-signature"), Some(&*expected));
        ids.push(request.header("webhook-id").unwrap());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), heard.len(), "each has a name of its own");
    newest_becomes(&ana, &bot, 7, "delivered").await;
    let logged = deliveries(&ana, &bot, "?limit=7").await;
    let events: Vec<&str> = logged.iter().map(|it| text(&it["event"])).collect();
    assert_eq!(events[..6], [deleted, update, "reaction", "message", "message", "membership"]);
    assert_eq!((&logged[5]["message_id"], &logged[2]["message_id"]), (&Value::Null, &said["id"]));
    let again =
        ana.gets(&path(&bot, &format!("/deliveries/{}", text(&logged[2]["id"])))).await.ok();
    assert_eq!(again["request"]["headers"]["webhook-event"], "reaction");
}

#[tokio::test]
async fn bot_receives_messages_by_default() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut listener = Listener::starts().await;
    let bot = json!({"name": "Echo", "group_id": climbers.id, "callback_url": listener.url()});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(listener.hears().await.header("webhook-event"), None);
    ana.adds(&ben, &climbers).await;
    assert_eq!(listener.hears().await.json()["event"]["type"], "membership.announce.added");
    let said = ana.says(&climbers, "rope at six").await;
    assert_eq!(listener.hears().await.text(), "rope at six");
    ben.posts(&format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]))).await.ok();
    let one = message_path(&climbers, &said);
    ana.asks("PUT", &one).json(&json!({"text": "rope at seven"})).await.ok();
    ana.says(&climbers, "bring water").await;
    assert_eq!(listener.hears().await.text(), "bring water");
    newest_becomes(&ana, &bot, 4, "delivered").await;
    let change = json!({"events": ["reaction"]});
    let changed = ana.posts(&path(&bot, "/update")).json(&change).await.ok();
    assert_eq!(changed["events"], json!(["reaction"]));
    ana.says(&climbers, "nobody hears this").await;
    ben.posts(&format!("/v3/messages/{}/{}/unlike", climbers.id, text(&said["id"]))).await.ok();
    let heard = listener.hears().await;
    assert_eq!((kind(&heard), &heard.json()["liked"]), ("reaction", &json!(false)));
}

#[tokio::test]
async fn missed_callbacks_arrive_in_order_after_a_restart() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut listener = Listener::starts().await;
    let bot = asks_for(&mut listener, &ana, &climbers, &["message", "reaction"]).await;
    newest_becomes(&ana, &bot, 1, "delivered").await;
    listener.leaves().await;
    let like =
        |message: &Value| format!("/v3/messages/{}/{}/like", climbers.id, text(&message["id"]));
    let mut expected = Vec::new();
    for number in 0..80 {
        let said = ana.says(&climbers, &number.to_string()).await;
        ben.posts(&like(&said)).await.ok();
        expected.extend([("message", said["id"].clone()), ("reaction", said["id"].clone())]);
        if number == 40 {
            world.restarts().await;
        }
    }
    listener.returns().await;
    world.seconds_pass(20);
    let mut told = Vec::new();
    for _ in 0..expected.len() {
        let request = listener.hears().await;
        let id = if kind(&request) == "message" { "id" } else { "message_id" };
        told.push((kind(&request).to_owned(), request.json()[id].clone()));
    }
    let told: Vec<_> = told.iter().map(|(kind, id)| (kind.as_str(), id.clone())).collect();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn unknown_callback_events_are_refused() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for wrong in [json!([]), json!(["typing"]), json!([7]), json!("message")] {
        let bot = json!({"name": "Echo", "group_id": climbers.id, "events": wrong});
        let errors = ana.posts("/v3/bots").json(&bot).await.refused(400);
        assert!(errors[0].contains("events must be"), "{errors:?}");
    }
}
