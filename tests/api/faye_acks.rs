//! CometD's acknowledgements over Bayeux: a client that wishes so says with each connect
//! up to which answer it has come, and hears the rest again, whatever else it looks like.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Socket, Transport, own_channel, posts};
use crate::world::person::{Person, text};

/// A client that acknowledges.
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

    /// Says something; the array that comes then.
    async fn says(&mut self, mut message: Value) -> Vec<Value> {
        if !self.id.is_null() {
            message["clientId"] = self.id.clone();
        }
        match &mut self.socket {
            Some(socket) => {
                socket.says(&json!([message])).await;
                socket.hears().await
            }
            None => posts(&self.person.address, &json!([message])).await,
        }
    }

    /// Connects, having come up to this answer. The number of the next one, and its lines.
    async fn acknowledges(&mut self, number: u64) -> (u64, Vec<String>) {
        // Without an id, so that only the acknowledgement says anything.
        let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling",
            "ext": {"ack": number}, "advice": {"timeout": 5000}});
        let replies = self.says(connect).await;
        assert_eq!(text(&replies[0]["channel"]), "/meta/connect", "{replies:?}");
        let texts = texts(&replies).into_iter().map(str::to_owned).collect();
        (replies[0]["ext"]["ack"].as_u64().unwrap(), texts)
    }
}

#[tokio::test]
async fn what_is_not_acknowledged_comes_again_and_what_is_does_not() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    for (transport, request) in BOTH.into_iter().zip([json!(true), json!({"enabled": true})]) {
        let mut client = Client::of(&ana, transport, request).await;
        ana.says(&climbers, "one").await;
        let (first, heard) = client.acknowledges(0).await;
        assert_eq!((first, &heard[..]), (1, &["one".to_owned()][..]));
        // Lost, as often as it likes.
        for number in 2..8 {
            let (next, heard) = client.acknowledges(0).await;
            assert_eq!((next, &heard[..]), (number, &["one".to_owned()][..]));
        }
        ana.says(&climbers, "two").await;
        let (_, heard) = client.acknowledges(7).await;
        assert_eq!(heard, ["two"]);
        // It is late, and has got it all the same.
        world.seconds_pass(60);
        ana.says(&climbers, "three").await;
        assert_eq!(client.acknowledges(8).await, (9, vec!["three".to_owned()]));
    }
}

#[tokio::test]
async fn on_a_socket_nothing_is_told_but_in_answers_and_another_transport_goes_on() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let mut client = Client::of(&ana, Transport::Socket, json!(true)).await;
    for words in ["one", "two"] {
        ana.says(&climbers, words).await;
    }
    // What is said outside of a connect would be the first thing to come.
    let (number, heard) = client.acknowledges(0).await;
    assert_eq!(heard, ["one", "two"]);
    // The socket breaks; another one, and then requests, go on where the client stands.
    client.takes_a_socket().await;
    ana.says(&climbers, "three").await;
    let (number, heard) = client.acknowledges(number).await;
    assert_eq!(heard, ["three"]);
    client.socket = None;
    ana.says(&climbers, "four").await;
    assert_eq!(client.acknowledges(number).await.1, ["four"]);
    assert_eq!(client.acknowledges(number).await.1, ["four"]);
}
