//! The HTTP server: its listeners, its threads, and what wraps all routes.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use actix_http::error::DispatchError;
use actix_http::{HttpService, KeepAlive, Protocol, Request, Response};
use actix_service::{Service, fn_factory, fn_service, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{
    AppConfig, Server, ServerHandle, ServiceFactory, ServiceRequest, ServiceResponse,
};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, RETRY_AFTER,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::{Condition, DefaultHeaders, NormalizePath, TrailingSlash, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{App, Error, HttpRequest, HttpResponse, web};
use rustls::RootCertStore;
use sd_notify::NotifyState;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Notify, watch};
use tokio_rustls::TlsAcceptor;

use crate::admin::Administration;
use crate::admin::socket::AdminSocket;
use crate::boot::data_dir::DataDir;
use crate::boot::services::Surroundings;
use crate::boot::storage::StartError;
use crate::config::Options;
use crate::config::values::{PublicUrl, RedirectAddress};
use crate::http::acme::renewal::RenewalThread;
use crate::http::acme::{AcmeCertificate, AcmeSettings, CHALLENGE_PATH};
use crate::http::app_state::AppState;
use crate::http::certificate::ServedCertificate;
use crate::http::client_address::TrustedProxies;
use crate::http::client_stream::ClientStream;
use crate::http::connection::Connection;
use crate::http::connections::{Connections, OpenConnection};
use crate::http::counts::CountRequests;
use crate::http::deadlines::Deadlines;
use crate::http::request_id::RequestIds;
use crate::http::to_leader::ForwardedRequests;
use crate::http::{dialect, http2, later_paths, limits, picture_host, routes};
use backup::schedule::BackupThread;
use base::metrics::exposition::Exposition;
use base::space::Watch;
use cluster::membership::Membership;
use domain::client_network::ClientNetwork;
use index::indexer::Indexer;
use journal::own::OwnJournal;
use journal::{Cursor, JournalFault};
use media::Images;
use search::indexer::SearchIndexer;
use subscribers::SubscriberContext;
use subscribers::bayeux::connection::ConnectionGuard;
use subscribers::bayeux::sessions::Sessions;
use subscribers::callbacks::Callbacks;
use subscribers::previews::PreviewThread;

/// How many seconds open requests may take when the server stops.
const DRAIN_SECONDS: u64 = 10;
/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 4096;
/// How long a client may take to close a connection that the server has finished.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

/// The port of HTTP without TLS.
const HTTP_PORT: u16 = 80;

/// How long a client may take for the handshake of TLS.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// The answer to requests without TLS before there is a certificate.
const NO_CERTIFICATE: &str = "This server has no certificate yet. It is ordering one; the reason of a failure is in its log.\n";
/// For how long browsers open this host with HTTPS alone, a year (RFC 6797).
const HTTPS_ONLY: &str = "max-age=31536000; includeSubDomains";
/// The content security policy of responses that are no pages.
const NO_PAGE: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The settings of the HTTP server.
pub(crate) struct ServeOptions {
    /// The number of HTTP threads.
    pub(crate) threads: usize,
    /// The maximum number of connections of each thread.
    pub(crate) per_thread: usize,
    /// Receives what other nodes forward.
    pub(crate) forwarded: ForwardedRequests,
}

/// The open listeners of a server, and its certificate if it speaks HTTPS.
pub(crate) struct Doors {
    listener: TcpListener,
    /// The listener without TLS beside it, if there is one.
    redirect: Option<TcpListener>,
    tls: Option<TlsAcceptor>,
    /// After how long the kernel cuts a socket whose peer takes no bytes.
    jammed_after: Duration,
    pub(crate) certificate: Option<Arc<ServedCertificate>>,
    pub(crate) acme: Option<Acme>,
    pub(crate) addresses: Addresses,
}

/// The certificate by ACME, and how it is ordered.
pub(crate) struct Acme {
    pub(crate) certificate: Arc<AcmeCertificate>,
    pub(crate) settings: AcmeSettings,
    /// The certificates that sign that of the authority's own server; `None` for those that
    /// browsers trust.
    pub(crate) roots: Option<RootCertStore>,
}

/// The addresses on which a server listens.
#[derive(Debug, Clone)]
pub struct Addresses {
    /// The address of the server.
    pub listen: SocketAddr,
    /// The URL of that address.
    pub url: String,
    /// The address from which clients are sent to the public URL, if there is one.
    pub redirect: Option<SocketAddr>,
}

impl Doors {
    /// Reads the certificate, if there is one, and binds the addresses.
    ///
    /// # Errors
    /// If the certificate cannot be used, or an address is in use or not one of this machine.
    pub(crate) fn open(options: &Options, surroundings: &Surroundings) -> Result<Self, StartError> {
        let open = |files| {
            let clock = Arc::clone(&surroundings.clock);
            let every = surroundings.certificate_every;
            ServedCertificate::open(files, clock, every)
        };
        let certificate = options.certificate_files().map(open).transpose()?;
        check_public_url(options)?;
        let acme = options.acme().map(Acme::open).transpose()?;
        let tls = match (&certificate, &acme) {
            (Some(certificate), _) => Some(certificate.acceptor()?),
            (None, Some(acme)) => Some(acme.certificate.acceptor()?),
            (None, None) => None,
        };
        let passed = &surroundings.passed;
        let (listener, listen) = match &passed.listen {
            Some(socket) => taken(socket)?,
            None => bind(options.listen)?,
        };
        let redirect = match &passed.redirect {
            Some(socket) if options.is_https() => Some(taken(socket)?),
            Some(_) | None => bind_redirect(options, listen)?,
        };
        let (redirect, redirect_address) = redirect.unzip();
        let scheme = if options.is_https() { "https" } else { "http" };
        let url = format!("{scheme}://{listen}");
        let addresses = Addresses { listen, url, redirect: redirect_address };
        let jammed_after = surroundings.jammed_after;
        Ok(Self { listener, redirect, tls, jammed_after, certificate, acme, addresses })
    }
}

impl Doors {
    /// Writes the metrics of the certificate, if there is one.
    pub(crate) fn metrics(&self) -> Box<dyn Fn(&mut Exposition) + Send + Sync> {
        let certificate = self.certificate.clone();
        let acme = self.acme.as_ref().map(|it| Arc::clone(&it.certificate));
        Box::new(move |page| {
            certificate.iter().for_each(|it| it.write(page));
            acme.iter().for_each(|it| it.write(page));
        })
    }
}

impl Acme {
    fn open(settings: AcmeSettings) -> Result<Self, StartError> {
        let certificate = AcmeCertificate::none();
        let roots = settings.roots()?;
        Ok(Self { certificate, settings, roots })
    }
}

/// A socket that was passed, with its address.
fn taken(socket: &TcpListener) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error: io::Error| StartError::System(format!("a passed socket failed: {error}"));
    let socket = socket.try_clone().map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?;
    Ok((socket, address))
}

