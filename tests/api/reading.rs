//! Read marks and unread counts: the same on all devices, and set back on request only (design, "Push", frames
//! `read`; issue "Read marks and unread").

use std::time::Duration;

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::group_acts::member;
use crate::world::PASSWORD;
use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::{Group, Person, text};
use crate::world::server::lets_go;

/// The unread count of this group in the list of groups.
async fn unread_in_list(who: &Person, group: &Group) -> Value {
    let groups = who.gets("/v3/groups?per_page=100").await.ok();
    let of_group = |it: &&Value| it["id"] == json!(group.id);
    groups.as_array().unwrap().iter().find(of_group).unwrap()["unread_count"].clone()
}

/// The read mark and the unread count in the snapshot, of the first conversation of this kind.
async fn read_in_sync(who: &Person, part: &str) -> (u64, u64) {
    let snapshot = who.gets(&format!("/v3/sync?parts={part}")).await.ok();
    let part = &snapshot[part][0];
    (part["read_n"].as_u64().unwrap(), part["unread"].as_u64().unwrap())
}

/// Waits until the snapshot shows this read mark and unread count: it has a mark once that is
/// durable.
async fn syncs(who: &Person, part: &str, expected: (u64, u64)) {
    let shown = async {
        while read_in_sync(who, part).await != expected {
            tokio::task::yield_now().await;
        }
    };
    let shown = tokio::time::timeout(Duration::from_secs(120), shown).await;
    shown.unwrap_or_else(|_| panic!("the snapshot never shows {expected:?}"));
}

async fn marks(who: &Person, conversation: &str, message: &Value) -> Value {
    let path = format!("/v3/conversations/{conversation}/read");
    who.posts(&path).json(&json!({"message_id": message["id"]})).await.ok()
}

#[tokio::test]
async fn unread_counts_others_messages_since_the_mark() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    // The line that says that Ben was added is the first that he has not read.
    assert_eq!(unread_in_list(&ben, &climbers).await, 1);
    let mut messages = Vec::new();
    for words in ["one", "two", "three"] {
        messages.push(ana.says(&climbers, words).await);
    }
    assert_eq!(unread_in_list(&ben, &climbers).await, 4);
    assert_eq!(read_in_sync(&ben, "groups").await, (2, 4));
    let marked = marks(&ben, &climbers.id, &messages[1]).await;
    assert_eq!(marked, json!({"read_n": 5, "unread_count": 1, "unread_mentions": 0}));
    assert_eq!(unread_in_list(&ben, &climbers).await, 1);
    syncs(&ben, "groups", (5, 1)).await;
    // A lower mark is ignored.
    let marked = marks(&ben, &climbers.id, &messages[0]).await;
    assert_eq!(marked, json!({"read_n": 5, "unread_count": 1, "unread_mentions": 0}));
    marks(&ben, &climbers.id, &messages[2]).await;
    assert_eq!(unread_in_list(&ben, &climbers).await, 0);
}

#[tokio::test]
async fn ones_own_post_moves_ones_own_mark() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ana.says(&climbers, "one").await;
    assert_eq!(unread_in_list(&ana, &climbers).await, 0);
    ben.says(&climbers, "two").await;
    assert_eq!(unread_in_list(&ben, &climbers).await, 0);
    assert_eq!(unread_in_list(&ana, &climbers).await, 1);
    assert_eq!(read_in_sync(&ben, "groups").await, (5, 0));
}

