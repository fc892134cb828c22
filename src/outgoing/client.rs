//! Sends one request to one address.
//!
//! An HTTP client cannot leave its thread. It lives for one request, unless the sender keeps
//! connections open (`kept_connections.rs`).

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_service::{Service, always_ready, forward_ready};
use actix_tls::connect::rustls_0_23::TlsConnector;
use actix_tls::connect::{ConnectError as TcpConnectError, ConnectInfo, Connection, Connector};
use actix_web::http::header::{HOST, USER_AGENT};
use actix_web::http::{Method, Uri};
use actix_web::rt::net::ActixStream;
use awc::error::{ConnectError, PayloadError, SendRequestError};
use bytes::{Bytes, BytesMut};
use futures_util::future::LocalBoxFuture;
use futures_util::{Stream, StreamExt};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::close_delimited::CloseDelimited;
use crate::target::Target;
use crate::{CONNECT, Outbound, OutgoingAnswer, OutgoingFault};

/// The TLS configuration of outgoing connections.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(super) fn trusting_browsers_roots() -> Self {
        Self::trusting(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect())
    }

    pub(super) fn trusting(roots: RootCertStore) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring speaks the versions that rustls has by default")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self(Arc::new(config))
    }

    /// A client that reads bodies which end with their connection. It does TLS below the HTTP
    /// client, to which every URL is one of `http`.
    fn client_of_fetch(&self, target: &Target) -> awc::Client {
        let tls = target.is_secure().then(|| Arc::clone(&self.0));
        let connector = awc::Connector::new()
            .connector(FetchConnector { tls })
            .limit(0)
            .conn_keep_alive(Duration::ZERO)
            // The connector limits each part.
            .timeout(CONNECT * 2);
        client_over(connector)
    }

    fn client(&self, kept_for: Duration, connected: &Rc<Cell<u64>>) -> awc::Client {
        let tcp = actix_tls::connect::Connector::default().service();
        let connector = awc::Connector::new()
            .connector(Counting { inner: tcp, connected: Rc::clone(connected) })
            .rustls_0_23(Arc::clone(&self.0))
            // No limit here: the sender decides how many connections are open.
            .limit(0)
            .conn_keep_alive(kept_for)
            .timeout(CONNECT)
            .handshake_timeout(CONNECT);
        client_over(connector)
    }
}

fn client_over<S, Io>(connector: awc::Connector<S>) -> awc::Client
where
    S: Service<ConnectInfo<Uri>, Response = Connection<Uri, Io>, Error = TcpConnectError>
        + Clone
        + 'static,
    Io: ActixStream + Debug + 'static,
{
    awc::Client::builder()
        .connector(connector)
        .disable_redirects()
        .disable_timeout()
        .no_default_headers()
        .finish()
}

/// Connects for one fetch.
#[derive(Clone)]
struct FetchConnector {
    /// The configuration of TLS; `None` without TLS.
    tls: Option<Arc<ClientConfig>>,
}

/// A TCP connection, with or without TLS.
trait Duplex: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Duplex for S {}

impl Service<ConnectInfo<Uri>> for FetchConnector {
    type Response = Connection<Uri, CloseDelimited<Box<dyn Duplex>>>;
    type Error = TcpConnectError;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Self::Error>>;

    always_ready!();

    fn call(&self, place: ConnectInfo<Uri>) -> Self::Future {
        let tls = self.tls.clone();
        Box::pin(async move {
            let late = |_| TcpConnectError::Io(io::ErrorKind::TimedOut.into());
            let tcp = Connector::default().service();
            let connection = timeout(CONNECT, tcp.call(place)).await.map_err(late)??;
            let Some(tls) = tls else {
                let (stream, uri) = connection.into_parts();
                return Ok(Connection::new(uri, CloseDelimited::new(Box::new(stream) as _)));
            };
            let tls = TlsConnector::service(tls);
            let secured = timeout(CONNECT, tls.call(connection)).await.map_err(late)?;
            let (stream, uri) = secured.map_err(TcpConnectError::Io)?.into_parts();
            Ok(Connection::new(uri, CloseDelimited::new(Box::new(stream) as _)))
        })
    }
}

/// An HTTP client whose connections stay open for a while.
#[derive(Clone)]
pub(super) struct KeepingClient {
    client: awc::Client,
    connected: Rc<Cell<u64>>,
}

/// The outcome of a request that may have gone over a kept connection.
pub(super) enum SentOverKept {
    /// The request was answered, or failed in a way that is not to be retried.
    Ended(Result<OutgoingAnswer, OutgoingFault>),
    /// The request went over a kept connection, which closed before an answer began.
    KeptConnectionClosed,
}

