//! How sockets are closed: every close code, and what causes it (design, "Close codes").

use std::time::Duration;

use coterie::subscribers::Timeouts;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::world::feed::Socket;
use crate::world::person::Person;
use crate::world::server::Setup;
use crate::world::{PASSWORD, World};

#[tokio::test]
async fn socket_without_hello_closes_with_4408() {
    let setup = Setup::default().hello_within(Duration::from_secs(1));
    let world = World::with(setup).await;
    let [ana] = world.people(["Ana"]).await;
    // A client that says hello in time, which takes some tries on a busy machine.
    let mut heard = loop {
        let mut socket = ana.connects().await;
        socket.tells(&json!({"t": "hello", "v": 1})).await;
        match socket.next().await {
            Ok(_) => break socket,
            Err(code) => assert_eq!(code, 4408),
        }
    };
    let mut silent = ana.connects().await;
    assert_eq!(silent.ends().await, 4408);
    let mut chatty = ana.connects().await;
    chatty.tells(&json!({"t": "ping"})).await;
    assert_eq!(chatty.ends().await, 4408);
    heard.tells(&json!({"t": "ping"})).await;
    while heard.next().await.expect("who said hello stays")["t"] != "pong" {}
}

#[tokio::test]
async fn a_token_that_does_not_work_is_closed_with_4401() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    ana.posts("/auth/logout").await.ok();
    let unknown = "A".repeat(43);
    for token in [ana.token.as_str(), unknown.as_str(), "x", ""] {
        let mut socket = Socket::open(&world.address, &[]).await.unwrap();
        socket.tells(&json!({"t": "hello", "v": 1, "token": token})).await;
        assert_eq!(socket.ends().await, 4401, "{token:?}");
    }
    let mut socket = Socket::open(&world.address, &[]).await.unwrap();
    socket.tells(&json!({"t": "hello", "v": 1})).await;
    assert_eq!(socket.ends().await, 4401);
    let mut socket = ana.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1})).await;
    assert_eq!(socket.ends().await, 4401);
}

#[tokio::test]
async fn another_version_is_closed_with_4426() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for hello in
        [json!({"t": "hello"}), json!({"t": "hello", "v": 2}), json!({"t": "hello", "v": "1"})]
    {
        let mut socket = ana.connects().await;
        socket.tells(&hello).await;
        assert_eq!(socket.ends().await, 4426, "{hello}");
    }
}

fn part(opcode: Data, is_last: bool, bytes: &[u8]) -> Message {
    Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(opcode), is_last))
}

#[tokio::test]
async fn non_object_frame_closes_with_4400() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for frame in [
        Message::text("hello"),
        Message::text("[1]"),
        Message::text(""),
        Message::text("\"hello\""),
        Message::binary(b"{\"t\":\"ping\"}".to_vec()),
        part(Data::Text, true, b"{\"t\":\"\xff\"}"),
        part(Data::Continue, true, b"{}"),
    ] {
        let mut feed = ana.listens().await;
        feed.socket.sends(frame.clone()).await;
        assert_eq!(feed.ends().await, 4400, "{frame:?}");
    }
}

#[tokio::test]
async fn a_frame_over_64_kib_is_closed_with_4413() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let frame = |bytes: usize| {
        let bare = json!({"t": "ping", "x": ""}).to_string().len();
        json!({"t": "ping", "x": "x".repeat(bytes - bare)}).to_string()
    };
    let mut feed = ana.listens().await;
    feed.socket.sends(Message::text(frame(64 << 10))).await;
    feed.socket.hears("pong").await;
    feed.socket.sends(Message::text(frame((64 << 10) + 1))).await;
    assert_eq!(feed.ends().await, 4413);
    // The limit also holds for a message of small fragments.
    let mut feed = ana.listens().await;
    feed.socket.sends(part(Data::Text, false, &[b' '; 40 << 10])).await;
    feed.socket.sends(part(Data::Continue, false, &[b' '; 40 << 10])).await;
    assert_eq!(feed.ends().await, 4413);
}

/// Else a frame that never ends would be gathered in memory.
#[tokio::test]
async fn oversized_frame_is_refused_by_its_header() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    for announced in [(64 << 10) + 1, 1_u64 << 62] {
        let mut feed = ana.listens().await;
        let header = [&[0x81, 0x80 | 127], &announced.to_be_bytes()[..], &[0; 4]].concat();
        feed.socket.0.get_mut().write_all(&header).await.unwrap();
        assert_eq!(feed.ends().await, 4413);
    }
}

