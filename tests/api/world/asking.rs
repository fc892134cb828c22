//! One request: built like a sentence, sent by awaiting it. Its response is checked against the
//! OpenAPI document.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use serde_json::Value;

use crate::world::answer::Answer;
use crate::world::documented;

/// A request that is sent when it is awaited.
pub(crate) struct Asking(reqwest::RequestBuilder);

impl Asking {
    /// Builds a request with this method and URL.
    pub(crate) fn new(client: &reqwest::Client, method: &str, url: String) -> Self {
        Self(client.request(method.parse().unwrap(), url))
    }

    /// Adds a header.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    /// Adds a token, in the header that the specification recommends.
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("X-Access-Token", token)
    }

    /// Sets a JSON body, with its Content-Type.
    pub(crate) fn json(self, body: &Value) -> Self {
        Self(self.0.json(body))
    }

    /// Sets a body with this Content-Type.
    pub(crate) fn body(self, kind: &str, body: impl Into<String>) -> Self {
        Self(self.0.header("Content-Type", kind).body(body.into()))
    }

    /// Sets a body of bytes, without a Content-Type.
    pub(crate) fn bytes(self, body: Vec<u8>) -> Self {
        Self(self.0.body(body))
    }

    /// Sets a multipart form.
    pub(crate) fn form(self, form: reqwest::multipart::Form) -> Self {
        Self(self.0.multipart(form))
    }

    /// Sets a body of text, without a Content-Type.
    pub(crate) fn bare(self, body: impl Into<String>) -> Self {
        Self(self.0.body(body.into()))
    }
}

impl IntoFuture for Asking {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let (client, request) = self.0.build_split();
        let request = request.unwrap();
        let method = request.method().to_string();
        let mut path = request.url().path().to_owned();
        let host = request.headers().get("host").and_then(|it| it.to_str().ok());
        // These hosts serve what `/compat` serves.
        if host.is_some_and(|host| host.ends_with(".groupme.com")) && path.starts_with("/v3/") {
            path.insert_str(0, "/compat");
        }
        Box::pin(async move {
            let answer = Answer::read(client.execute(request).await.unwrap()).await;
            documented::hold(&method, &path, &answer);
            answer
        })
    }
}
