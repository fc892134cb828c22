//! HTTP/2: several requests share a connection, and each has its own deadlines and end.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use http::{Request, Response, StatusCode};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

use crate::files::uploads;
use crate::https::{metric, secured};
use crate::waiting::until;
use crate::world::World;
use crate::world::certificate::Authority;
use crate::world::person::{Group, Person, SOON, text};
use crate::world::server::Setup;

/// A connection of a client that sends frame by frame.
struct Client {
    requests: SendRequest<Bytes>,
    /// Ends with the connection.
    connection: JoinHandle<Result<(), h2::Error>>,
}

impl Client {
    async fn of(world: &World) -> Self {
        let mut tls = ClientConfig::clone(world.address.tls.as_ref().unwrap());
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let stream = TcpStream::connect(world.address.get()).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = TlsConnector::from(std::sync::Arc::new(tls)).connect(name, stream).await;
        let (requests, connection) = h2::client::handshake(stream.unwrap()).await.unwrap();
        Self { requests, connection: tokio::spawn(connection) }
    }

    /// Sends the head of a request, and the body unless it comes later.
    async fn sends(
        &mut self,
        line: &str,
        headers: &[(&str, &str)],
        ends: bool,
    ) -> (h2::client::ResponseFuture, h2::SendStream<Bytes>) {
        let (method, path) = line.split_once(' ').unwrap();
        let uri = format!("https://chat.example.org{path}");
        let request = Request::builder().method(method).uri(uri);
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        std::future::poll_fn(|task| self.requests.poll_ready(task)).await.unwrap();
        self.requests.send_request(request.body(()).unwrap(), ends).unwrap()
    }

    /// Sends a request without a body, and returns its response.
    async fn gets(&mut self, path: &str, headers: &[(&str, &str)]) -> Response<RecvStream> {
        let (response, _) = self.sends(&format!("GET {path}"), headers, true).await;
        tokio::time::timeout(SOON, response).await.unwrap().unwrap()
    }
}

async fn whole(response: Response<RecvStream>) -> Vec<u8> {
    let (mut body, mut all) = (response.into_body(), Vec::new());
    while let Some(piece) = body.data().await {
        let piece = piece.unwrap();
        body.flow_control().release_capacity(piece.len()).unwrap();
        all.extend_from_slice(&piece);
    }
    all
}

async fn climbers(setup: Setup) -> (World, Person, Group) {
    let world = secured(&Authority::begins(), setup).await;
    let ([ana], climbers) = world.climbing(["Ana"]).await;
    (world, ana, climbers)
}

/// Bytes that no compression makes small.
fn noise(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(7);
    std::iter::repeat_with(|| random.u8(..)).take(length).collect()
}

#[tokio::test]
async fn answer_over_http2_has_no_header_of_http1() {
    let (world, ana, _) = climbers(Setup::default()).await;
    let asking = world.address.client.get(world.address.url("/v3/users/me"));
    let answer = asking.header("X-Access-Token", &ana.token).send().await.unwrap();
    assert_eq!((answer.version(), answer.status().as_u16()), (reqwest::Version::HTTP_2, 200));
    assert!(answer.headers().contains_key("strict-transport-security"));
    for name in ["connection", "transfer-encoding", "upgrade"] {
        assert!(!answer.headers().contains_key(name), "{name}");
    }
    let me: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(me["response"]["id"], ana.id.as_str());
}

#[tokio::test]
async fn stream_and_posts_share_a_connection() {
    let (world, ana, climbers) = climbers(Setup::default()).await;
    let mut client = Client::of(&world).await;
    let token = [("x-access-token", ana.token.as_str())];
    let mut stream = client.gets("/v3/events/stream", &token).await.into_body();
    let body = json!({"message": {"source_guid": "1", "text": "side by side"}}).to_string();
    let path = climbers.path("/messages");
    let (response, mut sending) = client.sends(&format!("POST {path}"), &token, false).await;
    sending.send_data(body.into(), true).unwrap();
    assert_eq!(response.await.unwrap().status(), StatusCode::CREATED);
    let mut all = String::new();
    while !all.contains("side by side") {
        let piece = tokio::time::timeout(SOON, stream.data()).await.unwrap().unwrap().unwrap();
        stream.flow_control().release_capacity(piece.len()).unwrap();
        all.push_str(std::str::from_utf8(&piece).unwrap());
    }
}

#[tokio::test]
async fn more_requests_than_places_wait_at_the_client() {
    let (_world, ana, _) = climbers(Setup::default()).await;
    let answers = join_all((0..400).map(|_| ana.gets("/v3/users/me").into_future())).await;
    assert!(answers.iter().all(|it| it.status == 200));
}

