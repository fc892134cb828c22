//! One kept-alive connection: sends a request and reads its answer.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::response::{Head, HttpError, parse_head};

/// Bytes; larger than the usual answer, so that one read empties the socket: tokio then knows
/// without another system call that nothing is left.
const INBOX: usize = 16 * 1024;

/// The idle time after which a connection is replaced; servers usually close idle connections after
/// 5 s.
const STALE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    inbox: Vec<u8>,
    used: Instant,
    /// Whether the server said with its last answer that it closes the connection.
    closes: bool,
}

#[derive(Debug)]
pub struct Answer<'a> {
    pub status: u16,
    pub body: &'a [u8],
    pub closes: bool,
}

impl Connection {
    pub async fn open(addr: SocketAddr) -> Result<Self, HttpError> {
        let stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, inbox: Vec::with_capacity(INBOX), used: Instant::now(), closes: false })
    }

    /// Whether the server closes the connection, or may be about to because it was idle for long.
    pub fn is_stale(&self) -> bool {
        self.closes || self.used.elapsed() >= STALE
    }

    /// Replaces the connection by a new one to `addr` if it is stale.
    pub async fn freshen(&mut self, addr: SocketAddr) -> Result<(), HttpError> {
        if self.is_stale() {
            *self = Self::open(addr).await?;
        }
        Ok(())
    }

    /// Sends one request and waits for its whole answer.
    ///
    /// Has no timeout of its own, since a timer per request is not free: loads are bounded as a
    /// whole, and the set-up wraps its calls in timeouts.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>, HttpError> {
        self.send(request).await?;
        self.receive().await
    }

    /// Sends a request without waiting for its answer. Bursts send many requests this way before
    /// they read the first answer.
    pub async fn send(&mut self, request: &[u8]) -> Result<(), HttpError> {
        self.inbox.clear();
        self.used = Instant::now();
        Ok(self.stream.write_all(request).await?)
    }

    /// Sends more bytes of the request that [`send`](Self::send) began.
    pub async fn send_more(&mut self, bytes: &[u8]) -> Result<(), HttpError> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Waits for the whole answer to the request that was sent.
    pub async fn receive(&mut self) -> Result<Answer<'_>, HttpError> {
        let head = self.read_head().await?;
        self.closes = head.closes;
        let whole = head.head_len + head.body_len;
        self.inbox.reserve(whole.saturating_sub(self.inbox.len()));
        while self.inbox.len() < whole {
            self.read_more().await?;
        }
        let body = &self.inbox[head.head_len..whole];
        Ok(Answer { status: head.status, body, closes: head.closes })
    }

    async fn read_head(&mut self) -> Result<Head, HttpError> {
        loop {
            self.read_more().await?;
            if let Some(head) = parse_head(&self.inbox)? {
                return Ok(head);
            }
        }
    }

    async fn read_more(&mut self) -> Result<(), HttpError> {
        match self.stream.read_buf(&mut self.inbox).await? {
            0 => Err(HttpError::Closed),
            _ => Ok(()),
        }
    }
}
