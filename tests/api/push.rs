//! Push: hello, events and pings (design, "`GET /v3/push`"). Closing, order and resuming are tested
//! in files of their own.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::world::World;
use crate::world::feed::Socket;
use crate::world::person::{Person, text};

#[tokio::test]
async fn a_hello_is_welcomed_and_synced() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut socket = ana.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1, "extra": true})).await;
    let welcome = socket.hears("welcome").await;
    assert_eq!(
        welcome,
        json!({"t": "welcome", "v": 1, "sid": welcome["sid"], "user_id": ana.id,
            "c": welcome["c"], "resumed": false, "hb": 25, "time": 1_800_000_000_000_u64,
            "limits": {"frame_bytes": 65_536, "replay_events": 5000,
                "frames_per_second": 100, "frames_at_once": 1000, "subscriptions": 1000},
            "scopes": welcome["scopes"]})
    );
    assert!(welcome["scopes"].as_array().unwrap().contains(&json!("account")), "{welcome}");
    let synced = socket.hears("synced").await;
    assert_eq!(synced, json!({"t": "synced", "c": welcome["c"]}));
}

#[tokio::test]
async fn a_token_may_come_with_the_upgrade_or_with_the_hello() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let bearer = format!("Bearer {}", ana.token);
    for headers in
        [&[("X-Access-Token", ana.token.as_str())][..], &[("Authorization", &bearer)], &[]]
    {
        let mut socket = Socket::open(&world.address, headers).await.unwrap();
        let hello = match headers {
            [] => json!({"t": "hello", "v": 1, "token": ana.token}),
            _ => json!({"t": "hello", "v": 1}),
        };
        socket.tells(&hello).await;
        assert_eq!(socket.hears("welcome").await["user_id"], ana.id);
    }
}

#[tokio::test]
async fn pushed_message_equals_rest_message() {
    let world = World::start().await;
    let [ana, ben, cem] = world.people(["Ana", "Ben", "Cem"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut anas = ana.listens().await;
    let mut bens = ben.listens().await;
    let mut second = ben.listens().await;
    let mut cems = cem.listens().await;
    let posted = ana.says(&climbers, "rope at six").await;
    for feed in [&mut anas, &mut bens, &mut second] {
        let event = feed.hears("rope at six").await;
        assert_eq!(event["data"], posted);
        assert_eq!(event["conv"], climbers.conv());
        assert_eq!(event["n"], 4, "created, joined and its line came before");
        assert_eq!(event["at"], 1_800_000_000_000_u64);
        assert_eq!(event["alert"], "Ana: rope at six");
    }
    cems.stays_silent().await;
    bens.stays_silent().await;
}

#[tokio::test]
async fn an_attachment_without_words_has_an_alert() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut feed = ana.listens().await;
    let split = json!({"attachments": [{"type": "split", "token": "t"}]});
    ana.posting(&climbers, split).await.created();
    assert_eq!(feed.hears_of("line.create").await["alert"], "Ana: sent an attachment");
}

#[tokio::test]
async fn creating_and_adding_send_memberships_and_a_line() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let (mut anas, mut bens) = (ana.listens().await, ben.listens().await);
    let climbers = ana.creates_group("Climbers").await;
    let created = anas.hears_of("membership.create").await;
    assert_eq!((&created["conv"], &created["n"]), (&json!(climbers.conv()), &json!(1)));
    assert_eq!(created["data"]["by"], ana.id);
    assert_eq!(created["data"]["memberships"][0]["user_id"], ana.id);
    let items = json!([{"nickname": "Benny", "user_id": ben.id, "guid": "g"}]);
    let mut members = ana.adds_items(&climbers, items).await;
    let member = members[0].as_object_mut().unwrap();
    member.remove("guid");
    member.extend([("name".to_owned(), json!("Ben")), ("roles".to_owned(), json!(["user"]))]);
    for feed in [&mut anas, &mut bens] {
        let joined = feed.hears_of("membership.create").await;
        assert_eq!(joined["data"], json!({"memberships": members, "by": ana.id}));
        assert_eq!(joined["n"], 2);
        let line = feed.hears("Ana added Benny to the group.").await;
        assert_eq!((&line["n"], &line["data"]["system"]), (&json!(3), &json!(true)));
    }
    // A request that adds nobody causes no event and uses no number.
    ana.adds_items(&climbers, json!([{"nickname": "N", "user_id": "99999999"}])).await;
    ana.says(&climbers, "hello").await;
    assert_eq!(bens.hears("hello").await["n"], 4);
}

#[tokio::test]
async fn pong_returns_the_ping_data() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    for x in [json!(7), json!("seven"), json!({"a": [1]}), Value::Null] {
        feed.socket.tells(&json!({"t": "ping", "x": x})).await;
        let pong = feed.socket.hears("pong").await;
        assert_eq!(pong, json!({"t": "pong", "x": x, "c": feed.cursor}));
    }
    feed.socket.sends(Message::Ping(b"bytes".to_vec().into())).await;
    let answer = futures_util::StreamExt::next(&mut feed.socket.0).await.unwrap().unwrap();
    assert_eq!(answer, Message::Pong(b"bytes".to_vec().into()));
}

