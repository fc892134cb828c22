//! A client of a server that may be killed while it answers.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::Program;

/// Status and payload of a response; None if the server is gone.
pub(crate) type Answer = Option<(u16, Value)>;

/// A user with a token, and the address of the server.
#[derive(Clone)]
pub(crate) struct Person {
    /// The access token of the user.
    pub(crate) token: String,
    /// `http://host:port`; the port is another one after each start.
    pub(crate) url: String,
    client: reqwest::Client,
}

/// Starts the server without a rate limit.
pub(crate) fn starts(data: &Path) -> Program {
    Program::starts(data, &["--rate-limit", "off"])
}

impl Person {
    /// Registers a user called Ana.
    pub(crate) async fn registered(program: &Program) -> Self {
        Self::called("Ana", program).await
    }

    /// Registers a user of this name.
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

    /// Sets the address to that of the server after a restart.
    pub(crate) fn goes_to(&mut self, program: &Program) {
        self.url = program.url().to_owned();
    }

    /// Sends a GET to a server that must answer.
    pub(crate) async fn gets(&self, path: &str) -> (u16, Value) {
        self.asks(path).await.expect("a running server answers")
    }

    /// Sends a GET.
    pub(crate) async fn asks(&self, path: &str) -> Answer {
        self.sends(self.client.get(format!("{}{path}", self.url))).await
    }

    /// Sends a GET, and returns status and bytes of the response.
    pub(crate) async fn gets_bytes(&self, path: &str) -> (u16, Vec<u8>) {
        let request = self.client.get(format!("{}{path}", self.url));
        let answer = request.header("X-Access-Token", &self.token).send().await;
        let answer = answer.expect("a running server answers");
        (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
    }

    /// Sends a POST with a JSON body.
    pub(crate) async fn posts(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.post(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends a POST with bytes as its body.
    pub(crate) async fn posts_bytes(&self, path: &str, bytes: Vec<u8>) -> Answer {
        self.sends(self.client.post(format!("{}{path}", self.url)).body(bytes)).await
    }

    /// Sends a PUT with a JSON body.
    pub(crate) async fn puts(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.put(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends a DELETE whose response has no body, and returns its status.
    pub(crate) async fn removes(&self, path: &str) -> Option<u16> {
        let request = self.client.delete(format!("{}{path}", self.url));
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        Some(answer.status().as_u16())
    }

    /// Sends a DELETE with a JSON body.
    pub(crate) async fn deletes(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.delete(format!("{}{path}", self.url)).json(body)).await
    }

    /// Uploads an image; its response has no envelope.
    pub(crate) async fn sends_image(&self, bytes: Vec<u8>) -> Answer {
        let request = self.client.post(format!("{}/pictures", self.url)).body(bytes);
        let answer = request.header("X-Access-Token", &self.token).send().await.ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.json().await.ok()?))
    }

    /// Sends a POST with an Idempotency-Key. Returns status and text of the response, and whether
    /// the response is a replay.
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
            // The response was cut off, so nothing was acknowledged.
            Err(_) => return None,
        };
        Some((status, payload))
    }

    /// Creates a group and returns its id.
    pub(crate) async fn creates_group(&self, name: &str) -> String {
        let (status, group) = self.posts("/v3/groups", &json!({"name": name})).await.unwrap();
        assert_eq!(status, 201, "{group}");
        group["id"].as_str().unwrap().to_owned()
    }

    /// Posts a message with this guid into a group.
    pub(crate) async fn says(&self, group: &str, guid: &str) -> Answer {
        let message = json!({"source_guid": guid, "text": format!("said as {guid}")});
        let path = format!("/v3/groups/{group}/messages");
        self.posts(&path, &json!({"message": message})).await
    }
}
