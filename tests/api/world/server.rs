//! Starts and stops the server inside the test's process: an actix system on its own thread, as in
//! the binary.

use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Parser;
use coterie::actors::node_link::NodeLink;
use coterie::auth::password::PasswordCost;
use coterie::auth::throttle::Rate;
use coterie::boot;
use coterie::boot::services::Surroundings;
use coterie::clock::{Clock, ManualClock};
use coterie::config::Options;
use coterie::outgoing::resolver::{Resolve, SystemResolver};
use coterie::subscribers::Timeouts;
use rustix::fs::{FlockOperation, flock};
use rustls::ClientConfig;
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::world::acme::AcmeServer;
use crate::world::certificate::Authority;
use crate::world::person::SOON;
use crate::world::trouble::{BeforeJournal, Trouble};

/// How a server is started.
#[derive(Clone)]
pub(crate) struct Setup {
    options: Vec<String>,
    timeouts: Timeouts,
    jammed_after: Duration,
    resolver: Arc<dyn Resolve>,
    upgrades: Rate,
    callback_time: Option<Duration>,
    sent_within: Duration,
    idle_within: Duration,
    journal: Option<BeforeJournal>,
    rooms_look_every: Duration,
    link: Option<Arc<dyn NodeLink>>,
    client_tls: Option<Arc<ClientConfig>>,
    clock: Option<Arc<ManualClock>>,
}

impl Default for Setup {
    fn default() -> Self {
        // Heartbeat and silence are measured on the test's clock, which stands still; the short
        // heartbeat only makes a session look at that clock often. Tests let time pass while people
        // send nothing on their sockets, so the long silence keeps those sockets open.
        let timeouts = Timeouts {
            hello: Duration::from_secs(5),
            heartbeat: Duration::from_millis(50),
            silence: Duration::from_secs(365 * 86_400),
            slow: Duration::from_secs(30),
        };
        Self {
            options: Vec::new(),
            timeouts,
            jammed_after: Duration::from_secs(600),
            resolver: Arc::new(SystemResolver::default()),
            upgrades: Surroundings::default().upgrades,
            callback_time: None,
            sent_within: Surroundings::default().sent_within,
            idle_within: Surroundings::default().idle_within,
            journal: None,
            rooms_look_every: Surroundings::default().rooms_look_every,
            link: None,
            client_tls: None,
            clock: None,
        }
    }
}

impl Setup {
    /// Adds an option of the command line, with its value.
    pub(crate) fn option(mut self, name: &str, value: &str) -> Self {
        self.options.extend([name.to_owned(), value.to_owned()]);
        self
    }

    /// Adds a flag of the command line.
    pub(crate) fn flag(mut self, name: &str) -> Self {
        self.options.push(name.to_owned());
        self
    }

    /// Speaks HTTPS with the certificate of this authority, which clients trust.
    pub(crate) fn https(mut self, authority: &Authority) -> Self {
        self.client_tls = Some(authority.client());
        self.option("--tls-cert", authority.certificate().to_str().unwrap())
            .option("--tls-key", authority.key().to_str().unwrap())
            .option("--public-url", "https://chat.example.org")
    }

    /// Orders a certificate for these names from this authority, whose clients trust it.
    pub(crate) fn acme(mut self, authority: &AcmeServer, domains: &str) -> Self {
        let first = domains.split(',').next().unwrap();
        self.client_tls = Some(authority.client(first));
        self.clock = Some(authority.clock());
        self.option("--domain", domains)
            .option("--acme-directory", &authority.directory())
            .option("--acme-ca", authority.roots().to_str().unwrap())
    }

    /// The clock of the server, if the test has one already.
    pub(crate) fn clock(&self) -> Option<Arc<ManualClock>> {
        self.clock.clone()
    }

    /// How clients trust the server; `None` if it speaks HTTP.
    pub(crate) fn client_tls(&self) -> Option<Arc<ClientConfig>> {
        self.client_tls.clone()
    }

    /// Sets how long a client may take to send its `hello`.
    pub(crate) fn hello_within(mut self, span: Duration) -> Self {
        self.timeouts.hello = span;
        self
    }

    /// Sets after how long a silent client's socket is closed.
    pub(crate) fn silent_for(mut self, span: Duration) -> Self {
        self.timeouts.silence = span;
        self
    }

    /// Sets after how long the kernel cuts a socket whose peer takes no bytes.
    pub(crate) fn jammed_after(mut self, span: Duration) -> Self {
        self.jammed_after = span;
        self
    }

