//! HTTP byte by byte, over a connection that is kept open: no library corrects what is sent.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The timeout of an answer; longer than anything here takes, however slow the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status of the response.
    pub(crate) status: u16,
    /// The body of the response, as far as it was read.
    pub(crate) body: Vec<u8>,
}

/// A request as it is sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// The method; the target is path and query.
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names and values of the header lines.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The bytes after the head.
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// A request with this method and target, without headers and body.
    pub(crate) fn of(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), ..Self::default() }
    }

    /// Adds a header line. Control characters, which could end the line, are left out.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.chars().filter(|sign| !sign.is_control()).collect()));
        self
    }

    /// Sets the body.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { method, target, headers, body } = self;
        let mut text = format!("{method} {target} HTTP/1.1\r\nHost: fuzz\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.bytes().escape_ascii())
    }
}

/// How long a client waits for a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until the response is complete.
    ToTheEnd,
    /// So long for the head of the response; then the client hangs up.
    ForItsHead(Duration),
}

/// A client that keeps its connection open as long as the server does.
pub(crate) struct Connection {
    to: SocketAddr,
    kept: Option<TcpStream>,
}

impl Connection {
    /// A client of this server; the connection is opened with the first request.
    pub(crate) const fn to(to: SocketAddr) -> Self {
        Self { to, kept: None }
    }

    /// Sends a request and waits for the response. None if the client hung up before there was one.
    pub(crate) fn asks(&mut self, request: &Request, wait: Wait) -> Result<Option<Answer>, String> {
        let again = self.kept.is_some();
        match self.tries(request, wait) {
            // The server may have closed a connection that was kept open.
            Err(error) if again && error != HANGS => self.tries(request, wait),
            outcome => outcome,
        }
    }

    fn tries(&mut self, request: &Request, wait: Wait) -> Result<Option<Answer>, String> {
        let stream = match self.kept.take() {
            Some(stream) => stream,
            None => TcpStream::connect(self.to).map_err(|error| format!("connecting: {error}"))?,
        };
        stream.set_nodelay(true).unwrap();
        let head_within = match wait {
            Wait::ToTheEnd => PATIENCE,
            Wait::ForItsHead(span) => span,
        };
        stream.set_read_timeout(Some(head_within)).unwrap();
        let mut reading = Reading { stream, got: Vec::new() };
        // The server may answer and close the connection while the request is still being sent; the
        // response can still be read.
        let sent = reading.stream.write_all(&request.bytes());
        let end = match reading.until(|got| found(got, b"\r\n\r\n")) {
            Ok(end) => end,
            Err(why) if why == HANGS && wait != Wait::ToTheEnd => return Ok(None),
            Err(why) if sent.is_ok() => return Err(why),
            Err(why) => return Err(format!("sending fails, and {why}")),
        };
        let head = String::from_utf8_lossy(&reading.got[..end]).to_lowercase();
        reading.got.drain(..end);
        let status = head.get(9..12).and_then(|it| it.parse().ok());
        let status = status.ok_or_else(|| format!("no status: {head}"))?;
        if wait != Wait::ToTheEnd && header(&head, "content-length").is_none() {
            return Ok(Some(Answer { status, body: Vec::new() }));
        }
        let body = reading.body(request.method == "HEAD", status, &head)?;
        if header(&head, "connection") != Some("close") && sent.is_ok() && reading.got.is_empty() {
            self.kept = Some(reading.stream);
        }
        Ok(Some(Answer { status, body }))
    }
}

/// The error of a server that does not answer in time.
const HANGS: &str = "no answer comes";

fn found(got: &[u8], mark: &[u8]) -> Option<usize> {
    got.windows(mark.len()).position(|it| it == mark).map(|at| at + mark.len())
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(known, _)| *known == name).map(|(_, value)| value)
}

struct Reading {
    stream: TcpStream,
    got: Vec<u8>,
}

impl Reading {
    /// Reads until `is_there` finds something in the bytes; returns the offset that it found.
    fn until(&mut self, is_there: impl Fn(&[u8]) -> Option<usize>) -> Result<usize, String> {
        loop {
            if let Some(end) = is_there(&self.got) {
                return Ok(end);
            }
            let mut piece = [0; 16 << 10];
            match self.stream.read(&mut piece) {
                Ok(0) => return Err("the connection ended".to_owned()),
                Ok(length) => self.got.extend_from_slice(&piece[..length]),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Err(HANGS.to_owned());
                }
                Err(error) => return Err(format!("reading: {error}")),
            }
        }
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        self.until(|got| (got.len() >= count).then_some(count))?;
        Ok(self.got.drain(..count).collect())
    }

    fn body(&mut self, is_head: bool, status: u16, head: &str) -> Result<Vec<u8>, String> {
        if is_head || status < 200 || matches!(status, 204 | 304) {
            return Ok(Vec::new());
        }
        if let Some(length) = header(head, "content-length") {
            return self.take(length.parse().map_err(|_| format!("a length of {length}"))?);
        }
        let mut body = Vec::new();
        loop {
            let end = self.until(|got| found(got, b"\r\n"))?;
            let line = String::from_utf8_lossy(&self.got[..end - 2]).into_owned();
            self.got.drain(..end);
            let size = usize::from_str_radix(&line, 16).map_err(|_| format!("a part of {line}"))?;
            let part = self.take(size + 2)?;
            body.extend_from_slice(&part[..size]);
            if size == 0 {
                return Ok(body);
            }
        }
    }
}