impl KeepingClient {
    pub(super) fn new(tls: &Tls, kept_for: Duration) -> Self {
        let connected = Rc::default();
        Self { client: tls.client(kept_for, &connected), connected }
    }

    /// Sends the request, and reads at most `request.most_bytes` of the answer.
    pub(super) async fn send(
        &self,
        target: &Target,
        place: SocketAddr,
        request: &Outbound,
    ) -> SentOverKept {
        let before = self.connected.get();
        let asked = ask(&self.client, target.url(), target, place, request);
        let answered = asked.send_body(request.body.clone()).await;
        let broke =
            answered.as_ref().is_err_and(|it| matches!(fault(it), OutgoingFault::Broken(_)));
        // If another request connected meanwhile, it is unknown whether the broken connection was a
        // kept one.
        if broke && self.connected.get() == before {
            return SentOverKept::KeptConnectionClosed;
        }
        SentOverKept::Ended(read(answered, request).await)
    }
}

/// A connector that counts how often it connects.
#[derive(Clone)]
struct Counting<S> {
    inner: S,
    connected: Rc<Cell<u64>>,
}

impl<S: Service<R>, R> Service<R> for Counting<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    forward_ready!(inner);

    fn call(&self, request: R) -> Self::Future {
        self.connected.set(self.connected.get() + 1);
        self.inner.call(request)
    }
}

/// Sends the request over a connection of its own, and reads at most `request.most_bytes` of the
/// answer.
pub(super) async fn send(
    tls: &Tls,
    target: &Target,
    place: SocketAddr,
    request: &Outbound,
) -> Result<OutgoingAnswer, OutgoingFault> {
    // A bot that keeps its connection open may answer a post without a length, so the end of a
    // connection ends the bodies of fetches alone.
    let (client, url) = match request.method {
        Method::GET => (tls.client_of_fetch(target), target.url_without_tls()),
        _ => (tls.client(Duration::ZERO, &Rc::default()), Cow::Borrowed(target.url())),
    };
    let asked = ask(&client, &url, target, place, request).force_close();
    read(asked.send_body(request.body.clone()).await, request).await
}

fn ask(
    client: &awc::Client,
    url: &str,
    target: &Target,
    place: SocketAddr,
    request: &Outbound,
) -> awc::ClientRequest {
    let asked = client
        .request(request.method.clone(), url)
        .address(place)
        .insert_header((HOST, target.host_header()))
        .insert_header((USER_AGENT, concat!("coterie/", env!("CARGO_PKG_VERSION"))));
    request.headers.iter().cloned().fold(asked, awc::ClientRequest::insert_header)
}

async fn read<S>(
    answered: Result<awc::ClientResponse<S>, SendRequestError>,
    request: &Outbound,
) -> Result<OutgoingAnswer, OutgoingFault>
where
    S: Stream<Item = Result<Bytes, PayloadError>> + Unpin,
{
    let mut answer = answered.map_err(|error| fault(&error))?;
    let (body, is_cut) = beginning(&mut answer, request.most_bytes).await?;
    Ok(OutgoingAnswer { status: answer.status(), headers: answer.headers().clone(), body, is_cut })
}

/// The first `most` bytes of the body, and whether there is more.
async fn beginning<S>(
    answer: &mut awc::ClientResponse<S>,
    most: usize,
) -> Result<(Bytes, bool), OutgoingFault>
where
    S: Stream<Item = Result<Bytes, PayloadError>> + Unpin,
{
    let mut body = BytesMut::new();
    while let Some(piece) = answer.next().await {
        let piece = piece.map_err(|error| OutgoingFault::Broken(error.to_string()))?;
        let space = most - body.len();
        body.extend_from_slice(&piece[..piece.len().min(space)]);
        if piece.len() > space {
            return Ok((body.freeze(), true));
        }
    }
    Ok((body.freeze(), false))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the client's errors are not ours to list")]
fn fault(error: &SendRequestError) -> OutgoingFault {
    match error {
        SendRequestError::Connect(ConnectError::Disconnected) => {
            OutgoingFault::Broken("closed without an answer".to_owned())
        }
        SendRequestError::Connect(ConnectError::Io(error))
            if error.kind() == std::io::ErrorKind::ConnectionRefused =>
        {
            OutgoingFault::NobodyListens(error.to_string())
        }
        SendRequestError::Connect(error) => OutgoingFault::Connect(error.to_string()),
        SendRequestError::Timeout => OutgoingFault::Timeout,
        other => OutgoingFault::Broken(other.to_string()),
    }
}
