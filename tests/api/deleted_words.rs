//! The words of a deleted message are in no response, frame or callback: also not where a system
//! message, a poll, an event or a waiting queue repeats them.

use std::collections::BTreeSet;

use coterie::domain::event::Entry;
use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::push_same::here;
use crate::trouble::troubled;
use crate::waiting::until;
use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Transport};
use crate::world::called_back::{deliveries, lives_at, newest_becomes, path};
use crate::world::listener::{Answer, Listener};
use crate::world::person::{Group, Person, text};
use crate::world::stream::Stream;

/// A word that stands in every text of what is deleted.
const SECRET: &str = "Zaunkoenigsnest";

/// Creates a poll with the secret in its question and its options.
async fn asks(by: &Person, group: &Group) -> Value {
    let options = json!([{"title": format!("{SECRET} six")}, {"title": format!("{SECRET} seven")}]);
    let poll = json!({"subject": format!("When to the {SECRET}?"), "options": options,
        "expiration": 1_800_003_600_u64});
    by.posts(&format!("/v3/poll/{}", group.id)).json(&poll).await.created()
}

fn planned(conv: &str, what: &str) -> String {
    format!("/v3/conversations/{conv}/events/{what}")
}

/// Plans an event with the secret in its name, answers, renames and cancels it, and lets its
/// reminder come before that. Returns the message that carries it.
async fn plans(world: &World, [by, other]: [&Person; 2], conv: &str) -> Value {
    let event = json!({"name": format!("Climb to the {SECRET}"), "timezone": "Europe/Berlin",
        "description": SECRET, "location": {"name": SECRET}, "is_all_day": false,
        "start_at": "2027-01-15T14:00:00+01:00", "end_at": "2027-01-15T16:00:00+01:00",
        "reminders": [900]});
    let made = by.posts(&planned(conv, "create")).json(&event).await.created();
    let id = text(&made["event"]["event_id"]);
    let of = |what: &str| format!("{}?event_id={id}", planned(conv, what));
    other.posts(&format!("{}&going=true", of("rsvp"))).await.ok();
    other.posts(&format!("{}&going=false", of("rsvp"))).await.ok();
    other.asks("DELETE", &of("rsvp/delete")).await.ok();
    let change = json!({"name": format!("Boulder at the {SECRET}")});
    by.posts(&of("update")).json(&change).await.ok();
    let start = here(other).await;
    // A socket that is open while hours pass may be closed as silent.
    world.seconds_pass(5 * 3600 - 900);
    let mut feed = other.listens_after(&start).await;
    while feed.next().await["type"] != "event.reminder" {}
    by.asks("DELETE", &of("delete")).await.ok();
    made["message"].clone()
}

fn message_path(conv: &str, message: &Value) -> String {
    format!("/v3/conversations/{conv}/messages/{}", text(&message["id"]))
}

async fn deletes(by: &Person, conv: &str, message: &Value) {
    assert_eq!(by.asks("DELETE", &message_path(conv, message)).await.status, 204);
}

/// Everything that a user is shown of a conversation and of what happened after a cursor.
async fn shown(reader: &Person, conv: &str, start: &str) -> Vec<(String, String)> {
    let messages = match conv.split_once('+') {
        Some((low, high)) => {
            let other = if low == reader.id { high } else { low };
            format!("/v3/direct_messages?other_user_id={other}")
        }
        None => format!("/v3/groups/{conv}/messages?limit=100"),
    };
    let mut shown = Vec::new();
    for path in [
        messages.as_str(),
        &format!("/compat{messages}"),
        &format!("/v3/search/messages?q={SECRET}"),
        "/v3/mentions?limit=100",
        "/v3/saved_messages?limit=100",
        &format!("/v3/events?after={start}"),
        &planned(conv, "list"),
        "/v3/sync",
        "/v3/groups",
        "/v3/chats",
    ] {
        let found = reader.gets(path).await;
        assert!(found.status < 400, "{path}: {}", found.text);
        shown.push((path.to_owned(), found.text));
    }
    let mut stream = Stream::open(reader, &format!("?after={start}"), &[]).await;
    let mut parts = String::new();
    while let Some(part) = stream.next().await {
        if part.event == "synced" {
            break;
        }
        parts.push_str(&part.data.to_string());
    }
    shown.push(("server-sent events".to_owned(), parts));
    shown
}