    /// Sets how long a callback may take.
    pub(crate) fn callbacks_within(mut self, span: Duration) -> Self {
        self.callback_time = Some(span);
        self
    }

    /// Sets how long clients may take to send a request.
    pub(crate) fn sent_within(mut self, span: Duration) -> Self {
        self.sent_within = span;
        self
    }

    /// Sets how long a connection without a request stays open.
    pub(crate) fn idle_within(mut self, span: Duration) -> Self {
        self.idle_within = span;
        self
    }

    /// Sets how often an idle room checks whether it may stop.
    pub(crate) fn rooms_look_every(mut self, span: Duration) -> Self {
        self.rooms_look_every = span;
        self
    }

    /// Sets the link to other servers over the same journal.
    pub(crate) fn link(mut self, link: Arc<dyn NodeLink>) -> Self {
        self.link = Some(link);
        self
    }

    /// Wraps the journal so that it fails when `trouble` orders it.
    pub(crate) fn trouble(self, trouble: &Trouble) -> Self {
        self.journal(trouble.before_journal())
    }

    /// Sets what wraps the journal, or replaces it; it comes after what was set before.
    pub(crate) fn journal(mut self, before: BeforeJournal) -> Self {
        self.journal = Some(match self.journal.take() {
            Some(inner) => Arc::new(move |journal| before(inner(journal))),
            None => before,
        });
        self
    }

    /// Sets the resolver of host names.
    pub(crate) fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets the rate at which one address may open sockets.
    pub(crate) fn upgrades(mut self, per_second: f64, burst: f64) -> Self {
        self.upgrades = Rate { per_second, burst };
        self
    }

    fn options(&self, data: &Path) -> Options {
        let data = data.to_str().unwrap();
        let fixed = ["coterie", "--listen", "127.0.0.1:0", "--data-dir", data];
        let all = fixed.into_iter().map(str::to_owned).chain(self.options.iter().cloned());
        Options::try_parse_from(all).unwrap()
    }
}

fn usual() -> BeforeJournal {
    Surroundings::default().before_journal
}

/// A running server. Dropping it makes it stop, without waiting for the end: its thread keeps the
/// data directory until then.
pub(crate) struct Server {
    /// The address on which it listens.
    pub(crate) address: SocketAddr,
    /// The address from which clients are sent to HTTPS, if there is one.
    pub(crate) redirect: Option<SocketAddr>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server and waits until it listens.
    pub(crate) fn start(setup: &Setup, data: &Arc<TempDir>, clock: Arc<dyn Clock>) -> Self {
        let options = setup.options(data.path());
        let held = Arc::clone(data);
        let surroundings = Surroundings {
            clock,
            timeouts: setup.timeouts,
            jammed_after: setup.jammed_after,
            resolver: Arc::clone(&setup.resolver),
            upgrades: setup.upgrades,
            note_every: Duration::from_millis(20),
            callback_time: setup.callback_time,
            sent_within: setup.sent_within,
            idle_within: setup.idle_within,
            images_within: SOON,
            // Every test registers people: hashing passwords at the usual cost was half the work of
            // these tests.
            password_cost: PasswordCost { memory: 64, passes: 1 },
            chance: || 0.5,
            threads: Some(2),
            rooms_look_every: setup.rooms_look_every,
            certificate_every: Duration::from_millis(10),
            link: setup.link.clone(),
            before_journal: setup.journal.clone().unwrap_or_else(usual),
            ..Surroundings::default()
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, listening) = mpsc::channel();
        let thread = thread::spawn(move || {
            actix::System::new().block_on(async move {
                let running = boot::start(&options, surroundings).unwrap();
                tell.send(running.addresses.clone()).unwrap();
                running.until(async move { drop(stopped.await) }).await.unwrap();
            });
            drop(held);
        });
        let addresses = listening.recv().expect("the server starts");
        let (address, redirect) = (addresses.listen, addresses.redirect);
        Self { address, redirect, stop: Some(stop), thread: Some(thread) }
    }

    /// Tells the server to stop, and waits until its thread has ended.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap();
        }
    }
}

/// Waits until the lock of the index is free. The threads of a stopped server end a moment after it
/// says that it has stopped: its process would be gone by then, but this one lives on.
pub(crate) async fn lets_go(data: &Path) {
    let is_free = || {
        let Ok(index) = File::open(data.join("index/db")) else { return true };
        flock(&index, FlockOperation::NonBlockingLockExclusive).is_ok()
    };
    while !is_free() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