/// Checks that a server with HTTPS has a public URL for which it has a certificate.
fn check_public_url(options: &Options) -> Result<(), StartError> {
    let Some(PublicUrl(url)) = options.public_url().filter(|_| options.is_https()) else {
        return Ok(());
    };
    if !url.starts_with("https://") {
        return Err(StartError::PlainPublicUrl);
    }
    let host = url::Url::parse(&url).ok().and_then(|it| it.host_str().map(str::to_owned));
    let host = host.unwrap_or(url);
    let is_named = options.domain.is_empty() || options.domain.iter().any(|it| it.0 == host);
    if is_named { Ok(()) } else { Err(StartError::OtherDomain { host }) }
}

/// Binds the address of the listener without TLS, if there is one. With `--domain`, port 80 is used
/// if it can be had.
fn bind_redirect(
    options: &Options,
    listen: SocketAddr,
) -> Result<Option<(TcpListener, SocketAddr)>, StartError> {
    if let Some(RedirectAddress(wanted)) = options.http_redirect {
        return wanted.map(bind).transpose();
    }
    if options.domain.is_empty() {
        return Ok(None);
    }
    match bind(SocketAddr::new(listen.ip(), HTTP_PORT)) {
        Ok(bound) => Ok(Some(bound)),
        Err(error) => {
            tracing::warn!(
                %error,
                "nothing leads from http:// to this server; the authority has to validate its \
                 domains by TLS-ALPN-01 on port 443"
            );
            Ok(None)
        }
    }
}