/// What Ana does in a group, each of which makes one system message.
async fn acts_in_group(ana: &Person, [ben, cem]: [&Person; 2], group: &Group, act: &str) {
    let said = async |by: &Person| text(&by.says(group, "words").await["id"]).to_owned();
    match act {
        "add" => ana.adds(cem, group).await,
        "rename" => drop(ana.updates(group, json!({"name": "Peaks"})).await.ok()),
        "topic" => drop(ana.updates(group, json!({"description": "ropes"})).await.ok()),
        "office" => drop(ana.updates(group, json!({"office_mode": true})).await.ok()),
        "share" => drop(ana.shares(group).await),
        "nickname" => {
            let name = json!({"membership": {"nickname": "Anna"}});
            ana.posts(&group.path("/memberships/update")).json(&name).await.ok();
        }
        "bot" => {
            let bot = json!({"bot": {"name": "Weather", "group_id": group.id}});
            ana.posts("/v3/bots").json(&bot).await.created();
        }
        "pin" | "unpin" => {
            let place = format!("/v3/conversations/{}/messages/{}", group.id, said(ana).await);
            ana.posts(&format!("{place}/{act}")).await.ok();
        }
        "delete" => {
            let place = format!("/v3/conversations/{}/messages/{}", group.id, said(ben).await);
            ana.asks("DELETE", &place).await;
        }
        "end" => {
            let poll = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
                "expiration": 1_800_003_600, "type": "single", "visibility": "public"});
            let made = ana.posts(&format!("/v3/poll/{}", group.id)).json(&poll).await.created();
            let id = text(&made["poll"]["data"]["id"]);
            ana.posts(&format!("/v3/poll/{}/{id}/end", group.id)).await.ok();
        }
        "answer" => {
            let event = json!({"name": "Climb", "timezone": "Europe/Berlin", "is_all_day": false,
                "start_at": "2027-01-15T14:00:00+01:00", "end_at": "2027-01-15T16:00:00+01:00"});
            let place = |what: &str| format!("/v3/conversations/{}/events/{what}", group.id);
            let made = ben.posts(&place("create")).json(&event).await.created();
            let id = text(&made["event"]["event_id"]);
            ana.posts(&format!("{}?event_id={id}&going=true", place("rsvp"))).await.ok();
        }
        "remove" => drop(ana.removes(ben, group).await.ok()),
        "owner" => assert_eq!(ana.hands(group, ben).await, "200"),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn system_messages_are_read_by_the_member_who_caused_them() {
    let mut world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let acts = [
        "add", "rename", "topic", "office", "share", "nickname", "bot", "pin", "delete", "end",
        "answer", "owner", "remove",
    ];
    let mut groups = Vec::new();
    for act in acts {
        let group = ana.creates_group(act).await;
        ana.adds(&ben, &group).await;
        assert_eq!(unread_in_list(&ana, &group).await, 0, "{act}: adding Ben");
        acts_in_group(&ana, [&ben, &cem], &group, act).await;
        let newest = ana.reads(&group, "?limit=1").await.remove(0);
        assert_eq!(
            (&newest["system"], &newest["caused_by"]),
            (&json!(true), &json!(ana.id)),
            "{act}"
        );
        groups.push((act, group));
    }
    let marks = async || {
        let snapshot = ana.gets("/v3/sync?parts=groups").await.ok();
        let groups = snapshot["groups"].as_array().unwrap().iter();
        groups.map(|it| json!([it["n"], it["read_n"], it["unread"]])).collect::<Vec<_>>()
    };
    let as_before = marks().await;
    for _ in 0..2 {
        for (act, group) in &groups {
            assert_eq!(unread_in_list(&ana, group).await, 0, "{act}");
        }
        assert_eq!(marks().await, as_before);
        // The index is rebuilt from the journal.
        world.stops().await;
        lets_go(world.data()).await;
        std::fs::remove_dir_all(world.data().join("index")).unwrap();
        world.restarts().await;
    }
}

#[tokio::test]
async fn system_messages_of_others_and_of_the_clock_stay_unread() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ben.updates(&climbers, json!({"description": "ropes"})).await.ok();
    assert_eq!(unread_in_list(&ben, &climbers).await, 0);
    assert_eq!(unread_in_list(&ana, &climbers).await, 1);
    let poll = json!({"subject": "When?", "options": [{"title": "six"}, {"title": "seven"}],
        "expiration": 1_800_003_600, "type": "single", "visibility": "public"});
    ana.posts(&format!("/v3/poll/{}", climbers.id)).json(&poll).await.created();
    let mut feed = ana.listens().await;
    world.seconds_pass(3_600);
    feed.hears_of("poll.finished").await;
    let line = feed.hears_of("line.create").await["data"].take();
    assert_eq!((&line["system"], line.get("caused_by")), (&json!(true), None));
    assert_eq!(unread_in_list(&ana, &climbers).await, 1);
}

