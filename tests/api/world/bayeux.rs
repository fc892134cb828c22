//! A Bayeux client, by long-polling or on a WebSocket: written from the protocol's text.

use std::collections::{HashSet, VecDeque};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::world::Address;
use crate::world::person::{Person, SOON, text};

/// By what a client talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Polling,
    Socket,
}

/// Both, for tests of what is the same by each.
pub(crate) const BOTH: [Transport; 2] = [Transport::Polling, Transport::Socket];

/// Sends these messages in one request; what comes back is an array with status 200.
pub(crate) async fn posts(address: &Address, messages: &Value) -> Vec<Value> {
    let answer = address.asks("POST", "/faye").json(messages).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    serde_json::from_str(&answer.text).unwrap()
}

/// A socket on which arrays of messages come.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens one at this path.
    pub(crate) async fn open(address: &Address, path: &str) -> Self {
        let url = format!("ws://{}{path}", address.get());
        Self(tokio_tungstenite::connect_async(url).await.unwrap().0)
    }

    /// Says something.
    pub(crate) async fn says(&mut self, messages: &Value) {
        self.0.send(Message::text(messages.to_string())).await.unwrap();
    }

    /// The next array, or the code with which the server closed.
    pub(crate) async fn next(&mut self) -> Result<Vec<Value>, u16> {
        let frame = timeout(SOON, self.0.next()).await.expect("something comes");
        match frame.expect("a socket is closed with a code").unwrap() {
            Message::Text(text) => Ok(serde_json::from_str(&text).unwrap()),
            Message::Close(reason) => Err(reason.unwrap().code.into()),
            other @ (Message::Binary(_)
            | Message::Ping(_)
            | Message::Pong(_)
            | Message::Frame(_)) => panic!("not of the protocol: {other:?}"),
        }
    }

    /// The next array.
    pub(crate) async fn hears(&mut self) -> Vec<Value> {
        self.next().await.unwrap_or_else(|code| panic!("closed with {code}"))
    }
}

/// One `clientId`.
pub(crate) struct Client {
    /// Whose it is.
    pub(crate) person: Person,
    /// The `clientId`.
    pub(crate) id: String,
    socket: Option<Socket>,
    count: u64,
    /// Whether a connect is outstanding on the socket.
    connecting: bool,
    heard: VecDeque<Value>,
    /// What it was told that the server may tell again.
    known: HashSet<String>,
    /// How often it was told something again.
    pub(crate) repeats: usize,
}

impl Client {
    /// One that has shaken hands.
    pub(crate) async fn of(person: &Person, transport: Transport) -> Self {
        let mut client = Self {
            person: person.clone(),
            id: String::new(),
            socket: None,
            count: 0,
            connecting: false,
            heard: VecDeque::new(),
            known: HashSet::new(),
            repeats: 0,
        };
        if transport == Transport::Socket {
            client.takes_a_socket().await;
        }
        client.shakes_hands().await;
        client
    }

    /// One that listens to these channels.
    pub(crate) async fn on(person: &Person, transport: Transport, channels: &[&str]) -> Self {
        let mut client = Self::of(person, transport).await;
        for channel in channels {
            let reply = client.subscribes(channel).await;
            assert_eq!(reply["successful"], true, "{reply}");
        }
        client
    }

    /// One that listens to the channel of its user.
    pub(crate) async fn own(person: &Person, transport: Transport) -> Self {
        Self::on(person, transport, &[&own_channel(person)]).await
    }

    /// Takes a new `clientId`.
    pub(crate) async fn shakes_hands(&mut self) {
        let types = ["long-polling", "websocket"];
        let handshake = json!({
            "channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": types,
        });
        let reply = self.tells(handshake).await;
        assert_eq!(reply["successful"], true, "{reply}");
        text(&reply["clientId"]).clone_into(&mut self.id);
        self.connecting = false;
    }

    /// Goes on over another socket.
    pub(crate) async fn takes_a_socket(&mut self) {
        self.socket = Some(Socket::open(&self.person.address, "/faye").await);
        self.connecting = false;
    }

    /// Goes on by requests.
    pub(crate) fn takes_requests(&mut self) {
        self.socket = None;
        self.connecting = false;
    }