/// Asserts that nothing that a user is shown has the secret.
async fn shows_no_secret(reader: &Person, conv: &str, start: &str) {
    for (path, words) in shown(reader, conv, start).await {
        assert!(!words.contains(SECRET), "{path}: {words}");
    }
}

/// The texts of the system messages of a group, oldest first.
async fn lines(reader: &Person, group: &Group) -> Vec<String> {
    let read = reader.reads(group, "?limit=100").await;
    let lines = read.iter().rev().filter(|it| it["system"] == true);
    lines.map(|it| text(&it["text"]).to_owned()).collect()
}

#[tokio::test]
async fn the_line_of_a_deleted_poll_repeats_none_of_its_words() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let start = here(&ben).await;
    let mut listener = Listener::starts().await;
    let bot = lives_at(&mut listener, &ana, &climbers).await;
    let made = asks(&ana, &climbers).await;
    let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
    ana.posts(&format!("{place}/end")).await.ok();
    let line = ben.reads(&climbers, "?limit=1").await.remove(0);
    assert!(text(&line["text"]).contains(SECRET));
    // A reaction makes the room keep the line among the messages that it works on.
    let like = format!("/v3/messages/{}/{}/like", climbers.id, text(&line["id"]));
    ben.posts(&like).await.ok();
    for _ in 0..2 {
        listener.hears().await;
    }
    deletes(&ana, &climbers.id, &made["message"]).await;
    for _ in 0..2 {
        shows_no_secret(&ben, &climbers.id, &start).await;
        let line = ben.reads(&climbers, "?limit=1").await.remove(0);
        assert_eq!(line["text"], "A poll has ended.");
        let event = &line["event"];
        assert_eq!(event["type"], "poll.finished");
        assert_eq!(
            (&event["data"]["poll"]["subject"], &event["data"]["options"]),
            (&json!(""), &json!([]))
        );
        let events = ana.gets(&path(&bot, "/events")).await.ok();
        assert!(!events.to_string().contains(SECRET), "{events}");
        for delivery in deliveries(&ana, &bot, "").await {
            let one = path(&bot, &format!("/deliveries/{}", text(&delivery["id"])));
            let one = ana.gets(&one).await.ok();
            assert!(!one.to_string().contains(SECRET), "{one}");
        }
        world.restarts().await;
    }
}

/// Asserts that the lines of an event lose its words; returns the lines' texts, oldest first.
async fn lines_lose_words(world: &mut World, [ana, ben]: [&Person; 2], conv: &str) -> Vec<String> {
    let start = here(ben).await;
    let message = plans(world, [ana, ben], conv).await;
    let before = shown(ben, conv, &start).await;
    assert!(before[0].1.contains(SECRET), "{}", before[0].1);
    deletes(ana, conv, &message).await;
    for _ in 0..2 {
        shows_no_secret(ben, conv, &start).await;
        world.restarts().await;
    }
    let events = ben.gets(&format!("/v3/events?after={start}")).await.ok();
    let events = events["events"].as_array().unwrap().iter().map(|event| &event["data"]);
    let lines = events.filter(|data| data["system"] == true);
    lines.map(|data| text(&data["text"]).to_owned()).collect()
}

#[tokio::test]
async fn lines_of_deleted_event_omit_its_text() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let said = lines_lose_words(&mut world, [&ana, &ben], &climbers.id).await;
    let expected = [
        "Ben is going to an event.",
        "Ben is not going to an event.",
        "Ben is undecided about an event.",
        "Ana changed an event.",
        "An event starts in 15 minutes.",
        "Ana cancelled an event.",
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_deleted_event_of_a_chat_keeps_none_of_its_words() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hello").await;
    let chat = conversation(&ana, &ben);
    // A chat has no lines about its events.
    assert!(lines_lose_words(&mut world, [&ana, &ben], &chat).await.is_empty());
}

#[tokio::test]
async fn lines_of_other_polls_and_events_keep_their_words() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (kept, gone) = (asks(&ana, &climbers).await, asks(&ana, &climbers).await);
    for made in [&kept, &gone] {
        let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
        ana.posts(&format!("{place}/end")).await.ok();
    }
    deletes(&ana, &climbers.id, &gone["message"]).await;
    let said = lines(&ben, &climbers).await;
    let [.., first, second] = said.as_slice() else { panic!("{said:?}") };
    assert!(first.contains(SECRET), "{first}");
    assert_eq!(second, "A poll has ended.");
}