/// The default number of HTTP threads: the machine's cores.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// Binds the address and listens. `[::]` stands for all addresses, also on a machine without IPv6.
fn bind(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |source| StartError::Listen { address: wanted, source };
    let domain = socket2::Domain::for_address(wanted);
    let opened = socket2::Socket::new(domain, socket2::Type::STREAM, None);
    let has_no_ipv6 = opened.as_ref().is_err_and(|error| {
        error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
    });
    if has_no_ipv6 && wanted.ip() == Ipv6Addr::UNSPECIFIED {
        return bind(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), wanted.port()));
    }
    let socket = opened.map_err(refused)?;
    if wanted.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false).map_err(refused)?;
    }
    // A restarted server must not wait for old connections in TIME_WAIT.
    socket.set_reuse_address(true).map_err(refused)?;
    socket.bind(&wanted.into()).map_err(refused)?;
    socket.listen(BACKLOG).map_err(refused)?;
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// Starts the HTTP server. actix-web's own assembly of the same parts would not let us watch
/// connections.
///
/// # Errors
/// If the server cannot be started.
pub(crate) fn serve(
    doors: Doors,
    app: web::Data<AppState>,
    settings: ServeOptions,
) -> Result<Server, StartError> {
    let ServeOptions { threads, per_thread, forwarded } = settings;
    let connections = app.connections.clone();
    let Doors { listener, redirect, tls, jammed_after, acme, .. } = doors;
    let acme = acme.map(|it| it.certificate);
    let builder = Server::build()
        .workers(threads)
        .max_concurrent_connections(per_thread)
        .shutdown_timeout(DRAIN_SECONDS)
        .disable_signals();
    let signal = builder.graceful_shutdown_signal();
    let stopping = move || {
        let signal = signal.clone();
        async move { signal.notified().await }
    };
    let refused = |error: io::Error| StartError::System(error.to_string());
    let is_https = tls.is_some();
    let to: Arc<str> = app.instance.public_url().into();
    let intake = Intake { connections, proxies: app.proxies.clone(), jammed_after, tls };
    let own = intake.clone();
    let ending = stopping.clone();
    let mut served = builder
        .listen("coterie", listener, move || {
            let app = map_config(http_app(app.clone(), is_https), |()| AppConfig::default());
            serving(own.clone(), requests(forwarded.with(app), ending.clone()), ending.clone())
        })
        .map_err(refused)?;
    if let Some(listener) = redirect {
        let intake = Intake { tls: None, ..intake };
        served = served
            .listen("redirect", listener, move || {
                let app = map_config(redirect_app(&to, acme.as_ref()), |()| AppConfig::default());
                serving(intake.clone(), requests(app, stopping.clone()), stopping.clone())
            })
            .map_err(refused)?;
    }
    Ok(served.run())
}

