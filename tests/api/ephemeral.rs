//! Ephemeral events: typing and presence, for sockets that subscribed to them (design, "Push",
//! frames `sub` and `eph`). Receipts are tested with read marks in `reading.rs`.

use serde_json::{Value, json};

use crate::direct_messages::{conversation, writes};
use crate::world::World;
use crate::world::feed::Feed;
use crate::world::person::Person;
use crate::world::server::Setup;

/// Sends a frame; returns the frames that come before the next pong.
pub(crate) async fn asks(feed: &mut Feed, frame: &Value) -> Vec<Value> {
    feed.socket.tells(frame).await;
    feed.socket.tells(&json!({"t": "ping", "x": "done"})).await;
    let mut heard = Vec::new();
    loop {
        let frame = feed.socket.next().await.unwrap();
        if frame["t"] == "pong" {
            return heard;
        }
        heard.push(frame);
    }
}

fn sub(convs: &[&str]) -> Value {
    json!({"t": "sub", "conv": convs})
}

fn typing(conv: &str) -> Value {
    json!({"t": "typing", "conv": conv})
}

fn presence(conv: &str, who: &Person, online: bool) -> Value {
    let data = json!({"user_id": who.id, "online": online});
    json!({"t": "eph", "conv": conv, "type": "presence", "data": data})
}

#[tokio::test]
async fn typing_reaches_subscribers_only() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    ana.adds(&cem, &climbers).await;
    let mut anas = ana.listens().await;
    let (mut bens, mut cems) = (ben.listens().await, cem.listens().await);
    let conv = climbers.conv();
    let everybody = asks(&mut bens, &sub(&[&conv])).await;
    assert_eq!(everybody, [presence(&conv, &ana, true), presence(&conv, &cem, true)]);
    asks(&mut anas, &sub(&[&conv])).await;
    let heard = asks(&mut anas, &typing(&conv)).await;
    assert_eq!(heard, Vec::<Value>::new(), "nobody hears of their own typing");
    let heard = bens.socket.hears("eph").await;
    let data = json!({"user_id": ana.id, "until": 1_800_000_005_000_u64});
    assert_eq!(heard, json!({"t": "eph", "conv": conv, "type": "typing", "data": data}));
    cems.stays_silent().await;
    assert_eq!(asks(&mut bens, &json!({"t": "unsub", "conv": [conv]})).await.len(), 0);
    asks(&mut anas, &typing(&conv)).await;
    bens.stays_silent().await;
}

#[tokio::test]
async fn presence_reports_arrivals_and_departures() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let conv = climbers.conv();
    let mut bens = ben.listens().await;
    let mut anas = ana.listens().await;
    let here = asks(&mut anas, &sub(&[&conv])).await;
    assert_eq!(here, [presence(&conv, &ben, true)], "who is here already");
    // A second socket of the same user changes no presence, neither when it opens nor when it
    // closes.
    let second = ben.listens().await;
    drop(second);
    bens.stays_silent().await;
    drop(bens);
    assert_eq!(anas.socket.hears("eph").await, presence(&conv, &ben, false));
    let back = ben.listens().await;
    assert_eq!(anas.socket.hears("eph").await, presence(&conv, &ben, true));
    drop(back);
    assert_eq!(anas.socket.hears("eph").await, presence(&conv, &ben, false));
}

#[tokio::test]
async fn presence_is_off_in_groups_over_200_members() {
    let setup = Setup::default().option("--rate-limit", "off");
    let world = World::with(setup).await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    world.registers_members(&ana, &climbers, 198).await;
    let conv = climbers.conv();
    let mut bens = ben.listens().await;
    let mut anas = ana.listens().await;
    assert_eq!(asks(&mut anas, &sub(&[&conv])).await, [presence(&conv, &ben, true)]);
    ana.adds(&cem, &climbers).await;
    for feed in [&mut anas, &mut bens] {
        feed.hears_of("membership.create").await;
        feed.hears_of("line.create").await;
    }
    assert_eq!(asks(&mut bens, &sub(&[&conv])).await, Vec::<Value>::new());
    drop(bens);
    anas.stays_silent().await;
}

