//! A client that comes later gets the same frames as those that were connected, over every
//! transport.

use serde_json::{Value, json};

use crate::world::person::{Person, text};
use crate::world::server::Setup;
use crate::world::stream::Stream;
use crate::world::{PASSWORD, World};

/// The cursor at which this user stands now.
pub(crate) async fn here(person: &Person) -> String {
    text(&person.gets("/v3/events").await.ok()["c"]).to_owned()
}

/// The events that each transport replays after a cursor, with the transport's name.
async fn replayed(person: &Person, after: &str, count: usize) -> [(&'static str, Vec<Value>); 3] {
    let mut feed = person.listens_after(after).await;
    let mut stream = Stream::open(person, &format!("?after={after}"), &[]).await;
    stream.hears("welcome").await;
    let polled = person.gets(&format!("/v3/events?after={after}")).await.ok();
    let (mut socket, mut parts) = (Vec::new(), Vec::new());
    for _ in 0..count {
        socket.push(feed.next().await);
        parts.push(stream.hears("ev").await.data);
    }
    stream.hears("synced").await;
    let polled = polled["events"].as_array().unwrap().clone();
    [("WebSocket", socket), ("SSE", parts), ("long-poll", polled)]
}

/// Asserts that every transport replays, after a cursor, the events that were heard live.
pub(crate) async fn replays_the_same(person: &Person, after: &str, live: &[Value]) {
    for (transport, told) in replayed(person, after, live.len()).await {
        assert_eq!(told, live, "by {transport}");
    }
}

#[tokio::test]
async fn like_event_has_likers_at_that_event() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    ana.adds(&cem, &climbers).await;
    let line = ana.says(&climbers, "rope at six").await;
    let letter = json!({"source_guid": "1", "recipient_id": cem.id, "text": "hi Cem"});
    let letter = ana.posts("/v3/direct_messages").json(&json!({"direct_message": letter}));
    let letter = letter.await.created()["message"].clone();
    let in_group = format!("/v3/messages/{}/{}", climbers.id, text(&line["id"]));
    let chat = text(&letter["conversation_id"]);
    let in_chat = format!("/v3/messages/{chat}/{}", text(&letter["id"]));
    let (start, mut feed) = (here(&cem).await, cem.listens().await);
    let mut expected = Vec::new();
    let mut likers: Vec<&str> = Vec::new();
    // Likes are given, changed, removed and given again: the final state differs from every state
    // in between.
    for (who, act) in [
        (&ben, "like"),
        (&cem, "like"),
        (&cem, "like 🔥"),
        (&ben, "like 🔥"),
        (&cem, "like 🎉"),
        (&ben, "unlike"),
        (&ana, "like"),
        (&ben, "like"),
        (&cem, "unlike"),
        (&ana, "unlike"),
        (&ben, "unlike"),
    ] {
        world.seconds_pass(1);
        let (act, sign) = act.split_once(' ').unwrap_or((act, "❤️"));
        let icon = json!({"like_icon": {"type": "unicode", "code": sign}});
        who.posts(&format!("{in_group}/{act}")).json(&icon).await.ok();
        if act == "unlike" {
            likers.retain(|id| *id != who.id);
        } else if !likers.contains(&&*who.id) {
            likers.push(&who.id);
        }
        expected.push(json!(likers));
    }
    for (who, act, then) in [
        (&cem, "like", vec![&cem.id]),
        (&ana, "like", vec![&cem.id, &ana.id]),
        (&cem, "unlike", vec![&ana.id]),
    ] {
        world.seconds_pass(1);
        who.posts(&format!("{in_chat}/{act}")).await.ok();
        expected.push(json!(then));
    }
    let mut live = Vec::new();
    for then in expected {
        let event = feed.hears_of("favorite").await;
        assert_eq!(event["data"]["favorited_by"], then, "{event}");
        live.push(event);
    }
    replays_the_same(&cem, &start, &live).await;
}

