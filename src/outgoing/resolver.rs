//! Looks up host names.
//!
//! A look-up may block for as long as a silent name server lets it, and users choose the names. So
//! a few threads make all look-ups, and no user has more than a share of them.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use base::bounds::places::Places;
use base::bounds::turns::{Owner, TurnLimits, Turns};
use base::threads::Threads;

/// Look-ups under way at the same time, and which share of them a user has.
const LOOK_UPS: TurnLimits = TurnLimits { places: 16, of_owner: 2, waiting_of_owner: 64 };

/// Turns host names into addresses.
pub trait Resolve: Send + Sync {
    /// Returns every address that the host has now.
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// A resolver that its users share in turn. Cheap to clone.
#[derive(Clone)]
pub struct SharedResolver {
    resolver: Arc<dyn Resolve>,
    turns: Turns,
}

impl SharedResolver {
    /// Shares a resolver.
    pub fn new(resolver: Arc<dyn Resolve>, places: &Places) -> Self {
        Self { resolver, turns: Turns::new(places, "look_ups", LOOK_UPS) }
    }

    /// Returns every address that the host has now. The look-up keeps its place until it has
    /// ended, also if the caller stops waiting.
    ///
    /// # Errors
    /// If the look-up fails, or too many look-ups of this owner wait.
    pub async fn look_up(&self, owner: Owner, host: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.turns.acquire(owner).await.map_err(io::Error::other)?;
        let resolver = Arc::clone(&self.resolver);
        let host = host.to_owned();
        let looked_up = tokio::spawn(async move {
            let found = resolver.look_up(&host).await;
            drop(turn);
            found
        });
        looked_up.await.map_err(io::Error::other)?
    }
}

/// A look-up for a thread.
struct LookUp {
    host: String,
    answer: oneshot::Sender<io::Result<Vec<IpAddr>>>,
}

/// The operating system's resolver, as this machine is configured. It starts its threads with the
/// first look-up, and never more of them.
#[derive(Default)]
pub struct SystemResolver(OnceLock<Sender<LookUp>>);

impl Resolve for SystemResolver {
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let (answer, answered) = oneshot::channel();
        let look_up = LookUp { host: host.to_owned(), answer };
        // This fails only if no thread could be started.
        drop(self.0.get_or_init(start_threads).send(look_up));
        Box::pin(async move { answered.await.map_err(io::Error::other)? })
    }
}

/// Starts the threads. They end with the resolver, except those that a name server blocks: nobody
/// waits for these, so that a server can stop.
fn start_threads() -> Sender<LookUp> {
    let (sender, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..LOOK_UPS.places {
        let receiver = Arc::clone(&receiver);
        if let Err(error) = Threads::System.start("look-ups", move || work_off(&receiver)) {
            tracing::error!(
                %error,
                "starting a resolver thread failed; the other threads do its work"
            );
        }
    }
    sender
}

fn work_off(look_ups: &Mutex<Receiver<LookUp>>) {
    loop {
        let next = look_ups.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(LookUp { host, answer }) = next else { return };
        let found = (host.as_str(), 0).to_socket_addrs();
        // The caller may have stopped waiting.
        drop(answer.send(found.map(|found| found.map(|place| place.ip()).collect())));
    }
}
