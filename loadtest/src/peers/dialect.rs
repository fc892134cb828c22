//! The protocol on the WebSocket of a peer: the text frames to send, and the meaning of those
//! received.
//!
//! For Socket.IO it is protocol 5 over Engine.IO 4, for Faye Bayeux 1.0; no more of either than the
//! peer's own clients send for the same purpose.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;

use super::Peer;
use crate::guid::Guid;
use crate::ws::handshake::Upgrade;

/// The client's side of one socket.
#[derive(Debug)]
pub struct Dialect {
    peer: Peer,
    /// The room that the socket listens to, if it listens.
    room: Option<String>,
    /// The client id that Faye assigns in its handshake; empty before.
    client_id: String,
}

/// The meaning of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// From now on every message is delivered, and posts are accepted.
    Ready,
    Delivered(Guid),
    /// The peer acknowledged the last post.
    Taken,
    /// Nothing that a load needs.
    Other,
    /// The peer refused something, or the frame is not understood; the whole frame.
    Refused(String),
}

static GUID: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"source_guid\":\""));

/// Returns the WebSocket endpoint of a peer.
pub fn upgrade(peer: Peer) -> Upgrade {
    let path = match peer {
        Peer::SocketIo => "/socket.io/?EIO=4&transport=websocket",
        Peer::Faye => "/faye",
    };
    Upgrade { path, subprotocol: None }
}

impl Dialect {
    /// Creates the dialect of a socket that listens to a room, or, without one, posts.
    pub fn new(peer: Peer, room: Option<&str>) -> Self {
        Self { peer, room: room.map(str::to_owned), client_id: String::new() }
    }

    /// Returns the first frame to send, if the client speaks first.
    pub fn opening(&self) -> Option<String> {
        match self.peer {
            Peer::SocketIo => None,
            Peer::Faye => Some(
                r#"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["websocket"]}]"#
                    .to_owned(),
            ),
        }
    }

