//! A small HTTP/1.1 client over one blocking connection, for a server on this machine.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with one connection, which it opens with the first request and again after a failure.
pub(super) struct LoopbackClient {
    address: String,
    stream: Option<TcpStream>,
}

/// What became of a request.
pub(super) enum PostOutcome {
    /// The whole response arrived.
    Answered(LoopbackResponse),
    /// The connection ended or could not be opened.
    Gone,
}

/// A response.
pub(super) struct LoopbackResponse {
    pub(super) status: u16,
    body: Vec<u8>,
}

impl LoopbackResponse {
    /// What the body says, without its envelope, if the response has this status.
    ///
    /// # Errors
    /// If it has another one, or no JSON.
    pub(super) fn of(self, status: u16) -> Result<Value, String> {
        if self.status != status {
            let body = String::from_utf8_lossy(&self.body);
            return Err(format!("the server answered {} instead of {status}: {body}", self.status));
        }
        let mut body: Value = serde_json::from_slice(&self.body)
            .map_err(|error| format!("the server's response cannot be read: {error}"))?;
        Ok(body["response"].take())
    }
}

impl LoopbackClient {
    /// A client of the server at this address.
    pub(super) fn to(address: &str) -> Self {
        Self { address: address.to_owned(), stream: None }
    }

    /// Sends a request with a JSON body.
    ///
    /// # Errors
    /// If no response arrives.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: &Value,
    ) -> Result<LoopbackResponse, String> {
        self.exchange(method, path, token, &body.to_string())
            .map_err(|error| format!("{method} {path} failed: {error}"))
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// If no response arrives.
    pub(super) fn get(&mut self, path: &str, token: &str) -> Result<LoopbackResponse, String> {
        self.exchange("GET", path, token, "").map_err(|error| format!("GET {path} failed: {error}"))
    }

    /// Posts to a server that may be killed meanwhile.
    pub(super) fn try_post(&mut self, path: &str, token: &str, body: &Value) -> PostOutcome {
        self.exchange("POST", path, token, &body.to_string())
            .map_or(PostOutcome::Gone, PostOutcome::Answered)
    }

    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> io::Result<LoopbackResponse> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => TcpStream::connect(&self.address)?,
        };
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nX-Access-Token: {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes())?;
        let (response, may_stay) = receive(&mut stream)?;
        if may_stay {
            self.stream = Some(stream);
        }
        Ok(response)
    }
}

/// Reads one response with its body; returns with it whether the connection may be used again.
fn receive(stream: &mut TcpStream) -> io::Result<(LoopbackResponse, bool)> {
    let malformed = || io::Error::from(io::ErrorKind::InvalidData);
    let mut bytes = Vec::new();
    let (status, head, length, may_stay) = loop {
        let mut piece = [0; 16 << 10];
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&piece[..count]);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut headers);
        if let httparse::Status::Complete(head) = response.parse(&bytes).map_err(|_| malformed())? {
            let status = response.code.ok_or_else(malformed)?;
            let header = |name: &str| {
                let found = response.headers.iter().find(|it| it.name.eq_ignore_ascii_case(name));
                found.and_then(|it| std::str::from_utf8(it.value).ok())
            };
            let length = match header("content-length") {
                Some(length) => length.parse().map_err(|_| malformed())?,
                None if status == 304 => 0,
                None => return Err(malformed()),
            };
            let may_stay = header("connection").is_none_or(|it| !it.eq_ignore_ascii_case("close"));
            break (status, head, length, may_stay);
        }
    };
    let mut body = bytes.split_off(head);
    let missing = usize::saturating_sub(length, body.len());
    let begun = body.len();
    body.resize(begun + missing, 0);
    stream.read_exact(&mut body[begun..])?;
    Ok((LoopbackResponse { status, body }, may_stay))
}
