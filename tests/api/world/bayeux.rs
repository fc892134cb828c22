//! A Bayeux client, over long-polling or a WebSocket, written from the text of the protocol.

use std::collections::{HashSet, VecDeque};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::world::person::{Person, SOON, text};
use crate::world::{Address, World};

/// The transport over which a client talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Polling,
    Socket,
}

/// Both transports, for tests of what is the same over each.
pub(crate) const BOTH: [Transport; 2] = [Transport::Polling, Transport::Socket];

/// Posts these messages in one request and returns the array of replies, which has status 200.
pub(crate) async fn posts(address: &Address, messages: &Value) -> Vec<Value> {
    let answer = address.asks("POST", "/faye").json(messages).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    serde_json::from_str(&answer.text).unwrap()
}

/// A WebSocket on which arrays of messages arrive.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens a WebSocket at this path.
    pub(crate) async fn open(address: &Address, path: &str) -> Self {
        let url = format!("ws://{}{path}", address.get());
        Self(tokio_tungstenite::connect_async(url).await.unwrap().0)
    }

    /// Sends an array of messages.
    pub(crate) async fn says(&mut self, messages: &Value) {
        self.0.send(Message::text(messages.to_string())).await.unwrap();
    }

    /// Returns the next array, or the code with which the server closed the socket.
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

    /// Returns the next array; panics if the server closed the socket.
    pub(crate) async fn hears(&mut self) -> Vec<Value> {
        self.next().await.unwrap_or_else(|code| panic!("closed with {code}"))
    }
}

/// A client session of Bayeux, with its `clientId`.
pub(crate) struct Client {
    /// The user on whose behalf the client subscribes.
    pub(crate) person: Person,
    /// The `clientId` from the handshake.
    pub(crate) id: String,
    socket: Option<Socket>,
    count: u64,
    /// Whether a connect is outstanding on the socket.
    connecting: bool,
    heard: VecDeque<Value>,
    /// The durable messages delivered so far, by which repeated ones are recognized.
    known: HashSet<String>,
    /// The number of messages that were delivered again.
    pub(crate) repeats: usize,
}

impl Client {
    /// Makes a client and shakes hands.
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

    /// Makes a client that has subscribed to these channels.
    pub(crate) async fn on(person: &Person, transport: Transport, channels: &[&str]) -> Self {
        let mut client = Self::of(person, transport).await;
        for channel in channels {
            let reply = client.subscribes(channel).await;
            assert_eq!(reply["successful"], true, "{reply}");
        }
        client
    }

    /// Makes a client that has subscribed to these channels and asks for all types of messages.
    pub(crate) async fn with_all_types(
        person: &Person,
        transport: Transport,
        channels: &[&str],
    ) -> Self {
        let mut client = Self::of(person, transport).await;
        for channel in channels {
            let ext = json!({"access_token": person.token, "types": "all"});
            let reply = client.subscribes_with(channel, ext).await;
            assert_eq!(reply["successful"], true, "{reply}");
        }
        client
    }

    /// Makes a client that has subscribed to the channel of its user.
    pub(crate) async fn own(person: &Person, transport: Transport) -> Self {
        Self::on(person, transport, &[&own_channel(person)]).await
    }

    /// Shakes hands and takes the new `clientId`.
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

    /// Continues over a new WebSocket.
    pub(crate) async fn takes_a_socket(&mut self) {
        self.socket = Some(Socket::open(&self.person.address, "/faye").await);
        self.connecting = false;
    }

    /// Continues over long-polling.
    pub(crate) fn takes_requests(&mut self) {
        self.socket = None;
        self.connecting = false;
    }

    /// Adds to a message the fields that every message has: `id` and `clientId`.
    pub(crate) fn message(&mut self, mut message: Value) -> Value {
        self.count += 1;
        message["id"] = json!(self.count.to_string());
        if !self.id.is_empty() && message["channel"] != "/meta/handshake" {
            message["clientId"] = json!(self.id);
        }
        message
    }

    /// Sends a message and returns its reply; messages with data that arrive meanwhile are kept.
    pub(crate) async fn tells(&mut self, message: Value) -> Value {
        let message = self.message(message);
        let Some(socket) = &mut self.socket else {
            let messages = posts(&self.person.address, &json!([message])).await;
            return self.takes(messages, &message["id"]).unwrap();
        };
        socket.says(&json!([message])).await;
        self.is_replied_to(&message["id"]).await
    }

