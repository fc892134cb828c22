//! One WebSocket connection: the upgrade, then frames in and out.

use std::cell::RefCell;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

use super::frame::{FrameError, Opcode, Remainder};
use super::handshake::{Upgrade, UpgradeError};

/// Why a socket delivers no more frames.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("a socket failed: {0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Upgrade(#[from] UpgradeError),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("the server cut a socket")]
    Cut,
    #[error("the server closed a socket with code {0}")]
    Closed(u16),
}

impl StreamError {
    /// Makes the error for a close frame; 1005 is the code for "none was given".
    pub fn closed(payload: &[u8]) -> Self {
        Self::Closed(payload.first_chunk().map_or(1005, |code| u16::from_be_bytes(*code)))
    }
}

/// An open WebSocket.
#[derive(Debug)]
pub struct FrameStream {
    stream: TcpStream,
    remainder: Remainder,
    /// Bytes that came after the answer to the upgrade, in the same read.
    early: Vec<u8>,
}

thread_local! {
    /// One buffer for all sockets of a thread: each read is handled before the next begins.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; 64 * 1024]);
}

impl FrameStream {
    /// Requests the upgrade on a connection to `addr`.
    ///
    /// # Errors
    /// If the upgrade is refused, or the connection ends.
    pub async fn open(
        mut stream: TcpStream,
        addr: SocketAddr,
        upgrade: Upgrade,
    ) -> Result<Self, StreamError> {
        stream.write_all(&upgrade.request(addr)).await?;
        let mut inbox = Vec::with_capacity(1024);
        loop {
            if stream.read_buf(&mut inbox).await? == 0 {
                return Err(StreamError::Cut);
            }
            if let Some(head_len) = upgrade.parse_answer(&inbox)? {
                let early = inbox.split_off(head_len);
                return Ok(Self { stream, remainder: Remainder::default(), early });
            }
        }
    }

    /// Sends whole frames.
    ///
    /// # Errors
    /// If the connection has ended.
    pub async fn send(&mut self, frames: &[u8]) -> Result<(), StreamError> {
        Ok(self.stream.write_all(frames).await?)
    }

    /// Reads once and passes all frames in the read to `take`. Uses `poll_read` rather than
    /// `try_read`: after a short read tokio knows that the socket is empty and does not ask again.
    ///
    /// # Errors
    /// If the connection ends, a frame is invalid, or `take` returns an error.
    pub async fn read<E: From<StreamError> + From<FrameError>>(
        &mut self,
        mut take: impl FnMut(Opcode, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { stream, remainder, early } = self;
        if !early.is_empty() {
            return remainder.feed(&std::mem::take(early), take);
        }
        poll_fn(|context| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut buffer = ReadBuf::new(scratch);
                let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer));
                read.map_err(StreamError::from)?;
                if buffer.filled().is_empty() {
                    return Poll::Ready(Err(StreamError::Cut.into()));
                }
                Poll::Ready(remainder.feed(buffer.filled(), &mut take))
            })
        })
        .await
    }
}
