//! The composition root: opens storage, puts the layers together, listens, drains. The
//! only place that sees everything.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::{Condition, NormalizePath, TrailingSlash, from_fn};
use actix_web::{App, HttpServer, web};

use crate::actors::directory::Directory;
use crate::actors::ground::Ground;
use crate::actors::mint::CountingMint;
use crate::actors::token_use::note_tokens;
use crate::auth::codes::Codes;
use crate::auth::first_answers::FirstAnswers;
use crate::auth::keyring::Keyring;
use crate::auth::logging_in::LogIns;
use crate::auth::names::Names;
use crate::auth::password::Passwords;
use crate::auth::people::People;
use crate::auth::throttle::{Buckets, Rate};
use crate::auth::visits::Visits;
use crate::clock::{Clock, SystemClock};
use crate::config::{Options, Registration};
use crate::data_dir::{DataDir, DataDirError};
use crate::http::door::Door;
use crate::http::routes;
use crate::index::archive::Archive;
use crate::index::indexer::{self, Indexer, Opened};
use crate::index::sled_index::SledRows;
use crate::index::{IndexFault, Rows};
use crate::journal::Journal;
use crate::journal::file::FileJournal;
use crate::media::Images;
use crate::notify::sms::{Account, Gateway};
use crate::notify::vapid::VapidKey;
use crate::notify::web_push::WebPush;
use crate::outgoing::Outgoing;
use crate::outgoing::network::Network;
use crate::outgoing::resolver::{Resolve, SystemResolver};
use crate::subscribers::callbacks::{self, Callbacks};
use crate::subscribers::live_feed::{Ear, Feeds};
use crate::subscribers::notices::Notices;
use crate::subscribers::presence::Presence;
use crate::subscribers::sockets::Sockets;
use crate::subscribers::{Patience, Subscribers};
use crate::wire::site::Site;

/// Registrations of one address: so many per second, so many at once.
const REGISTRATIONS: Rate = Rate { per_second: 20.0, burst: 200.0 };
/// Sockets of one address: generous, since a proxy in front is one address too.
const UPGRADES: Rate = Rate { per_second: 200.0, burst: 2000.0 };
/// Milliseconds after which the kernel cuts a socket that takes no bytes (RFC 5482).
const JAMMED_AFTER: Duration = Duration::from_secs(30);
/// How often the use of tokens is written down, where that is due.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// Posts of the bots of one group: twenty in ten seconds. Bots that answer each other for
/// ever are held here.
const BOT_POSTS: Rate = Rate { per_second: 2.0, burst: 20.0 };
/// How long open requests may take when the server stops.
const DRAIN_SECONDS: u64 = 10;
/// Passwords that are hashed at the same time.
const HASHES_AT_ONCE: usize = 2;

/// Why the server cannot start: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The data directory cannot be used.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The journal cannot be opened.
    #[error("{0}")]
    Journal(#[from] crate::journal::opening::OpenError),
    /// The index cannot be opened or made anew.
    #[error("the index cannot be made: {0}")]
    Index(#[from] IndexFault),
    /// The images cannot be kept.
    #[error("the images cannot be opened: {0}")]
    Images(io::Error),
    /// The system lacks something.
    #[error("{0}")]
    System(String),
}

/// A server that listens.
pub struct Running {
    /// Where.
    pub address: SocketAddr,
    /// Resolves when it has stopped.
    pub server: Server,
    subscribers: Arc<Subscribers>,
    images: Arc<Images>,
    couriers: Couriers,
    /// Keeps the index current until the very end.
    indexer: Indexer,
    _data: DataDir,
}

/// Those who carry callbacks, and their thread.
struct Couriers {
    callbacks: Callbacks,
    arbiter: actix::Arbiter,
}

/// What tests choose and operators do not.
pub struct Surroundings {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// How long things may take on a socket.
    pub patience: Patience,
    /// When the kernel cuts a socket that takes no bytes.
    pub jammed_after: Duration,
    /// How long a callback may take, if not as long as usual.
    pub callback_time: Option<Duration>,
    /// Numbers between 0 and 1, for what should not happen at the same time.
    pub chance: fn() -> f64,
    /// Where host names lead.
    pub resolver: Arc<dyn Resolve>,
    /// Sockets that one address may open.
    pub upgrades: Rate,
    /// How often the use of tokens is written down, where that is due.
    pub note_every: Duration,
    /// HTTP threads; as many as the machine has cores if absent.
    pub threads: Option<usize>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::new()),
            patience: Patience::default(),
            jammed_after: JAMMED_AFTER,
            callback_time: None,
            chance: crate::actors::mint::chance,
            resolver: Arc::new(SystemResolver),
            upgrades: UPGRADES,
            note_every: NOTE_EVERY,
            threads: None,
        }
    }
}

