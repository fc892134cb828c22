//! A WebSocket whose client can send frames that no library would let it send.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use proptest::collection::vec;
use proptest::prelude::*;

use crate::connection::PATIENCE;

/// A WebSocket.
pub(crate) struct Socket {
    stream: TcpStream,
    got: Vec<u8>,
}

/// What a client received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// A text frame.
    Text(String),
    /// A close frame, with its code if it has one.
    Closed(Option<u16>),
    /// The connection ended without a close frame.
    Gone,
}

/// How a text is put into frames.
#[derive(Debug, Clone)]
pub(crate) enum Framing {
    /// In one text frame.
    Whole,
    /// In two fragments, the first one of so many bytes (modulo the length).
    Parts(u16),
    /// After these bytes, which are another frame or none at all.
    After(Vec<u8>),
    /// As a frame with this opcode, which may be undefined.
    Kind(u8),
}

/// Mostly one text frame, sometimes something else.
pub(crate) fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![
        500 => Just(Framing::Whole),
        40 => any::<u16>().prop_map(Framing::Parts),
        2 => (0..16_u8).prop_map(Framing::Kind),
        1 => vec(any::<u8>(), 1..14).prop_map(Framing::After),
    ]
}

fn frame(head: u8, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [1, 2, 3, 4];
    let mut bytes = vec![head];
    match payload.len() {
        length @ 0..126 => bytes.push(0x80 | length as u8),
        length @ 126..0x1_0000 => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

impl Framing {
    /// The bytes of a text in this framing.
    pub(crate) fn bytes(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Whole => frame(0x81, text),
            Self::Parts(at) => {
                let (first, second) = text.split_at(usize::from(*at) % (text.len() + 1));
                [frame(0x01, first), frame(0x80, second)].concat()
            }
            Self::After(bytes) => [bytes.clone(), frame(0x81, text)].concat(),
            Self::Kind(kind) => frame(0x80 | kind, &text[..text.len().min(125)]),
        }
    }

    /// Whether a server may end the connection because of the framing.
    pub(crate) const fn is_odd(&self) -> bool {
        matches!(self, Self::After(_) | Self::Kind(_))
    }
}

impl Socket {
    /// Opens a WebSocket at this path.
    pub(crate) fn open(address: SocketAddr, path: &str) -> Result<Self, String> {
        let mut stream =
            TcpStream::connect(address).map_err(|error| format!("connect: {error}"))?;
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: fuzz\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).map_err(|error| format!("upgrading: {error}"))?;
        let mut socket = Self { stream, got: Vec::new() };
        loop {
            if let Some(end) = socket.got.windows(4).position(|it| it == b"\r\n\r\n") {
                let head: Vec<u8> = socket.got.drain(..end + 4).collect();
                let is_open = head.starts_with(b"HTTP/1.1 101");
                let told = || format!("no upgrade: {}", String::from_utf8_lossy(&head));
                return is_open.then_some(socket).ok_or_else(told);
            }
            if !socket.more()? {
                return Err("no upgrade".to_owned());
            }
        }
    }

    /// Sends bytes. An error is ignored here, since reading will notice that the connection has
    /// ended.
    pub(crate) fn says(&mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes));
    }

    /// Reads the next frame that is not a ping.
    pub(crate) fn hears(&mut self) -> Result<Told, String> {
        loop {
            let Some((kind, payload)) = self.frame() else {
                if self.more()? {
                    continue;
                }
                return Ok(Told::Gone);
            };
            match kind {
                1 => return Ok(Told::Text(String::from_utf8_lossy(&payload).into_owned())),
                8 => {
                    let code = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
                    return Ok(Told::Closed(code));
                }
                _ => {}
            }
        }
    }

    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let (first, second) = (*self.got.first()?, *self.got.get(1)?);
        let (length, begins) = match second & 0x7f {
            126 => {
                let bytes = self.got.get(2..)?.first_chunk()?;
                (usize::from(u16::from_be_bytes(*bytes)), 4)
            }
            127 => {
                let bytes = self.got.get(2..)?.first_chunk()?;
                (u64::from_be_bytes(*bytes) as usize, 10)
            }
            length => (usize::from(length), 2),
        };
        let payload = self.got.get(begins..begins + length)?.to_vec();
        self.got.drain(..begins + length);
        Some((first & 0x0f, payload))
    }

    /// Reads more bytes; returns whether there were some.
    fn more(&mut self) -> Result<bool, String> {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(length) => {
                self.got.extend_from_slice(&piece[..length]);
                Ok(length > 0)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err("the socket says nothing".to_owned())
            }
            // The connection was cut while the server still sent.
            Err(_) => Ok(false),
        }
    }
}
