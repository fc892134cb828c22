//! Message requests: from whom people take direct messages, and what strangers can send before they
//! are accepted.

use serde_json::{Value, json};

use crate::blocks::blocks;
use crate::direct_messages::{conversation, writes, writing};
use crate::ephemeral::asks;
use crate::notices::{sms, switches_sms_on, with_gateway, with_phone};
use crate::push_same::{here, replays_the_same};
use crate::world::World;
use crate::world::answer::Answer;
use crate::world::outside::Outside;
use crate::world::person::{Person, text};

const SETTINGS: &str = "/v3/users/me/settings";
const UNANSWERED: &str = "this user has not accepted your message request; until then you can send \
                          at most 3 messages";
const TEXT_ONLY: &str =
    "this user has not accepted your message request; until then you can send text only";
const DECLINED: &str = "this user declined your message request";

impl Person {
    /// Chooses from whom direct messages come; returns what holds then and whether it was chosen.
    async fn takes_messages_from(&self, choice: Value) -> (String, bool) {
        let body = json!({"dm_from": choice});
        let settings = self.asks("PUT", SETTINGS).json(&body).await.ok();
        assert_eq!(self.gets(SETTINGS).await.ok(), settings);
        let holds = text(&settings["dm_from"]).to_owned();
        (holds, settings["dm_from_chosen"].as_bool().unwrap())
    }

    async fn accepts(&self, other: &Person) -> Answer {
        self.posts(&format!("/v3/chats/{}/approve", other.id)).await
    }

    async fn declines(&self, other: &Person) -> Answer {
        self.asks("DELETE", &format!("/v3/chats/{}", other.id)).await
    }

    /// The names of the other users of the chats at a path.
    async fn chats(&self, path: &str, key: &str) -> Vec<String> {
        let listed = self.gets(path).await.ok();
        let chats = if key.is_empty() { listed } else { listed[key].clone() };
        let name = |it: &Value| text(&it["other_user"]["name"]).to_owned();
        chats.as_array().unwrap().iter().map(name).collect()
    }

    async fn requests(&self) -> Vec<String> {
        let names = self.chats("/v4/requests", "dm_requests").await;
        let counts = self.gets("/v4/requests/count").await.ok()["counts"].clone();
        assert_eq!((&counts["dm"], &counts["total"]), (&json!(names.len()), &json!(names.len())));
        names
    }

    /// What became of the request of another user, as the chat and the snapshot say.
    async fn request_of(&self, other: &Person) -> Value {
        let chat = self.gets(&format!("/v3/chats/{}", other.id)).await.ok();
        let snapshot = self.gets("/v3/sync?parts=chats").await.ok();
        let listed = snapshot["chats"].as_array().unwrap();
        let shown = listed.iter().find(|it| it["chat"]["other_user"]["user_id"] == other.id);
        assert_eq!(shown.unwrap()["chat"]["request"], chat["request"]);
        chat["request"].clone()
    }
}

#[tokio::test]
async fn stranger_begins_a_request_that_is_listed_apart() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    writes(&ana, &cem, "hi").await;
    assert_eq!(ana.takes_messages_from(json!("requests")).await, ("requests".to_owned(), true));
    let (start, mut feed) = (here(&ana).await, ana.listens().await);
    for words in ["hello", "are you there?", "please"] {
        writes(&ben, &ana, words).await;
    }
    let mut live = vec![feed.next().await];
    let opened = json!({"other_user_id": ben.id, "state": "open"});
    assert_eq!((&live[0]["type"], &live[0]["data"]), (&json!("message_request.update"), &opened));
    for words in ["hello", "are you there?", "please"] {
        let said = feed.next().await;
        let told = (&said["type"], &said["alert"], &said["data"]["text"]);
        assert_eq!(told, (&json!("direct_message.create"), &Value::Null, &json!(words)));
        live.push(said);
    }
    replays_the_same(&ana, &start, &live).await;
    assert_eq!(writing(&ben, &ana, json!({"text": "four"})).await.refused(403), [UNANSWERED]);
    for _ in 0..2 {
        assert_eq!(ana.chats("/v3/chats", "").await, ["Cem"]);
        assert_eq!(ana.requests().await, ["Ben"]);
        assert_eq!(ana.request_of(&ben).await, "open");
        assert_eq!(ana.request_of(&cem).await, Value::Null);
        assert_eq!(ben.chats("/v3/chats", "").await, ["Ana"]);
        assert_eq!(ben.request_of(&ana).await, Value::Null, "the sender is not told");
        let theirs = ana.gets("/compat/v3/requests").await.ok()["dm_requests"][0].clone();
        assert_eq!(theirs["requires_approval"], true);
        let seen = ana.gets("/compat/v3/chats").await.ok()[0].clone();
        assert_eq!(seen["requires_approval"], false);
        world.restarts().await;
    }
}

