//! A TCP connection, written byte by byte, for clients that do what no HTTP library does: stop in
//! the middle of a request, hang up, and send anything.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// A timeout longer than anything here takes, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// A TCP connection to the server.
pub(crate) struct Raw(TcpStream);

impl Raw {
    /// Opens a connection.
    pub(crate) async fn to(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// Opens a connection from this address of the machine.
    pub(crate) async fn from(own: &str, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(own.parse().unwrap(), 0)).unwrap();
        Self(socket.connect(address).await.unwrap())
    }

    /// Opens a connection and sends this text.
    pub(crate) async fn sends(address: SocketAddr, text: &str) -> Self {
        let mut raw = Self::to(address).await;
        raw.says(text).await;
        raw
    }

    /// Sends this text.
    pub(crate) async fn says(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends this text, unless the server has closed the connection. Returns what the server sends
    /// until it ends the connection.
    pub(crate) async fn says_if_open(&mut self, text: &str) -> String {
        drop(self.0.write_all(text.as_bytes()).await);
        let mut all = Vec::new();
        loop {
            let read = tokio::time::timeout(PATIENCE, self.0.read_buf(&mut all)).await;
            if !matches!(read.expect("the server ends the connection"), Ok(1..)) {
                return String::from_utf8(all).unwrap();
            }
        }
    }

    /// Sends this text, as far as the server takes it.
    pub(crate) async fn says_what_it_can(&mut self, text: &str) {
        drop(self.0.write_all(text.as_bytes()).await);
    }

    /// Sends FIN, and reads until the server ends the connection too.
    pub(crate) async fn ends(mut self) {
        // The server may have ended it already.
        drop(self.0.shutdown().await);
        drop(self.says_if_open("").await);
    }

    /// Sends FIN, as a program does that closes its socket, but can still read.
    pub(crate) async fn hangs_up(&mut self) {
        self.0.shutdown().await.unwrap();
    }

    /// Reads until the server ends the connection.
    pub(crate) async fn hears_all(mut self) -> String {
        let mut all = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.0.read_to_end(&mut all)).await;
        read.expect("the server ends the connection").unwrap();
        String::from_utf8(all).unwrap()
    }

    /// Reads until the head of a response is complete; returns it, with the part of the body that
    /// came along.
    pub(crate) async fn hears_answer(&mut self) -> String {
        let mut all = Vec::new();
        while !all.windows(4).any(|it| it == b"\r\n\r\n") {
            let read = tokio::time::timeout(PATIENCE, self.0.read_buf(&mut all)).await;
            assert_ne!(read.expect("an answer comes").unwrap(), 0, "the connection ended");
        }
        String::from_utf8(all).unwrap()
    }

    /// Reads one response with a `Content-Length`; returns its head and its body.
    pub(crate) async fn hears_whole_answer(&mut self) -> String {
        let mut all = self.hears_answer().await;
        let (head, body) = all.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let (_, length) =
            lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length")).unwrap();
        let mut rest = vec![0; length.parse::<usize>().unwrap() - body.len()];
        let read = tokio::time::timeout(PATIENCE, self.0.read_exact(&mut rest)).await;
        read.expect("the whole answer comes").unwrap();
        all.push_str(&String::from_utf8(rest).unwrap());
        all
    }
}

/// The status and the errors of a refusal in the envelope.
pub(crate) fn refusal(answer: &str) -> (u16, Vec<String>) {
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split("\r\n\r\n").nth(1).unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["response"], Value::Null);
    assert_eq!(body["meta"]["code"], status);
    let errors = body["meta"]["errors"].as_array().unwrap();
    (status, errors.iter().map(|it| it.as_str().unwrap().to_owned()).collect())
}
