//! The upgrade of a connection to a WebSocket.

use std::net::SocketAddr;

pub const SUBPROTOCOL: &str = "coterie.push.v1";

/// The sample key of RFC 6455, section 1.3: its answer is known, so neither side needs SHA-1. The
/// key protects caches between machines, and there are none here.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
pub const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// Why the upgrade to a WebSocket failed.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    #[error("the upgrade was answered with HTTP {status}: {body}")]
    Refused { status: u16, body: String },
    #[error("the upgrade was answered with something that is not HTTP: {0}")]
    Malformed(#[from] httparse::Error),
    #[error("the answer to the upgrade has no valid {0}")]
    Header(&'static str),
}

/// The path and subprotocol that the client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upgrade {
    pub path: &'static str,
    /// Absent for servers that do not name theirs.
    pub subprotocol: Option<&'static str>,
}

/// The endpoint of Coterie's push protocol.
pub const PUSH: Upgrade = Upgrade { path: "/v3/push", subprotocol: Some(SUBPROTOCOL) };

impl Upgrade {
    pub fn request(self, host: SocketAddr) -> Vec<u8> {
        let protocol = self.subprotocol.map(|it| format!("Sec-WebSocket-Protocol: {it}\r\n"));
        format!(
            "GET {} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n{}\r\n",
            self.path,
            protocol.unwrap_or_default()
        )
        .into_bytes()
    }

    /// Parses the answer; returns the length of its head, which frames follow, or `None` while it
    /// is incomplete.
    pub fn parse_answer(self, bytes: &[u8]) -> Result<Option<usize>, UpgradeError> {
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut answer = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(head_len) = answer.parse(bytes)? else {
            return Ok(None);
        };
        let status = answer.code.unwrap_or(0);
        if status != 101 {
            let body = String::from_utf8_lossy(&bytes[head_len..]).into_owned();
            return Err(UpgradeError::Refused { status, body });
        }
        expect(answer.headers, "Sec-WebSocket-Accept", ACCEPT)?;
        if let Some(subprotocol) = self.subprotocol {
            expect(answer.headers, "Sec-WebSocket-Protocol", subprotocol)?;
        }
        Ok(Some(head_len))
    }
}

fn expect(
    headers: &[httparse::Header<'_>],
    name: &'static str,
    value: &str,
) -> Result<(), UpgradeError> {
    let found = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    match found {
        Some(header) if header.value == value.as_bytes() => Ok(()),
        _ => Err(UpgradeError::Header(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(accept: &str, protocol: &str) -> Vec<u8> {
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-accept: {accept}\r\nsec-websocket-protocol: {protocol}\r\n\r\n"
        )
        .into_bytes()
    }

    #[test]
    fn a_right_answer_is_taken_and_frames_may_follow_at_once() {
        let mut bytes = answer(ACCEPT, SUBPROTOCOL);
        let head_len = bytes.len();
        bytes.extend_from_slice(b"frames");
        assert_eq!(PUSH.parse_answer(&bytes).unwrap(), Some(head_len));
        assert_eq!(PUSH.parse_answer(&bytes[..head_len - 1]).unwrap(), None);
    }

    #[test]
    fn handshake_without_protocol_requests_none() {
        let plain = Upgrade { path: "/chat", subprotocol: None };
        let asked =
            String::from_utf8(plain.request(SocketAddr::from(([127, 0, 0, 1], 80)))).unwrap();
        assert!(
            asked.starts_with("GET /chat HTTP/1.1\r\n") && asked.ends_with("=\r\n\r\n"),
            "{asked}"
        );
        assert!(!asked.contains("Protocol"), "{asked}");
        assert!(plain.parse_answer(&answer(ACCEPT, "any")).unwrap().is_some());
    }

    #[test]
    fn wrong_answers_are_named() {
        let wrong = PUSH.parse_answer(&answer("AAAA", SUBPROTOCOL));
        assert!(matches!(wrong, Err(UpgradeError::Header("Sec-WebSocket-Accept"))));
        let wrong = PUSH.parse_answer(&answer(ACCEPT, "chat"));
        assert!(matches!(wrong, Err(UpgradeError::Header("Sec-WebSocket-Protocol"))));
        let refused = PUSH.parse_answer(b"HTTP/1.1 403 Forbidden\r\n\r\nno");
        assert!(matches!(refused, Err(UpgradeError::Refused { status: 403, .. })));
    }
}