#[tokio::test]
async fn request_has_text_only_also_in_edits() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.takes_messages_from(json!("requests")).await;
    let place = json!([{"type": "location", "lat": "1.0", "lng": "2.0", "name": "here"}]);
    let placed = json!({"text": "look", "attachments": place});
    assert_eq!(writing(&ben, &ana, placed).await.refused(403), [TEXT_ONLY]);
    let chat = conversation(&ana, &ben);
    let event = json!({"name": "Climbing", "start_at": "2027-03-01T10:00:00Z",
        "end_at": "2027-03-01T12:00:00Z", "timezone": "Europe/Berlin", "is_all_day": false});
    let events = format!("/v3/conversations/{chat}/events/create");
    assert_eq!(ben.posts(&events).json(&event).await.refused(403), [TEXT_ONLY]);
    let said = writes(&ben, &ana, "hello").await;
    let edit = format!("/v3/conversations/{chat}/messages/{}", text(&said["id"]));
    let edits = async |fields: Value| ben.asks("PUT", &edit).json(&fields).await;
    assert_eq!(edits(json!({"attachments": place})).await.refused(403), [TEXT_ONLY]);
    edits(json!({"text": "hello Ana"})).await.ok();
    ana.accepts(&ben).await.ok();
    edits(json!({"attachments": place})).await.ok();
    ben.posts(&events).json(&event).await.created();
}

#[tokio::test]
async fn sender_of_a_request_learns_nothing_of_its_reader() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    ana.takes_messages_from(json!("requests")).await;
    let said = writes(&ben, &ana, "hello").await;
    let conv = format!("d:{}", conversation(&ana, &ben));
    let watch = json!({"t": "sub", "conv": [conv]});
    let mut bens = ben.listens().await;
    assert_eq!(asks(&mut bens, &watch).await, [Value::Null; 0]);
    let mut anas = ana.listens().await;
    asks(&mut anas, &watch).await;
    asks(&mut anas, &json!({"t": "typing", "conv": conv})).await;
    let read = format!("/v3/conversations/{}/read", conversation(&ana, &ben));
    let reads = async || ana.posts(&read).json(&json!({"message_id": said["id"]})).await.ok();
    reads().await;
    let unread = async || ana.gets("/v3/sync?parts=chats").await.ok()["chats"][0]["unread"].clone();
    assert_eq!(unread().await, 1);
    let seen = async || ben.gets("/v3/sync?parts=chats").await.ok()["chats"][0].clone();
    assert_eq!(seen().await["other_read_n"], 0);
    bens.stays_silent().await;
    ana.accepts(&ben).await.ok();
    anas.hears_of("message_request.update").await;
    reads().await;
    anas.hears_of("read").await;
    assert_eq!(unread().await, 0);
    let receipt = bens.socket.hears("eph").await;
    assert_eq!(receipt["type"], "receipt");
    assert_eq!(asks(&mut bens, &json!({"t": "unsub", "conv": [conv]})).await.len(), 0);
    let here = asks(&mut bens, &watch).await;
    assert_eq!(here[0]["data"], json!({"user_id": ana.id, "online": true}));
}

