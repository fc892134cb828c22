//! Sends one request to one address.
//!
//! A connection lives for one request, unless the sender keeps it open (`kept_connections.rs`).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONNECTION, HOST, USER_AGENT};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::outgoing::target::{Target, TargetRefusal};
use crate::outgoing::{CONNECT, Outbound, OutgoingAnswer, OutgoingFault};

/// Bytes of the head of an answer that are read; servers send at most a few tens of thousands.
const HEAD_BYTES: usize = 128 << 10;

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
}

/// An answer whose body is unread.
pub(super) type UnreadAnswer = Response<Incoming>;

/// A connection to a server. It is closed on drop.
pub(super) struct OutgoingConnection {
    requests: SendRequest<Full<Bytes>>,
    driver: AbortHandle,
}

impl Drop for OutgoingConnection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl OutgoingConnection {
    /// Connects to the address of a target, with TLS if its URL wants it.
    pub(super) async fn open(
        tls: &Tls,
        target: &Target,
        place: SocketAddr,
    ) -> Result<Self, OutgoingFault> {
        let late = |_| OutgoingFault::Connect("no connection in time".to_owned());
        let stream = timeout(CONNECT, TcpStream::connect(place)).await.map_err(late)?;
        let stream = stream.map_err(|error| {
            if error.kind() == io::ErrorKind::ConnectionRefused {
                return OutgoingFault::NobodyListens(error.to_string());
            }
            failed(error)
        })?;
        // A request is written in one piece, so there is nothing to wait for.
        stream.set_nodelay(true).map_err(failed)?;
        if !target.is_secure() {
            return Self::over(stream).await;
        }
        let name = ServerName::try_from(target.host().to_owned()).map_err(failed)?;
        let connecting = TlsConnector::from(Arc::clone(&tls.0)).connect(name, stream);
        let stream = timeout(CONNECT, connecting).await.map_err(late)?;
        Self::over(stream.map_err(failed)?).await
    }

    async fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, OutgoingFault> {
        let connecting = http1::Builder::new()
            .max_buf_size(HEAD_BYTES)
            .handshake::<_, Full<Bytes>>(TokioIo::new(stream));
        let (requests, connection) = connecting.await.map_err(failed)?;
        let driver = tokio::spawn(async move {
            // The request that fails reports why.
            drop(connection.await);
        });
        Ok(Self { requests, driver: driver.abort_handle() })
    }

    /// Sends a request; returns the head of the answer, and its body unread.
    pub(super) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<UnreadAnswer, OutgoingFault> {
        self.requests.send_request(request).await.map_err(broken)
    }

    /// Waits until the connection can carry another request; returns whether it can.
    pub(super) async fn is_reusable(&mut self) -> bool {
        self.requests.ready().await.is_ok()
    }

    /// Whether the other side has closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        self.requests.is_closed()
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
    let mut prepared = prepared(target, request)?;
    prepared.headers_mut().insert(CONNECTION, hyper::header::HeaderValue::from_static("close"));
    let mut connection = OutgoingConnection::open(tls, target, place).await?;
    read(connection.send(prepared).await?, request).await
}

/// The request as it is written.
pub(super) fn prepared(
    target: &Target,
    request: &Outbound,
) -> Result<Request<Full<Bytes>>, OutgoingFault> {
    let mut builder = Request::builder()
        .method(request.method.as_str())
        .uri(target.path_and_query())
        .header(HOST, target.host_header())
        .header(USER_AGENT, concat!("coterie/", env!("CARGO_PKG_VERSION")));
    for (name, value) in &request.headers {
        builder = builder.header(name.as_str(), value.as_bytes());
    }
    let body = Full::new(request.body.clone());
    builder.body(body).map_err(|_| OutgoingFault::Refused(TargetRefusal::Form))
}

/// Reads the beginning of an answer.
pub(super) async fn read(
    answer: UnreadAnswer,
    request: &Outbound,
) -> Result<OutgoingAnswer, OutgoingFault> {
    let (head, mut body) = answer.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).map_err(broken)?;
    let mut headers = HeaderMap::with_capacity(head.headers.len());
    for (name, value) in &head.headers {
        let name = HeaderName::from_bytes(name.as_str().as_bytes()).map_err(broken)?;
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).map_err(broken)?);
    }
    let (mut read, mut is_cut) = (BytesMut::new(), false);
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(broken)?.into_data() else { continue };
        let space = request.most_bytes - read.len();
        read.extend_from_slice(&piece[..piece.len().min(space)]);
        if piece.len() > space {
            is_cut = true;
            break;
        }
    }
    Ok(OutgoingAnswer { status, headers, body: read.freeze(), is_cut })
}

fn failed(error: impl std::fmt::Display) -> OutgoingFault {
    OutgoingFault::Connect(error.to_string())
}

fn broken(error: impl std::fmt::Display) -> OutgoingFault {
    OutgoingFault::Broken(error.to_string())
}
