//! A person's open socket at a node.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::asking::Person;

/// The open socket, after its greeting.
pub(crate) struct Feed(
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>,
);

impl Feed {
    pub(crate) async fn of(person: &Person) -> Self {
        let url = format!("{}/v3/push?token={}", person.url.replace("http", "ws"), person.token);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        socket.send(Message::text(json!({"t": "hello", "v": 1}).to_string())).await.unwrap();
        let mut feed = Self(socket);
        while feed.next().await["t"] != "welcome" {}
        feed
    }

    /// Sends a frame to the node.
    pub(crate) async fn tells(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Waits for the next frame.
    pub(crate) async fn next(&mut self) -> Value {
        let frame = tokio::time::timeout(std::time::Duration::from_secs(120), self.0.next()).await;
        let frame = frame.expect("a frame comes").unwrap().unwrap();
        serde_json::from_str(frame.to_text().unwrap()).unwrap()
    }

    /// Waits for a message with this text.
    pub(crate) async fn hears(&mut self, words: &str) {
        while self.next().await["data"]["text"] != words {}
    }

    /// Waits for an ephemeral event of this kind about a user, and returns its data.
    pub(crate) async fn hears_of(&mut self, user: &str, kind: &str) -> Value {
        loop {
            let mut frame = self.next().await;
            if frame["t"] == "eph" && frame["type"] == kind && frame["data"]["user_id"] == user {
                return frame["data"].take();
            }
        }
    }

    /// Waits for an event that says that the user is online, or is not.
    pub(crate) async fn hears_that_is_here(&mut self, user: &str, online: bool) {
        while self.hears_of(user, "presence").await["online"] != online {}
    }

    /// Waits for two frames, in any order, each of which contains one of these texts.
    pub(crate) async fn hears_both(&mut self, one: &str, other: &str) {
        let mut missing = vec![one, other];
        while !missing.is_empty() {
            let frame = self.next().await.to_string();
            missing.retain(|it| !frame.contains(it));
        }
    }
}
