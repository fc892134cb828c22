//! One WebSocket to a peer, which listens or posts.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;

use super::Peer;
use super::dialect::{Dialect, Said, upgrade};
use crate::guid::Guid;
use crate::ws::frame::{Opcode, encode_masked};
use crate::ws::stream::{FrameStream, StreamError};

/// How long opening a socket may take.
const PATIENCE: Duration = Duration::from_secs(30);
const MASK: [u8; 4] = [3, 5, 7, 9];

/// Why a socket to a peer failed.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    #[error("{peer}: {error}")]
    Stream { peer: &'static str, error: StreamError },
    #[error("{0} said {1}")]
    Refused(&'static str, String),
    #[error("{0} did not answer within 30 s")]
    Slow(&'static str),
}

/// An open socket that is ready to listen or post.
#[derive(Debug)]
pub struct PeerSocket {
    peer: Peer,
    stream: FrameStream,
    dialect: Dialect,
    /// The meanings of received frames that are not yet handled.
    said: VecDeque<Said>,
}

impl PeerSocket {
    /// Opens a socket that listens to a room, or, without one, posts; it is ready when this
    /// returns.
    ///
    /// # Errors
    /// If the connection fails, or the peer refuses or is not ready within 30 s.
    pub async fn open(addr: SocketAddr, peer: Peer, room: Option<&str>) -> Result<Self, PeerError> {
        let opened = tokio::time::timeout(PATIENCE, Self::open_unbounded(addr, peer, room));
        opened.await.unwrap_or(Err(PeerError::Slow(peer.name())))
    }

    async fn open_unbounded(
        addr: SocketAddr,
        peer: Peer,
        room: Option<&str>,
    ) -> Result<Self, PeerError> {
        let failed = |error| PeerError::Stream { peer: peer.name(), error };
        let connect = async {
            let stream = TcpStream::connect(addr).await?;
            stream.set_nodelay(true)?;
            FrameStream::open(stream, addr, upgrade(peer)).await
        };
        let stream = connect.await.map_err(failed)?;
        let dialect = Dialect::new(peer, room);
        let opening = dialect.opening();
        let mut socket = Self { peer, stream, dialect, said: VecDeque::new() };
        if let Some(opening) = opening {
            socket.say(&opening).await?;
        }
        socket.until(&Said::Ready).await?;
        Ok(socket)
    }

    /// Posts a message and waits until the peer acknowledges it.
    ///
    /// # Errors
    /// If the peer refuses, or the connection ends.
    pub async fn post(&mut self, room: &str, guid: Guid, text: &str) -> Result<(), PeerError> {
        let frame = self.dialect.post(room, guid, text);
        self.say(&frame).await?;
        self.until(&Said::Taken).await
    }

    /// Waits for the next message that is delivered.
    ///
    /// # Errors
    /// If the peer refuses something, or the connection ends.
    pub async fn delivered(&mut self) -> Result<Guid, PeerError> {
        loop {
            match self.next().await? {
                Said::Delivered(guid) => return Ok(guid),
                Said::Refused(frame) => return Err(PeerError::Refused(self.peer.name(), frame)),
                Said::Ready | Said::Taken | Said::Other => {}
            }
        }
    }

    async fn until(&mut self, wanted: &Said) -> Result<(), PeerError> {
        loop {
            match self.next().await? {
                Said::Refused(frame) => return Err(PeerError::Refused(self.peer.name(), frame)),
                said if said == *wanted => return Ok(()),
                Said::Ready | Said::Delivered(_) | Said::Taken | Said::Other => {}
            }
        }
    }

    async fn next(&mut self) -> Result<Said, PeerError> {
        loop {
            if let Some(said) = self.said.pop_front() {
                return Ok(said);
            }
            let replies = self.read().await.map_err(|error| self.failed(error))?;
            for reply in replies {
                self.say(&reply).await?;
            }
        }
    }

    /// Reads once, queues the meaning of every frame, and returns the frames to send in return.
    async fn read(&mut self) -> Result<Vec<String>, StreamError> {
        let Self { stream, dialect, said, .. } = self;
        let mut replies = Vec::new();
        let take = |opcode, payload: &[u8]| {
            match opcode {
                Opcode::Text => said.push_back(dialect.hear(payload, &mut replies)),
                Opcode::Close => return Err(StreamError::closed(payload)),
                // The peers send heartbeats inside their own protocols, not as WebSocket pings.
                Opcode::Binary | Opcode::Ping | Opcode::Pong => {}
            }
            Ok(())
        };
        stream.read(take).await?;
        Ok(replies)
    }

    async fn say(&mut self, frame: &str) -> Result<(), PeerError> {
        let frame = encode_masked(Opcode::Text, frame.as_bytes(), MASK);
        self.stream.send(&frame).await.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: StreamError) -> PeerError {
        PeerError::Stream { peer: self.peer.name(), error }
    }
}