#[tokio::test]
async fn an_acknowledgement_is_taken_without_a_word() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    feed.socket.tells(&json!({"t": "ack", "c": feed.cursor})).await;
    feed.socket.tells(&json!({"t": "ping", "x": 1})).await;
    feed.socket.hears("pong").await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn the_server_pings_after_silence_and_names_the_newest_cursor() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut feed = ana.listens().await;
    ana.says(&climbers, "rope at six").await;
    let said = feed.hears("rope at six").await;
    world.clock.pass(50);
    let ping = feed.socket.hears("ping").await;
    assert_eq!(ping, json!({"t": "ping", "c": said["c"]}));
    feed.socket.tells(&json!({"t": "pong"})).await;
    feed.stays_silent().await;
}

#[tokio::test]
async fn bad_frames_get_err_and_keep_the_socket() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut socket = ana.connects().await;
    socket.tells(&json!({"t": "ack", "c": "x"})).await;
    assert_eq!(socket.hears("err").await["code"], "hello");
    socket.tells(&json!({"t": "hello", "v": 1})).await;
    socket.hears("welcome").await;
    socket.hears("synced").await;
    for (frame, code) in [
        (json!({"t": "hello", "v": 1}), "hello"),
        (json!({"t": "dance"}), "unknown_t"),
        (json!({}), "missing_t"),
        (json!({"t": 7}), "missing_t"),
    ] {
        socket.tells(&frame).await;
        let err = socket.hears("err").await;
        assert_eq!(err["code"], code, "{frame}");
        assert!(err["msg"].is_string() && err.get("retry_ms").is_some(), "{err}");
    }
    socket.tells(&json!({"t": "ack", "c": "whatever"})).await;
    socket.tells(&json!({"t": "ping", "x": 1})).await;
    socket.hears("pong").await;
}

fn part(opcode: Data, is_last: bool, bytes: &[u8]) -> Message {
    Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(opcode), is_last))
}

#[tokio::test]
async fn a_frame_may_come_in_parts() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let mut feed = ana.listens().await;
    // Fragments are cut inside a character, with a control frame between them.
    let frame = json!({"t": "ping", "x": "🧗".repeat(1000)}).to_string().into_bytes();
    let (first, rest) = frame.split_at(18);
    let (second, third) = rest.split_at(2001);
    feed.socket.sends(part(Data::Text, false, first)).await;
    feed.socket.sends(part(Data::Continue, false, second)).await;
    feed.socket.sends(Message::Pong(Vec::new().into())).await;
    feed.socket.sends(part(Data::Continue, true, third)).await;
    assert_eq!(feed.socket.hears("pong").await["x"], "🧗".repeat(1000));
}

#[tokio::test]
async fn pages_of_any_origin_open_sockets_with_a_token_alone() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let own = format!("http://{}", world.address.get());
    let cookie = format!("token={0}; access_token={0}", ana.token);
    for origin in
        ["https://ropes.example", "null", "http://127.0.0.1:1", &format!("{own}.example"), &own]
    {
        let headers = [("Origin", origin), ("Cookie", cookie.as_str())];
        let mut page = Socket::open(&world.address, &headers).await.unwrap();
        page.tells(&json!({"t": "hello", "v": 1, "token": ana.token})).await;
        page.hears("welcome").await;
        let mut stranger = Socket::open(&world.address, &headers).await.unwrap();
        stranger.tells(&json!({"t": "hello", "v": 1})).await;
        assert_eq!(stranger.ends().await, 4401, "{origin}: no cookie is read");
        for path in ["/faye", "/v3/push"] {
            let mut request = format!("ws://{}{path}", world.address.get()).into_client_request();
            let headers = request.as_mut().unwrap().headers_mut();
            headers.insert("Origin", origin.parse().unwrap());
            let opened = tokio_tungstenite::connect_async(request.unwrap()).await;
            assert!(opened.is_ok(), "{path} {origin}: {:?}", opened.err());
        }
    }
}

#[tokio::test]
async fn non_websocket_request_is_refused_in_the_envelope() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let answer = ana.gets("/v3/push").await;
    answer.refused(400);
}

#[tokio::test]
async fn a_hundred_sockets_of_one_user_are_enough() {
    let world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut feeds = Vec::new();
    for _ in 0..100 {
        feeds.push(ana.listens().await);
    }
    assert_eq!(refused(&ana).await, 4409);
    ben.listens().await.stays_silent().await;
    ana.says(&climbers, "rope at six").await;
    for feed in &mut feeds {
        feed.hears("rope at six").await;
    }
    // When a socket closes, its place is free for the next one.
    let mut last = feeds.pop().unwrap();
    last.socket.sends(Message::Close(None)).await;
    assert_eq!(last.ends().await, 1005);
    drop(last);
    let mut again = ana.listens().await;
    again.stays_silent().await;
}

async fn refused(person: &Person) -> u16 {
    let mut socket = person.connects().await;
    socket.tells(&json!({"t": "hello", "v": 1})).await;
    socket.ends().await
}

#[tokio::test]
async fn cursors_look_the_same_everywhere() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let snapshot = ana.gets("/v3/sync").await.ok();
    let feed = ana.listens().await;
    assert_eq!(text(&snapshot["c"]), feed.cursor);
    assert_eq!(feed.cursor.len(), 24);
}
