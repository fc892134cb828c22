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
        match connection.exchange(&request).await?.status {
            201 => Ok(Step::Done { latency: began.elapsed(), units: 1 }),
            status => Err(LoadError::Status { status, path: PATH.to_owned() }),
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