    /// A message with what every message has.
    pub(crate) fn message(&mut self, mut message: Value) -> Value {
        self.count += 1;
        message["id"] = json!(self.count.to_string());
        if !self.id.is_empty() && message["channel"] != "/meta/handshake" {
            message["clientId"] = json!(self.id);
        }
        message
    }

    /// Sends a message; the reply. What else comes is kept.
    pub(crate) async fn tells(&mut self, message: Value) -> Value {
        let message = self.message(message);
        let Some(socket) = &mut self.socket else {
            let messages = posts(&self.person.address, &json!([message])).await;
            return self.takes(messages, &message["id"]).unwrap();
        };
        socket.says(&json!([message])).await;
        loop {
            let messages = self.socket.as_mut().unwrap().hears().await;
            if let Some(reply) = self.takes(messages, &message["id"]) {
                return reply;
            }
        }
    }

    /// Keeps what is told; the reply to this message, if it is among it.
    fn takes(&mut self, messages: Vec<Value>, id: &Value) -> Option<Value> {
        let mut reply = None;
        for (place, message) in messages.into_iter().enumerate() {
            if message["channel"] == "/meta/connect" {
                assert_eq!(place, 0, "the reply to a connect comes first");
                self.connecting = false;
            }
            if message.get("data").is_some() {
                self.heard.push_back(message);
            } else if message["id"] == *id {
                reply = Some(message);
            }
        }
        reply
    }

    /// Subscribes with the token of its person.
    pub(crate) async fn subscribes(&mut self, channel: &str) -> Value {
        self.subscribes_with(channel, json!({"access_token": self.person.token})).await
    }

    /// Subscribes with this `ext`.
    pub(crate) async fn subscribes_with(&mut self, channel: &str, ext: Value) -> Value {
        self.tells(json!({"channel": "/meta/subscribe", "subscription": channel, "ext": ext})).await
    }

    /// Connects for so long; the reply.
    pub(crate) async fn connects(&mut self, millis: u64) -> Value {
        let advice = json!({"timeout": millis});
        let connect = json!({
            "channel": "/meta/connect", "connectionType": "long-polling", "advice": advice,
        });
        self.tells(connect).await
    }

    /// It does not know what it was told: the answer was lost, or the socket broke first.
    pub(crate) fn lost_what_it_was_told(&mut self) {
        self.known.clear();
    }

    /// Whether this is told for the first time. Everything durable may be told again, when an
    /// answer may have been lost; which a client's connections decide, and how busy it is.
    fn is_new(&mut self, message: &Value) -> bool {
        let is_new = message["ext"]["c"].is_null() || self.known.insert(message.to_string());
        self.repeats += usize::from(!is_new);
        is_new
    }

    /// The next message with data that is new to it and no ping, however long it takes.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            while let Some(message) = self.heard.pop_front() {
                if message["data"]["type"] != "ping" && self.is_new(&message) {
                    return message;
                }
            }
            if self.socket.is_none() {
                let reply = self.connects(30_000).await;
                assert_eq!(reply["successful"], true, "{reply}");
                continue;
            }
            if !self.connecting {
                let connect = json!({"channel": "/meta/connect", "connectionType": "websocket"});
                let connect = self.message(connect);
                self.socket.as_mut().unwrap().says(&json!([connect])).await;
                self.connecting = true;
            }
            let messages = self.socket.as_mut().unwrap().hears().await;
            self.takes(messages, &Value::Null);
        }
    }

    /// The next message, which is of this type and on this channel; its data.
    pub(crate) async fn hears_on(&mut self, channel: &str, kind: &str) -> Value {
        let message = self.next().await;
        let told = (text(&message["channel"]), &message["data"]["type"]);
        assert_eq!(told, (channel, &json!(kind)), "{message}");
        message["data"].clone()
    }

    /// The next message, which is this line of a group.
    pub(crate) async fn hears(&mut self, words: &str) -> Value {
        let told = self.hears_on(&own_channel(&self.person.clone()), "line.create").await;
        assert_eq!(told["subject"]["text"], words, "{told}");
        told
    }

    /// What is kept of what was told.
    pub(crate) fn kept(&mut self) -> Vec<Value> {
        self.heard.drain(..).collect()
    }
}

/// The channel of a user.
pub(crate) fn own_channel(person: &Person) -> String {
    format!("/user/{}", person.id)
}
