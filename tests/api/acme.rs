//! Certificates by ACME, ordered from an authority that validates the server under test.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;

use crate::https::{metric, redirected, served};
use crate::waiting::until;
use crate::world::World;
use crate::world::acme::{AcmeServer, Mishap};
use crate::world::feed::Feed;
use crate::world::server::Setup;

const DAY: u64 = 86_400;
const CHAT: &str = "chat.example.org";
const FAILED: &str = "coterie_acme_failed_total";
const NEXT_ORDER: &str = "coterie_acme_next_order_seconds";

/// A server with this domain, whose metrics may be read, and a listener without TLS.
fn setup(authority: &AcmeServer, domains: &str) -> Setup {
    let setup = Setup::default().acme(authority, domains).option("--metrics-token", "m");
    setup.option("--http-redirect", "127.0.0.1:0")
}

/// Waits until the server has a certificate.
async fn certified(world: &World) {
    until("there is a certificate", async || answers(world).await).await;
}

/// Whether a client that trusts the authority reaches the server over TLS.
async fn answers(world: &World) -> bool {
    let connector = TlsConnector::from(world.address.tls.clone().unwrap());
    let stream = TcpStream::connect(world.address.get()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from("any.example").unwrap();
    connector.connect(name, stream).await.is_ok()
}

fn status(world: &World) -> Value {
    let text = fs::read(world.data().join("tls/status.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Waits until so many orders in a row have failed.
async fn failures(world: &World, count: u64) {
    until("the order fails", async || status(world)["failure"]["count"] == count).await;
}

/// The address of a port at which nobody listens any more.
async fn closed_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

#[tokio::test]
async fn empty_directory_ends_up_with_https() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    // The authority waits, so there is no certificate yet.
    let request = "GET /v3/groups HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_eq!(redirected(world.redirect(), request).await.0, "503");
    assert!(!answers(&world).await);
    authority.validates(&world);
    certified(&world).await;
    assert_eq!(authority.validated(), [format!("http-01 {CHAT}")]);
    let location = format!("https://{CHAT}/v3/groups");
    assert_eq!(redirected(world.redirect(), request).await, ("308".to_owned(), location));
    let first = served(&world).await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    ana.says(&climbers, "over TLS").await;
    // Kept over a restart.
    world.restarts().await;
    assert_eq!(served(&world).await, first);
    assert_eq!(authority.orders(), 1);
    authority.validates(&world);
    // A third of 90 days is left, and the chance of tests is a half of three days.
    let ends = world.clock_seconds() + 90 * DAY;
    assert_eq!(metric(&world, "coterie_certificate_expires_seconds").await, ends);
    assert_eq!(metric(&world, NEXT_ORDER).await, ends - 31 * DAY - DAY / 2);
    let mut feed = Feed::of(&ben, None).await;
    world.seconds_pass(58 * DAY + DAY / 2);
    until("the next certificate is served", async || served(&world).await != first).await;
    ana.says(&climbers, "still here").await;
    feed.hears("still here").await;
    assert_eq!(authority.orders(), 2);
    assert_eq!(metric(&world, "coterie_acme_issued_total").await, 1);
}

#[tokio::test]
async fn absent_authority_keeps_the_old_certificate() {
    let authority = AcmeServer::starts().await;
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    let first = served(&world).await;
    authority.is_down(true);
    world.seconds_pass(60 * DAY);
    failures(&world, 1).await;
    assert_eq!(served(&world).await, first);
    assert_eq!(metric(&world, NEXT_ORDER).await, world.clock_seconds() + 120);
    // Each failure doubles the delay.
    world.seconds_pass(120);
    failures(&world, 2).await;
    assert_eq!(metric(&world, FAILED).await, 2);
    assert_eq!(metric(&world, NEXT_ORDER).await, world.clock_seconds() + 240);
    // The old one is served after its end too: for programs that do not look.
    world.seconds_pass(40 * DAY);
    failures(&world, 3).await;
    assert!(!answers(&world).await, "clients notice that it has expired");
    authority.is_down(false);
    world.seconds_pass(480);
    certified(&world).await;
    assert_ne!(served(&world).await, first);
    assert_eq!(metric(&world, "coterie_acme_issued_total").await, 2);
    until("the failure is over", async || status(&world)["failure"].is_null()).await;
}

#[tokio::test]
async fn port_443_proves_the_domain_without_port_80() {
    let authority = AcmeServer::starts().await;
    let setup = Setup::default().acme(&authority, CHAT).option("--http-redirect", "none");
    let world = World::with(setup).await;
    authority.validates(&world);
    certified(&world).await;
    assert_eq!(authority.validated(), [format!("tls-alpn-01 {CHAT}")]);
    // Without an open challenge, nobody receives a certificate for it.
    let mut config = (*world.address.tls.clone().unwrap()).clone();
    config.alpn_protocols = vec![b"acme-tls/1".to_vec()];
    let stream = TcpStream::connect(world.address.get()).await.unwrap();
    let name = rustls::pki_types::ServerName::try_from(CHAT).unwrap();
    assert!(TlsConnector::from(std::sync::Arc::new(config)).connect(name, stream).await.is_err());
}

#[tokio::test]
async fn closed_port_80_is_followed_by_port_443() {
    let authority = AcmeServer::starts().await;
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates_at(Some(closed_port().await), world.address.get());
    failures(&world, 1).await;
    let error = status(&world)["failure"]["error"].as_str().unwrap().to_owned();
    let begins = format!("validating {CHAT} by http-01 failed: ");
    assert!(error.starts_with(&begins) && error.ends_with("(connection)"), "{error}");
    world.seconds_pass(120);
    certified(&world).await;
    assert_eq!(authority.validated(), [format!("tls-alpn-01 {CHAT}")]);
}

#[tokio::test]
async fn refused_nonces_are_replaced() {
    let authority = AcmeServer::starts().await;
    authority.mishap(Mishap::BadNonce);
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    assert_eq!(metric(&world, FAILED).await, 0);
}

#[tokio::test]
async fn authority_decides_how_long_it_is_left_alone() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    authority.mishap(Mishap::RateLimited(3 * 3600));
    world.seconds_pass(60 * DAY);
    failures(&world, 1).await;
    let next_order = world.clock_seconds() + 3 * 3600;
    assert_eq!(metric(&world, NEXT_ORDER).await, next_order);
    let error = status(&world)["failure"]["error"].clone();
    assert_eq!(error, "too many certificates (rateLimited)");
    // A restart does not change that.
    world.restarts().await;
    authority.validates(&world);
    assert_eq!(metric(&world, NEXT_ORDER).await, next_order);
    let first = served(&world).await;
    world.seconds_pass(3 * 3600);
    until("the next certificate is served", async || served(&world).await != first).await;
}

#[tokio::test]
async fn certificate_of_a_week_is_renewed_in_time() {
    let authority = AcmeServer::starts().await;
    authority.valid_for(6 * DAY);
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    for number in 2..5 {
        let before = served(&world).await;
        world.seconds_pass(4 * DAY);
        until("the next certificate is served", async || served(&world).await != before).await;
        assert_eq!(authority.orders(), number);
    }
}

#[tokio::test]
async fn changed_domains_order_another_certificate() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    let both = format!("{CHAT},www.example.org,{CHAT}");
    let first = served(&world).await;
    world.restarts_with(setup(&authority, &both)).await;
    authority.validates(&world);
    until("the next certificate is served", async || served(&world).await != first).await;
    let mut validated = authority.validated().split_off(1);
    validated.sort();
    assert_eq!(validated, ["http-01 chat.example.org", "http-01 www.example.org"]);
    let second = served(&world).await;
    world.restarts_with(setup(&authority, &format!("www.example.org,{CHAT}"))).await;
    assert_eq!(served(&world).await, second);
    assert_eq!((authority.orders(), authority.accounts()), (2, 1));
}

#[tokio::test]
async fn another_authority_gets_an_account_and_an_order() {
    let staging = AcmeServer::starts().await;
    let mut world = World::with(setup(&staging, CHAT)).await;
    staging.validates(&world);
    certified(&world).await;
    let authority = AcmeServer::starts().await;
    world.restarts_with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    assert_eq!((authority.orders(), authority.accounts(), staging.orders()), (1, 1, 1));
}

#[tokio::test]
async fn account_is_bound_and_contacts_follow() {
    let authority = AcmeServer::starts().await;
    authority.requires_binding("kid-1", b"secret");
    let account = |email: &str| {
        let setup = setup(&authority, CHAT).option("--acme-eab", "kid-1:c2VjcmV0");
        setup.option("--acme-email", email)
    };
    let mut world = World::with(account("ops@example.org")).await;
    authority.validates(&world);
    certified(&world).await;
    world.restarts_with(account("night@example.org")).await;
    authority.validates(&world);
    world.seconds_pass(60 * DAY);
    until("another order", async || authority.orders() == 2).await;
    let contacts = [json!(["mailto:ops@example.org"]), json!(["mailto:night@example.org"])];
    assert_eq!((authority.contacts(), authority.accounts()), (contacts.to_vec(), 1));
}

#[tokio::test]
async fn wrong_binding_is_reported() {
    let authority = AcmeServer::starts().await;
    authority.requires_binding("kid-1", b"secret");
    let world = World::with(setup(&authority, CHAT)).await;
    failures(&world, 1).await;
    let error = status(&world)["failure"]["error"].clone();
    assert_eq!(error, "bring your account (externalAccountRequired)");
}

#[tokio::test]
async fn lost_account_is_replaced() {
    let authority = AcmeServer::starts().await;
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    authority.forgets_accounts();
    world.seconds_pass(60 * DAY);
    failures(&world, 1).await;
    let first = served(&world).await;
    world.seconds_pass(120);
    until("the next certificate is served", async || served(&world).await != first).await;
    assert_eq!(authority.accounts(), 1);
}

#[tokio::test]
async fn keys_are_readable_by_the_owner_alone() {
    let authority = AcmeServer::starts().await;
    let world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    until("the state is written", async || !status(&world).is_null()).await;
    let folder = world.data().join("tls");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        assert_eq!(mode(path), 0o600);
    }
    names.sort();
    assert_eq!(names, ["account.json", "certificate.pem", "status.json"]);
}

#[tokio::test]
async fn damaged_certificate_is_ordered_again() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    authority.validates(&world);
    certified(&world).await;
    for text in ["", "no certificate"] {
        world.stops().await;
        fs::write(world.data().join("tls/certificate.pem"), text).unwrap();
        world.restarts().await;
        authority.validates(&world);
        certified(&world).await;
    }
    assert_eq!(authority.orders(), 3);
}

#[tokio::test]
async fn certificate_that_cannot_be_stored_is_served() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    let obstacle = world.data().join("tls/certificate.new");
    fs::create_dir(&obstacle).unwrap();
    authority.validates(&world);
    certified(&world).await;
    assert_eq!((metric(&world, FAILED).await, authority.orders()), (0, 1));
    fs::remove_dir(&obstacle).unwrap();
    world.restarts().await;
    authority.validates(&world);
    certified(&world).await;
    assert_eq!(authority.orders(), 2);
}

#[tokio::test]
async fn server_stops_during_an_order() {
    let authority = AcmeServer::starts().await;
    let mut world = World::with(setup(&authority, CHAT)).await;
    until("the authority has the order", async || authority.orders() == 1).await;
    world.stops().await;
    world.restarts().await;
    authority.validates(&world);
    certified(&world).await;
}
