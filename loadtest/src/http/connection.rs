//! One kept-alive connection: a request out, its answer in.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::response::{Head, HttpError, parse_head};

/// Larger than the usual answer, so that one read empties the socket: tokio
/// then knows without another call that nothing is left.
const INBOX: usize = 16 * 1024;

/// Servers close idle connections, after 5 s usually.
const STALE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    inbox: Vec<u8>,
    used: Instant,
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
        Ok(Self { stream, inbox: Vec::with_capacity(INBOX), used: Instant::now() })
    }

    /// Whether it was idle for so long that the server may be about to close it.
    pub fn is_stale(&self) -> bool {
        self.used.elapsed() >= STALE
    }

    /// Begins a new one to `addr` if this one is stale.
    pub async fn freshen(&mut self, addr: SocketAddr) -> Result<(), HttpError> {
        if self.is_stale() {
            *self = Self::open(addr).await?;
        }
        Ok(())
    }

    /// Sends one request and waits for its whole answer.
    ///
    /// Without a timeout of its own, since a timer per request is not free:
    /// loads are bounded as a whole, and the set-up wraps its calls.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>, HttpError> {
        self.send(request).await?;
        self.receive().await
    }

    /// The first half of an exchange, for bursts: many requests go out before
    /// the first answer is read.
    pub async fn send(&mut self, request: &[u8]) -> Result<(), HttpError> {
        self.inbox.clear();
        self.used = Instant::now();
        Ok(self.stream.write_all(request).await?)
    }

    /// More of the request that was begun.
    pub async fn send_more(&mut self, bytes: &[u8]) -> Result<(), HttpError> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// The second half of an exchange.
    pub async fn receive(&mut self) -> Result<Answer<'_>, HttpError> {
        let head = self.read_head().await?;
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
