//! HTTP and WebSocket as bytes, written independently of the tester's own code, so that a mistake
//! cannot hide by being made on both sides.

use std::io::{Read, Write};
use std::net::TcpStream;

pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) token: String,
    pub(super) body: String,
    query: String,
}

impl Request {
    pub(super) fn query(&self, key: &str) -> Option<&str> {
        self.query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }
}

/// The largest body, in bytes; a client that announces more is disconnected.
const MOST_BYTES: usize = 16 << 20;

pub(super) struct Reader {
    stream: TcpStream,
    inbox: Vec<u8>,
}

impl Reader {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, inbox: Vec::new() }
    }

    /// Reads the next request; `None` when the client has gone.
    pub(super) fn request(&mut self) -> Option<Request> {
        let head_len = loop {
            match self.inbox.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => self.more()?,
            }
        };
        let head = String::from_utf8(self.inbox[..head_len].to_vec()).unwrap();
        let header = |name: &str| {
            let found = head.lines().find_map(|line| line.strip_prefix(name));
            found.map(|value| value.trim().to_owned())
        };
        let body_len = header("Content-Length:").map_or(0, |length| length.parse().unwrap());
        if body_len > MOST_BYTES {
            return None;
        }
        while self.inbox.len() < head_len + body_len {
            self.more()?;
        }
        // Images are not text, and the stub does not look at them.
        let body = &self.inbox[head_len..head_len + body_len];
        let body = String::from_utf8_lossy(body).into_owned();
        self.inbox.drain(..head_len + body_len);
        let mut words = head.split(' ');
        let method = words.next()?.to_owned();
        let target = words.next()?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let token = header("X-Access-Token:").unwrap_or_default();
        Some(Request { method, path: path.to_owned(), query: query.to_owned(), token, body })
    }

    /// Reads token and cursor from the first frame, which is short and masked.
    pub(super) fn hello(&mut self) -> Option<(String, Option<usize>)> {
        while self.inbox.len() < 2 || self.inbox.len() < 6 + usize::from(self.inbox[1] & 0x7f) {
            self.more()?;
        }
        let length = usize::from(self.inbox[1] & 0x7f);
        assert!(length < 126, "hello is short");
        assert_eq!(self.inbox[0], 0x81, "one text frame");
        assert_ne!(self.inbox[1] & 0x80, 0, "clients mask their frames");
        let mask = self.inbox[2..6].to_vec();
        let payload: Vec<u8> = self.inbox[6..6 + length]
            .iter()
            .enumerate()
            .map(|(place, byte)| byte ^ mask[place % 4])
            .collect();
        let hello: serde_json::Value = serde_json::from_slice(&payload).unwrap();
        assert_eq!((hello["t"].as_str(), hello["v"].as_u64()), (Some("hello"), Some(1)));
        let after = hello["after"].as_str().map(|cursor| cursor.parse().unwrap());
        Some((hello["token"].as_str().unwrap().to_owned(), after))
    }

    /// Reads until the client disconnects.
    pub(super) fn drain(&mut self) {
        while self.more().is_some() {
            self.inbox.clear();
        }
    }

    fn more(&mut self) -> Option<()> {
        let mut chunk = [0; 4096];
        match self.stream.read(&mut chunk) {
            Ok(length @ 1..) => {
                self.inbox.extend_from_slice(&chunk[..length]);
                Some(())
            }
            Ok(0) | Err(_) => None,
        }
    }
}

/// Sends bytes; a client that has gone does not matter to the stub.
pub(super) fn write_to(mut stream: &TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap_or_default();
}

pub(super) fn respond(stream: &TcpStream, status: u16, body: &str) {
    let length = body.len();
    write_to(
        stream,
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes(),
    );
}

/// Answers the upgrade. The client's key is the sample of the RFC, so the answer is known.
pub(super) fn upgrade(stream: &TcpStream) {
    let answer = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                  sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-protocol: coterie.push.v1\r\n\r\n";
    write_to(stream, answer.as_bytes());
}

pub(super) fn event(group: usize, n: u64, guid: &str) -> Vec<u8> {
    text(&format!(
        r#"{{"t":"ev","c":"{n}","conv":"g:{group}","n":{n},"type":"line.create","at":1,"data":{{"source_guid":"{guid}"}}}}"#
    ))
}

pub(super) fn text(payload: &str) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap();
    let mut frame = vec![0x81];
    match length {
        0..126 => frame.push(length as u8),
        _ => {
            frame.push(126);
            frame.extend(length.to_be_bytes());
        }
    }
    frame.extend(payload.as_bytes());
    frame
}

/// Posts a message to a bot and ignores the answer.
pub(crate) fn call_back(host: &str, path: &str, id: u64) {
    let body = format!(r#"{{"id":"{id}"}}"#);
    let length = body.len();
    let request = format!("POST /{path} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}");
    if let Ok(mut stream) = TcpStream::connect(host) {
        drop(stream.write_all(request.as_bytes()));
        // Waits until the listener has read it, at most 1 s.
        drop(stream.set_read_timeout(Some(std::time::Duration::from_secs(1))));
        drop(stream.read(&mut [0; 64]));
    }
}