/// Starts the server: binds before it creates anything, so that a mistake leaves no
/// trace.
///
/// # Errors
/// When the address, the data directory or what lies in it cannot be used.
pub fn start(options: &Options, surroundings: Surroundings) -> Result<Running, StartError> {
    let (listener, address) = listen(options.listen)?;
    let data = DataDir::take(&options.data_dir)?;
    let listen_url = format!("http://{address}");
    let public_url = options.public_url.as_ref().map_or(listen_url.as_str(), |url| &url.0);
    let site = Arc::new(Site::new(public_url, &listen_url, data.epoch()));
    let (archive, highs, indexer) = open_storage(&data, options.index_cache.0)?;
    let clock = Arc::clone(&surroundings.clock);
    let ground = Ground {
        people: People::new(Arc::clone(&archive.index)),
        archive: archive.clone(),
        clock: Arc::clone(&clock),
        mint: Arc::new(CountingMint::after(highs)),
        site: Arc::clone(&site),
        flood_limits: options.dm_limit.0,
    };
    let first_answers = FirstAnswers::new(archive.clone(), Arc::clone(&clock));
    let keyring = Arc::new(Keyring::new(Arc::clone(&archive.index), Arc::clone(&clock)));
    let directory = Directory::new(ground);
    let subscribers = listening(&directory, &keyring, surroundings.patience);
    let images = Arc::new(Images::open(&data.images(), decoders()).map_err(StartError::Images)?);
    let limited = options.rate_limit.0;
    let outgoing = way_out(options, &surroundings);
    let web_push = web_push(&data, outgoing.clone(), public_url, &clock)?;
    let push_key = web_push.key.public();
    let passwords = passwords()?;
    let notices = Notices {
        archive: subscribers.archive.clone(),
        directory: directory.clone(),
        clock: Arc::clone(&clock),
        gateway: gateway(options, &surroundings),
        web_push,
    };
    notices.start()?;
    let callbacks = Callbacks::new(directory.clone(), outgoing.clone(), surroundings.chance);
    let door = web::Data::new(Door {
        log_ins: log_ins(&directory, &passwords),
        directory,
        keyring,
        passwords,
        images: Arc::clone(&images),
        names: Names::default(),
        first_answers,
        visits: Visits::new(Arc::clone(&clock)),
        codes: Codes::new(Arc::clone(&clock)),
        requests: limited.map(Buckets::new),
        registrations: limited.map(|_| Buckets::new(REGISTRATIONS)),
        upgrades: limited.map(|_| Buckets::new(surroundings.upgrades)),
        compat_hosts: options.compat_host.iter().map(|it| it.trim().to_lowercase()).collect(),
        registration_is_open: options.registration == Registration::Open,
        token_seconds: options.token_ttl.map(|span| span.0),
        outgoing,
        push_key,
        callbacks: callbacks.clone(),
        bot_posts: limited.map(|_| Buckets::new(BOT_POSTS)),
        clock,
        site,
        subscribers: Arc::clone(&subscribers),
    });
    let (keyring, directory) = (Arc::clone(&door.keyring), door.directory.clone());
    actix::spawn(note_tokens(keyring, directory, surroundings.note_every));
    subscribers.archive.journal.follow(Box::new(callbacks::Ear(callbacks.clone())));
    let server = serve(listener, door, &surroundings)?;
    // On a thread of its own: a slow look-up of a name delays nobody else.
    let arbiter = actix::Arbiter::new();
    let starting = callbacks.clone();
    arbiter.spawn_fn(move || starting.start_here());
    let couriers = Couriers { callbacks, arbiter };
    Ok(Running { address, server, subscribers, images, couriers, indexer, _data: data })
}

/// What readers share; hears the journal from now on.
fn listening(
    directory: &Directory,
    keyring: &Arc<Keyring>,
    patience: Patience,
) -> Arc<Subscribers> {
    let (ground, feeds) = (directory.ground(), Feeds::default());
    ground.archive.journal.follow(Box::new(Ear(feeds.clone())));
    Arc::new(Subscribers {
        archive: ground.archive.clone(),
        keyring: Arc::clone(keyring),
        clock: Arc::clone(&ground.clock),
        site: Arc::clone(&ground.site),
        presence: Presence::new(Arc::clone(&ground.archive.index), feeds.clone()),
        feeds,
        sockets: Sockets::default(),
        directory: directory.clone(),
        patience,
    })
}

/// Threads that decode images: half of the cores, and no more than memory is meant for.
fn decoders() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    (cores / 2).clamp(1, 4)
}

/// Where requests of this server may go. Said in the log: whoever puts a server for one
/// machine behind a tunnel must learn what it opened.
fn way_out(options: &Options, surroundings: &Surroundings) -> Outgoing {
    if options.callback_allow.is_none() && options.is_local() {
        tracing::info!(
            "local mode: callbacks and image imports may reach this machine's loopback \
             addresses; --callback-allow none forbids it"
        );
    }
    let resolver = Arc::clone(&surroundings.resolver);
    let outgoing = Outgoing::resolving_with(options.open_networks(), resolver);
    match surroundings.callback_time {
        Some(time) => outgoing.posting_within(time),
        None => outgoing,
    }
}

fn log_ins(directory: &Directory, passwords: &Passwords) -> LogIns {
    let Ground { people, clock, .. } = directory.ground();
    LogIns::new(people.clone(), passwords.clone(), Arc::clone(clock))
}

