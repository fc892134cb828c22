//! A WebSocket of a bot, which a bot without a callback URL uses.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::feed::Socket;
use crate::world::person::{Group, Person, text};

/// Creates a bot of a group, without a callback URL.
pub(crate) async fn pulls(by: &Person, group: &Group) -> Value {
    let bot = json!({"name": "Pull", "group_id": group.id});
    by.posts("/v3/bots").json(&bot).await.created()
}

/// The `hello` frame of a bot.
pub(crate) fn hello(bot: &Value, after: Option<&str>) -> Value {
    let mut hello = json!({"t": "hello", "v": 1, "bot_id": bot["bot_id"], "secret": bot["secret"]});
    if let Some(after) = after {
        hello["after"] = json!(after);
    }
    hello
}

/// Sends this `hello` and returns the code with which the server closes the socket.
pub(crate) async fn refused(world: &World, hello: &Value) -> u16 {
    let mut socket = Socket::open(&world.address, &[]).await.unwrap();
    socket.tells(hello).await;
    socket.next().await.expect_err("the hello should be refused")
}

/// A bot's socket that has received `synced`.
pub(crate) struct BotFeed {
    /// The socket itself.
    pub(crate) socket: Socket,
    /// The `welcome` frame.
    pub(crate) welcome: Value,
    /// The `reset` frame, if the server sent one.
    pub(crate) reset: Option<Value>,
    /// The events that came before `synced`.
    pub(crate) replayed: Vec<Value>,
    /// The cursor of the newest frame.
    pub(crate) cursor: String,
}

impl BotFeed {
    /// Opens a socket, says `hello` and reads up to `synced`.
    pub(crate) async fn of(world: &World, bot: &Value, after: Option<&str>) -> Self {
        let mut socket = Socket::open(&world.address, &[]).await.unwrap();
        socket.tells(&hello(bot, after)).await;
        let welcome = socket.hears("welcome").await;
        let (mut reset, mut replayed) = (None, Vec::new());
        loop {
            let frame = socket.next().await.unwrap();
            match text(&frame["t"]) {
                "ev" => replayed.push(frame),
                "reset" => reset = Some(frame),
                "synced" => {
                    let cursor = text(&frame["c"]).to_owned();
                    return Self { socket, welcome, reset, replayed, cursor };
                }
                other => panic!("{other} before synced"),
            }
        }
    }

    /// The texts of the messages that came before `synced`.
    pub(crate) fn replayed_texts(&self) -> Vec<&str> {
        self.replayed.iter().map(|event| text(&event["data"]["text"])).collect()
    }

    /// Returns the next event, which is a message.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            let frame =
                self.socket.next().await.unwrap_or_else(|code| panic!("closed with {code}"));
            if frame["t"] == "ping" {
                continue;
            }
            assert_eq!((&frame["t"], &frame["type"]), (&json!("ev"), &json!("line.create")));
            self.cursor = text(&frame["c"]).to_owned();
            return frame;
        }
    }

    /// Asserts that the next event is a message with this text.
    pub(crate) async fn hears(&mut self, words: &str) -> Value {
        let event = self.next().await;
        assert_eq!(event["data"]["text"], words, "{event}");
        event
    }
}
