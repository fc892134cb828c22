//! One request on its way: written like a sentence, sent by awaiting it, its answer held
//! against the document of the API.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use serde_json::Value;

use crate::world::answer::Answer;
use crate::world::documented;

/// A request that nobody has sent yet.
pub(crate) struct Asking(reqwest::RequestBuilder);

impl Asking {
    /// Of this method and URL.
    pub(crate) fn new(client: &reqwest::Client, method: &str, url: String) -> Self {
        Self(client.request(method.parse().unwrap(), url))
    }

    /// With a header.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    /// With a token in the header that the specification recommends.
    pub(crate) fn token(self, token: &str) -> Self {
        self.header("X-Access-Token", token)
    }

    /// With a JSON body, labelled as such.
    pub(crate) fn json(self, body: &Value) -> Self {
        Self(self.0.json(body))
    }

    /// With a body of this type.
    pub(crate) fn body(self, kind: &str, body: impl Into<String>) -> Self {
        Self(self.0.header("Content-Type", kind).body(body.into()))
    }

    /// With a body of bytes that nothing is said about.
    pub(crate) fn bytes(self, body: Vec<u8>) -> Self {
        Self(self.0.body(body))
    }

    /// With a form that has files in it.
    pub(crate) fn form(self, form: reqwest::multipart::Form) -> Self {
        Self(self.0.multipart(form))
    }

    /// With a body that nothing is said about.
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
        let (method, path) = (request.method().to_string(), request.url().path().to_owned());
        Box::pin(async move {
            let answer = Answer::read(client.execute(request).await.unwrap()).await;
            documented::hold(&method, &path, &answer);
            answer
        })
    }
}