#[tokio::test]
async fn redeemed_invite_marks_nothing_for_the_inviter() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let items = json!([{"nickname": "Cara", "email": "cara@example.org"}]);
    assert!(ana.adds_items(&climbers, items).await.is_empty());
    ben.says(&climbers, "one").await;
    let cara = json!({"name": "Cara", "email": "cara@example.org", "password": PASSWORD});
    let cara = Person::new(
        world.address.clone(),
        &world.post("/auth/register").json(&cara).await.created(),
    );
    cara.gets("/v3/groups").await.ok();
    assert_eq!(ana.reads_texts(&climbers, "?limit=1").await, ["Ana added Cara to the group."]);
    assert_eq!(unread_in_list(&ana, &climbers).await, 2);
}

#[tokio::test]
async fn chats_have_marks_too() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let first = writes(&ana, &ben, "one").await;
    writes(&ana, &ben, "two").await;
    let unread =
        async |who: &Person| who.gets("/v3/chats").await.ok()[0]["unread_count"].as_u64().unwrap();
    assert_eq!((unread(&ana).await, unread(&ben).await), (0, 2));
    let conversation = conversation(&ana, &ben);
    let marked = marks(&ben, &conversation, &first).await;
    assert_eq!(marked, json!({"read_n": 1, "unread_count": 1, "unread_mentions": 0}));
    assert_eq!(unread(&ben).await, 1);
    syncs(&ben, "chats", (1, 1)).await;
    // The two ids in the other order name the same chat.
    let (low, high) = conversation.split_once('+').unwrap();
    assert_eq!(marks(&ben, &format!("{high}%2B{low}"), &first).await["read_n"], 1);
}

#[tokio::test]
async fn snapshot_has_the_chat_partners_read_mark() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let first = writes(&ana, &ben, "one").await;
    writes(&ana, &ben, "two").await;
    let by_other = async |who: &Person| {
        let part = who.gets("/v3/sync?parts=chats").await.ok()["chats"][0].take();
        (part["other_read_n"].as_u64().unwrap(), part["other_unread"].as_u64().unwrap())
    };
    assert_eq!((by_other(&ana).await, by_other(&ben).await), ((0, 2), (2, 0)));
    marks(&ben, &conversation(&ana, &ben), &first).await;
    syncs(&ben, "chats", (1, 1)).await;
    assert_eq!(by_other(&ana).await, (1, 1));
    // Answering moves the author's own read mark.
    writes(&ben, &ana, "three").await;
    assert_eq!((by_other(&ana).await, by_other(&ben).await), ((3, 0), (2, 1)));
}

#[tokio::test]
async fn read_mark_syncs_to_own_devices_only() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let message = ana.says(&climbers, "one").await;
    let (mut phone, mut laptop) = (ben.listens().await, ben.listens().await);
    let mut anas = ana.listens().await;
    marks(&ben, &climbers.id, &message).await;
    marks(&ben, &climbers.id, &message).await;
    for feed in [&mut phone, &mut laptop] {
        let event = feed.hears_of("read").await;
        assert_eq!(event["conv"], format!("u:{}", ben.id));
        assert_eq!(event["data"], json!({"conv": climbers.conv(), "n": 4, "count": 2}));
    }
    phone.stays_silent().await;
    anas.stays_silent().await;
}

#[tokio::test]
async fn a_socket_marks_as_read_and_a_busy_reader_is_gathered() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    for number in 0..60 {
        ana.says(&climbers, &format!("m{number}")).await;
    }
    for number in 0..60 {
        let n = feed.hears(&format!("m{number}")).await["n"].clone();
        let read = json!({"t": "read", "conv": climbers.conv(), "n": n});
        feed.socket.tells(&read).await;
    }
    let mut events = 0;
    loop {
        let event = feed.hears_of("read").await;
        events += 1;
        if event["data"] == json!({"conv": climbers.conv(), "n": 63, "count": 61}) {
            break;
        }
    }
    assert!(events < 20, "{events} events for 60 marks");
    assert_eq!(read_in_sync(&ben, "groups").await, (63, 0));
    // Lower marks change nothing, and nothing can be marked beyond the newest message.
    for n in [0, 62, 63, 64, u64::MAX] {
        feed.socket.tells(&json!({"t": "read", "conv": climbers.conv(), "n": n})).await;
    }
    feed.socket.tells(&json!({"t": "ping"})).await;
    feed.socket.hears("pong").await;
    feed.stays_silent().await;
}