/// Answers the requests of accepted connections by this application.
fn requests<S, B, F>(
    app: S,
    stopping: impl Fn() -> F + 'static,
) -> impl ServiceFactory<Accepted, Config = (), Response = (), Error = DispatchError, InitError = ()>
where
    S: ServiceFactory<Request, Config = (), Error = Error> + 'static,
    S::InitError: fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    <S::Service as Service<Request>>::Future: 'static,
    B: MessageBody + 'static,
    F: Future<Output = ()> + 'static,
{
    HttpService::build()
        .graceful_shutdown_signal(stopping)
        // `Connection` limits how long it may be idle, or take for a request's head.
        .keep_alive(KeepAlive::Os)
        .client_request_timeout(Duration::ZERO)
        .client_disconnect_timeout(CLOSED_WITHIN)
        // A client that hangs up waits for nothing any more, as proxies assume too. What was
        // begun for it still continues to its end (`http/to_the_end.rs`).
        .h1_allow_half_closed(false)
        .on_connect_ext(|connection: &Connection, kept| {
            kept.insert(ConnectionGuard::default());
            connection.tell(kept);
        })
        .finish(app)
}

/// A connection in the form that the HTTP service takes.
type Accepted = (Connection, Protocol, Option<SocketAddr>);

/// How the connections of one listener are accepted. Cheap to clone.
#[derive(Clone)]
struct Intake {
    connections: Connections,
    proxies: web::Data<TrustedProxies>,
    jammed_after: Duration,
    tls: Option<TlsAcceptor>,
}

/// Serves the connections of one listener, by HTTP/2 if the client chose it.
fn serving<S, W, F>(
    intake: Intake,
    requests: S,
    stopping: W,
) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()>
where
    S: ServiceFactory<Accepted, Config = (), Response = (), Error = DispatchError, InitError = ()>
        + 'static,
    W: Fn() -> F + Clone + 'static,
    F: Future<Output = ()> + 'static,
{
    fn_factory(move || {
        let intake = intake.clone();
        let stopping = stopping.clone();
        let starting = requests.new_service(());
        async move {
            let requests = Rc::new(starting.await?);
            Ok::<_, ()>(fn_service(move |stream: TcpStream| {
                let stopping = stopping.clone();
                intake.clone().serve(stream, Rc::clone(&requests), stopping)
            }))
        }
    })
}

impl Intake {
    async fn serve<S, F>(
        self,
        stream: TcpStream,
        requests: Rc<S>,
        stopping: impl Fn() -> F,
    ) -> Result<(), DispatchError>
    where
        S: Service<Accepted, Response = (), Error = DispatchError> + 'static,
        F: Future<Output = ()>,
    {
        let peer = stream.peer_addr().ok();
        let place = self.place(peer);
        // A handshake that is not complete does not delay a stop.
        let stream = tokio::select! {
            accepted = self.accept(stream, &place) => accepted.map_err(DispatchError::Io)?,
            () = stopping() => return Ok(()),
        };
        if stream.is_challenge() {
            // The authority has seen the certificate, and sends no requests (RFC 8737, section 3).
            let mut stream = stream;
            return stream.shutdown().await.map_err(DispatchError::Io);
        }
        let connections = &self.connections;
        if !stream.is_http2() {
            let connection = Connection::new(stream, connections.clone(), place);
            return requests.call((connection, Protocol::Http1, peer)).await;
        }
        let answer = |pipe| {
            let stream = ClientStream::Pipe(pipe);
            let connection = Connection::new(stream, connections.clone(), self.place(peer));
            let answered = requests.call((connection, Protocol::Http1, peer));
            async move { drop(answered.await) }
        };
        // On the heap, since its state would also take its place in each HTTP/1.1 connection.
        Box::pin(http2::serve(stream, connections.clone(), stopping(), answer)).await;
        Ok(())
    }

    async fn accept(&self, stream: TcpStream, place: &OpenConnection) -> io::Result<ClientStream> {
        // A socket that does not take these options (an older kernel, a client that is gone
        // already) is served without them.
        drop(stream.set_nodelay(true));
        drop(socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(self.jammed_after)));
        if self.tls.is_some() && place.is_turned_away {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let patience = self.connections.patience_now().min(HANDSHAKE_WITHIN);
        let accepted = ClientStream::open(stream, self.tls.clone(), patience).await;
        accepted.inspect_err(|error| {
            tracing::debug!(%error, "the TLS handshake with a client failed");
        })
    }

