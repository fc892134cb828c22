//! Asking a server that may be gone in the middle of an answer.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::Program;

/// What came back: status and payload. A server that is gone gives none.
pub(crate) type Answer = Option<(u16, Value)>;

/// Somebody with a token, and where the server is now.
#[derive(Clone)]
pub(crate) struct Person {
    /// What they show at the HTTP layer.
    pub(crate) token: String,
    /// `http://host:port`, another one after each start.
    pub(crate) url: String,
    client: reqwest::Client,
}

/// Starts the server without a limit of requests.
pub(crate) fn starts(data: &Path) -> Program {
    Program::starts(data, &["--rate-limit", "off"])
}

impl Person {
    /// Registers Ana.
    pub(crate) async fn registered(program: &Program) -> Self {
        Self::called("Ana", program).await
    }

    /// Registers somebody of this name.
    pub(crate) async fn called(name: &str, program: &Program) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = program.url().to_owned();
        let mut person = Self { token: String::new(), url, client };
        let email = format!("{}@example.org", name.to_lowercase());
        let body = json!({"name": name, "email": email, "password": "correct horse"});
        let (status, welcome) = person.posts("/auth/register", &body).await.unwrap();
        assert_eq!(status, 201, "{welcome}");
        person.token = welcome["access_token"].as_str().unwrap().to_owned();
        person
    }

    /// Goes to where the server is after a start.
    pub(crate) fn goes_to(&mut self, program: &Program) {
        self.url = program.url().to_owned();
    }

    /// A GET that must be answered.
    pub(crate) async fn gets(&self, path: &str) -> (u16, Value) {
        self.asks(path).await.expect("a running server answers")
    }

    /// A GET.
    pub(crate) async fn asks(&self, path: &str) -> Answer {
        self.sends(self.client.get(format!("{}{path}", self.url))).await
    }

    /// The bytes that a path is answered.
    pub(crate) async fn gets_bytes(&self, path: &str) -> (u16, Vec<u8>) {
        let request = self.client.get(format!("{}{path}", self.url));
        let answer = request.header("X-Access-Token", &self.token).send().await;
        let answer = answer.expect("a running server answers");
        (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
    }

    /// A POST.
    pub(crate) async fn posts(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.post(format!("{}{path}", self.url)).json(body)).await
    }

    /// A POST of bytes.
    pub(crate) async fn posts_bytes(&self, path: &str, bytes: Vec<u8>) -> Answer {
        self.sends(self.client.post(format!("{}{path}", self.url)).body(bytes)).await
    }

    /// A PUT.
    pub(crate) async fn puts(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.put(format!("{}{path}", self.url)).json(body)).await
    }

    /// A DELETE that is answered without a body; its status.
    pub(crate) async fn removes(&self, path: &str) -> Option<u16> {
        let request = self.client.delete(format!("{}{path}", self.url));
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        Some(answer.status().as_u16())
    }

    /// A DELETE.
    pub(crate) async fn deletes(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.delete(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends an image: what came back has no envelope.
    pub(crate) async fn sends_image(&self, bytes: Vec<u8>) -> Answer {
        let request = self.client.post(format!("{}/pictures", self.url)).body(bytes);
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.json().await.ok()?))
    }

    /// A POST under a key; status and text, and whether the text was given before.
    pub(crate) async fn posts_once(
        &self,
        path: &str,
        body: &Value,
        key: &str,
    ) -> Option<(u16, String, bool)> {
        let request = self.client.post(format!("{}{path}", self.url)).json(body);
        let request = request.header("Idempotency-Key", key);
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        let is_replayed = answer.headers().contains_key("Idempotency-Replayed");
        let status = answer.status().as_u16();
        Some((status, answer.text().await.ok()?, is_replayed))
    }

    async fn sends(&self, request: reqwest::RequestBuilder) -> Answer {
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.bytes().await.ok()?;
        let payload = match serde_json::from_slice::<Value>(&body) {
            Ok(mut envelope) => envelope["response"].take(),
            Err(_) if status == 304 => Value::Null,
            // Cut off in the middle: nothing was acknowledged.
            Err(_) => return None,
        };
        Some((status, payload))
    }

    /// Creates a group; its id.
    pub(crate) async fn creates_group(&self, name: &str) -> String {
        let (status, group) = self.posts("/v3/groups", &json!({"name": name})).await.unwrap();
        assert_eq!(status, 201, "{group}");
        group["id"].as_str().unwrap().to_owned()
    }

    /// Posts into a group under this guid.
    pub(crate) async fn says(&self, group: &str, guid: &str) -> Answer {
        let message = json!({"source_guid": guid, "text": format!("said as {guid}")});
        let path = format!("/v3/groups/{group}/messages");
        self.posts(&path, &json!({"message": message})).await
    }
}
