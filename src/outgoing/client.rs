//! One request to one address. The only file that names the HTTP client.
//!
//! A client lives for one request: it cannot leave its thread, and connections that
//! outlive a request would reach an address that was checked a while ago.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{HOST, USER_AGENT};
use awc::error::{ConnectError, PayloadError, SendRequestError};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use rustls::{ClientConfig, RootCertStore};

use crate::outgoing::target::Target;
use crate::outgoing::{Outbound, OutgoingAnswer, OutgoingFault};

/// How TLS is spoken.
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

    fn client(&self, connect: Duration) -> awc::Client {
        let connector = awc::Connector::new()
            .rustls_0_23(Arc::clone(&self.0))
            .timeout(connect)
            .handshake_timeout(connect);
        awc::Client::builder()
            .connector(connector)
            .disable_redirects()
            .disable_timeout()
            .no_default_headers()
            .finish()
    }
}

/// Sends it, and reads as much of the answer as is wanted.
pub(super) async fn send(
    tls: &Tls,
    target: &Target,
    place: SocketAddr,
    request: Outbound,
    connect: Duration,
) -> Result<OutgoingAnswer, OutgoingFault> {
    let client = tls.client(connect);
    let mut asked = client
        .request(request.method, target.url())
        .address(place)
        .force_close()
        .insert_header((HOST, target.host_header()))
        .insert_header((USER_AGENT, concat!("coterie/", env!("CARGO_PKG_VERSION"))));
    for header in request.headers {
        asked = asked.insert_header(header);
    }
    let mut answer = asked.send_body(request.body).await.map_err(|error| fault(&error))?;
    let (body, is_cut) = read(&mut answer, request.most_bytes).await?;
    Ok(OutgoingAnswer { status: answer.status(), headers: answer.headers().clone(), body, is_cut })
}

/// The beginning of the body, and whether there is more.
async fn read<S>(
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
