//! The world of a test: one server in this process with its own data directory, a clock that moves
//! only when told, and people who act over real HTTP and real WebSockets.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use coterie::clock::{Clock, ManualClock};
use coterie::domain::time::Timestamp;
use rustls::ClientConfig;
use serde_json::json;
use tempfile::TempDir;

pub(crate) mod acme;
pub(crate) mod answer;
pub(crate) mod asking;
pub(crate) mod authenticator;
pub(crate) mod bayeux;
pub(crate) mod bot_feed;
pub(crate) mod browser;
pub(crate) mod called_back;
pub(crate) mod certificate;
pub(crate) mod documented;
pub(crate) mod feed;
pub(crate) mod framed;
pub(crate) mod issuer;
pub(crate) mod listener;
pub(crate) mod mail_server;
pub(crate) mod outside;
pub(crate) mod person;
pub(crate) mod pictures;
pub(crate) mod raw;
pub(crate) mod server;
pub(crate) mod stream;
pub(crate) mod trouble;

use answer::Answer;
use asking::Asking;
use person::{Group, Person};
use server::{Server, Setup};

/// The time at which every test begins: whole seconds, so that ids are easy to read.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_seconds(1_800_000_000);
/// The password of every account.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// The address of the server (the port changes at a restart), and the HTTP client for it.
#[derive(Clone)]
pub(crate) struct Address {
    place: Arc<RwLock<SocketAddr>>,
    /// The HTTP client; over TLS it speaks HTTP/2.
    pub(crate) client: reqwest::Client,
    /// How a client trusts the server; `None` if the server speaks HTTP.
    pub(crate) tls: Option<Arc<ClientConfig>>,
}

impl Address {
    fn of(place: SocketAddr, tls: Option<Arc<ClientConfig>>) -> Self {
        let client = new_client(tls.as_deref());
        Self { place: Arc::new(RwLock::new(place)), client, tls }
    }

    /// An HTTP client whose connections nobody else uses.
    pub(crate) fn new_client(&self) -> reqwest::Client {
        new_client(self.tls.as_deref())
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.get())
    }

    /// The URL of a path for a WebSocket.
    pub(crate) fn socket_url(&self, path: &str) -> String {
        let scheme = if self.tls.is_some() { "wss" } else { "ws" };
        format!("{scheme}://{}{path}", self.get())
    }

    /// The server's IP address and port.
    pub(crate) fn get(&self) -> SocketAddr {
        *self.place.read().unwrap()
    }

    /// A request to this path.
    pub(crate) fn asks(&self, method: &str, path: &str) -> Asking {
        Asking::new(&self.client, method, self.url(path))
    }
}

fn new_client(tls: Option<&ClientConfig>) -> reqwest::Client {
    let mut builder = reqwest::Client::builder().no_proxy();
    if let Some(tls) = tls {
        let mut tls = tls.clone();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        builder = builder.use_preconfigured_tls(tls);
    }
    builder.build().unwrap()
}

/// One server with its clock and its data directory.
pub(crate) struct World {
    /// The clock of the server.
    pub(crate) clock: Arc<ManualClock>,
    /// The address of the server.
    pub(crate) address: Address,
    /// The data directory, which survives a restart.
    data: Arc<TempDir>,
    setup: Setup,
    server: Option<Server>,
    registered: AtomicUsize,
}

impl World {
    /// Starts a server with the default setup.
    pub(crate) async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    /// Starts a server with this setup.
    pub(crate) async fn with(setup: Setup) -> Self {
        documented::prepare();
        framed::prepare();
        let data = Arc::new(TempDir::new().unwrap());
        let clock = setup.clock().unwrap_or_else(|| Arc::new(ManualClock::at(BEGINNING)));
        let server = Server::start(&setup, &data, Arc::clone(&clock) as Arc<dyn Clock>);
        let address = Address::of(server.address, setup.client_tls());
        Self { clock, address, data, setup, server: Some(server), registered: AtomicUsize::new(0) }
    }

    /// Stops the server as SIGTERM does, and starts it on the same data directory.
    pub(crate) async fn restarts(&mut self) {
        self.stops().await;
        server::lets_go(self.data.path()).await;
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let server = Server::start(&self.setup, &self.data, clock);
        *self.address.place.write().unwrap() = server.address;
        self.server = Some(server);
    }

    /// Stops the server, and starts it without its index, which it makes again from the journal.
    pub(crate) async fn rebuilds_index(&mut self) {
        self.stops().await;
        server::lets_go(self.data.path()).await;
        std::fs::remove_dir_all(self.data.path().join("index")).unwrap();
        self.restarts().await;
    }

    /// Stops the server, and starts it with another setup on the same data directory.
    pub(crate) async fn restarts_with(&mut self, setup: Setup) {
        self.setup = setup;
        self.address = Address::of(self.address.get(), self.setup.client_tls());
        self.restarts().await;
    }