#[tokio::test]
async fn replayed_group_shows_its_state_at_the_event() {
    // The port changes at a restart, which must not change the URLs in the groups.
    let setup = Setup::default().option("--public-url", "http://chat.example.org");
    let mut world = World::with(setup).await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    let change = async |change: Value| {
        world.seconds_pass(1);
        ana.posts(&climbers.path("/update")).json(&change).await.ok();
    };
    change(json!({"name": "Walkers"})).await;
    ana.says(&climbers, "rope at six").await;
    ana.adds(&cem, &climbers).await;
    change(json!({"description": "ropes", "share": true})).await;
    let nickname = json!({"membership": {"nickname": "Benno"}});
    ben.posts(&climbers.path("/memberships/update")).json(&nickname).await.ok();
    let handing = json!({"requests": [{"group_id": climbers.id, "owner_id": cem.id}]});
    ana.posts("/v3/groups/change_owners").json(&handing).await.ok();
    cem.posts(&climbers.path("/update")).json(&json!({"name": "Swimmers"})).await.ok();
    ana.leaves(&climbers).await;
    let end = cem.posts(&climbers.path("/update")).json(&json!({"share": false}));
    end.await.ok();
    let mut live = Vec::new();
    // The loop ends with Cem's second change, the last of all; only his changes show this name.
    let mut is_over = 0;
    while is_over < 2 {
        let event = feed.next().await;
        let is_his = event["type"] == "group.update" && event["data"]["name"] == "Swimmers";
        is_over += usize::from(is_his);
        live.push(event);
    }
    let shown = live.iter().filter(|event| event["type"] == "group.update");
    let names: Vec<&Value> = shown.map(|event| &event["data"]["name"]).collect();
    assert_eq!(names.first(), Some(&&json!("Walkers")), "{names:?}");
    assert!(names.len() >= 5, "{names:?}");
    let until = text(&live.last().unwrap()["c"]).to_owned();
    let heard = |told: &[Value]| {
        told.iter().filter(|it| text(&it["c"]) <= until.as_str()).cloned().collect::<Vec<_>>()
    };
    for round in ["at once", "after a start"] {
        let told = ben.gets(&format!("/v3/events?after={start}")).await.ok();
        assert_eq!(heard(told["events"].as_array().unwrap()), live, "{round}");
        world.restarts().await;
    }
}

#[tokio::test]
async fn replayed_account_shows_its_state_at_the_event() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (start, mut feed) = (here(&ana).await, ana.listens().await);
    let mut live = Vec::new();
    for (path, body) in [
        ("/v3/users/update", json!({"name": "Anna"})),
        ("/v3/users/sms_mode", json!({"duration": 4})),
        ("/v3/users/update", json!({"zip_code": "10115", "email": "anna@example.org"})),
        ("/v3/users/update", json!({"phone_number": "+1 555 010 0199"})),
        ("/v3/users/sms_mode/delete", json!({})),
        ("/v3/users/update", json!({"name": "Annika", "phone_number": null})),
    ] {
        world.seconds_pass(1);
        assert!(ana.posts(path).json(&body).await.status < 300, "{path}");
        live.push(feed.hears_of("user.update").await);
    }
    let names: Vec<&Value> = live.iter().map(|event| &event["data"]["name"]).collect();
    assert_eq!(names, ["Anna", "Anna", "Anna", "Anna", "Anna", "Annika"]);
    replays_the_same(&ana, &start, &live).await;
}

async fn writes(person: &Person, to: &Person, words: &str) {
    let letter = json!({"source_guid": words, "recipient_id": to.id, "text": words});
    let sent = person.posts("/v3/direct_messages").json(&json!({"direct_message": letter}));
    sent.await.created();
}

async fn is_called(person: &Person, name: &str) {
    person.posts("/v3/users/update").json(&json!({"name": name})).await.ok();
}

/// The other user as this person's only chat shows them.
async fn sees_in_chat(person: &Person) -> Value {
    person.gets("/v3/chats").await.ok()[0]["other_user"].clone()
}