fn passwords() -> Result<Passwords, StartError> {
    Passwords::new(HASHES_AT_ONCE).map_err(|error| StartError::System(error.to_string()))
}

fn web_push(
    data: &DataDir,
    outgoing: Outgoing,
    public_url: &str,
    clock: &Arc<dyn Clock>,
) -> Result<WebPush, StartError> {
    let path = data.vapid_key();
    let key = VapidKey::read_or_make(&path)
        .map_err(|error| StartError::System(format!("{}: {error}", path.display())))?;
    Ok(WebPush { outgoing, key, contact: public_url.to_owned(), clock: Arc::clone(clock) })
}

/// Where SMS go. The options are there together or not at all.
fn gateway(options: &Options, surroundings: &Surroundings) -> Gateway {
    let (Some(url), Some(account), Some(secret), Some(from)) =
        (&options.sms_url, &options.sms_account, &options.sms_secret, &options.sms_from)
    else {
        return Gateway::Log;
    };
    let resolver = Arc::clone(&surroundings.resolver);
    Gateway::Http(Box::new(Account {
        outgoing: Outgoing::resolving_with(Network::all(), resolver),
        url: Account::messages_url(&url.0, account),
        account: account.clone(),
        secret: secret.clone(),
        from: from.clone(),
    }))
}

fn listen(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |source| StartError::Listen { address: wanted, source };
    let domain = socket2::Domain::for_address(wanted);
    let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None).map_err(refused)?;
    // A restarted server must not wait for the old connections' last minute.
    socket.set_reuse_address(true).map_err(refused)?;
    socket.bind(&wanted.into()).map_err(refused)?;
    socket.listen(BACKLOG).map_err(refused)?;
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 4096;

fn open_storage(
    data: &DataDir,
    cache_bytes: u64,
) -> Result<(Archive, crate::index::rows::Highs, Indexer), StartError> {
    let (journal, report) = FileJournal::open(&data.journal(), Default::default())?;
    tracing::debug!(?report, "the journal is open");
    let journal: Arc<dyn Journal> = Arc::new(journal);
    let open = || -> Result<Opened, IndexFault> {
        let rows: Arc<dyn Rows> = Arc::new(SledRows::open(&data.index(), cache_bytes)?);
        indexer::open(rows, Arc::clone(&journal))
    };
    let opened = match open() {
        Ok(opened) => opened,
        Err(fault) => {
            tracing::warn!(%fault, "the index cannot be used; it is set aside and made anew");
            data.set_index_aside()?;
            open()?
        }
    };
    if opened.replayed > 0 {
        tracing::info!(commits = opened.replayed, "the index was brought up to date");
    }
    Ok((Archive::new(opened.index, journal), opened.highs, opened.indexer))
}

fn serve(
    listener: TcpListener,
    door: web::Data<Door>,
    surroundings: &Surroundings,
) -> Result<Server, StartError> {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let jammed_after = surroundings.jammed_after;
    let server = HttpServer::new(move || {
        // Runs once on each HTTP thread: rooms and sessions live there too.
        if let Some(arbiter) = actix::Arbiter::try_current() {
            door.directory.add_arbiter(arbiter);
        }
        let local =
            door.subscribers.feeds.start_here(Arc::clone(&door.site), Arc::clone(&door.clock));
        let is_limited = door.requests.is_some();
        App::new()
            .app_data(door.clone())
            .app_data(web::Data::new(local))
            .wrap(Condition::new(is_limited, from_fn(crate::http::limits::tell)))
            .wrap(NormalizePath::new(TrailingSlash::Trim))
            .configure(routes::all)
    })
    .on_connect(move |connection, _| {
        if let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() {
            let socket = socket2::SockRef::from(stream);
            // An older kernel without this option still serves.
            drop(socket.set_tcp_user_timeout(Some(jammed_after)));
        }
    })
    .tcp_nodelay(true)
    .workers(surroundings.threads.unwrap_or(cores))
    .shutdown_timeout(DRAIN_SECONDS)
    .disable_signals()
    .listen(listener)
    .map_err(|error| StartError::System(error.to_string()))?;
    Ok(server.run())
}

impl Running {
    /// Stops it from elsewhere.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// Serves until told to stop, then drains: says goodbye on sockets, finishes open
    /// requests, writes out the index.
    ///
    /// # Errors
    /// When the server fails.
    pub async fn until(
        self,
        stop: impl std::future::Future<Output = ()> + 'static,
    ) -> io::Result<()> {
        let Self { server, subscribers, images, couriers, indexer, _data, .. } = self;
        let handle = server.handle();
        actix::spawn(async move {
            stop.await;
            tracing::info!("stopping");
            subscribers.feeds.say_goodbye();
            handle.stop(true).await;
        });
        let ended = server.await;
        couriers.callbacks.finish().await;
        couriers.arbiter.stop();
        if couriers.arbiter.join().is_err() {
            tracing::error!("the thread of the callbacks panicked");
        }
        // Before the directory is free for another process.
        images.close();
        drop(indexer);
        ended
    }
}