    /// Returns the reply on the socket to the message with this id; messages with data that arrive
    /// before it are kept.
    async fn is_replied_to(&mut self, id: &Value) -> Value {
        loop {
            let messages = self.socket.as_mut().unwrap().hears().await;
            if let Some(reply) = self.takes(messages, id) {
                return reply;
            }
        }
    }

    /// Keeps the messages with data; returns the reply with this id, if it is among the messages.
    fn takes(&mut self, messages: Vec<Value>, id: &Value) -> Option<Value> {
        let mut reply = None;
        let count = messages.iter().filter(|it| it.get("data").is_some()).count();
        assert!(count <= 1, "a frame or response has one message with data: {messages:?}");
        assert!(self.socket.is_none() || messages.len() == 1, "{messages:?}");
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

    /// Subscribes with the token of the client's person.
    pub(crate) async fn subscribes(&mut self, channel: &str) -> Value {
        self.subscribes_with(channel, json!({"access_token": self.person.token})).await
    }

    /// Subscribes with this `ext`.
    pub(crate) async fn subscribes_with(&mut self, channel: &str, ext: Value) -> Value {
        self.tells(json!({"channel": "/meta/subscribe", "subscription": channel, "ext": ext})).await
    }

    /// Sends a connect whose timeout is this many milliseconds; returns the reply.
    pub(crate) async fn connects(&mut self, millis: u64) -> Value {
        let advice = json!({"timeout": millis});
        let connect = json!({
            "channel": "/meta/connect", "connectionType": "long-polling", "advice": advice,
        });
        self.tells(connect).await
    }

    /// Sends a connect that brings nothing, and does this once the server holds the connect; returns
    /// the reply to the connect.
    pub(crate) async fn waits_while(
        &mut self,
        world: &World,
        does: impl Future<Output = ()>,
    ) -> Value {
        if self.socket.is_none() {
            let does = async {
                world.holds("held_requests", 1).await;
                does.await;
            };
            return tokio::join!(self.connects(30_000), does).0;
        }
        let connect = json!({"channel": "/meta/connect", "connectionType": "websocket"});
        let connect = self.message(connect);
        self.socket.as_mut().unwrap().says(&json!([connect])).await;
        // The messages of a socket are taken in their order.
        let channel = own_channel(&self.person);
        assert_eq!(self.subscribes(&channel).await["successful"], true);
        does.await;
        self.is_replied_to(&connect["id"]).await
    }

    /// Forgets which messages were delivered, as if the response was lost or the socket broke
    /// first.
    pub(crate) fn lost_what_it_was_told(&mut self) {
        self.known.clear();
    }

    /// Whether this message is delivered for the first time. The server may deliver a durable
    /// message (one with a cursor in `ext.c`) again when a response may have been lost; whether it
    /// does depends on the client's connections and on how busy the server is.
    fn is_new(&mut self, message: &Value) -> bool {
        let is_new = message["ext"]["c"].is_null() || self.known.insert(message.to_string());
        self.repeats += usize::from(!is_new);
        is_new
    }

    /// Returns the next message with data that is neither a repeat nor a ping, however long it
    /// takes.
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

    /// Asserts the type and the channel of the next message; returns its data.
    pub(crate) async fn hears_on(&mut self, channel: &str, kind: &str) -> Value {
        let message = self.next().await;
        let told = (text(&message["channel"]), &message["data"]["type"]);
        assert_eq!(told, (channel, &json!(kind)), "{message}");
        message["data"].clone()
    }

    /// Asserts that the next message is this line of a group; returns its data.
    pub(crate) async fn hears(&mut self, words: &str) -> Value {
        let told = self.hears_on(&own_channel(&self.person.clone()), "line.create").await;
        assert_eq!(told["subject"]["text"], words, "{told}");
        told
    }

    /// Takes out all messages that were kept and not looked at yet.
    pub(crate) fn kept(&mut self) -> Vec<Value> {
        self.heard.drain(..).collect()
    }
}

/// The name of a user's channel.
pub(crate) fn own_channel(person: &Person) -> String {
    format!("/user/{}", person.id)
}
