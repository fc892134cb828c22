//! A WebSocket as its client sees it: one frame after another, each checked.

use std::collections::VecDeque;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream};

use crate::world::Address;
use crate::world::framed;
use crate::world::person::{Person, SOON, text};

/// An open socket, frame by frame.
pub(crate) struct Socket(pub(crate) WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a socket with these headers; fails if the server refuses the upgrade.
    pub(crate) async fn open(
        address: &Address,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Error> {
        let url = address.socket_url("/v3/push");
        let mut request = url.into_client_request().unwrap();
        let protocol = ("Sec-WebSocket-Protocol", "coterie.push.v1");
        for (name, value) in headers.iter().copied().chain([protocol]) {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let tls = address.tls.clone().map(Connector::Rustls);
        let opened = tokio_tungstenite::connect_async_tls_with_config(request, None, false, tls);
        Ok(Self(opened.await?.0))
    }

    /// Sends a JSON frame of the protocol.
    pub(crate) async fn tells(&mut self, frame: &Value) {
        self.sends(Message::text(frame.to_string())).await;
    }

    /// Sends a WebSocket frame of any kind.
    pub(crate) async fn sends(&mut self, frame: Message) {
        self.0.send(frame).await.unwrap();
    }

    /// Returns the next frame, or the code with which the server closed the socket.
    pub(crate) async fn next(&mut self) -> Result<Value, u16> {
        let frame = tokio::time::timeout(SOON, self.0.next()).await.expect("a frame comes");
        match frame.expect("a socket is closed with a code") {
            Ok(Message::Text(text)) => {
                let frame = serde_json::from_str(&text).unwrap();
                framed::hold(&frame);
                Ok(frame)
            }
            Ok(Message::Close(reason)) => {
                Err(reason.map_or(CloseCode::Status, |it| it.code).into())
            }
            other => panic!("not a frame of the protocol: {other:?}"),
        }
    }

    /// Asserts the kind (`t`) of the next frame and returns the frame.
    pub(crate) async fn hears(&mut self, t: &str) -> Value {
        let frame = self.next().await.unwrap_or_else(|code| panic!("closed with {code}"));
        assert_eq!(frame["t"], t, "{frame}");
        frame
    }

    /// Reads until the server closes the socket; returns the close code.
    pub(crate) async fn ends(&mut self) -> u16 {
        loop {
            if let Err(code) = self.next().await {
                return code;
            }
        }
    }
}

/// A socket that has said `hello` and received `synced`.
pub(crate) struct Feed {
    /// The socket itself.
    pub(crate) socket: Socket,
    /// The `welcome` frame.
    pub(crate) welcome: Value,
    /// The user whose socket it is.
    person: Person,
    /// Replayed events that the test has not read yet.
    replayed: VecDeque<Value>,
    /// The `reset` frame, if the server sent one.
    pub(crate) reset: Option<Value>,
    /// The cursor of `synced`, or of the newest event whose type was asserted since.
    pub(crate) cursor: String,
}

impl Feed {
    /// Opens a socket, says `hello` and waits for `synced`.
    pub(crate) async fn of(person: &Person, after: Option<&str>) -> Self {
        let mut socket = person.connects().await;
        let hello = match after {
            Some(cursor) => json!({"t": "hello", "v": 1, "after": cursor}),
            None => json!({"t": "hello", "v": 1}),
        };
        socket.tells(&hello).await;
        let welcome = socket.hears("welcome").await;
        let cursor = text(&welcome["c"]).to_owned();
        let mut feed = Self {
            socket,
            welcome,
            person: person.clone(),
            replayed: VecDeque::new(),
            reset: None,
            cursor,
        };
        feed.replays().await;
        feed
    }

    async fn replays(&mut self) {
        loop {
            let frame = self.socket.next().await.unwrap();
            match text(&frame["t"]) {
                "ev" => self.replayed.push_back(frame),
                "reset" => self.reset = Some(frame),
                "synced" => return self.cursor = text(&frame["c"]).to_owned(),
                other => panic!("{other} before synced"),
            }
        }
    }

    /// Returns the next event, replayed or live.
    pub(crate) async fn next(&mut self) -> Value {
        let event = match self.replayed.pop_front() {
            Some(event) => event,
            None => loop {
                let frame = self.socket.next().await;
                let frame = frame.unwrap_or_else(|code| panic!("closed with {code}"));
                match text(&frame["t"]) {
                    "ev" => break frame,
                    "ping" => {}
                    other => panic!("{other} between events: {frame}"),
                }
            },
        };
        check(&event);
        event
    }

    /// Asserts the type of the next event and returns the event.
    pub(crate) async fn hears_of(&mut self, kind: &str) -> Value {
        let event = self.next().await;
        assert_eq!(event["type"], kind, "{event}");
        self.cursor = text(&event["c"]).to_owned();
        event
    }

    /// Asserts that the next event is a message with this text.
    pub(crate) async fn hears(&mut self, words: &str) -> Value {
        let event = self.hears_of("line.create").await;
        assert_eq!(event["data"]["text"], words, "{event}");
        event
    }

    /// Asserts that no event of earlier requests is still to come. The listener creates a group:
    /// that event is committed after all earlier ones, and a socket hears events in the order of
    /// commits, so an event that was still on its way would come first.
    pub(crate) async fn stays_silent(&mut self) {
        let fence = self.person.creates_group("fence").await;
        let event = self.hears_of("membership.create").await;
        assert_eq!(event["conv"], fence.conv(), "{event}");
    }

    /// Reads until the server closes the socket; returns the close code.
    pub(crate) async fn ends(&mut self) -> u16 {
        self.socket.ends().await
    }
}

/// Asserts that an event has the fields that every event has, and no others.
#[track_caller]
fn check(event: &Value) {
    let mut keys: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let is_confidential = text(&event["conv"]).starts_with("m:");
    if is_confidential {
        assert_eq!(keys, ["alert", "at", "c", "conv", "data", "t", "type"], "{event}");
    } else {
        assert_eq!(keys, ["alert", "at", "c", "conv", "data", "n", "t", "type"], "{event}");
        assert!(event["n"].as_u64().is_some_and(|n| n > 0), "{event}");
    }
    assert!(
        event["at"].is_u64() && (event["alert"].is_string() || event["alert"].is_null()),
        "{event}"
    );
}
