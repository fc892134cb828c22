//! The bytes of a connection: with TLS, without it, or of one request of an HTTP/2 connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The name of HTTP/2 in the handshake of TLS (RFC 7301).
pub const HTTP2: &[u8] = b"h2";
/// The name of HTTP/1.1 there.
pub const HTTP1: &[u8] = b"http/1.1";

/// The name of the challenge TLS-ALPN-01 there (RFC 8737).
pub const CHALLENGE: &[u8] = b"acme-tls/1";

/// A connection as requests are read from it.
#[derive(Debug)]
pub enum ClientStream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS, after its handshake.
    Tls(Box<TlsStream<TcpStream>>),
    /// One request of an HTTP/2 connection.
    Pipe(DuplexStream),
}

impl ClientStream {
    /// Carries out the handshake of TLS, if there is an acceptor for it.
    ///
    /// # Errors
    /// If the handshake fails or takes longer than `within`.
    pub async fn open(
        stream: TcpStream,
        acceptor: Option<TlsAcceptor>,
        within: Duration,
    ) -> io::Result<Self> {
        let Some(acceptor) = acceptor else { return Ok(Self::Plain(stream)) };
        // On the heap, since its state would also take its place in connections without TLS.
        let accepted = timeout(within, Box::pin(acceptor.accept(stream))).await;
        let stream = accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        Ok(Self::Tls(Box::new(stream)))
    }

    /// Whether the client chose HTTP/2 in the handshake.
    pub fn is_http2(&self) -> bool {
        self.protocol() == Some(HTTP2)
    }

    /// Whether the client only wanted to see the certificate of a challenge.
    pub fn is_challenge(&self) -> bool {
        self.protocol() == Some(CHALLENGE)
    }

    fn protocol(&self) -> Option<&[u8]> {
        match self {
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol(),
            Self::Plain(_) | Self::Pipe(_) => None,
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(task, into),
            Self::Tls(stream) => Pin::new(stream).poll_read(task, into),
            Self::Pipe(stream) => Pin::new(stream).poll_read(task, into),
        }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(task, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(task, bytes),
            Self::Pipe(stream) => Pin::new(stream).poll_write(task, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(task, parts),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(task, parts),
            Self::Pipe(stream) => Pin::new(stream).poll_write_vectored(task, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
            Self::Pipe(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(task),
            Self::Tls(stream) => Pin::new(stream).poll_flush(task),
            Self::Pipe(stream) => Pin::new(stream).poll_flush(task),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(task),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(task),
            Self::Pipe(stream) => Pin::new(stream).poll_shutdown(task),
        }
    }
}
