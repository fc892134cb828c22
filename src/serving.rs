//! The HTTP server: its listener, its threads, and what wraps all routes.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_http::{HttpService, KeepAlive};
use actix_service::{Service as _, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Server, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Condition, NormalizePath, TrailingSlash, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{App, Error, web};

use crate::domain::client_network::ClientNetwork;
use crate::http::app_state::AppState;
use crate::http::client_address::TrustedProxies;
use crate::http::connection::Connection;
use crate::http::connections::Connections;
use crate::http::counts::CountRequests;
use crate::http::deadlines::Deadlines;
use crate::http::request_id::RequestIds;
use crate::http::{later_paths, limits, picture_host, routes};
use crate::start_error::StartError;
use crate::subscribers::bayeux::connection::ConnectionGuard;

/// How many seconds open requests may take when the server stops.
const DRAIN_SECONDS: u64 = 10;
/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 4096;
/// How long a client may take to close a connection that the server has finished.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

/// The settings of the HTTP server.
pub(crate) struct ServeOptions {
    /// The number of HTTP threads.
    pub(crate) threads: usize,
    /// The maximum number of connections of each thread.
    pub(crate) per_thread: usize,
    /// Counts and bounds all connections.
    pub(crate) connections: Connections,
    /// After how long the kernel cuts a socket whose peer takes no bytes.
    pub(crate) jammed_after: Duration,
}

/// The default number of HTTP threads: the machine's cores.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// Binds the address and listens.
///
/// # Errors
/// If the address is in use, or not one of this machine.
pub(crate) fn listen(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |source| StartError::Listen { address: wanted, source };
    let domain = socket2::Domain::for_address(wanted);
    let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None).map_err(refused)?;
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
    listener: TcpListener,
    app: web::Data<AppState>,
    settings: ServeOptions,
) -> Result<Server, StartError> {
    let ServeOptions { threads, per_thread, connections, .. } = settings;
    let jammed_after = settings.jammed_after;
    let builder = Server::build()
        .workers(threads)
        .max_concurrent_connections(per_thread)
        .shutdown_timeout(DRAIN_SECONDS)
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let proxies = app.proxies.clone();
    let served = builder.listen("coterie", listener, move || {
        let (connections, stopping) = (connections.clone(), stopping.clone());
        let proxies = proxies.clone();
        let requests = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            // `Connection` limits how long it may be idle, or take for a request's head.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(CLOSED_WITHIN)
            // A client that hangs up waits for nothing any more, as proxies assume too. What was
            // begun for it still goes on to its end (`http/to_the_end.rs`).
            .h1_allow_half_closed(false)
            .on_connect_ext(|connection: &Connection, kept| {
                kept.insert(ConnectionGuard::default());
                connection.tell(kept);
            })
            .finish(map_config(http_app(app.clone()), |()| AppConfig::default()));
        fn_service(move |stream| {
            let accepted = accept(stream, &connections, &proxies, jammed_after);
            async move { Ok(accepted) }
        })
        .and_then(requests)
    });
    Ok(served.map_err(|error| StartError::System(error.to_string()))?.run())
}

/// A connection in the form that the HTTP service takes.
type Accepted = (Connection, actix_http::Protocol, Option<SocketAddr>);

fn accept(
    stream: TcpStream,
    connections: &Connections,
    proxies: &TrustedProxies,
    jammed_after: Duration,
) -> Accepted {
    let peer = stream.peer_addr().ok();
    let from = peer.map(|peer| peer.ip().to_canonical());
    // A client on this machine is no stranger, and may be a proxy that nobody named: such
    // connections, and those of trusted proxies, are not counted per address.
    let from = from.filter(|from| !from.is_loopback() && !proxies.trusts(*from));
    // A socket that does not take these options (an older kernel, a client that is gone already) is
    // served without them.
    drop(stream.set_nodelay(true));
    drop(socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(jammed_after)));
    let connection = Connection::new(stream, connections.clone(), from.map(ClientNetwork::of));
    (connection, actix_http::Protocol::Http1, peer)
}

/// Builds the application, once on each HTTP thread. Rooms and sessions live on these threads too.
fn http_app(
    app: web::Data<AppState>,
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
            async { picture_host::renamed(answering.await?).await }
        })
        .wrap(Deadlines)
        .wrap(Condition::new(is_limited, from_fn(limits::add_headers)))
        .wrap_fn(|mut request, service| {
            later_paths::enter(&mut request);
            service.call(request)
        })
        .wrap(NormalizePath::new(TrailingSlash::Trim))
        .wrap(counting)
        .wrap(RequestIds)
        .configure(routes::all)
}
