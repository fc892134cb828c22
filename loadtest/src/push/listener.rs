//! One WebSocket that listens: it is opened and kept alive, and every event is passed on.

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::mpsc;

use super::event::{Event, Incoming, NotAFrame, read};
use crate::ws::frame::{FrameError, Opcode, encode_masked};
use crate::ws::handshake;
use crate::ws::stream::{FrameStream, StreamError};

const OPEN_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a socket stopped listening.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    NotAFrame(#[from] NotAFrame),
    #[error("the server sent {0}")]
    Trouble(String),
    #[error("the server sent reset to a socket without a cursor")]
    Reset,
    #[error("a socket was not synced within 30 s")]
    Slow,
}

impl From<std::io::Error> for SocketError {
    fn from(error: std::io::Error) -> Self {
        StreamError::from(error).into()
    }
}

impl From<FrameError> for SocketError {
    fn from(error: FrameError) -> Self {
        StreamError::from(error).into()
    }
}

/// Receives the events of a socket. Called for every delivery, so it must be cheap.
pub trait FrameHandler: Send {
    fn hear(&mut self, event: &Event<'_>);

    fn pinged(&mut self) {}

    /// Called with the length of each text frame, before what the frame contains.
    fn weigh(&mut self, _bytes: usize) {}
}

/// How a socket is opened.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    pub token: String,
    /// The cursor to continue from; from now on if absent.
    pub after: Option<String>,
    /// Whether the receive buffer is so small that the server soon notices a client that does not
    /// read.
    pub narrow: bool,
}

impl Opening {
    /// Opens from now on, with a receive buffer of the usual size.
    pub fn of(token: &str) -> Self {
        Self { token: token.to_owned(), ..Self::default() }
    }