    /// Takes a place for a connection.
    fn place(&self, peer: Option<SocketAddr>) -> OpenConnection {
        let from = peer.map(|peer| peer.ip().to_canonical());
        // A client on this machine is no stranger, and may be a proxy that nobody named: such
        // connections, and those of trusted proxies, are not counted per address.
        let from = from.filter(|from| !from.is_loopback() && !self.proxies.trusts(*from));
        self.connections.open(from.map(ClientNetwork::of))
    }
}

/// Builds the application of the listener without TLS, which sends clients to the same path at the
/// public URL, and answers challenges of ACME.
fn redirect_app(
    to: &Arc<str>,
    acme: Option<&Arc<AcmeCertificate>>,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let to = Arc::clone(to);
    let acme = acme.cloned();
    App::new().wrap(Deadlines).default_service(web::to(move |request: HttpRequest| {
        let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
        // `OPTIONS *` names no path.
        let path = if path.starts_with('/') { path } else { "/" };
        let answer = match (&acme, path.strip_prefix(CHALLENGE_PATH)) {
            (Some(acme), Some(token)) => match acme.challenge_file(token) {
                Some(file) => HttpResponse::Ok().content_type("text/plain").body(file),
                None => HttpResponse::NotFound().finish(),
            },
            // No browser may learn that HTTPS does not work here.
            (Some(acme), None) if !acme.is_issued() => HttpResponse::ServiceUnavailable()
                .insert_header((RETRY_AFTER, "30"))
                .content_type("text/plain; charset=utf-8")
                .body(NO_CERTIFICATE),
            (Some(_) | None, _) => {
                let target = format!("{to}{path}");
                HttpResponse::PermanentRedirect().insert_header((LOCATION, target)).finish()
            }
        };
        async move { answer }
    }))
}

/// Builds the application, once on each HTTP thread. Rooms and sessions live on these threads too.
fn http_app(
    app: web::Data<AppState>,
    is_https: bool,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    if let Some(arbiter) = actix::Arbiter::try_current() {
        app.directory.add_arbiter(arbiter);
    }
    let local = app.subscribers.feeds.start_here(Arc::clone(&app.instance), Arc::clone(&app.clock));
    let is_limited = app.requests.is_some();
    let counting = CountRequests(app.counts.shard());
    App::new()
        .app_data(app.proxies.clone())
        .app_data(app)
        .app_data(web::Data::new(local))
        .wrap_fn(|request, service| {
            let answering = service.call(request);
            async { picture_host::renamed(answering.await?).await.map(dialect::denied) }
        })
        .wrap(Deadlines)
        .wrap(Condition::new(is_limited, from_fn(limits::add_headers)))
        .wrap_fn(|mut request, service| {
            later_paths::enter(&mut request);
            service.call(request)
        })
        .wrap(NormalizePath::new(TrailingSlash::Trim))
        .wrap(counting)
        .wrap(safe_headers(is_https))
        .wrap(RequestIds)
        .configure(routes::all)
}

