//! A user with an account, who sends requests over HTTP.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::Program;
use crate::tools::PASSWORD;

/// Status and payload of a response.
pub(crate) type Answer = (u16, Value);

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

/// Fills a data directory with a picture and a file, each in a message. Returns the picture's URL.
pub(crate) async fn fills_with_media(data: &Path) -> String {
    let program = starts(data);
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    let image = ana.sends_image(png(40)).await;
    ana.shows(&group, "a picture", &image).await;
    ana.sends_file(&group, b"rope at six").await;
    program.stops();
    image
}

/// A PNG of this width.
pub(crate) fn png(width: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(width, 30, |x, y| image::Rgb([x as u8, y as u8, 90]));
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

impl Person {
    /// Registers a user called Ana.
    pub(crate) async fn registered(program: &Program) -> Self {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut person = Self { token: String::new(), url: program.url().to_owned(), client };
        let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD});
        let (status, welcome) = person.posts("/auth/register", &body).await;
        assert_eq!(status, 201, "{welcome}");
        person.token = welcome["access_token"].as_str().unwrap().to_owned();
        person
    }

    /// Sets the address to that of the server after a restart.
    pub(crate) fn goes_to(&mut self, program: &Program) {
        self.url = program.url().to_owned();
    }

    /// Sends a GET.
    pub(crate) async fn gets(&self, path: &str) -> Answer {
        self.sends(self.client.get(format!("{}{path}", self.url))).await
    }

    /// Sends a POST with a JSON body.
    pub(crate) async fn posts(&self, path: &str, body: &Value) -> Answer {
        self.sends(self.client.post(format!("{}{path}", self.url)).json(body)).await
    }

    async fn sends(&self, request: reqwest::RequestBuilder) -> Answer {
        let answer = request.header("X-Access-Token", &self.token).send().await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.bytes().await.unwrap();
        let mut envelope: Value = serde_json::from_slice(&body).unwrap_or_default();
        (status, envelope["response"].take())
    }

    /// Creates a group and returns its id.
    pub(crate) async fn creates_group(&self, name: &str) -> String {
        let (status, group) = self.posts("/v3/groups", &json!({"name": name})).await;
        assert_eq!(status, 201, "{group}");
        group["id"].as_str().unwrap().to_owned()
    }

    /// Posts a message with this guid into a group; returns the message's id.
    pub(crate) async fn says(&self, group: &str, guid: &str) -> String {
        let message = json!({"source_guid": guid, "text": format!("said as {guid}")});
        let path = format!("/v3/groups/{group}/messages");
        let (status, payload) = self.posts(&path, &json!({"message": message})).await;
        assert_eq!(status, 201, "{payload}");
        payload["message"]["id"].as_str().unwrap().to_owned()
    }

    /// Uploads an image and returns its URL.
    pub(crate) async fn sends_image(&self, bytes: Vec<u8>) -> String {
        let request = self.client.post(format!("{}/pictures", self.url)).body(bytes);
        let answer = request.header("X-Access-Token", &self.token).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let told: Value = answer.json().await.unwrap();
        told["payload"]["picture_url"].as_str().unwrap().to_owned()
    }

    /// Uploads a file and posts it into a group; returns the file's path.
    pub(crate) async fn sends_file(&self, group: &str, bytes: &[u8]) -> String {
        let url = format!("{}/v3/conversations/{group}/files?name=a.txt", self.url);
        let (status, told) = self.sends(self.client.post(url).body(bytes.to_vec())).await;
        assert_eq!(status, 201, "{told}");
        let message = json!({"source_guid": "a file", "attachments": [told["file"]]});
        let path = format!("/v3/groups/{group}/messages");
        let (status, payload) = self.posts(&path, &json!({"message": message})).await;
        assert_eq!(status, 201, "{payload}");
        format!("/v3/files/{group}/{}", told["file"]["file_id"].as_str().unwrap())
    }

    /// Posts a message with an image into a group.
    pub(crate) async fn shows(&self, group: &str, guid: &str, url: &str) {
        let attachments = json!([{"type": "image", "url": url}]);
        let message = json!({"source_guid": guid, "attachments": attachments});
        let path = format!("/v3/groups/{group}/messages");
        let (status, payload) = self.posts(&path, &json!({"message": message})).await;
        assert_eq!(status, 201, "{payload}");
    }
}
