//! Clients that stop reading: nobody waits for them, they miss nothing if they read on, and are cut
//! off if they do not (design, "Slow readers").

use std::time::{Duration, Instant};

use serde_json::json;
use socket2::{Domain, SockRef, Socket, Type};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::world::feed::Feed;
use crate::world::person::{Group, Person, SOON, text};
use crate::world::server::Setup;
use crate::world::{World, feed};

/// The number of messages, of 4 kB each: more than the kernel buffers for a socket and a session
/// may queue together.
const FLOOD: usize = 3000;

/// A live socket with a small receive buffer.
async fn narrow(person: &Person) -> feed::Socket {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&person.address.get().into()).unwrap();
    socket.set_nonblocking(true).unwrap();
    let stream = tokio::net::TcpStream::from_std(socket.into()).unwrap();
    let url = format!("ws://{}/v3/push?token={}", person.address.get(), person.token);
    let stream = MaybeTlsStream::Plain(stream);
    let (stream, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
    let mut socket = feed::Socket(stream);
    socket.tells(&json!({"t": "hello", "v": 1})).await;
    socket.hears("welcome").await;
    socket.hears("synced").await;
    socket
}

/// The number of messages posted while a reader pauses: more than a resume may replay, to show that
/// the reader gets all of them. `STALLED_MESSAGES` sets another number.
fn long_flood() -> usize {
    #[expect(clippy::disallowed_methods, reason = "this variable is the test's own")]
    std::env::var("STALLED_MESSAGES").map_or(5200, |value| value.parse().expect("a number"))
}

/// Posts this many long messages.
async fn writes(ana: &Person, group: &Group, count: usize) {
    let padding = "🧗".repeat(990);
    for hundred in 0..count / 100 {
        let posts = (0..100).map(|one| {
            let words = format!("{:04}{padding}", hundred * 100 + one);
            async move { ana.says(group, &words).await }
        });
        futures_util::future::join_all(posts).await;
    }
}

/// Posts this many long messages, and hears all of them on a socket that reads.
async fn floods(ana: &Person, group: &Group, feed: &mut Feed, count: usize) {
    let listening = async {
        for _ in 0..count {
            feed.hears_of("line.create").await;
        }
    };
    tokio::join!(writes(ana, group, count), listening);
}

fn setup() -> Setup {
    Setup::default().option("--rate-limit", "off")
}

#[tokio::test]
async fn stalled_reader_blocks_nobody_and_misses_nothing() {
    // The reader reads on in time, however slow the machine is.
    let world = World::with(setup().jammed_after(Duration::from_secs(600))).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut jammed = narrow(&ben).await;
    let mut feed = ben.listens().await;
    let (count, before) = (long_flood(), resident());
    floods(&ana, &climbers, &mut feed, count).await;
    println!("{count} messages passed; memory grew by {} KiB", resident() - before);
    ana.says(&climbers, "last").await;
    feed.hears("last").await;
    // The reader reads on: it gets every message once, in order, without a gap.
    let mut n = 3_usize;
    let mut cursor = String::new();
    loop {
        let event = jammed.hears("ev").await;
        assert_eq!(event["n"], n + 1, "no hole");
        assert!(text(&event["c"]) > cursor.as_str());
        n += 1;
        cursor = text(&event["c"]).to_owned();
        if event["data"]["text"] == "last" {
            break;
        }
    }
    assert_eq!(n, 3 + count + 1);
}

/// The resident memory of this process, which includes the server, in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Waits until the server has cut a socket, without reading from it.
async fn is_cut(socket: &mut WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>) {
    let deadline = Instant::now() + SOON;
    loop {
        let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("no TLS here") };
        let error = SockRef::from(stream).take_error().unwrap();
        // When the kernel has given up a connection, sending on it fails.
        let sent = futures_util::SinkExt::send(socket, Message::Pong(Vec::new().into())).await;
        if error.is_some() || sent.is_err() {
            return;
        }
        assert!(Instant::now() < deadline, "the jammed socket is never cut");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn stalled_reader_is_closed_and_may_resume() {
    let world = World::with(setup().jammed_after(Duration::from_secs(1))).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let cursor = ben.listens().await.cursor;
    let mut jammed = narrow(&ben).await;
    // Nobody else listens: on a busy machine, a reader may be late by that second too.
    writes(&ana, &climbers, FLOOD).await;
    is_cut(&mut jammed.0).await;
    let mut back = ben.listens_after(&cursor).await;
    for n in 0..FLOOD {
        assert_eq!(back.hears_of("line.create").await["n"], n as u64 + 4);
    }
}

#[tokio::test]
async fn reader_stalled_for_30_s_closes_with_4002() {
    // The kernel does not cut the socket first, however slow the machine is.
    let world = World::with(setup().jammed_after(Duration::from_secs(600))).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let mut jammed = narrow(&ben).await;
    let mut feed = ben.listens().await;
    floods(&ana, &climbers, &mut feed, FLOOD).await;
    world.seconds_pass(30);
    // What was already in flight still arrives, then the close code.
    let (mut n, mut cursor) = (3_u64, String::new());
    let code = loop {
        match jammed.next().await {
            Ok(frame) if frame["t"] == "ev" => {
                n += 1;
                assert_eq!(frame["n"], n, "no hole");
                cursor = text(&frame["c"]).to_owned();
            }
            Ok(frame) => assert_eq!(frame["t"], "ping", "{frame}"),
            Err(code) => break code,
        }
    };
    assert_eq!(code, 4002);
    assert!(n < FLOOD as u64, "it was closed before it had everything");
    let mut back = ben.listens_after(&cursor).await;
    assert_eq!(back.next().await["n"], n + 1, "and nothing is lost");
    feed.stays_silent().await;
}
