//! Clients that do not finish sending: on every route they time out, and so make room for others.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream;

use crate::program::{Program, coterie};
use crate::world::World;
use crate::world::documented;
use crate::world::raw::{Raw, refusal};
use crate::world::server::Setup;

/// The head of a request and the beginning of its body, which will never be complete.
fn half(method: &str, path: &str, token: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nX-Access-Token: {token}\r\n\
         Content-Length: 100\r\n\r\n{{\"email\": "
    )
}

fn setup() -> Setup {
    Setup::default().sent_within(Duration::from_millis(300))
}

#[tokio::test]
async fn unfinished_login_request_gets_408() {
    let world = World::with(setup()).await;
    let raw = Raw::sends(world.address.get(), &half("POST", "/auth/login", "")).await;
    let (status, errors) = refusal(&raw.hears_all().await);
    assert_eq!(
        (status, errors.as_slice()),
        (408, &["the body took too long to come".to_owned()][..])
    );
}

/// The status with which a route answers a request whose body never arrives.
async fn answer_without_a_body(address: SocketAddr, head: &str) -> u16 {
    loop {
        let answer = Raw::sends(address, head).await.hears_all().await;
        // The response is empty if even the head did not arrive in time: this test was too slow, on
        // a busy machine.
        if let Some(status) = answer.split(' ').nth(1) {
            return status.parse().unwrap();
        }
    }
}

#[tokio::test]
async fn no_route_waits_for_ever_for_a_body() {
    let world = World::with(setup()).await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    // The response of an event stream begins at once and has no end.
    let endless = |path: &String| path == "/v3/events/stream";
    let routes = documented::routes().into_iter().filter(|(_, path)| !endless(path));
    let asked = routes.map(|(method, path)| {
        // Ben logs out, so that Ana's token stays valid for the other routes.
        let asking = if path == "/auth/logout" { &ben } else { &ana };
        let (head, address) = (half(&method, &path, &asking.token), world.address.get());
        async move { (method, path, answer_without_a_body(address, &head).await) }
    });
    let answered: Vec<_> = stream::iter(asked).buffer_unordered(16).collect().await;
    // Other routes answer without reading the body, and close the connection.
    let late = answered.iter().filter(|(_, _, status)| *status == 408).count();
    assert!(late > 20, "{answered:?}");
    let odd: Vec<_> = answered.iter().filter(|(_, _, status)| *status >= 500).collect();
    assert!(odd.is_empty(), "{odd:?}");
}

/// A chunked body that no route reads used to hold its connection for ever, and so did an
/// unfinished second head on a connection.
#[tokio::test]
async fn unread_body_or_second_head_holds_no_connection() {
    let world = World::with(setup()).await;
    let address = world.address.get();
    let unread = "POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    let answer = Raw::sends(address, unread).await.hears_all().await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    let mut raw = Raw::sends(address, "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").await;
    raw.hears_answer().await;
    raw.says("GET /health/live HTTP/1.1\r\nHo").await;
    assert_eq!(raw.hears_all().await, "");
}

/// Refused bodies were read to their end, 3 GB of them a second from 500 connections, and the requests
/// of others waited for most of a second.
#[tokio::test]
async fn refused_bodies_of_one_network_are_read_up_to_a_limit() {
    let world = World::with(Setup::default()).await;
    let address = world.address.get();
    let is_cut = move || {
        let head = "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 67108864\r\n\r\n";
        let mut streams: Vec<TcpStream> = (0..60).map(|_| connect(address, head)).collect();
        for stream in &mut streams {
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 413");
        }
        // More than the buffers of a socket hold, and less than the body: if all of it is taken, the
        // server reads it.
        let last = streams.last_mut().unwrap();
        (0..512).any(|_| last.write_all(&[b'x'; 64 << 10]).is_err())
    };
    // Some bodies are read in each second, so a slow machine needs several rounds.
    let cut = tokio::task::spawn_blocking(move || (0..20).any(|_| is_cut()));
    assert!(cut.await.unwrap(), "the server reads every refused body");
}

fn connect(address: SocketAddr, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// The limit used to be five seconds, less than clients keep a connection open: a request that was
/// sent just as the connection closed was lost or answered with 408.
#[tokio::test]
async fn idle_connection_outlives_a_slow_head() {
    let world = World::with(setup()).await;
    let mut raw = Raw::sends(world.address.get(), "").await;
    for _ in 0..2 {
        // Longer than a client may take to send a head.
        tokio::time::sleep(Duration::from_millis(600)).await;
        raw.says("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let answer = raw.hears_answer().await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[tokio::test]
async fn idle_connection_closes_without_slow_count() {
    let idle = Setup::default().idle_within(Duration::from_millis(300));
    let world = World::with(idle).await;
    let address = world.address.get();
    assert_eq!(Raw::sends(address, "").await.hears_all().await, "", "never used");
    let unread = "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    for request in ["GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", unread] {
        let mut raw = Raw::sends(address, request).await;
        raw.hears_whole_answer().await;
        assert_eq!(raw.hears_all().await, "", "after {request}");
    }
    assert_eq!(world.metric("coterie_connections_too_slow_total").await, 0);
}

#[tokio::test]
async fn a_connection_whose_stream_is_over_is_idle_like_others() {
    let idle = Setup::default().idle_within(Duration::from_millis(300));
    let world = World::with(idle).await;
    let ana = world.registers("Ana").await;
    let asked = format!(
        "GET /v3/events/stream HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\r\n",
        ana.token
    );
    let mut raw = Raw::sends(world.address.get(), &asked).await;
    assert!(raw.hears_answer().await.starts_with("HTTP/1.1 200 "));
    // Longer than a connection may be idle.
    tokio::time::sleep(Duration::from_millis(600)).await;
    ana.posts("/auth/logout").await.ok();
    let rest = raw.hears_all().await;
    assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
}

#[tokio::test]
async fn long_polls_and_slow_streams_are_not_cut() {
    let world = World::with(setup()).await;
    let ana = world.registers("Ana").await;
    let mut feed = ana.listens().await;
    let asked = format!(
        "GET /v3/events?wait=2 HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Connection: close\r\n\r\n",
        ana.token
    );
    let answer = Raw::sends(world.address.get(), &asked).await.hears_all().await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    // On a connection of its own, since idle connections are closed very soon in this test, sooner
    // than clients expect.
    let group = r#"{"name": "Climbers"}"#;
    let created = format!(
        "POST /v3/groups HTTP/1.1\r\nHost: x\r\nX-Access-Token: {}\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{group}",
        ana.token,
        group.len()
    );
    let answer = Raw::sends(world.address.get(), &created).await.hears_all().await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    feed.hears_of("membership.create").await;
}

/// Unfinished log-ins used to take every descriptor, and shut others out for minutes.
#[tokio::test]
async fn a_server_full_of_half_sent_log_ins_stays_open_to_others() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::spawned(limited_to(512, data.path()));
    let address = program.url().strip_prefix("http://").unwrap().parse().unwrap();
    let head = half("POST", "/auth/login", "");
    // More connections than the server has places for, so that some wait to be accepted.
    let halves = join_all((0..400).map(|_| Raw::sends(address, &head))).await;
    let body = r#"{"name": "Ana", "email": "ana@example.org", "password": "rope-at-six"}"#;
    let length = body.len();
    let register = format!(
        "POST /auth/register HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    let answer = Raw::sends(address, &register).await.hears_all().await;
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    drop(halves);
    program.stops();
}

/// The binary, run with a limit of descriptors that it cannot raise.
fn limited_to(descriptors: usize, data: &Path) -> Command {
    let program = coterie(&[]);
    let mut shell = Command::new("sh");
    let script = format!("ulimit -n {descriptors}; exec \"$@\"");
    shell.args(["-c", &script, "sh"]).arg(program.get_program()).stdin(Stdio::null());
    shell.args(["--listen", "127.0.0.1:0", "--log", "warn", "--data-dir"]).arg(data);
    shell
}

#[test]
fn too_few_descriptors_are_one_line_and_no_panic() {
    for count in [12, 100] {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("data");
        let ended = limited_to(count, &path).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("files and connections"), "{said}");
        assert!(!path.exists(), "nothing was written");
    }
}