#[tokio::test]
async fn former_member_receives_no_ephemeral_events() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let conv = climbers.conv();
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    asks(&mut bens, &sub(&[&conv])).await;
    ana.removes(&ben, &climbers).await.ok();
    bens.hears_of("membership.delete").await;
    anas.hears_of("membership.delete").await;
    anas.hears_of("line.create").await;
    asks(&mut anas, &typing(&conv)).await;
    bens.stays_silent().await;
    let refused = asks(&mut bens, &typing(&conv)).await;
    assert_eq!(refused[0]["code"], "conv");
}

#[tokio::test]
async fn rejoined_member_receives_after_subscribing_again() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let conv = climbers.conv();
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    asks(&mut bens, &sub(&[&conv])).await;
    ana.removes(&ben, &climbers).await.ok();
    bens.hears_of("membership.delete").await;
    ana.adds(&ben, &climbers).await;
    bens.hears_of("membership.create").await;
    bens.hears_of("line.create").await;
    asks(&mut bens, &sub(&[&conv])).await;
    anas.socket.tells(&typing(&conv)).await;
    assert_eq!(bens.socket.hears("eph").await["type"], "typing");
}

#[tokio::test]
async fn watcher_of_new_chat_receives_ephemeral_events() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut anas = ana.listens().await;
    for other in world.people(["Ben", "Cem", "Dia", "Eli", "Fay", "Gus", "Hal", "Ida"]).await {
        writes(&ana, &other, "hello").await;
        let chat = format!("d:{}", conversation(&ana, &other));
        for frame in [sub(&[&chat]), typing(&chat)] {
            let heard = asks(&mut anas, &frame).await;
            let refused = heard.iter().find(|it| it["t"] == "err");
            assert_eq!(refused, None, "{frame}");
        }
    }
}

#[tokio::test]
async fn requests_about_conversations_of_others_are_refused_with_err() {
    let world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let [cem] = world.people(["Cem"]).await;
    writes(&ana, &ben, "hello").await;
    let mut cems = cem.listens().await;
    let chat = format!("d:{}", conversation(&ana, &ben));
    let own = format!("d:{}", conversation(&ana, &cem));
    for conv in [climbers.conv(), chat, own, format!("u:{}", cem.id), "nonsense".to_owned()] {
        for frame in [sub(&[&conv]), typing(&conv), json!({"t": "read", "conv": conv, "n": 1})] {
            let answer = asks(&mut cems, &frame).await;
            assert_eq!(answer.len(), 1, "{frame}");
            assert_eq!((&answer[0]["t"], &answer[0]["code"]), (&json!("err"), &json!("conv")));
        }
    }
    for frame in [
        json!({"t": "sub"}),
        json!({"t": "sub", "conv": climbers.conv()}),
        json!({"t": "unsub", "conv": 7}),
        json!({"t": "typing"}),
        json!({"t": "typing", "conv": 7}),
        json!({"t": "read", "conv": climbers.conv()}),
        json!({"t": "read", "n": 1}),
        json!({"t": "read", "conv": climbers.conv(), "n": "1"}),
    ] {
        let answer = asks(&mut cems, &frame).await;
        assert_eq!(answer[0]["code"], "field", "{frame}");
    }
    cems.stays_silent().await;
}

#[tokio::test]
async fn a_socket_asks_for_a_thousand_conversations_at_most() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    let many: Vec<String> = (0..1001).map(|number| format!("g:{number}")).collect();
    let answer = asks(&mut feed, &json!({"t": "sub", "conv": many})).await;
    assert_eq!(answer[0]["code"], "too_many");
}

#[tokio::test]
async fn block_silently_ends_typing_and_presence() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    writes(&ana, &ben, "hello").await;
    let conv = format!("d:{}", conversation(&ana, &ben));
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    asks(&mut anas, &sub(&[&conv])).await;
    let path = format!("/v3/blocks?user={}&otherUser={}", ana.id, ben.id);
    ana.posts(&path).await.created();
    anas.hears_of("block.create").await;
    assert_eq!(asks(&mut bens, &typing(&conv)).await, Vec::<Value>::new());
    // Ben is told how far Ana has read (she has read what she wrote herself), but not whether she
    // is online.
    let data = json!({"user_id": ana.id, "n": 1});
    let receipt = json!({"t": "eph", "conv": conv, "type": "receipt", "data": data});
    assert_eq!(asks(&mut bens, &sub(&[&conv])).await, [receipt]);
    drop(bens);
    anas.stays_silent().await;
}
