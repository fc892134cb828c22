//! A model of the known clients of `/faye`: with constant, absent and growing ids, over both
//! transports, with kept and new connections, and across restarts. Each gets everything once and in
//! order, one message at a time.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::world::World;
use crate::world::bayeux::{BOTH, Socket, Transport, own_channel, posts};
use crate::world::person::{Group, Person, text};

/// How a client numbers its messages.
#[derive(Debug, Clone, Copy)]
enum Ids {
    Constant,
    Absent,
    Growing,
    Text,
}

/// A client that reads one message with data per response or frame, and no more.
struct Model {
    person: Person,
    group: String,
    ids: Ids,
    count: u64,
    client: Value,
    socket: Option<Socket>,
    /// Whether the server holds a `/meta/connect` of the socket; it may do so for half a minute.
    connects: bool,
    cursor: Option<String>,
    received: Vec<String>,
}

impl Model {
    async fn starts(&mut self, transport: Transport) {
        self.client = Value::Null;
        self.connects = false;
        self.socket = match transport {
            Transport::Socket => Some(Socket::open(&self.person.address, "/faye").await),
            Transport::Polling => None,
        };
        let types = ["long-polling", "websocket"];
        let reply = self
            .tells(json!({"channel": "/meta/handshake", "version": "1.0",
                "supportedConnectionTypes": types}))
            .await;
        assert_eq!(reply["successful"], true, "{reply}");
        self.client = reply["clientId"].clone();
        let mut ext = json!({"access_token": self.person.token});
        if let Some(cursor) = &self.cursor {
            ext["after"] = json!(cursor);
        }
        let channels = [own_channel(&self.person), self.group.clone()];
        let subscribe = json!({"channel": "/meta/subscribe", "subscription": channels, "ext": ext});
        let reply = self.tells(subscribe).await;
        assert_eq!(reply["successful"], true, "{reply}");
    }

    /// Sends a message; takes what arrives until the reply, which it returns.
    async fn tells(&mut self, message: Value) -> Value {
        let channel = message["channel"].clone();
        let message = self.numbered(message);
        let Some(socket) = &mut self.socket else {
            let mut messages = posts(&self.person.address, &json!([message])).await;
            let reply = messages.remove(0);
            assert_eq!(reply["channel"], channel, "the reply comes first");
            assert!(messages.len() <= 1, "{messages:?}");
            messages.iter().for_each(|message| self.takes(message));
            return reply;
        };
        socket.says(&json!([message])).await;
        loop {
            let message = self.hears().await;
            if message["channel"] == channel {
                return message;
            }
            self.takes(&message);
        }
    }

    /// The next message on the socket.
    async fn hears(&mut self) -> Value {
        let mut messages = self.socket.as_mut().expect("it is open").hears().await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        messages.remove(0)
    }

    fn numbered(&mut self, mut message: Value) -> Value {
        self.count += 1;
        match self.ids {
            Ids::Constant => message["id"] = json!("4"),
            Ids::Absent => {}
            Ids::Growing => message["id"] = json!(self.count),
            Ids::Text => message["id"] = json!(self.count.to_string()),
        }
        if !self.client.is_null() {
            message["clientId"] = self.client.clone();
        }
        message
    }

    fn takes(&mut self, message: &Value) {
        let data = &message["data"];
        if data["type"] == "ping" {
            return;
        }
        if let Some(cursor) = message["ext"]["c"].as_str() {
            self.cursor = Some(cursor.to_owned());
        }
        let words = match text(&data["type"]) {
            "line.create" => &data["subject"]["text"],
            "favorite" | "like.create" => &data["subject"]["line"]["text"],
            "message.update" => &data["subject"]["text"],
            kind => panic!("an unknown type would end some clients: {kind}"),
        };
        self.received.push(format!("{} {}", text(&data["type"]), text(words)));
    }

    /// Connects until everything expected has arrived.
    async fn catches_up(&mut self, expected: &[String]) {
        while self.received.len() < expected.len() {
            let connect = json!({"channel": "/meta/connect", "connectionType": "long-polling"});
            if self.socket.is_none() {
                let reply = self.tells(connect).await;
                assert_eq!(reply["successful"], true, "{reply}");
                continue;
            }
            if !self.connects {
                let connect = self.numbered(connect);
                let socket = self.socket.as_mut().expect("it is open");
                socket.says(&json!([connect])).await;
                self.connects = true;
            }
            let message = self.hears().await;
            if message["channel"] == "/meta/connect" {
                assert_eq!(message["successful"], true, "{message}");
                self.connects = false;
            } else {
                self.takes(&message);
            }
        }
        assert_eq!(self.received, expected, "{:?}", self.ids);
    }
}

/// One act of Ben in the group; returns what Ana's client gets of it.
async fn acts(
    random: &mut Rng,
    number: u32,
    ben: &Person,
    ana: &Person,
    group: &Group,
) -> Vec<String> {
    let words = format!("rope {number}");
    match random.u8(..4) {
        0 => {
            let said = ana.says(group, &words).await;
            let path = format!("/v3/messages/{}/{}/like", group.id, text(&said["id"]));
            ben.posts(&path).await.ok();
            ["line.create", "favorite", "like.create"]
                .map(|kind| format!("{kind} {words}"))
                .to_vec()
        }
        1 => {
            let said = ben.says(group, &words).await;
            let path = format!("/v3/conversations/{}/messages/{}", group.id, text(&said["id"]));
            ben.asks("PUT", &path).json(&json!({"text": format!("{words}, late")})).await.ok();
            vec![
                format!("line.create {words}"),
                format!("message.update {words}, late"),
                format!("line.create Ben edited to: “{words}, late”"),
            ]
        }
        _ => {
            ben.says(group, &words).await;
            vec![format!("line.create {words}")]
        }
    }
}

#[tokio::test]
async fn model_clients_get_everything_once_in_order() {
    let mut world = World::start().await;
    let ([ana, ben], climbers) = world.climbing(["Ana", "Ben"]).await;
    let mut random = Rng::with_seed(14);
    let mut clients = Vec::new();
    for ids in [Ids::Constant, Ids::Absent, Ids::Growing, Ids::Text] {
        for transport in BOTH {
            let mut model = Model {
                person: ana.clone(),
                group: format!("/group/{}", climbers.id),
                ids,
                count: 0,
                client: Value::Null,
                socket: None,
                connects: false,
                cursor: None,
                received: Vec::new(),
            };
            model.starts(transport).await;
            clients.push((transport, model));
        }
    }
    let (mut expected, mut number) = (Vec::new(), 0);
    for round in 0..3 {
        for _ in 0..4 {
            number += 1;
            expected.extend(acts(&mut random, number, &ben, &ana, &climbers).await);
        }
        for (_, model) in &mut clients {
            model.catches_up(&expected).await;
        }
        if round == 1 {
            world.restarts().await;
            for (transport, model) in &mut clients {
                model.starts(*transport).await;
            }
        }
    }
}