    /// Returns the frame that posts a message into a room.
    pub fn post(&self, room: &str, guid: Guid, text: &str) -> String {
        let (guid, Self { client_id, .. }) = (guid.text(), self);
        let message = format!(r#"{{"source_guid":"{guid}","text":"{text}"}}"#);
        match self.peer {
            Peer::SocketIo => format!(r#"421["post","{room}",{message}]"#),
            Peer::Faye => {
                format!(
                    r#"[{{"channel":"/{room}","data":{message},"clientId":"{client_id}","id":"1"}}]"#
                )
            }
        }
    }

    /// Returns the meaning of a frame, and adds the frames to send in return to `replies`.
    pub fn hear(&mut self, payload: &[u8], replies: &mut Vec<String>) -> Said {
        if let Some(guid) = guid_in(payload) {
            return Said::Delivered(guid);
        }
        let said = match self.peer {
            Peer::SocketIo => self.hear_socket_io(payload, replies),
            Peer::Faye => self.hear_faye(payload, replies),
        };
        said.unwrap_or_else(|| Said::Refused(String::from_utf8_lossy(payload).into_owned()))
    }

    fn hear_socket_io(&self, payload: &[u8], replies: &mut Vec<String>) -> Option<Said> {
        match payload {
            // Engine.IO's handshake, answered by a request to connect to the default namespace.
            [b'0', ..] => replies.push("40".to_owned()),
            [b'2', ..] => replies.push("3".to_owned()),
            [b'4', b'0', ..] => match &self.room {
                None => return Some(Said::Ready),
                Some(room) => replies.push(format!(r#"420["join","{room}"]"#)),
            },
            [b'4', b'3', b'0', ..] => return Some(Said::Ready),
            [b'4', b'3', b'1', ..] => return Some(Said::Taken),
            _ => return None,
        }
        Some(Said::Other)
    }

    fn hear_faye(&mut self, payload: &[u8], replies: &mut Vec<String>) -> Option<Said> {
        let mut meant = Said::Other;
        let answers: Vec<Answer<'_>> = serde_json::from_slice(payload).ok()?;
        for answer in answers {
            if !answer.successful {
                return None;
            }
            match answer.channel {
                "/meta/handshake" => {
                    self.client_id = answer.client_id?.to_owned();
                    replies.push(self.connect());
                    match &self.room {
                        None => meant = Said::Ready,
                        Some(room) => replies.push(self.subscribe(room)),
                    }
                }
                // A long poll has ended: the client sends the next one, for as long as it lives.
                "/meta/connect" => replies.push(self.connect()),
                "/meta/subscribe" => meant = Said::Ready,
                _ => meant = Said::Taken,
            }
        }
        Some(meant)
    }

    fn connect(&self) -> String {
        let id = &self.client_id;
        format!(r#"[{{"channel":"/meta/connect","clientId":"{id}","connectionType":"websocket"}}]"#)
    }

    fn subscribe(&self, room: &str) -> String {
        let id = &self.client_id;
        format!(r#"[{{"channel":"/meta/subscribe","clientId":"{id}","subscription":"/{room}"}}]"#)
    }
}

fn guid_in(payload: &[u8]) -> Option<Guid> {
    let after = GUID.find(payload)? + GUID.needle().len();
    Guid::parse(payload.get(after..after + Guid::LEN)?)
}

/// A Bayeux message from the server.
#[derive(Deserialize)]
struct Answer<'a> {
    channel: &'a str,
    #[serde(rename = "clientId")]
    client_id: Option<&'a str>,
    #[serde(default)]
    successful: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUID: Guid = Guid { run: 1, sender: 2, number: 3 };

    fn hears(dialect: &mut Dialect, frame: &str) -> (Said, Vec<String>) {
        let mut replies = Vec::new();
        (dialect.hear(frame.as_bytes(), &mut replies), replies)
    }

    #[test]
    fn a_listener_of_socket_io_comes_in_and_joins() {
        let mut dialect = Dialect::new(Peer::SocketIo, Some("room1"));
        assert_eq!(dialect.opening(), None);
        assert_eq!(hears(&mut dialect, r#"0{"sid":"x"}"#), (Said::Other, vec!["40".to_owned()]));
        let (said, replies) = hears(&mut dialect, r#"40{"sid":"y"}"#);
        assert_eq!((said, &replies[0][..]), (Said::Other, r#"420["join","room1"]"#));
        assert_eq!(hears(&mut dialect, "430[]").0, Said::Ready);
        assert_eq!(hears(&mut dialect, "2"), (Said::Other, vec!["3".to_owned()]));
        let event =
            r#"42["message",{"id":"1","source_guid":"lt00000001-0002-00000003","text":"a"}]"#;
        assert_eq!(hears(&mut dialect, event).0, Said::Delivered(GUID));
    }

    #[test]
    fn socket_io_sender_receives_acknowledgements() {
        let mut dialect = Dialect::new(Peer::SocketIo, None);
        assert_eq!(hears(&mut dialect, r#"40{"sid":"y"}"#).0, Said::Ready);
        let post = dialect.post("room1", GUID, "hello");
        assert_eq!(
            post,
            r#"421["post","room1",{"source_guid":"lt00000001-0002-00000003","text":"hello"}]"#
        );
        assert_eq!(hears(&mut dialect, "431[]").0, Said::Taken);
        assert!(matches!(hears(&mut dialect, r#"44{"message":"no"}"#).0, Said::Refused(_)));
    }

    #[test]
    fn a_listener_of_faye_shakes_hands_and_subscribes() {
        let mut dialect = Dialect::new(Peer::Faye, Some("room1"));
        assert!(dialect.opening().unwrap().contains("/meta/handshake"));
        let shaken = r#"[{"channel":"/meta/handshake","successful":true,"clientId":"abc"}]"#;
        let (said, replies) = hears(&mut dialect, shaken);
        assert_eq!((said, replies.len()), (Said::Other, 2));
        assert!(replies[1].contains(r#""clientId":"abc","subscription":"/room1""#), "{replies:?}");
        let subscribed = r#"[{"channel":"/meta/subscribe","successful":true,"clientId":"abc"}]"#;
        assert_eq!(hears(&mut dialect, subscribed).0, Said::Ready);
        let event = r#"[{"channel":"/room1","data":{"source_guid":"lt00000001-0002-00000003"}}]"#;
        assert_eq!(hears(&mut dialect, event).0, Said::Delivered(GUID));
        let (said, replies) =
            hears(&mut dialect, r#"[{"channel":"/meta/connect","successful":true}]"#);
        assert_eq!((said, replies.len()), (Said::Other, 1));
    }

    #[test]
    fn faye_sender_receives_acknowledgements_and_errors() {
        let mut dialect = Dialect::new(Peer::Faye, None);
        let shaken = r#"[{"channel":"/meta/handshake","successful":true,"clientId":"abc"}]"#;
        assert_eq!(hears(&mut dialect, shaken).0, Said::Ready);
        let post: serde_json::Value =
            serde_json::from_str(&dialect.post("room1", GUID, "hello")).unwrap();
        assert_eq!((&post[0]["channel"], &post[0]["clientId"]), (&"/room1".into(), &"abc".into()));
        let taken = r#"[{"id":"1","channel":"/room1","successful":true}]"#;
        assert_eq!(hears(&mut dialect, taken).0, Said::Taken);
        let refused =
            r#"[{"channel":"/room1","successful":false,"error":"401:abc:Unknown client"}]"#;
        assert!(matches!(hears(&mut dialect, refused).0, Said::Refused(_)));
    }
}
