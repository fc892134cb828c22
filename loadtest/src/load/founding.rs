//! Creating many groups in which nobody posts.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::closed_loop::{self, LoadError, Step, Worker};
use crate::http::connection::Connection;
use crate::http::request;

const PATH: &str = "/v3/groups";

/// A user who creates `left` more groups, as their only member.
#[derive(Debug)]
pub struct Founder {
    addr: SocketAddr,
    token: String,
    left: usize,
    connection: Option<Connection>,
}

impl Founder {
    pub fn new(addr: SocketAddr, token: String, left: usize) -> Self {
        Self { addr, token, left, connection: None }
    }
}

impl Worker for Founder {
    async fn step(&mut self) -> Result<Step, LoadError> {
        if self.left == 0 {
            return Ok(Step::Finished);
        }
        self.left -= 1;
        let body = format!(r#"{{"name":"quiet {}"}}"#, self.left);
        let request = request::post(self.addr, PATH, &self.token, &body);
        let began = Instant::now();
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.addr).await?),
        };
        connection.freshen(self.addr).await?;
        match connection.exchange(&request).await?.status {
            201 => Ok(Step::Done { latency: began.elapsed(), units: 1 }),
            status => Err(LoadError::Status { status, request: format!("POST {PATH}") }),
        }
    }
}

/// Waits until all groups are created.
///
/// # Errors
/// If a group cannot be created, or `patience` is over.
pub async fn found(founders: Vec<Founder>, patience: Duration) -> Result<(), LoadError> {
    closed_loop::run_out(founders, patience).await.map(drop)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_request_that_fails_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            assert!(socket.read(&mut request).await.unwrap() > 0);
            let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
            socket.write_all(answer.as_bytes()).await.unwrap();
        });
        let founder = Founder::new(addr, "token".to_owned(), 1);
        let failed = found(vec![founder], Duration::from_secs(30)).await.unwrap_err();
        assert_eq!(failed.to_string(), "unexpected answer HTTP 403 to POST /v3/groups");
    }

    #[tokio::test]
    async fn a_server_that_closes_its_connections_is_connected_to_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 4096];
                assert!(socket.read(&mut request).await.unwrap() > 0);
                let answer =
                    "HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let founder = Founder::new(addr, "token".to_owned(), 3);
        found(vec![founder], Duration::from_secs(30)).await.unwrap();
    }
}
