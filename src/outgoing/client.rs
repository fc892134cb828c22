//! Sends one request to one address.
//!
//! An HTTP client cannot leave its thread. It lives for one request, unless the sender keeps
//! connections open (`kept_connections.rs`).

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_service::{Service, forward_ready};
use actix_web::http::header::{HOST, USER_AGENT};
use awc::error::{ConnectError, PayloadError, SendRequestError};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use rustls::{ClientConfig, RootCertStore};

use crate::outgoing::target::Target;
use crate::outgoing::{CONNECT, Outbound, OutgoingAnswer, OutgoingFault};

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
        awc::Client::builder()
            .connector(connector)
            .disable_redirects()
            .disable_timeout()
            .no_default_headers()
            .finish()
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
        let asked = ask(&self.client, target, place, request);
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
    let client = tls.client(Duration::ZERO, &Rc::default());
    let asked = ask(&client, target, place, request).force_close();
    read(asked.send_body(request.body.clone()).await, request).await
}

fn ask(
    client: &awc::Client,
    target: &Target,
    place: SocketAddr,
    request: &Outbound,
) -> awc::ClientRequest {
    let asked = client
        .request(request.method.clone(), target.url())
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