#[tokio::test]
async fn silent_client_closes_with_4001() {
    let minute = Timeouts::default().silence;
    assert_eq!(minute, Duration::from_secs(60));
    let world = World::with(Setup::default().silent_for(minute)).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    world.seconds_pass(59);
    anas.socket.hears("ping").await;
    bens.socket.hears("ping").await;
    anas.socket.tells(&json!({"t": "pong"})).await;
    // The pong to this ping shows that the server has read the client's pong before it.
    anas.socket.tells(&json!({"t": "ping"})).await;
    anas.socket.hears("pong").await;
    world.seconds_pass(1);
    assert_eq!(bens.ends().await, 4001);
    anas.stays_silent().await;
}

async fn logged_in_again(world: &World, person: &Person) -> Person {
    let welcome = world.logs_in(&person.email, PASSWORD).await.ok();
    Person::new(person.address.clone(), &welcome)
}

#[tokio::test]
async fn logging_out_closes_the_sockets_of_that_token_and_no_other() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let again = logged_in_again(&world, &ana).await;
    let mut ended = ana.listens().await;
    let mut ended_too = ana.listens().await;
    let mut stays = again.listens().await;
    ana.posts("/auth/logout").await.ok();
    assert_eq!((ended.ends().await, ended_too.ends().await), (4401, 4401));
    again.says(&climbers, "still here").await;
    stays.hears("still here").await;
}

#[tokio::test]
async fn revoked_token_ends_its_socket() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let again = logged_in_again(&world, &ana).await;
    let mut feed = ana.listens().await;
    ana.posts("/auth/logout").await.ok();
    again.says(&climbers, "a secret").await;
    let next = feed.socket.next().await;
    assert_eq!(next, Err(4401), "closed before anything else");
}

#[tokio::test]
async fn expired_token_ends_its_sockets() {
    let world = World::with(Setup::default().option("--token-ttl", "30s")).await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    world.seconds_pass(30);
    assert_eq!(feed.ends().await, 4401);
}

#[tokio::test]
async fn stopping_server_sends_bye_with_retry_ms() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    let listening = async {
        let bye = feed.socket.hears("bye").await;
        assert_eq!(bye["code"], 4003);
        let retry = bye["retry_ms"].as_u64().unwrap();
        assert!((500..2500).contains(&retry), "{retry}");
        assert_eq!(feed.ends().await, 4003);
    };
    tokio::join!(world.stops(), listening);
}

#[tokio::test]
async fn a_client_that_closes_is_answered() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    feed.socket.sends(Message::Close(None)).await;
    assert_eq!(feed.ends().await, 1005);
}

#[tokio::test]
async fn flooding_client_closes_with_4004() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    let cursor = feed.cursor.clone();
    let talking = async {
        // The hello counts as one frame too.
        for number in 1..=1000 {
            feed.socket.tells(&json!({"t": "ping", "x": number})).await;
            if number % 100 == 0 && number < 1000 {
                for _ in 0..100 {
                    feed.socket.hears("pong").await;
                }
            }
        }
        feed.ends().await
    };
    assert_eq!(talking.await, 4004);
    assert_eq!(ana.listens_after(&cursor).await.reset, None);
}

#[tokio::test]
async fn frame_budget_refills_each_second() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    for round in 0..11 {
        for number in 0..100 {
            feed.socket.tells(&json!({"t": "ping", "x": number})).await;
            feed.socket.hears("pong").await;
        }
        if round > 0 {
            world.seconds_pass(1);
        }
    }
    feed.stays_silent().await;
}

#[tokio::test]
async fn fast_reconnects_of_an_address_are_refused() {
    let world = World::with(Setup::default().upgrades(10.0, 5.0)).await;
    let [ana] = world.people(["Ana"]).await;
    for _ in 0..5 {
        ana.listens().await;
    }
    let refused = ana.gets("/v3/push").await;
    refused.refused(429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    world.seconds_pass(1);
    ana.listens().await;
}

/// Damages a message on disk by changing one bit of its text.
fn damage(journal: &std::path::Path, words: &str) {
    let mut damaged = 0;
    for entry in std::fs::read_dir(journal).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        while let Some(at) = bytes.windows(words.len()).position(|it| it == words.as_bytes()) {
            bytes[at] ^= 1;
            damaged += 1;
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(damaged, 1, "{words} stands once in the journal");
}

#[tokio::test]
async fn failed_session_closes_with_4000() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let cursor = ana.listens().await.cursor;
    ana.says(&climbers, "rope at six").await;
    ana.says(&climbers, "rope at seven").await;
    world.restarts().await;
    damage(&world.journal(), "rope at six");
    let mut socket = ana.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "after": cursor})).await;
    socket.hears("welcome").await;
    assert_eq!(socket.ends().await, 4000, "and no gap is passed on in silence");
    let refused = ana.gets(&format!("/v3/events?after={cursor}")).await;
    refused.refused(503);
}
