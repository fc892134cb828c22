//! JSON calls for the set-up: convenient rather than fast.

use std::net::SocketAddr;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::http::connection::Connection;
use crate::http::request;
use crate::http::response::HttpError;

const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a call did not return what it should.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("{call}: {source}")]
    Http { call: String, source: HttpError },
    #[error("{call}: HTTP {status}: {body}{}", hint(.call, *.status))]
    Status { call: String, status: u16, body: String },
    #[error("{call}: the answer is not as specified: {source}")]
    Shape { call: String, source: serde_json::Error },
    #[error("{0}: not ready within 30 s")]
    NeverReady(String),
}

/// Advice for an answer of a server that others started, without the options for a load test.
fn hint(call: &str, status: u16) -> &'static str {
    match (call, status) {
        (_, 429) => " (start the server with --rate-limit off)",
        ("POST /auth/register", 403) => " (start the server with --registration open)",
        _ => "",
    }
}

/// One connection to the API.
#[derive(Debug)]
pub struct Api {
    addr: SocketAddr,
    connection: Option<Connection>,
}

/// A status, and a body that is parsed as JSON on demand.
#[derive(Debug)]
pub struct Reply {
    pub call: String,
    pub status: u16,
    pub body: Vec<u8>,
}

impl Api {
    pub fn new(addr: SocketAddr) -> Self {
        Self { addr, connection: None }
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub async fn post(
        &mut self,
        path: &str,
        token: &str,
        body: &Value,
    ) -> Result<Reply, CallError> {
        let raw = request::post(self.addr, path, token, &body.to_string());
        self.call(format!("POST {path}"), &raw).await
    }

    pub async fn get(&mut self, path: &str, token: &str) -> Result<Reply, CallError> {
        let raw = request::get(self.addr, path, token);
        self.call(format!("GET {path}"), &raw).await
    }

    async fn call(&mut self, call: String, raw: &[u8]) -> Result<Reply, CallError> {
        let answered = tokio::time::timeout(CALL_TIMEOUT, self.exchange(raw)).await;
        match answered.unwrap_or(Err(HttpError::Timeout(CALL_TIMEOUT.as_secs()))) {
            Ok((status, body)) => Ok(Reply { call, status, body }),
            Err(source) => Err(CallError::Http { call, source }),
        }
    }

    async fn exchange(&mut self, raw: &[u8]) -> Result<(u16, Vec<u8>), HttpError> {
        let mut connection = match self.connection.take() {
            Some(connection) if !connection.is_stale() => connection,
            _ => Connection::open(self.addr).await?,
        };
        let answer = connection.exchange(raw).await?;
        let (status, body, closes) = (answer.status, answer.body.to_vec(), answer.closes);
        if !closes {
            self.connection = Some(connection);
        }
        Ok((status, body))
    }
}

impl Reply {
    /// Returns the `response` of the envelope, if the status is the expected one.
    pub fn response<T: DeserializeOwned>(self, expected: u16) -> Result<T, CallError> {
        #[derive(serde::Deserialize)]
        struct Envelope<T> {
            response: T,
        }
        if self.status != expected {
            let body = String::from_utf8_lossy(&self.body[..self.body.len().min(500)]).into_owned();
            return Err(CallError::Status { call: self.call, status: self.status, body });
        }
        match serde_json::from_slice::<Envelope<T>>(&self.body) {
            Ok(envelope) => Ok(envelope.response),
            Err(source) => Err(CallError::Shape { call: self.call, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprepared_server_gets_instructions() {
        let error = |call: &str, status| {
            CallError::Status { call: call.to_owned(), status, body: "no".to_owned() }.to_string()
        };
        assert!(
            error("POST /v3/groups", 429).ends_with("no (start the server with --rate-limit off)")
        );
        assert!(
            error("POST /auth/register", 403)
                .ends_with("(start the server with --registration open)")
        );
        assert_eq!(error("GET /v3/groups", 403), "GET /v3/groups: HTTP 403: no");
    }
}