#[tokio::test]
async fn frames_that_wait_lose_the_words_of_deleted_messages() {
    let (world, trouble) = troubled().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let start = here(&ben).await;
    ana.says(&climbers, "first").await;
    // The reader is behind and reads from the journal; what happens meanwhile waits in its slot.
    trouble.journal().hold_reads();
    let mut socket = ben.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "after": start})).await;
    socket.hears("welcome").await;
    until("the reader reads", async || trouble.journal().held_reads() > 0).await;
    let said = ana.says(&climbers, SECRET).await;
    let made = asks(&ana, &climbers).await;
    let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
    ana.posts(&format!("{place}/end")).await.ok();
    let change = json!({"text": format!("{SECRET} again")});
    ana.asks("PUT", &message_path(&climbers.id, &said)).json(&change).await.ok();
    deletes(&ana, &climbers.id, &said).await;
    deletes(&ana, &climbers.id, &made["message"]).await;
    ana.says(&climbers, "last").await;
    trouble.journal().release_reads();
    loop {
        let frame = socket.next().await.unwrap();
        assert!(!frame.to_string().contains(SECRET), "{frame}");
        if frame["data"]["text"] == "last" {
            break;
        }
    }
}

#[tokio::test]
async fn frames_that_wait_are_dropped_when_their_reader_is_removed() {
    let (world, trouble) = troubled().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let walkers = ana.creates_group("Walkers").await;
    ana.adds(&ben, &walkers).await;
    let start = here(&ben).await;
    ana.says(&walkers, "first").await;
    trouble.journal().hold_reads();
    let mut socket = ben.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "after": start})).await;
    socket.hears("welcome").await;
    until("the reader reads", async || trouble.journal().held_reads() > 0).await;
    ana.says(&climbers, SECRET).await;
    ana.removes(&ben, &climbers).await.ok();
    ana.says(&walkers, "last").await;
    trouble.journal().release_reads();
    let mut texts = Vec::new();
    while texts.last().is_none_or(|it: &Value| it != "last") {
        let mut frame = socket.next().await.unwrap();
        assert!(!frame.to_string().contains(SECRET), "{frame}");
        texts.push(frame["data"]["text"].take());
    }
    assert!(texts.contains(&json!("first")), "{texts:?}");
}

