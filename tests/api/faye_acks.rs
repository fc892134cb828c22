//! CometD's acknowledgement extension for Bayeux: a client that asked for it says in each connect
//! which response it received last, and gets everything after that again, whatever other signs of a
//! repeat there are.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Socket, Transport, own_channel, posts};
use crate::world::person::{Person, text};

/// A client with the acknowledgement extension.
struct Client {
    person: Person,
    id: Value,
    socket: Option<Socket>,
}

fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|it| it["data"]["subject"]["text"].as_str()).collect()
}

impl Client {
    async fn of(person: &Person, transport: Transport, request: Value) -> Self {
        let mut client = Self { person: person.clone(), id: Value::Null, socket: None };
        if transport == Transport::Socket {
            client.takes_a_socket().await;
        }
        let reply = client
            .says(json!({"channel": "/meta/handshake", "version": "1.0", "ext": {"ack": request},
                "supportedConnectionTypes": ["long-polling", "websocket"]}))
            .await
            .remove(0);
        assert_eq!(reply["ext"], json!({"ack": true}), "{reply}");
        client.id = reply["clientId"].clone();
        let reply = client
            .says(json!({"channel": "/meta/subscribe", "subscription": own_channel(person),
                "ext": {"access_token": person.token}}))
            .await
            .remove(0);
        assert_eq!(reply["successful"], true, "{reply}");
        client
    }

    async fn takes_a_socket(&mut self) {
        self.socket = Some(Socket::open(&self.person.address, "/faye").await);
    }

    /// Sends a message; returns its reply, and the messages that arrive with it.
    async fn says(&mut self, mut message: Value) -> Vec<Value> {
        if !self.id.is_null() {
            message["clientId"] = self.id.clone();
        }
        match &mut self.socket {
            Some(socket) => {
                socket.says(&json!([message])).await;
                // Messages with data come first, each in a frame of its own.
                let mut messages: Vec<Value> = Vec::new();
                while messages.last().is_none_or(|it| it.get("data").is_some()) {
                    messages.extend(socket.hears().await);
                }
                messages.rotate_right(1);
                messages
            }
            None => posts(&self.person.address, &json!([message])).await,
        }
    }

    /// Connects, acknowledging the response with this number; returns the number of the new
    /// response, and the texts in it.
    async fn acknowledges(&mut self, number: u64) -> (u64, Vec<String>) {
        // The connect has no id, so that only the acknowledgement tells whether it is a repeat.
        let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling",
            "ext": {"ack": number}, "advice": {"timeout": 5000}});
        let replies = self.says(connect).await;
        assert_eq!(text(&replies[0]["channel"]), "/meta/connect", "{replies:?}");
        let texts = texts(&replies).into_iter().map(str::to_owned).collect();
        (replies[0]["ext"]["ack"].as_u64().unwrap(), texts)
    }
}

#[tokio::test]
async fn only_unacknowledged_messages_are_resent() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for (transport, request) in BOTH.into_iter().zip([json!(true), json!({"enabled": true})]) {
        let mut client = Client::of(&ana, transport, request).await;
        ana.says(&climbers, "one").await;
        let (first, heard) = client.acknowledges(0).await;
        assert_eq!((first, &heard[..]), (1, &["one".to_owned()][..]));
        // The response may be lost any number of times.
        for number in 2..8 {
            let (next, heard) = client.acknowledges(0).await;
            assert_eq!((next, &heard[..]), (number, &["one".to_owned()][..]));
        }
        ana.says(&climbers, "two").await;
        let (_, heard) = client.acknowledges(7).await;
        assert_eq!(heard, ["two"]);
        // The client comes late, but it acknowledges what it received.
        world.seconds_pass(60);
        ana.says(&climbers, "three").await;
        assert_eq!(client.acknowledges(8).await, (9, vec!["three".to_owned()]));
    }
}

#[tokio::test]
async fn acked_socket_sends_events_in_responses_only() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::of(&ana, Transport::Socket, json!(true)).await;
    for words in ["one", "two"] {
        ana.says(&climbers, words).await;
    }
    // A message outside of the response to a connect would arrive first.
    let (number, heard) = client.acknowledges(0).await;
    assert_eq!(heard, ["one"]);
    let (number, heard) = client.acknowledges(number).await;
    assert_eq!(heard, ["two"]);
    // The socket breaks; a new socket, and then long-polling, go on from what the client
    // acknowledged.
    client.takes_a_socket().await;
    ana.says(&climbers, "three").await;
    let (number, heard) = client.acknowledges(number).await;
    assert_eq!(heard, ["three"]);
    client.socket = None;
    ana.says(&climbers, "four").await;
    assert_eq!(client.acknowledges(number).await.1, ["four"]);
    assert_eq!(client.acknowledges(number).await.1, ["four"]);
}