#[tokio::test]
async fn accepted_request_is_a_chat_like_any_other() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    ana.takes_messages_from(json!("requests")).await;
    for (from, by_answer) in [(&ben, false), (&cem, true)] {
        for words in ["one", "two", "three"] {
            writes(from, &ana, words).await;
        }
        let mut feed = ana.listens().await;
        match by_answer {
            true => drop(writes(&ana, from, "welcome").await),
            false => {
                let chat = ana.accepts(from).await.ok();
                assert_eq!((&chat["request"], &chat["messages_count"]), (&Value::Null, &json!(3)));
                // Again: nothing is left to accept.
                ana.accepts(from).await.ok();
            }
        }
        let told = feed.hears_of("message_request.update").await["data"].take();
        assert_eq!(told, json!({"other_user_id": from.id, "state": "accepted"}));
        writes(from, &ana, "four").await;
        while feed.hears_of("direct_message.create").await["alert"]
            != format!("{}: four", from.name)
        {}
        assert_eq!(ana.request_of(from).await, Value::Null);
        assert_eq!(ana.declines(from).await.refused(404).len(), 1);
    }
    assert_eq!(ana.requests().await, [""; 0]);
    assert_eq!(ana.chats("/v3/chats", "").await, ["Cem", "Ben"]);
}

#[tokio::test]
async fn declined_request_refuses_the_sender_until_it_is_accepted() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    ana.takes_messages_from(json!("requests")).await;
    let none = "there is no message request of this user";
    assert_eq!(ana.declines(&ben).await.refused(404), [none]);
    assert_eq!(ana.accepts(&ben).await.refused(404), ["there is no such chat"]);
    let said = writes(&ben, &ana, "hello").await;
    let mut feed = ana.listens().await;
    for _ in 0..2 {
        assert_eq!(ana.declines(&ben).await.ok(), Value::Null);
    }
    let told = feed.hears_of("message_request.update").await["data"].take();
    assert_eq!(told, json!({"other_user_id": ben.id, "state": "declined"}));
    let edit =
        format!("/v3/conversations/{}/messages/{}", conversation(&ana, &ben), text(&said["id"]));
    for _ in 0..2 {
        assert_eq!(writing(&ben, &ana, json!({"text": "why?"})).await.refused(403), [DECLINED]);
        let edited = ben.asks("PUT", &edit).json(&json!({"text": "so there"})).await;
        assert_eq!(edited.refused(403), [DECLINED]);
        assert_eq!(ana.requests().await, [""; 0]);
        assert_eq!(ana.chats("/v3/chats", "").await, [""; 0]);
        assert_eq!(ana.request_of(&ben).await, "declined");
        let seen = ben.gets(&format!("/v3/users/{}", ana.id)).await.ok();
        assert_eq!(seen["user"]["direct_message_capable"], false);
        // The choice decides about first messages only.
        ana.takes_messages_from(json!("everyone")).await;
        world.restarts().await;
    }
    writes(&cem, &ana, "hi").await;
    ana.accepts(&ben).await.ok();
    writes(&ben, &ana, "thank you").await;
    assert_eq!(ana.chats("/v3/chats", "").await, ["Ben", "Cem"]);
}

#[tokio::test]
async fn shared_group_and_begun_chat_decide_who_may_begin() {
    let world = World::start().await;
    let ([ana, ben], _) = world.climbing(["Ana", "Ben"]).await;
    let [cem, dan] = world.people(["Cem", "Dan"]).await;
    writes(&dan, &ana, "hi").await;
    let try_all = async || {
        let mut statuses = Vec::new();
        for from in [&ben, &cem, &dan] {
            statuses.push(writing(from, &ana, json!({"text": "hello"})).await);
        }
        statuses
    };
    ana.takes_messages_from(json!("nobody")).await;
    let nobody = "this user takes no direct messages from new people";
    let tried = try_all().await;
    assert_eq!([tried[0].refused(403), tried[1].refused(403)], [[nobody], [nobody]]);
    assert_eq!(tried[2].status, 201, "the two have a chat");
    let seen = async |by: &Person| {
        let user = by.gets(&format!("/v3/users/{}", ana.id)).await.ok()["user"].clone();
        user["direct_message_capable"].as_bool().unwrap()
    };
    assert_eq!([seen(&ben).await, seen(&dan).await], [false, true]);
    ana.takes_messages_from(json!("shared_groups")).await;
    let tried = try_all().await;
    let apart = "this user takes direct messages only from people who share a group with them";
    assert_eq!((tried[0].status, tried[2].status), (201, 201));
    assert_eq!(tried[1].refused(403), [apart]);
    assert!(seen(&ben).await);
    // Whom one writes to may answer.
    ana.takes_messages_from(json!("nobody")).await;
    writes(&ana, &cem, "your turn").await;
    writes(&cem, &ana, "thanks").await;
    blocks(&ana, &cem).await.created();
    let blocked = writing(&cem, &ana, json!({"text": "again"})).await;
    assert_eq!(blocked.refused(403), ["this user has blocked you"]);
}

