//! A response of the server: status, headers and the envelope, which is checked as it is opened.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// A response whose body was read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status code.
    pub(crate) status: u16,
    /// All response headers.
    pub(crate) headers: HeaderMap,
    /// The body as text; invalid UTF-8 is replaced.
    pub(crate) text: String,
    /// The body's raw bytes; empty for an event stream.
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    /// Reads a response to its end; of an event stream only the status and the headers.
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let kind = headers.get("content-type").map(|kind| kind.to_str().unwrap());
        let bytes = match kind {
            // An event stream has no end: `world/stream.rs` reads it.
            Some("text/event-stream") => Vec::new(),
            Some(_) | None => response.bytes().await.unwrap().to_vec(),
        };
        Self { status, headers, text: String::from_utf8_lossy(&bytes).into_owned(), bytes }
    }

    /// Returns a header as text, or `None` if it is missing.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Asserts status 200 and returns the payload.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        self.payload(200)
    }

    /// Asserts status 201 and returns the payload.
    #[track_caller]
    pub(crate) fn created(self) -> Value {
        self.payload(201)
    }

    /// Asserts status 202 and returns the payload.
    #[track_caller]
    pub(crate) fn accepted(self) -> Value {
        self.payload(202)
    }

    /// Asserts success with this status and an envelope without errors; returns the payload.
    #[track_caller]
    pub(crate) fn payload(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        let mut envelope = self.envelope();
        assert_eq!(envelope["meta"], serde_json::json!({"code": status}), "{}", self.text);
        envelope["response"].take()
    }

    /// Asserts a refusal with this status and an envelope without a payload; returns its errors.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> Vec<String> {
        assert_eq!(self.status, status, "{}", self.text);
        let envelope = self.envelope();
        assert_eq!(envelope["response"], Value::Null, "{}", self.text);
        assert_eq!(envelope["meta"]["code"], status, "{}", self.text);
        let errors: Vec<String> = serde_json::from_value(envelope["meta"]["errors"].clone())
            .unwrap_or_else(|_| panic!("errors are texts: {}", self.text));
        assert!(!errors.is_empty(), "a refusal says why: {}", self.text);
        errors
    }

    /// Asserts a 304 without a body.
    #[track_caller]
    pub(crate) fn nothing_found(&self) {
        assert_eq!((self.status, self.text.as_str()), (304, ""));
    }

    #[track_caller]
    pub(crate) fn envelope(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text);
        let envelope: Value = serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("not JSON: {} {}", self.status, self.text));
        let mut keys: Vec<&String> = envelope.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["meta", "response"], "the envelope has two keys");
        envelope
    }
}
