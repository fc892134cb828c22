//! HTTPS: the certificate of the server, its changes, and the redirect from HTTP.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::oauth::application;
use crate::waiting::until;
use crate::world::World;
use crate::world::certificate::{Authority, pem, replace};
use crate::world::feed::Feed;
use crate::world::raw::Raw;
use crate::world::server::Setup;

const REFUSED: &str = "coterie_certificate_refused_total";

/// A server that speaks HTTPS, whose metrics may be read.
pub(crate) async fn secured(authority: &Authority, setup: Setup) -> World {
    World::with(setup.https(authority).option("--metrics-token", "m")).await
}

/// The certificate that a new connection receives.
pub(crate) async fn served(world: &World) -> Vec<u8> {
    let connector = TlsConnector::from(world.address.tls.clone().unwrap());
    let stream = TcpStream::connect(world.address.get()).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let stream = connector.connect(name, stream).await.unwrap();
    let certificates = stream.get_ref().1.peer_certificates().unwrap();
    certificates[0].to_vec()
}

pub(crate) async fn metric(world: &World, name: &str) -> u64 {
    let page = world.get("/metrics").header("Authorization", "Bearer m").await.text;
    let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("{name} in {page}")).parse().unwrap()
}

#[tokio::test]
async fn members_talk_over_https() {
    let authority = Authority::begins();
    let world = secured(&authority, Setup::default()).await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = Feed::of(&ben, None).await;
    ana.says(&climbers, "over TLS").await;
    feed.hears("over TLS").await;
    let large = "x".repeat(900);
    for _ in 0..100 {
        ana.says(&climbers, &large).await;
    }
    let page = ben.gets(&climbers.path("/messages?limit=100")).await;
    assert_eq!(page.ok()["messages"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn every_answer_over_https_forbids_http() {
    let authority = Authority::begins();
    let world = secured(&authority, Setup::default()).await;
    for path in ["/", "/health/live", "/v3/groups", "/nothing", "/v3/push"] {
        let header = world.get(path).await.header("strict-transport-security").map(str::to_owned);
        assert_eq!(header.as_deref(), Some("max-age=31536000; includeSubDomains"), "{path}");
    }
    let plain = World::start().await;
    assert_eq!(plain.get("/").await.header("strict-transport-security"), None);
}

#[tokio::test]
async fn page_cookie_over_https_is_secure() {
    let authority = Authority::begins();
    let world = secured(&authority, Setup::default()).await;
    let ana = world.registers("Ana").await;
    let client = application(&ana, "https://app.example.org/back").await;
    let page = world.get(&format!("/oauth/authorize?client_id={client}")).await;
    let cookie = page.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
}

#[tokio::test]
async fn changed_certificate_reaches_new_connections_alone() {
    let authority = Authority::begins();
    let first = fs::read_to_string(authority.certificate()).unwrap();
    let world = secured(&authority, Setup::default()).await;
    assert_eq!(pem("CERTIFICATE", &served(&world).await), first);
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut feed = Feed::of(&ben, None).await;
    let second = authority.renews();
    until("the new certificate is served", async || served(&world).await == second).await;
    ana.says(&climbers, "still here").await;
    feed.hears("still here").await;
}

#[tokio::test]
async fn unusable_certificates_never_replace_a_good_one() {
    let authority = Authority::begins();
    let world = secured(&authority, Setup::default()).await;
    let good = served(&world).await;
    let (certificate, key) = (authority.certificate(), authority.key());
    let [own_certificate, own_key] = [&certificate, &key].map(|it| fs::read_to_string(it).unwrap());
    let other = rcgen::KeyPair::generate().unwrap();
    let other = pem("PRIVATE KEY", &other.serialize_der());
    let cut = &own_certificate[..own_certificate.len() / 2];
    for (number, (path, text)) in [
        (&certificate, ""),
        (&certificate, cut),
        (&certificate, &pem("CERTIFICATE", b"no certificate")),
        (&certificate, &own_key),
        (&key, "no key"),
        (&key, &pem("PRIVATE KEY", b"no key")),
        (&key, &other),
    ]
    .into_iter()
    .enumerate()
    {
        replace(path, text);
        let refused = async || metric(&world, REFUSED).await > number as u64;
        until("the change is refused", refused).await;
        assert_eq!(served(&world).await, good, "{number}");
        let own = if path == &key { &own_key } else { &own_certificate };
        replace(path, own);
    }
    fs::remove_file(&certificate).unwrap();
    until("the absence is refused", async || metric(&world, REFUSED).await > 7).await;
    authority.renews_until(2026);
    until("the expired one is refused", async || metric(&world, REFUSED).await > 8).await;
    assert_eq!(served(&world).await, good);
    let next = authority.renews_until(2040);
    until("the next one is served", async || served(&world).await == next).await;
    assert_eq!(metric(&world, "coterie_certificate_expires_seconds").await, 2_208_988_800);
}

#[tokio::test]
async fn slow_handshake_is_cut() {
    let authority = Authority::begins();
    let setup = Setup::default().sent_within(Duration::from_millis(100));
    let world = secured(&authority, setup).await;
    // A client that sends nothing, and one that sends the beginning of a record.
    for beginning in [&b""[..], b"\x16\x03\x01"] {
        let mut stream = TcpStream::connect(world.address.get()).await.unwrap();
        stream.write_all(beginning).await.unwrap();
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest).await);
        assert_eq!(rest, b"");
    }
    // On a busy machine, this client may be too slow, too.
    until("the server answers others", async || {
        world.address.client.get(world.address.url("/health/live")).send().await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn request_without_tls_reaches_no_handler() {
    let authority = Authority::begins();
    let world = secured(&authority, Setup::default()).await;
    let mut raw = Raw::to(world.address.get()).await;
    let answer = raw.says_if_open("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(!answer.contains("HTTP/1.1") && !answer.contains("live"), "{answer}");
}

/// Sends this request and returns status and `Location` of the response.
pub(crate) async fn redirected(address: SocketAddr, request: &str) -> (String, String) {
    let text = Raw::to(address).await.says_if_open(request).await;
    let location = text.lines().find_map(|line| line.strip_prefix("location: "));
    let status = text.split_whitespace().nth(1).unwrap_or_default().to_owned();
    (status, location.unwrap_or_default().to_owned())
}

#[tokio::test]
async fn http_leads_to_the_public_url() {
    let authority = Authority::begins();
    let world =
        secured(&authority, Setup::default().option("--http-redirect", "127.0.0.1:0")).await;
    for (line, path) in [
        ("GET /", "/"),
        ("GET /v3/groups?page=2&x=%20", "/v3/groups?page=2&x=%20"),
        ("HEAD /join_group/1/x", "/join_group/1/x"),
        ("POST /auth/login", "/auth/login"),
        ("GET http://evil.example/a?b", "/a?b"),
        ("OPTIONS *", "/"),
        ("GET /v3/push", "/v3/push"),
    ] {
        let head = "Host: evil.example\r\nConnection: close\r\nContent-Length: 0";
        let request = format!("{line} HTTP/1.1\r\n{head}\r\n\r\n");
        let (status, location) = redirected(world.redirect(), &request).await;
        assert_eq!((status.as_str(), location), ("308", format!("https://chat.example.org{path}")));
    }
}

#[tokio::test]
async fn tls_server_stops_with_open_connections() {
    let authority = Authority::begins();
    let mut world = secured(&authority, Setup::default()).await;
    let ana = world.registers("Ana").await;
    let mut feed = Feed::of(&ana, None).await;
    let idle = TcpStream::connect(world.address.get()).await.unwrap();
    world.stops().await;
    assert_eq!(feed.ends().await, 4003);
    drop(idle);
}