#[tokio::test]
async fn open_request_sends_no_notice() {
    let mut gateway = Outside::listens().await;
    let world = World::with(with_gateway(&gateway.url)).await;
    let ana = with_phone(&world, "Ana", "+4915112345").await;
    let [ben, cem] = world.people(["Ben", "Cem"]).await;
    switches_sms_on(&ana, None).await;
    writes(&cem, &ana, "before").await;
    assert_eq!(sms(&gateway.hears().await).1, "Cem: before");
    ana.takes_messages_from(json!("requests")).await;
    writes(&ben, &ana, "unheard").await;
    writes(&cem, &ana, "known").await;
    assert_eq!(sms(&gateway.hears().await).1, "Cem: known");
    ana.accepts(&ben).await.ok();
    writes(&ben, &ana, "heard").await;
    assert_eq!(sms(&gateway.hears().await).1, "Ben: heard");
}

#[tokio::test]
async fn operators_set_what_holds_without_a_choice() {
    let world = World::start().await;
    let [ana, ben, ada] = world.people(["Ana", "Ben", "Ada"]).await;
    world.promotes(&ada, Some("admin"));
    let settings = ana.gets(SETTINGS).await.ok();
    assert_eq!(
        (&settings["dm_from"], &settings["dm_from_chosen"]),
        (&json!("everyone"), &json!(false))
    );
    let sets = async |value: Value| {
        let body = json!({"dm_from": value, "reason": "as agreed"});
        ada.asks("PUT", "/v3/admin/settings").json(&body).await
    };
    let set = sets(json!("nobody")).await.ok()["dm_from"].clone();
    assert_eq!(set, json!({"value": "nobody", "source": "setting"}));
    assert_eq!(ana.gets(SETTINGS).await.ok()["dm_from"], "nobody");
    assert_eq!(writing(&ben, &ana, json!({"text": "hi"})).await.status, 403);
    assert_eq!(ana.takes_messages_from(json!("everyone")).await, ("everyone".to_owned(), true));
    writes(&ben, &ana, "hi").await;
    assert_eq!(ana.takes_messages_from(Value::Null).await, ("nobody".to_owned(), false));
    let default = sets(Value::Null).await.ok()["dm_from"].clone();
    assert_eq!(default, json!({"value": "everyone", "source": "default"}));
    let named = "must be everyone, shared_groups, requests, nobody or null";
    assert_eq!(sets(json!("friends")).await.refused(400), [format!("dm_from {named}")]);
    for (body, refusal) in [
        (json!({"dm_from": "friends"}), format!("dm_from {named}")),
        (json!({"dm_from": 4}), "dm_from must be a string".to_owned()),
        (json!({}), "email_notices or dm_from is required".to_owned()),
    ] {
        assert_eq!(ana.asks("PUT", SETTINGS).json(&body).await.refused(400), [refusal]);
    }
    // One request changes both, and each alone leaves the other.
    let both = json!({"dm_from": "requests", "email_notices": "off"});
    ana.asks("PUT", SETTINGS).json(&both).await.ok();
    ana.asks("PUT", SETTINGS).json(&json!({"email_notices": "daily"})).await.ok();
    let settings = ana.gets(SETTINGS).await.ok();
    assert_eq!(
        (&settings["dm_from"], &settings["email_notices"]),
        (&json!("requests"), &json!("daily"))
    );
}
