//! A bot on a WebSocket of its own, as a bot without an address has it.

use serde_json::{Value, json};

use crate::world::World;
use crate::world::feed::Socket;
use crate::world::person::{Group, Person, text};

/// A bot of a group that nobody calls back.
pub(crate) async fn pulls(by: &Person, group: &Group) -> Value {
    let bot = json!({"name": "Pull", "group_id": group.id});
    by.posts("/v3/bots").json(&bot).await.created()
}

/// What a bot says first.
pub(crate) fn hello(bot: &Value, after: Option<&str>) -> Value {
    let mut hello = json!({"t": "hello", "v": 1, "bot_id": bot["bot_id"], "secret": bot["secret"]});
    if let Some(after) = after {
        hello["after"] = json!(after);
    }
    hello
}

/// The close code that a hello meets.
pub(crate) async fn refused(world: &World, hello: &Value) -> u16 {
    let mut socket = Socket::open(&world.address, &[]).await.unwrap();
    socket.tells(hello).await;
    socket.next().await.expect_err("the hello should be refused")
}

/// A bot's socket after `synced`.
pub(crate) struct BotFeed {
    /// The frames.
    pub(crate) socket: Socket,
    /// The first frame.
    pub(crate) welcome: Value,
    /// Where the server said `reset`, if it did.
    pub(crate) reset: Option<Value>,
    /// What came before `synced`.
    pub(crate) replayed: Vec<Value>,
    /// The cursor of the newest frame.
    pub(crate) cursor: String,
}

impl BotFeed {
    /// Opens one.
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

    /// The texts of what came before `synced`.
    pub(crate) fn replayed_texts(&self) -> Vec<&str> {
        self.replayed.iter().map(|event| text(&event["data"]["text"])).collect()
    }

    /// The next event; it is a message.
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

    /// The next event is this message.
    pub(crate) async fn hears(&mut self, words: &str) -> Value {
        let event = self.next().await;
        assert_eq!(event["data"]["text"], words, "{event}");
        event
    }
}