    /// The path of the journal.
    pub(crate) fn journal(&self) -> std::path::PathBuf {
        self.data.path().join("journal")
    }

    /// Stops the server as SIGTERM does.
    pub(crate) async fn stops(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// The address from which clients are sent to HTTPS.
    pub(crate) fn redirect(&self) -> SocketAddr {
        self.server.as_ref().unwrap().redirect.unwrap()
    }

    /// The same, if there is one.
    pub(crate) fn redirect_if_any(&self) -> Option<SocketAddr> {
        self.server.as_ref().unwrap().redirect
    }

    /// The path of the data directory.
    pub(crate) fn data(&self) -> &std::path::Path {
        self.data.path()
    }

    /// The time of the server's clock, in Unix seconds.
    pub(crate) fn clock_seconds(&self) -> u64 {
        self.clock.now().wall.seconds()
    }

    /// Moves the server's clock forward.
    pub(crate) fn seconds_pass(&self, seconds: u64) {
        self.clock.pass(seconds * 1000);
    }

    /// Registers people with these names.
    pub(crate) async fn people<const N: usize>(&self, names: [&str; N]) -> [Person; N] {
        let mut people = Vec::with_capacity(N);
        for name in names {
            people.push(self.registers(name).await);
        }
        people.try_into().ok().unwrap()
    }

    /// Registers people with these names. The first creates the group "Climbers" and adds the
    /// others, in this order.
    pub(crate) async fn climbing<const N: usize>(&self, names: [&str; N]) -> ([Person; N], Group) {
        let people = self.people(names).await;
        let [first, others @ ..] = people.as_slice() else { panic!("nobody climbs") };
        let climbers = first.creates_group("Climbers").await;
        for other in others {
            first.adds(other, &climbers).await;
        }
        (people, climbers)
    }

    /// Registers so many people, whom a member adds to a group.
    pub(crate) async fn registers_members(
        &self,
        adder: &Person,
        group: &Group,
        most: usize,
    ) -> Vec<Person> {
        let names: Vec<String> = (0..most).map(|number| format!("P{number}")).collect();
        let people = names.iter().map(|name| self.registers(name));
        let people = futures_util::future::join_all(people).await;
        let items: Vec<_> = people
            .iter()
            .map(|person| json!({"nickname": person.name, "user_id": person.id}))
            .collect();
        assert_eq!(adder.adds_items(group, json!(items)).await.len(), most);
        people
    }

    /// Registers a user with this name, an email address and no phone number.
    pub(crate) async fn registers(&self, name: &str) -> Person {
        let number = self.registered.fetch_add(1, Ordering::Relaxed);
        let email = format!("{}{number}@example.org", name.to_lowercase());
        let body = json!({"name": name, "email": email, "password": PASSWORD});
        let welcome = self.post("/auth/register").json(&body).await.created();
        Person::new(self.address.clone(), &welcome)
    }

    /// The same person as a client of this server, instead of the one where they registered.
    pub(crate) fn welcomes(&self, person: &Person) -> Person {
        Person { address: self.address.clone(), ..person.clone() }
    }

    /// A GET without a token.
    pub(crate) fn get(&self, path: &str) -> Asking {
        self.asks("GET", path)
    }

    /// A POST without a token.
    pub(crate) fn post(&self, path: &str) -> Asking {
        self.asks("POST", path)
    }

    /// A request of any method without a token.
    pub(crate) fn asks(&self, method: &str, path: &str) -> Asking {
        self.address.asks(method, path)
    }

    /// The value of a metric of the server; the name includes the labels.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let page = self.get("/metrics").await.text;
        let found = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        found.expect("it is counted").parse().unwrap()
    }

    /// Waits until so many sockets, streams and polls hear what happens.
    pub(crate) async fn is_heard_by(&self, readers: u64) {
        self.counts("coterie_readers", readers).await;
    }

    /// Waits until so many things are held in this place (`bounds::places`).
    pub(crate) async fn holds(&self, place: &str, items: u64) {
        self.counts(&format!("coterie_held_items{{place=\"{place}\"}}"), items).await;
    }

    /// Waits until so many bytes are held in this place (`bounds::places`).
    pub(crate) async fn holds_bytes(&self, place: &str, bytes: u64) {
        self.counts(&format!("coterie_held_bytes{{place=\"{place}\"}}"), bytes).await;
    }

    /// Waits until a metric has this value.
    pub(crate) async fn counts(&self, name: &str, value: u64) {
        let reaches = async {
            while self.metric(name).await != value {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let reached = tokio::time::timeout(Duration::from_secs(120), reaches).await;
        assert!(reached.is_ok(), "{name} never is {value}");
    }

    /// Logs in with this email address and password.
    pub(crate) async fn logs_in(&self, email: &str, password: &str) -> Answer {
        self.post("/auth/login").json(&json!({"email": email, "password": password})).await
    }
}