async fn marks_unread(who: &Person, conversation: &str, message: &Value) -> Value {
    let path = format!("/v3/conversations/{conversation}/unread");
    who.posts(&path).json(&json!({"message_id": message["id"]})).await.ok()
}

#[tokio::test]
async fn messages_are_marked_as_unread_on_all_devices() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut messages = Vec::new();
    for words in ["one", "two", "three"] {
        messages.push(ana.says(&climbers, words).await);
    }
    marks(&ben, &climbers.id, &messages[2]).await;
    let mut feed = ben.listens().await;
    let mut anas = ana.listens().await;
    let cursor = feed.cursor.clone();
    // The mark may not be durable yet: it counts nevertheless.
    let marked = marks_unread(&ben, &climbers.id, &messages[1]).await;
    assert_eq!(marked, json!({"read_n": 4, "unread_count": 2, "unread_mentions": 0}));
    assert_eq!(unread_in_list(&ben, &climbers).await, 2);
    syncs(&ben, "groups", (4, 2)).await;
    let back = json!({"conv": climbers.conv(), "n": 4, "count": 2, "set_back": true});
    while feed.hears_of("read").await["data"] != back {}
    anas.stays_silent().await;
    // Nothing changes where the message is unread already.
    let marked = marks_unread(&ben, &climbers.id, &messages[2]).await;
    assert_eq!(marked, json!({"read_n": 4, "unread_count": 2, "unread_mentions": 0}));
    world.restarts().await;
    syncs(&ben, "groups", (4, 2)).await;
    let mut feed = ben.listens_after(&cursor).await;
    while feed.hears_of("read").await["data"] != back {}
    // Reading moves the mark forward again.
    let marked = marks(&ben, &climbers.id, &messages[1]).await;
    assert_eq!(marked, json!({"read_n": 5, "unread_count": 1, "unread_mentions": 0}));
    marks(&ben, &climbers.id, &messages[2]).await;
    syncs(&ben, "groups", (6, 0)).await;
}

#[tokio::test]
async fn first_message_of_a_chat_is_marked_as_unread() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let message = writes(&ana, &ben, "one").await;
    let chat = conversation(&ana, &ben);
    marks(&ben, &chat, &message).await;
    let marked = marks_unread(&ben, &chat, &message).await;
    assert_eq!(marked, json!({"read_n": 0, "unread_count": 1, "unread_mentions": 0}));
    let [cem] = world.people(["Cem"]).await;
    let path = format!("/v3/conversations/{chat}/unread");
    let body = json!({"message_id": message["id"]});
    assert_eq!(cem.posts(&path).json(&body).await.refused(404), ["there is no such conversation"]);
    let unknown = json!({"message_id": "1"});
    assert_eq!(ben.posts(&path).json(&unknown).await.refused(404), ["there is no such message"]);
    let nothing = ben.posts(&path).json(&json!({})).await;
    assert_eq!(nothing.refused(400), ["message_id is required"]);
}

#[tokio::test]
async fn marks_survive_a_restart_and_are_replayed() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let cursor = ben.listens().await.cursor;
    let message = ana.says(&climbers, "one").await;
    ana.says(&climbers, "two").await;
    marks(&ben, &climbers.id, &message).await;
    world.restarts().await;
    assert_eq!(read_in_sync(&ben, "groups").await, (4, 1));
    assert_eq!(read_in_sync(&ana, "groups").await, (5, 0));
    let mut feed = ben.listens_after(&cursor).await;
    feed.hears("one").await;
    feed.hears("two").await;
    assert_eq!(feed.hears_of("read").await["data"]["n"], 4);
}

