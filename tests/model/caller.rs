//! A client with a token, of the real program, which may be gone in the middle of an answer; and
//! what the client hears from it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::program::Program;

/// A user with an account and a client.
pub(crate) struct Caller {
    /// The user's id.
    pub(crate) id: String,
    token: String,
    url: String,
    client: reqwest::Client,
    live: Option<Live>,
}

/// A socket that a task reads all the time.
struct Live {
    heard: Arc<Mutex<Vec<Value>>>,
    reading: JoinHandle<()>,
}

impl Caller {
    /// Registers a user of this name.
    pub(crate) async fn named(program: &Program, name: &str) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = program.url().to_owned();
        let mut caller = Self { id: String::new(), token: String::new(), url, client, live: None };
        let email = format!("{}@example.org", name.to_lowercase());
        let body = json!({"name": name, "email": email, "password": "correct horse"});
        let (status, welcome) = caller.posts("/auth/register", &body).await.unwrap();
        assert_eq!(status, 201, "{welcome}");
        caller.token = text(&welcome["access_token"]).to_owned();
        caller.id = text(&welcome["user"]["id"]).to_owned();
        caller
    }

    /// Sets the address to that of the server after a restart; the open socket is dropped.
    pub(crate) fn goes_to(&mut self, program: &Program) {
        self.hangs_up();
        self.url = program.url().to_owned();
    }

    /// Sends a GET that must succeed, and returns its payload.
    pub(crate) async fn sees(&self, path: &str) -> Value {
        let asked = self.client.get(format!("{}{path}", self.url));
        let (status, payload) = self.sends(asked).await.expect("a running server answers");
        assert_eq!(status, 200, "{path}: {payload}");
        payload
    }

    /// Sends a GET; None if it is refused.
    pub(crate) async fn looks(&self, path: &str) -> Option<Value> {
        let asked = self.client.get(format!("{}{path}", self.url));
        let (status, payload) = self.sends(asked).await.expect("a running server answers");
        (status == 200).then_some(payload)
    }

    /// Sends a GET, and returns its status.
    pub(crate) async fn asks(&self, path: &str) -> u16 {
        let asked = self.client.get(format!("{}{path}", self.url));
        self.sends(asked).await.expect("a running server answers").0
    }

    /// Sends a POST, and returns status and payload; None if the server is gone.
    pub(crate) async fn posts(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        self.sends(self.client.post(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends a PUT, and returns status and payload; None if the server is gone.
    pub(crate) async fn puts(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        self.sends(self.client.put(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends a POST of bytes, and returns status and payload; None if the server is gone.
    pub(crate) async fn posts_bytes(&self, path: &str, bytes: Vec<u8>) -> Option<(u16, Value)> {
        self.sends(self.client.post(format!("{}{path}", self.url)).body(bytes)).await
    }

    /// Sends a DELETE, and returns its status; None if the server is gone.
    pub(crate) async fn deletes(&self, path: &str) -> Option<u16> {
        let asked = self.client.delete(format!("{}{path}", self.url));
        self.sends(asked).await.map(|(status, _)| status)
    }

    async fn sends(&self, request: reqwest::RequestBuilder) -> Option<(u16, Value)> {
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.bytes().await.ok()?;
        let payload = serde_json::from_slice::<Value>(&body).map(|mut it| it["response"].take());
        Some((status, payload.unwrap_or_default()))
    }

    /// Opens a socket after a cursor, and starts a task that reads it.
    pub(crate) async fn picks_up(&mut self, after: &str) {
        let url = format!("{}/v3/push?token={}", self.url.replace("http", "ws"), self.token);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        let hello = json!({"t": "hello", "v": 1, "after": after});
        socket.send(Message::text(hello.to_string())).await.unwrap();
        let heard = Arc::<Mutex<Vec<Value>>>::default();
        let ear = Arc::clone(&heard);
        let reading = tokio::spawn(async move {
            while let Some(Ok(Message::Text(frame))) = socket.next().await {
                let frame: Value = serde_json::from_str(&frame).unwrap();
                assert_ne!(frame["t"], "reset", "{frame}");
                if frame["t"] == "ev" {
                    ear.lock().unwrap().push(frame);
                }
            }
        });
        self.live = Some(Live { heard, reading });
    }

    /// Whether a socket is open and read.
    pub(crate) const fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// The events that the socket has received since the last call.
    pub(crate) fn heard(&self) -> Vec<Value> {
        let live = self.live.iter();
        live.flat_map(|live| std::mem::take(&mut *live.heard.lock().unwrap())).collect()
    }

    /// Closes the socket, if one is open.
    pub(crate) fn hangs_up(&mut self) {
        if let Some(live) = self.live.take() {
            live.reading.abort();
        }
    }

    /// Returns every event after a cursor, by long polling.
    pub(crate) async fn polls(&self, after: &str) -> Vec<Value> {
        let (mut events, mut cursor) = (Vec::new(), after.to_owned());
        loop {
            let page = self.sees(&format!("/v3/events?after={cursor}")).await;
            assert_eq!(page.get("reset"), None, "{page}");
            events.extend(page["events"].as_array().unwrap().iter().cloned());
            cursor = text(&page["c"]).to_owned();
            if page["more"] == false {
                return events;
            }
        }
    }

    /// Returns every event after a cursor, from a stream of server-sent events.
    pub(crate) async fn streams(&self, after: &str) -> Vec<Value> {
        let url = format!("{}/v3/events/stream?after={after}", self.url);
        let asked = self.client.get(url).header("X-Access-Token", &self.token);
        let mut response = asked.send().await.unwrap();
        // A chunk may end in the middle of a character.
        let (mut bytes, synced) = (Vec::new(), b"event: synced\n");
        while !bytes.windows(synced.len()).any(|it| it == synced) {
            let part = tokio::time::timeout(Duration::from_secs(120), response.chunk()).await;
            let part = part.expect("a part comes").unwrap().expect("the stream goes on");
            bytes.extend_from_slice(&part);
        }
        let text = String::from_utf8(bytes).unwrap();
        let blocks = text.split("\n\n").filter(|block| block.contains("event: ev\n"));
        blocks.map(|it| serde_json::from_str(it.split_once("data: ").unwrap().1).unwrap()).collect()
    }
}

/// The string of a JSON value; panics if it is something else.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}