#[tokio::test]
async fn callbacks_that_wait_lose_the_words_of_deleted_messages() {
    let world = World::start().await;
    let ([ana, _], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut listener = Listener::starts().await;
    let events = ["message", "poll.create", "poll.finished", "event.create"];
    let bot = json!({"name": "Echo", "group_id": climbers.id, "callback_url": listener.url(),
        "events": events});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    assert_eq!(listener.hears().await.json()["event"]["type"], "bot.add");
    // Later events wait for the delivery that fails.
    listener.answers([Answer::Status(500)]);
    ana.says(&climbers, "first").await;
    assert_eq!(listener.hears().await.text(), "first");
    newest_becomes(&ana, &bot, 2, "failed").await;
    let made = asks(&ana, &climbers).await;
    let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
    ana.posts(&format!("{place}/end")).await.ok();
    deletes(&ana, &climbers.id, &made["message"]).await;
    ana.says(&climbers, "last").await;
    world.seconds_pass(60);
    let mut kinds = Vec::new();
    loop {
        let heard = listener.hears().await;
        assert!(!heard.body.contains(SECRET), "{}", heard.body);
        kinds.push(heard.header("webhook-event").unwrap().to_owned());
        if heard.text() == "last" {
            break;
        }
    }
    let expected = ["message", "poll.create", "message", "poll.finished", "message", "message"];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn bayeux_polls_omit_deleted_text() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut client = Client::own(&ben, Transport::Polling).await;
    let made = asks(&ana, &climbers).await;
    let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
    ana.posts(&format!("{place}/end")).await.ok();
    deletes(&ana, &climbers.id, &made["message"]).await;
    ana.says(&climbers, "last").await;
    loop {
        let push = client.next().await;
        assert!(!push.to_string().contains(SECRET), "{push}");
        if push["data"]["subject"]["text"] == "last" {
            break;
        }
    }
}

#[tokio::test]
async fn readers_receive_no_text_deleted_before_the_feed() {
    let (world, trouble) = troubled().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    let mut stream = Stream::open(&ben, "", &[]).await;
    stream.hears("welcome").await;
    stream.hears("synced").await;
    let mut clients = Vec::new();
    for transport in BOTH {
        clients.push(Client::own(&ben, transport).await);
    }
    let poll = format!("/v3/events?after={}&wait=60", here(&ben).await);
    let [polling, socket] = clients.as_mut_slice() else { unreachable!() };
    let waiting = async {
        tokio::join!(
            ben.gets(&poll),
            polling.next(),
            socket.next(),
            feed.next(),
            stream.hears("ev"),
        )
    };
    let acting = async {
        world.holds("held_requests", 3).await;
        let journal = trouble.journal();
        journal.hold_news();
        let said = ana.says(&climbers, SECRET).await;
        deletes(&ana, &climbers.id, &said).await;
        // The feed hears of the message, and not yet of its deletion.
        let is_deletion = |entry: &Entry| {
            entry.event.fact.revision().is_some_and(|revision| revision.is_deletion())
        };
        journal.pass_news_before(|commit| commit.entries.iter().any(is_deletion));
    };
    let ((polled, on_polling, on_socket, framed, streamed), ()) = tokio::join!(waiting, acting);
    for shown in [
        polled.text,
        on_polling.to_string(),
        on_socket.to_string(),
        framed.to_string(),
        streamed.data.to_string(),
    ] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
    trouble.journal().release_news();
}

#[tokio::test]
async fn callbacks_omit_text_deleted_before_sending() {
    let (world, trouble) = troubled().await;
    let ([ana, _], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut listener = Listener::starts().await;
    lives_at(&mut listener, &ana, &climbers).await;
    let journal = trouble.journal();
    journal.hold_news();
    let said = ana.says(&climbers, SECRET).await;
    deletes(&ana, &climbers.id, &said).await;
    let is_deletion =
        |entry: &Entry| entry.event.fact.revision().is_some_and(|revision| revision.is_deletion());
    journal.pass_news_before(|commit| commit.entries.iter().any(is_deletion));
    let heard = listener.hears().await;
    assert!(!heard.body.contains(SECRET), "{}", heard.body);
    journal.release_news();
}

/// The path of what a response contains: the object of a message.
fn message_in(shown: &Value) -> Option<Value> {
    match shown {
        Value::Object(fields) if fields.contains_key("source_guid") => Some(shown.clone()),
        Value::Object(fields) => fields.values().find_map(message_in),
        Value::Array(parts) => parts.iter().find_map(message_in),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Requests that were made under keys of their own.
#[derive(Default)]
struct KeyedRequests<'a>(Vec<(&'a Person, String, Value)>);

impl<'a> KeyedRequests<'a> {
    /// Sends a request whose response has the secret; returns the payload.
    async fn sends(&mut self, by: &'a Person, path: &str, body: Value) -> Value {
        let key = format!("key-{}", self.0.len());
        self.0.push((by, path.to_owned(), body.clone()));
        let first = by.posts(path).json(&body).key(&key).await;
        assert!(first.status < 300, "{path}: {}", first.text);
        assert!(first.text.contains(SECRET), "{path}: {}", first.text);
        serde_json::from_str::<Value>(&first.text).unwrap()["response"].take()
    }

    /// Repeats all requests, and asserts that no response has the secret.
    async fn repeat(&self) {
        for (number, (by, path, body)) in self.0.iter().enumerate() {
            let again = by.posts(path).json(body).key(&format!("key-{number}")).await;
            assert!(again.status < 300, "{path}: {}", again.text);
            assert_eq!(again.header("idempotency-replayed"), Some("true"), "{path}");
            assert!(!again.text.contains(SECRET), "{path}: {}", again.text);
        }
    }
}

#[tokio::test]
async fn repeated_answers_have_no_words_of_deleted_messages() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let (conv, chat) = (climbers.id.clone(), conversation(&ana, &ben));
    let mut requests = KeyedRequests::default();
    let mut carriers = Vec::new();

    let poll = json!({"subject": SECRET, "options": [{"title": SECRET}, {"title": "no"}],
        "expiration": 1_800_003_600_u64});
    let made = requests.sends(&ana, &format!("/v3/poll/{conv}"), poll).await;
    let place = format!("/v3/poll/{conv}/{}", text(&made["poll"]["data"]["id"]));
    requests.sends(&ben, &place, json!({"votes": ["1"]})).await;
    requests.sends(&ben, &format!("{place}/2"), json!({})).await;
    requests.sends(&ana, &format!("{place}/end"), json!({})).await;
    carriers.push((&ana, conv.clone(), made["message"].clone()));

    for conv in [&conv, &chat] {
        let event = json!({"name": SECRET, "description": SECRET, "location": {"name": SECRET},
            "start_at": "2027-01-15T14:00:00+01:00", "end_at": "2027-01-15T16:00:00+01:00",
            "is_all_day": false, "timezone": "Europe/Berlin"});
        let made = requests.sends(&ana, &planned(conv, "create"), event).await;
        let id = text(&made["event"]["event_id"]);
        let of = |what: &str| format!("{}?event_id={id}", planned(conv, what));
        let comes = format!("{}&going=true", of("rsvp"));
        requests.sends(&ben, &comes, json!({})).await;
        let change = json!({"description": format!("{SECRET} again")});
        requests.sends(&ana, &of("update"), change).await;
        carriers.push((&ana, conv.clone(), made["message"].clone()));
    }

    for dialect in ["", "/compat"] {
        let message = json!({"message": {"source_guid": format!("g{dialect}"), "text": SECRET}});
        let place = format!("{dialect}{}", climbers.path("/messages"));
        let posted = message_in(&requests.sends(&ana, &place, message).await).unwrap();
        if dialect.is_empty() {
            // The dialect answers null.
            let pin = format!("{}/pin", message_path(&conv, &posted));
            requests.sends(&ben, &pin, json!({})).await;
        }
        carriers.push((&ana, conv.clone(), posted));
        let letter = json!({"direct_message": {"source_guid": format!("d{dialect}"),
            "recipient_id": ben.id, "text": SECRET}});
        let sent = requests.sends(&ana, &format!("{dialect}/v3/direct_messages"), letter).await;
        carriers.push((&ana, chat.clone(), message_in(&sent).unwrap()));
    }
    // The response shows the group with its newest message in short.
    let newest = ana.says(&climbers, SECRET).await;
    let same = json!({"name": "Climbers"});
    requests.sends(&ana, &climbers.path("/update"), same.clone()).await;
    requests.sends(&ana, &format!("/compat{}", climbers.path("/update")), same).await;
    carriers.push((&ana, conv.clone(), newest));

    for (by, conv, message) in &carriers {
        deletes(by, conv, message).await;
    }
    for _ in 0..2 {
        requests.repeat().await;
        world.restarts().await;
    }
}

#[tokio::test]
async fn repeated_answers_show_edits_of_others_only_to_members() {
    let world = World::start().await;
    let ([ana, ben, cem], climbers) = world.climbing(["Ana", "Ben", "Cem"]).await;
    let said = ana.says(&climbers, "rope at six").await;
    let pin = format!("{}/pin", message_path(&climbers.id, &said));
    let pins = async |by: &Person| by.posts(&pin).key("k").await.ok()["message"]["text"].clone();
    assert_eq!((pins(&ben).await, pins(&cem).await), (json!("rope at six"), json!("rope at six")));
    ana.removes(&cem, &climbers).await.ok();
    let change = json!({"text": "rope at seven"});
    ana.asks("PUT", &message_path(&climbers.id, &said)).json(&change).await.ok();
    assert_eq!(
        (pins(&ben).await, pins(&cem).await),
        (json!("rope at seven"), json!("rope at six"))
    );
}

#[tokio::test]
async fn delivery_logs_have_no_answers_to_deleted_words() {
    let mut world = World::start().await;
    let ([ana, _], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut listener = Listener::starts().await;
    let events = ["message", "poll.create", "poll.finished"];
    let bot = json!({"name": "Echo", "group_id": climbers.id, "callback_url": listener.url(),
        "events": events});
    let bot = ana.posts("/v3/bots").json(&bot).await.created();
    listener.hears().await;
    listener.always_answers(Answer::Says(format!("you said {SECRET}")));
    let said = ana.says(&climbers, SECRET).await;
    let made = asks(&ana, &climbers).await;
    let place = format!("/v3/poll/{}/{}", climbers.id, text(&made["poll"]["data"]["id"]));
    ana.posts(&format!("{place}/end")).await.ok();
    for _ in 0..5 {
        listener.hears().await;
    }
    newest_becomes(&ana, &bot, 6, "delivered").await;
    let answered = |all: &[Value]| all.iter().filter(|it| !it["answer"].is_null()).count();
    assert_eq!(answered(&deliveries(&ana, &bot, "").await), 6);
    deletes(&ana, &climbers.id, &said).await;
    deletes(&ana, &climbers.id, &made["message"]).await;
    for _ in 0..2 {
        let found = deliveries(&ana, &bot, "").await;
        // The listener's answer to the event that announced the bot stays.
        assert!(found.iter().all(|it| !it.to_string().contains(SECRET)), "{found:?}");
        assert_eq!(answered(&found), 1, "{found:?}");
        for delivery in &found {
            let one = path(&bot, &format!("/deliveries/{}", text(&delivery["id"])));
            assert_eq!(ana.gets(&one).await.ok()["answer"], delivery["answer"]);
        }
        world.restarts().await;
    }
}

/// Properties that hold what people wrote.
const WRITTEN: [&str; 7] = ["answer", "description", "name", "subject", "text", "title", "topic"];
/// The schemas in which a repeat of a keyed request looks for words of deleted messages
/// (`auth/deleted_words.rs`).
const SEARCHED: [&str; 4] = ["CalendarEvent", "DirectMessage", "Group", "Message"];
/// The schemas of parts that are rendered with these, or with polls, which are searched too.
const PARTS: [&str; 13] = [
    "AttachmentFile",
    "AttachmentLocation",
    "EventGroupNameChangeData",
    "EventGroupTopicChangeData",
    "EventMembershipNicknameChangedData",
    "EventName",
    "EventPlace",
    "EventPoll",
    "LinkPreview",
    "MessagePreview",
    "PollData",
    "PollOption",
    "PollOutcome",
];
/// The other schemas of responses to keyed requests, which show no words of messages.
const WORDLESS: [&str; 31] = [
    "AccountInvite",
    "AdminDirectoryGroup",
    "AdminGroup",
    "AdminUser",
    "Application",
    "Ban",
    "BotCommand",
    "BotWithSecret",
    "CallbackTest",
    "ChangedBot",
    "ChangedMembership",
    "CreatedBot",
    "Draft",
    "EventGroupSubgroupAvatarChangeData",
    "EventGroupSubgroupCreatedData",
    "EventGroupSubgroupDescriptionChangeData",
    "EventGroupSubgroupNameChangeData",
    "EventGroupSubgroupRemovedData",
    "EventGroupSubgroupTypeChangeData",
    "EventTopic",
    "Folder",
    "GroupPreview",
    "Invite",
    "JoinQuestion",
    "MatchingRule",
    "Member",
    "NamedPerson",
    "Rule",
    "SettingsResource",
    "Topic",
    "User",
];

/// Adds the names of the schemas that a part of the document refers to.
fn schemas_in(part: &Value, document: &Value, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            let place = fields.get("$ref").and_then(Value::as_str);
            // Several operations share some responses.
            if let Some(name) = place.and_then(|it| it.strip_prefix("#/components/responses/")) {
                schemas_in(&document["components"]["responses"][name], document, found);
            }
            if let Some(name) = place.and_then(|it| it.strip_prefix("#/components/schemas/"))
                && found.insert(name.to_owned())
            {
                schemas_in(&document["components"]["schemas"][name], document, found);
            }
            fields.values().for_each(|field| schemas_in(field, document, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| schemas_in(part, document, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn keyed_response_schemas_declare_their_text() {
    let document = coterie::http::openapi::document();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let is_keyed = |operation: &&Value| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.into_iter().any(|it| it.to_string().contains("Idempotency-Key"))
    };
    let mut found = BTreeSet::new();
    for operation in operations.filter(is_keyed) {
        let responses = operation["responses"].as_object().unwrap().iter();
        let successes = responses.filter(|(status, _)| status.starts_with('2'));
        successes.for_each(|(_, response)| schemas_in(response, &document, &mut found));
    }
    let is_written = |name: &String| {
        let schema = &document["components"]["schemas"][name];
        WRITTEN.iter().any(|property| schema["properties"].get(property).is_some())
    };
    found.retain(is_written);
    let known: BTreeSet<String> =
        SEARCHED.iter().chain(&PARTS).chain(&WORDLESS).map(ToString::to_string).collect();
    assert_eq!(found, known, "does `auth/deleted_words.rs` find the words in a new schema?");
}