/// The headers of every response that does not set them itself: browsers take no response for
/// another type than it says, load nothing for it, show it in no frame and name it to nobody, no
/// cache keeps what somebody may read, and HTTPS stays HTTPS.
fn safe_headers(is_https: bool) -> DefaultHeaders {
    let headers = DefaultHeaders::new()
        .add((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .add((CACHE_CONTROL, "no-store"))
        .add((CONTENT_SECURITY_POLICY, NO_PAGE))
        .add((REFERRER_POLICY, "no-referrer"));
    if is_https { headers.add((STRICT_TRANSPORT_SECURITY, HTTPS_ONLY)) } else { headers }
}

/// How long a server that stops waits until everything that it answered is durable.
const SETTLED_WITHIN: Duration = Duration::from_secs(5);

/// How long a server that stops waits for the thread of the link previews.
const PREVIEWS_END_WITHIN: Duration = Duration::from_secs(1);

/// A server that listens.
pub struct Running {
    /// The addresses on which it listens.
    pub addresses: Addresses,
    /// Resolves when the HTTP server has stopped.
    pub server: Server,
    pub(crate) subscribers: Arc<SubscriberContext>,
    pub(crate) bayeux: Sessions,
    pub(crate) images: Arc<Images>,
    pub(crate) dispatchers: Dispatchers,
    /// Keeps the index current until the very end.
    pub(crate) indexer: Indexer,
    /// Keeps the search index current.
    pub(crate) search_indexer: SearchIndexer,
    pub(crate) admin: Option<AdminSocket>,
    /// Carries out commands of other nodes too.
    pub(crate) administration: Arc<Administration>,
    pub(crate) journal: OwnJournal,
    /// The server's place among the nodes; `None` if it is alone.
    pub(crate) membership: Option<Membership>,
    /// Notified when an operator wants the server to end.
    pub(crate) drain: Arc<Notify>,
    /// Set when the journal stops for good.
    pub(crate) stopped: watch::Receiver<Option<JournalFault>>,
    /// The thread that watches the free space of the disk.
    pub(crate) _watch: Watch,
    pub(crate) _data: DataDir,
}

/// Callbacks to bots, the thread on which they are sent, and that of the link previews.
pub(crate) struct Dispatchers {
    pub(crate) callbacks: Callbacks,
    pub(crate) arbiter: actix::Arbiter,
    /// The thread on which the pages of links are read; `None` where previews are off.
    pub(crate) previews: Option<PreviewThread>,
    /// The thread that orders certificates by ACME; `None` if the server orders none.
    pub(crate) renewal: Option<RenewalThread>,
    /// The thread that makes backups; `None` without a schedule.
    pub(crate) backups: Option<BackupThread>,
}

impl Dispatchers {
    /// Stops everything that sends requests, once what was begun has an end.
    async fn end(self) {
        if let Some(previews) = self.previews {
            previews.end(PREVIEWS_END_WITHIN).await;
        }
        if let Some(renewal) = self.renewal {
            renewal.end();
        }
        if let Some(backups) = self.backups {
            backups.end();
        }
        self.callbacks.finish().await;
        self.arbiter.stop();
        if self.arbiter.join().is_err() {
            tracing::error!("the callback thread panicked");
        }
    }
}

impl Running {
    /// A handle that stops the server from elsewhere.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// Serves until told to stop, then drains: says goodbye on sockets, finishes open requests,
    /// writes out the index.
    ///
    /// # Errors
    /// If the HTTP server fails, or the journal stopped for good.
    pub async fn until(
        self,
        stop: impl std::future::Future<Output = ()> + 'static,
    ) -> io::Result<()> {
        let Self {
            server,
            subscribers,
            bayeux,
            images,
            dispatchers,
            indexer,
            search_indexer,
            admin,
            administration,
            journal,
            membership,
            drain,
            stopped,
            _watch,
            _data,
            ..
        } = self;
        report_ready(journal.clone());
        let handle = server.handle();
        let leaving = membership.clone();
        let mut stopped_for_good = stopped.clone();
        actix::spawn(async move {
            tokio::select! {
                () = stop => {
                    tracing::info!("received a signal; stopping");
                    report_stopping();
                }
                () = drain.notified() => {
                    tracing::info!("an operator drains the server; stopping");
                    report_stopping();
                }
                fault = stopped_for_good.wait_for(Option::is_some) => {
                    tracing::error!("the journal stopped after a fault; ending the server");
                    match fault.as_deref() {
                        Ok(Some(fault)) if fault.is_mended_at_start() => {
                            report_restart();
                        }
                        Ok(_) | Err(_) => report_stopping(),
                    }
                }
            }
            if let Some(membership) = &leaving {
                membership.leave().await;
            }
            subscribers.feeds.say_goodbye();
            bayeux.say_goodbye();
            let settled = &subscribers.directory.context().drain;
            if tokio::time::timeout(SETTLED_WITHIN, settled.stop()).await.is_err() {
                tracing::error!(
                    "shutdown timed out with acknowledged writes or mails that are not recorded"
                );
            }
            handle.stop(true).await;
        });
        let ended = server.await;
        drop((admin, administration));
        dispatchers.end().await;
        // Close everything before `_data` releases the directory to another process.
        images.close();
        drop(search_indexer);
        journal.finish();
        membership.iter().for_each(Membership::end);
        drop(indexer);
        let fault = stopped.borrow().clone();
        fault.map_or(ended, |fault| Err(io::Error::other(fault)))
    }
}

/// The number of watchdog messages that a service manager gets within its interval.
const FEEDS: u32 = 3;

/// The watchdog of a server that is between two runs of its program: the maximum, 71 minutes.
const RESTART_WATCHDOG: NotifyState<'_> = NotifyState::WatchdogUsec(u32::MAX);

/// Reports that the server listens, and keeps reporting that it lives.
///
/// The reports come from the main event loop, and stop when that loop or the journal hangs.
pub(crate) fn report_ready(journal: OwnJournal) {
    let interval = sd_notify::watchdog_enabled();
    // An earlier run of this process may have lengthened the interval, see `report_restart`.
    let micros = interval.and_then(|it| u32::try_from(it.as_micros()).ok());
    let mut states = vec![NotifyState::Ready];
    states.extend(micros.map(NotifyState::WatchdogUsec));
    notify(&states);
    if let Some(interval) = interval.filter(|it| !it.is_zero()) {
        actix::spawn(feed_watchdog(journal, interval / FEEDS));
    }
}

/// Reports that the server stops.
pub(crate) fn report_stopping() {
    notify(&[NotifyState::Stopping]);
}

/// Reports that the program starts once more in the same process, which may take minutes.
pub(crate) fn report_restart() {
    notify(&[RESTART_WATCHDOG, NotifyState::Watchdog]);
}

async fn feed_watchdog(journal: OwnJournal, every: Duration) {
    let mut progress = Progress::default();
    loop {
        let log = journal.journal();
        let has_waiting = journal.fullness().held.items > 0 && log.is_reachable();
        if progress.is_alive(has_waiting, log.end()) {
            notify(&[NotifyState::Watchdog]);
        } else {
            tracing::error!("the journal makes no progress; not feeding the watchdog");
        }
        drop(log);
        tokio::time::sleep(every).await;
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, ?states, "notifying the service manager failed");
    }
}

/// The state of the journal at the watchdog's last look.
#[derive(Debug, Default)]
struct Progress {
    had_waiting: bool,
    end: Option<Cursor>,
}

impl Progress {
    /// Whether the journal wrote something since the last look, or had nothing to write.
    fn is_alive(&mut self, has_waiting: bool, end: Cursor) -> bool {
        let had_waiting = std::mem::replace(&mut self.had_waiting, has_waiting);
        let moved = self.end.replace(end) != Some(end);
        moved || !had_waiting || !has_waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_that_writes_nothing_between_two_looks_is_hung() {
        let mut progress = Progress::default();
        let looks = [
            (false, 1, true),
            (false, 1, true),
            (true, 1, true),
            (true, 1, false),
            (true, 1, false),
            (true, 2, true),
            (true, 2, false),
            (false, 2, true),
        ];
        for (number, (has_waiting, end, is_alive)) in looks.into_iter().enumerate() {
            let found = progress.is_alive(has_waiting, Cursor::new(end));
            assert_eq!(found, is_alive, "look {number}");
        }
    }
}
