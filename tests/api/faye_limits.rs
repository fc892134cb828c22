//! What ends Bayeux clients or their subscriptions: revoked tokens, lost memberships, and limits.

use std::time::Duration;

use serde_json::json;

use crate::world::World;
use crate::world::bayeux::{BOTH, Client, Socket, Transport, own_channel, posts};
use crate::world::person::text;
use crate::world::server::Setup;

#[tokio::test]
async fn revoked_token_ends_pending_connects() {
    let world = World::start().await;
    for transport in BOTH {
        let [ana] = world.people(["Ana"]).await;
        let mut client = Client::own(&ana, transport).await;
        let logs_out = async { drop(ana.posts("/auth/logout").await.ok()) };
        let reply = client.waits_while(&world, logs_out).await;
        assert_eq!(reply["successful"], false, "{reply}");
        assert_eq!(reply["advice"]["reconnect"], "none");
        let reply = client.connects(0).await;
        assert!(text(&reply["error"]).starts_with("401:"), "{reply}");
    }
}

#[tokio::test]
async fn token_revoked_in_absence_gets_no_events() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut bens = Client::own(&ben, Transport::Polling).await;
    // Longer than the session keeps the reader of an absent client open.
    tokio::time::sleep(Duration::from_secs(6)).await;
    ben.posts("/auth/logout").await.ok();
    ana.says(&climbers, "a secret").await;
    let reply = bens.connects(2000).await;
    assert_eq!(reply["successful"], false, "{reply}");
    assert!(bens.kept().is_empty());
}

#[tokio::test]
async fn removed_member_receives_no_events() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    for transport in BOTH {
        let climbers = ana.creates_group("Climbers").await;
        let group = format!("/group/{}", climbers.id);
        ana.adds(&ben, &climbers).await;
        let mut bens = Client::on(&ben, transport, &[&own_channel(&ben), &group]).await;
        let shown = ana.gets(&format!("/v3/groups/{}", climbers.id)).await.ok();
        let members = shown["members"].as_array().unwrap().clone();
        let membership = members.iter().find(|it| it["user_id"] == json!(ben.id)).unwrap();
        let membership = text(&membership["id"]);
        let path = format!("/v3/groups/{}/members/{membership}/remove", climbers.id);
        ana.posts(&path).await.ok();
        let said = ana.says(&climbers, "a secret").await;
        let path = format!("/v3/messages/{}/{}/like", climbers.id, text(&said["id"]));
        ana.posts(&path).await.ok();
        let mut anas = Client::own(&ana, Transport::Polling).await;
        let typing = json!({"channel": group, "data": {"type": "typing"}});
        assert_eq!(anas.tells(typing).await["successful"], true);
        // Messages that were still in flight would arrive before the event of this group.
        let fence = ben.creates_group("Fence").await;
        let mut told = Vec::new();
        while !told.iter().any(|it: &serde_json::Value| it.to_string().contains(&fence.id)) {
            told.push(bens.next().await);
        }
        let of_group = told.iter().filter(|it| it["channel"] == json!(group)).count();
        assert_eq!(of_group, 0, "{told:?}");
        assert!(!json!(told).to_string().contains("a secret"), "{told:?}");
        assert_eq!(bens.connects(100).await["successful"], true);
        let pinged: Vec<_> = bens.kept().iter().map(|it| it["channel"].clone()).collect();
        assert!(!pinged.contains(&json!(group)), "its channel is gone: {pinged:?}");
        let reply = bens.subscribes(&group).await;
        assert!(text(&reply["error"]).starts_with("403:"), "{reply}");
    }
}

#[tokio::test]
async fn one_client_has_a_bounded_number_of_channels() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut client = Client::own(&ana, Transport::Polling).await;
    let user: u64 = ana.id.parse().unwrap();
    let many = |from: u64, count: u64| {
        let names = (from..from + count).map(|it| format!("/direct_message/{user}_{}", user + it));
        json!(names.collect::<Vec<_>>())
    };
    let ext = json!({"access_token": ana.token});
    let subscribe = |channels| json!({"channel": "/meta/subscribe", "subscription": channels, "ext": ext.clone()});
    assert_eq!(client.tells(subscribe(many(1, 300))).await["successful"], true);
    let reply = client.tells(subscribe(many(301, 700))).await;
    assert!(text(&reply["error"]).starts_with("429:"), "{reply}");
}

#[tokio::test]
async fn flooding_client_gets_an_error() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut client = Client::own(&ana, Transport::Polling).await;
    let ping = json!({"channel": own_channel(&ana), "data": {"type": "ping"}});
    let batch: Vec<_> = (0..100).map(|_| client.message(ping.clone())).collect();
    let mut refused = Vec::new();
    for _ in 0..6 {
        let replies = posts(&world.address, &json!(batch)).await;
        refused.extend(replies.into_iter().filter(|it| it["successful"] == false));
    }
    assert!(!refused.is_empty() && refused.len() < 200, "{}", refused.len());
    assert!(refused.iter().all(|it| text(&it["error"]).starts_with("429:")));
    world.seconds_pass(60);
    assert_eq!(client.tells(ping).await["successful"], true);
}

#[tokio::test]
async fn unread_socket_is_bounded_and_misses_nothing() {
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::own(&ana, Transport::Socket).await;
    assert_eq!(client.connects(0).await["successful"], true);
    // More bytes than the buffers of the connection hold, while the client does not read.
    let long = "x".repeat(900);
    for number in 0..600 {
        ana.says(&climbers, &format!("{number} {long}")).await;
    }
    for number in 0..600 {
        client.hears(&format!("{number} {long}")).await;
    }
}

#[tokio::test]
async fn stopping_server_advises_reconnect() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut polling = Client::own(&ana, Transport::Polling).await;
    let mut socket = Socket::open(&world.address, "/faye").await;
    socket.says(&json!({"channel": "/meta/handshake", "version": "1.0"})).await;
    let client = socket.hears().await[0]["clientId"].clone();
    let ext = json!({"access_token": ana.token});
    let subscribe = json!({"channel": "/meta/subscribe", "clientId": client,
        "subscription": own_channel(&ana), "ext": ext});
    socket.says(&subscribe).await;
    assert_eq!(socket.hears().await[0]["successful"], true);
    let stops = async {
        // A poll that arrives after the server began to stop is answered otherwise.
        world.holds("held_requests", 1).await;
        world.stops().await;
    };
    let (reply, closed, ()) = tokio::join!(polling.connects(30_000), socket.next(), stops);
    assert_eq!(closed, Err(4003));
    assert_eq!(
        (&reply["successful"], &reply["advice"]["reconnect"]),
        (&json!(true), &json!("retry"))
    );
}