#[tokio::test]
async fn chat_contacts_receive_profile_changes() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    is_called(&ana, "Anna before").await;
    writes(&ana, &ben, "hi Ben").await;
    // A block prevents direct messages, but not updates of what a chat shows.
    let block = format!("/v3/blocks?user={}&otherUser={}", ben.id, ana.id);
    ben.posts(&block).await.created();
    let start = here(&ben).await;
    let (mut bens, mut cems) = (ben.listens().await, cem.listens().await);
    let mut live = Vec::new();
    for (number, name) in [(2, "Anna"), (3, "Annika")] {
        is_called(&ana, name).await;
        let event = bens.hears_of("other_user.update").await;
        let id: u64 = ana.id.parse().unwrap();
        assert_eq!(
            event["data"],
            json!({"id": id, "user_id": ana.id, "name": name, "avatar_url": null})
        );
        assert_eq!(
            (&event["conv"], &event["n"]),
            (&json!(format!("p:{}", ana.id)), &json!(number))
        );
        assert_eq!(sees_in_chat(&ben).await, event["data"]);
        live.push(event);
    }
    // A change of a field that others do not see causes no event for them.
    ana.posts("/v3/users/update").json(&json!({"zip_code": "10115"})).await.ok();
    let picture = ana.has_image().await;
    ana.posts("/v3/users/update").json(&json!({"avatar_url": picture})).await.ok();
    let event = bens.hears_of("other_user.update").await;
    assert_eq!(event["data"]["avatar_url"], picture);
    live.push(event);
    bens.stays_silent().await;
    cems.stays_silent().await;
    live.push(ben.gets(&format!("/v3/events?after={start}")).await.ok()["events"][3].clone());
    assert_eq!(live[3]["type"], "membership.create");
    replays_the_same(&ben, &start, &live).await;
}

#[tokio::test]
async fn profile_changes_before_a_chat_are_not_sent() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    is_called(&ana, "Nobody's business").await;
    writes(&ana, &ben, "hi Ben").await;
    is_called(&ana, "Anna").await;
    let live =
        [feed.hears_of("direct_message.create").await, feed.hears_of("other_user.update").await];
    assert_eq!(live[1]["n"], 2);
    replays_the_same(&ben, &start, &live).await;
}

#[tokio::test]
async fn rename_during_new_chats_reaches_all_contacts() {
    let world =
        World::with(crate::world::server::Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let others = world.people(["A", "B", "C", "D", "E", "F", "G", "H"]).await;
    let mut feeds = Vec::new();
    for other in &others {
        feeds.push((here(other).await, other.listens().await));
    }
    let naming = async {
        for number in 0..40 {
            is_called(&ana, &format!("Ana {number}")).await;
        }
    };
    let writing = async {
        for (number, other) in others.iter().enumerate() {
            tokio::time::sleep(std::time::Duration::from_millis(10 * number as u64)).await;
            writes(&ana, other, "hi").await;
        }
    };
    tokio::join!(naming, writing);
    is_called(&ana, "Anna").await;
    for (other, (start, mut feed)) in others.iter().zip(feeds) {
        let mut live = vec![feed.hears_of("direct_message.create").await];
        while live.last().unwrap()["data"]["name"] != "Anna" {
            live.push(feed.hears_of("other_user.update").await);
        }
        let numbers: Vec<u64> = live[1..].iter().map(|it| it["n"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (42 - numbers.len() as u64..=41).collect::<Vec<_>>());
        replays_the_same(other, &start, &live).await;
    }
}

#[tokio::test]
async fn a_deleted_account_takes_its_picture_along() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let picture = ana.has_image().await;
    ana.posts("/v3/users/update").json(&json!({"avatar_url": picture})).await.ok();
    writes(&ana, &ben, "hi Ben").await;
    let (start, mut feed) = (here(&ben).await, ben.listens().await);
    assert_eq!(sees_in_chat(&ben).await["avatar_url"], picture);
    let goes = ana.address.asks("DELETE", "/auth/account").token(&ana.token);
    goes.json(&json!({"password": PASSWORD})).await.ok();
    let event = feed.hears_of("other_user.update").await;
    assert_eq!(
        (&event["data"]["name"], &event["data"]["avatar_url"]),
        (&json!("Ana"), &Value::Null)
    );
    assert_eq!(sees_in_chat(&ben).await, event["data"]);
    replays_the_same(&ben, &start, &[event]).await;
}