#[tokio::test]
async fn invalid_read_mark_is_refused() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    let message = ana.says(&climbers, "one").await;
    let other = ana.creates_group("Divers").await;
    let path = |conversation: &str| format!("/v3/conversations/{conversation}/read");
    let body = json!({"message_id": message["id"]});
    let chat = conversation(&ana, &ben);
    for (who, conversation) in
        [(&cem, &climbers.id), (&ben, &other.id), (&ben, &chat), (&cem, &chat)]
    {
        let answer = who.posts(&path(conversation)).json(&body).await;
        assert_eq!(answer.refused(404), ["there is no such conversation"]);
    }
    for nothing in ["x", "1+1", "0"] {
        ben.posts(&path(nothing)).json(&body).await.refused(404);
    }
    ana.adds(&cem, &climbers).await;
    let body = json!({"message_id": ana.says(&climbers, "two").await["id"]});
    cem.posts(&path(&climbers.id)).json(&body).await.ok();
    let membership = text(&member(&cem.sees(&climbers).await, &cem)["id"]).to_owned();
    cem.posts(&climbers.path(&format!("/members/{membership}/remove"))).await.ok();
    cem.posts(&path(&climbers.id)).json(&body).await.refused(404);
    let unknown = json!({"message_id": "1"});
    let answer = ben.posts(&path(&climbers.id)).json(&unknown).await;
    assert_eq!(answer.refused(404), ["there is no such message"]);
    let answer = ben.posts(&path(&climbers.id)).json(&json!({})).await;
    assert_eq!(answer.refused(400), ["message_id is required"]);
}

#[tokio::test]
async fn read_receipt_reaches_the_subscribed_sender() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let message = writes(&ana, &ben, "one").await;
    let conv = format!("d:{}", conversation(&ana, &ben));
    let (mut anas, mut deaf) = (ana.listens().await, ana.listens().await);
    watches(&mut anas, &conv).await;
    let mut bens = ben.listens().await;
    watches(&mut bens, &conv).await;
    assert_eq!(anas.socket.hears("eph").await["type"], "presence");
    marks(&ben, conv.strip_prefix("d:").unwrap(), &message).await;
    let receipt = anas.socket.hears("eph").await;
    let data = json!({"user_id": ben.id, "n": 1});
    assert_eq!(receipt, json!({"t": "eph", "conv": conv, "type": "receipt", "data": data}));
    bens.hears_of("read").await;
    deaf.stays_silent().await;
}

#[tokio::test]
async fn late_subscriber_gets_read_mark_of_chat_partner() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let message = writes(&ana, &ben, "one").await;
    let conv = format!("d:{}", conversation(&ana, &ben));
    marks(&ben, conv.strip_prefix("d:").unwrap(), &message).await;
    let mut anas = ana.listens().await;
    anas.socket.tells(&json!({"t": "sub", "conv": [conv]})).await;
    let data = json!({"user_id": ben.id, "n": 1});
    let receipt = json!({"t": "eph", "conv": conv, "type": "receipt", "data": data});
    assert_eq!(anas.socket.hears("eph").await, receipt);
}

#[tokio::test]
async fn group_read_marks_reach_subscribers() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let message = ana.says(&climbers, "rope at six").await;
    let (mut anas, mut deaf) = (ana.listens().await, ana.listens().await);
    watches(&mut anas, &climbers.conv()).await;
    marks(&ben, &climbers.id, &message).await;
    let receipt = anas.socket.hears("eph").await;
    let data = json!({"user_id": ben.id, "n": 4});
    let conv = climbers.conv();
    assert_eq!(receipt, json!({"t": "eph", "conv": conv, "type": "receipt", "data": data}));
    deaf.stays_silent().await;
}

/// Subscribes to the ephemeral events of a conversation, and waits until that is done.
async fn watches(feed: &mut Feed, conv: &str) {
    feed.socket.tells(&json!({"t": "sub", "conv": [conv]})).await;
    feed.socket.tells(&json!({"t": "ping"})).await;
    loop {
        // The server first sends who is online, and how far the other has read.
        let frame = feed.socket.next().await.unwrap();
        match text(&frame["t"]) {
            "pong" => return,
            "eph" => assert_ne!(frame["type"], "typing", "{frame}"),
            other => panic!("{other} before the pong"),
        }
    }
}

/// Marks are gathered for a moment before they are written; those gathered used to be lost when the
/// server stopped.
#[tokio::test]
async fn read_mark_survives_immediate_shutdown() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = ben.listens().await;
    ana.says(&climbers, "rope at six").await;
    let n = feed.hears("rope at six").await["n"].clone();
    feed.socket.tells(&json!({"t": "read", "conv": climbers.conv(), "n": n})).await;
    feed.socket.tells(&json!({"t": "ping"})).await;
    feed.socket.hears("pong").await;
    world.restarts().await;
    assert_eq!(json!(read_in_sync(&ben, "groups").await), json!([n, 0]));
}