#[tokio::test]
async fn files_travel_whole() {
    let (world, ana, climbers) = climbers(Setup::default()).await;
    let bytes = noise(3_000_000);
    let file = uploads(&ana, &climbers.id, "noise.bin", bytes.clone()).await;
    let path = format!("/v3/files/{}/{}", climbers.id, text(&file["file_id"]));
    let mut client = Client::of(&world).await;
    let token = [("x-access-token", ana.token.as_str())];
    assert_eq!(whole(client.gets(&path, &token).await).await, bytes);
    let range = [token[0], ("range", "bytes=100-70099")];
    let part = client.gets(&path, &range).await;
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(whole(part).await, bytes[100..70_100]);
    let head = client.sends(&format!("HEAD {path}"), &token, true).await.0.await.unwrap();
    assert_eq!(head.headers()["content-length"], "3000000");
    assert_eq!(whole(head).await, b"");
    // The same file from a client that does not know how long it is.
    let line = format!("POST /v3/conversations/{}/files?name=again.bin", climbers.id);
    let (response, mut sending) = client.sends(&line, &token, false).await;
    for piece in bytes.chunks(100_000) {
        sending.send_data(Bytes::copy_from_slice(piece), false).unwrap();
    }
    sending.send_data(Bytes::new(), true).unwrap();
    let response = tokio::time::timeout(SOON, response).await.unwrap().unwrap();
    assert_eq!(response.status(), StatusCode::CREATED);
    let made: serde_json::Value = serde_json::from_slice(&whole(response).await).unwrap();
    assert_eq!(made["response"]["file"]["size"], 3_000_000, "{made}");
}

#[tokio::test]
async fn slow_body_is_refused_and_others_are_answered() {
    let setup = Setup::default().sent_within(Duration::from_millis(300));
    let (world, _, _) = climbers(setup).await;
    let mut client = Client::of(&world).await;
    let length = [("content-length", "100")];
    let (response, mut sending) = client.sends("POST /auth/login", &length, false).await;
    sending.send_data("{".into(), false).unwrap();
    let response = tokio::time::timeout(SOON, response).await.unwrap().unwrap();
    assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
    assert_eq!(client.gets("/health/live", &[]).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn reset_ends_a_request() {
    let (world, ana, _) = climbers(Setup::default()).await;
    let mut client = Client::of(&world).await;
    let token = [("x-access-token", ana.token.as_str())];
    let (response, mut sending) = client.sends("GET /v3/events/stream", &token, true).await;
    let body = response.await.unwrap();
    until("the stream is open", async || metric(&world, "coterie_readers").await == 1).await;
    sending.send_reset(Reason::CANCEL);
    until("the stream has ended", async || metric(&world, "coterie_readers").await == 0).await;
    drop(body);
    // The same when the connection ends without a word.
    let (response, _) = client.sends("GET /v3/events/stream", &token, true).await;
    let _body = response.await.unwrap();
    until("the stream is open", async || metric(&world, "coterie_readers").await == 1).await;
    client.connection.abort();
    until("the stream has ended", async || metric(&world, "coterie_readers").await == 0).await;
}

#[tokio::test]
async fn client_that_takes_no_bytes_loses_its_request() {
    let setup = Setup::default().sent_within(Duration::from_millis(300));
    let (world, ana, climbers) = climbers(setup).await;
    let file = uploads(&ana, &climbers.id, "noise.bin", noise(3_000_000)).await;
    let path = format!("/v3/files/{}/{}", climbers.id, text(&file["file_id"]));
    let mut client = Client::of(&world).await;
    let token = [("x-access-token", ana.token.as_str())];
    let mut body = client.gets(&path, &token).await.into_body();
    let error = loop {
        match tokio::time::timeout(SOON, body.data()).await.unwrap() {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("the file came whole"),
        }
    };
    assert_eq!(error.reason(), Some(Reason::INTERNAL_ERROR));
    assert_eq!(client.gets("/health/live", &[]).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn large_head_is_refused() {
    let (world, _, _) = climbers(Setup::default()).await;
    let mut client = Client::of(&world).await;
    let large = "x".repeat(10_000);
    let names: Vec<String> = (0..20).map(|number| format!("x-{number}")).collect();
    let headers: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), large.as_str())).collect();
    let answer = client.gets("/health/live", &headers).await;
    assert_eq!(answer.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
}

#[tokio::test]
async fn tunnel_is_refused_and_its_connection_stays() {
    let (world, _, _) = climbers(Setup::default()).await;
    let mut client = Client::of(&world).await;
    let request = Request::builder().method("CONNECT").uri("evil.example:443").body(()).unwrap();
    let (response, _sending) = client.requests.send_request(request, false).unwrap();
    let error = tokio::time::timeout(SOON, response).await.unwrap().unwrap_err();
    assert_eq!(error.reason(), Some(Reason::CONNECT_ERROR));
    assert_eq!(client.gets("/health/live", &[]).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn idle_connection_ends_without_an_error() {
    let setup = Setup::default().idle_within(Duration::from_millis(100));
    let (world, _, _) = climbers(setup).await;
    let client = Client::of(&world).await;
    let ended = tokio::time::timeout(SOON, client.connection).await.unwrap();
    ended.unwrap().unwrap();
}

#[tokio::test]
async fn stopping_server_ends_responses_first() {
    let (mut world, ana, _) = climbers(Setup::default()).await;
    let [idle, mut busy] = [Client::of(&world).await, Client::of(&world).await];
    let token = [("x-access-token", ana.token.as_str())];
    let stream = busy.gets("/v3/events/stream", &token).await;
    world.stops().await;
    let text = whole(stream).await;
    assert!(!text.is_empty());
    for connection in [idle.connection, busy.connection] {
        // The server may have closed the socket before the client confirmed the end.
        let ended = tokio::time::timeout(SOON, connection).await.unwrap().unwrap();
        assert!(ended.err().is_none_or(|error| error.is_io()));
    }
}