    fn hello(&self) -> String {
        let after = self.after.iter().map(|cursor| format!(r#","after":"{cursor}""#));
        let after: String = after.collect();
        format!(r#"{{"t":"hello","v":1,"token":"{}"{after}}}"#, self.token)
    }

    async fn connect(&self, addr: SocketAddr) -> std::io::Result<TcpStream> {
        let socket = match addr {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        if self.narrow {
            socket.set_recv_buffer_size(NARROW_BYTES)?;
        }
        let stream = socket.connect(addr).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// Bytes of a narrow socket's receive buffer; the kernel may insist on more.
const NARROW_BYTES: u32 = 4096;

#[derive(Debug)]
pub struct Listener<E> {
    stream: FrameStream,
    pub frame_handler: E,
    /// The server had sent everything up to this cursor when the socket became live.
    pub cursor: String,
}

/// What one read brought besides events.
#[derive(Debug, Default)]
struct Heard {
    synced: Option<String>,
    replies: Vec<u8>,
}

static PONG: LazyLock<Vec<u8>> =
    LazyLock::new(|| encode_masked(Opcode::Text, br#"{"t":"pong"}"#, [7, 11, 13, 17]));

impl<E: FrameHandler> Listener<E> {
    /// Connects, says hello and waits until the socket is live.
    pub async fn open(
        addr: SocketAddr,
        how: &Opening,
        frame_handler: E,
    ) -> Result<Self, SocketError> {
        let opened =
            tokio::time::timeout(OPEN_TIMEOUT, Self::open_unbounded(addr, how, frame_handler));
        opened.await.unwrap_or(Err(SocketError::Slow))
    }

    async fn open_unbounded(
        addr: SocketAddr,
        how: &Opening,
        frame_handler: E,
    ) -> Result<Self, SocketError> {
        let stream = FrameStream::open(how.connect(addr).await?, addr, handshake::PUSH).await?;
        let mut listener = Self { stream, frame_handler, cursor: String::new() };
        let hello = encode_masked(Opcode::Text, how.hello().as_bytes(), [3, 5, 7, 9]);
        listener.stream.send(&hello).await?;
        loop {
            if let Some(cursor) = listener.read().await?.synced {
                listener.cursor = cursor;
                return Ok(listener);
            }
        }
    }

    /// Listens until the socket ends, which no load wants, so the result is always an error. Abort
    /// the task to stop listening.
    pub async fn listen(mut self) -> SocketError {
        loop {
            match self.read().await {
                Ok(heard) if heard.replies.is_empty() => {}
                Ok(heard) => {
                    if let Err(error) = self.stream.send(&heard.replies).await {
                        return error.into();
                    }
                }
                Err(error) => return error,
            }
        }
    }

    /// Like [`listen`](Self::listen), and also sends the frames of the push protocol from `outbox`.
    pub async fn converse(mut self, mut outbox: mpsc::Receiver<String>) -> SocketError {
        loop {
            let sent = tokio::select! {
                heard = self.read() => heard.map(|heard| heard.replies),
                Some(frame) = outbox.recv() => {
                    Ok(encode_masked(Opcode::Text, frame.as_bytes(), [11, 3, 9, 1]))
                }
            };
            match sent {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => {
                    if let Err(error) = self.stream.send(&bytes).await {
                        return error.into();
                    }
                }
                Err(error) => return error,
            }
        }
    }

    /// Reads once and handles all frames in the read.
    async fn read(&mut self) -> Result<Heard, SocketError> {
        let Self { stream, frame_handler, .. } = self;
        let mut heard = Heard::default();
        stream.read(|opcode, payload| heard.take(opcode, payload, frame_handler)).await?;
        Ok(heard)
    }
}

impl Heard {
    fn take(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        frame_handler: &mut impl FrameHandler,
    ) -> Result<(), SocketError> {
        match opcode {
            Opcode::Text => self.take_text(payload, frame_handler),
            Opcode::Ping => {
                self.replies.extend(encode_masked(Opcode::Pong, payload, [2, 4, 6, 8]));
                Ok(())
            }
            Opcode::Close => Err(StreamError::closed(payload).into()),
            Opcode::Binary => Err(SocketError::Trouble("a binary frame".to_owned())),
            Opcode::Pong => Ok(()),
        }
    }

    fn take_text(
        &mut self,
        payload: &[u8],
        frame_handler: &mut impl FrameHandler,
    ) -> Result<(), SocketError> {
        frame_handler.weigh(payload.len());
        match read(payload)? {
            Incoming::Event(event) => frame_handler.hear(&event),
            Incoming::Synced(cursor) => self.synced = Some(cursor.to_owned()),
            Incoming::Ping => {
                frame_handler.pinged();
                self.replies.extend_from_slice(&PONG);
            }
            Incoming::Reset => return Err(SocketError::Reset),
            Incoming::Trouble(frame) => return Err(SocketError::Trouble(frame)),
            Incoming::Welcome | Incoming::Other => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Counts {
        events: u32,
        pings: u32,
    }

    impl FrameHandler for Counts {
        fn hear(&mut self, _event: &Event<'_>) {
            self.events += 1;
        }

        fn pinged(&mut self) {
            self.pings += 1;
        }
    }

    #[test]
    fn every_ping_is_answered() {
        let (mut heard, mut frame_handler) = (Heard::default(), Counts::default());
        heard.take(Opcode::Text, br#"{"t":"ping","c":"1"}"#, &mut frame_handler).unwrap();
        heard
            .take(Opcode::Text, br#"{"t":"ev","conv":"g:1","n":1,"data":{}}"#, &mut frame_handler)
            .unwrap();
        assert_eq!((frame_handler.events, frame_handler.pings), (1, 1));
        assert_eq!(heard.replies, *PONG);
    }

    #[test]
    fn a_close_names_its_code() {
        let closed =
            Heard::default().take(Opcode::Close, &4002u16.to_be_bytes(), &mut Counts::default());
        assert!(matches!(closed, Err(SocketError::Stream(StreamError::Closed(4002)))));
        assert!(matches!(StreamError::closed(&[]), StreamError::Closed(1005)));
    }
}
