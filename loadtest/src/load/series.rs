//! Prepared requests, sent one after the other.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::closed_loop::{self, LoadError, Step, Worker};
use crate::http::connection::Connection;
use crate::http::response::first_id;

/// A list of requests that one connection sends; every answer must be a success.
#[derive(Debug)]
pub struct Series {
    addr: SocketAddr,
    requests: std::vec::IntoIter<Vec<u8>>,
    connection: Option<Connection>,
    /// The first id of each answer that has one.
    pub ids: Vec<String>,
}

impl Series {
    pub fn new(addr: SocketAddr, requests: Vec<Vec<u8>>) -> Self {
        Self { addr, requests: requests.into_iter(), connection: None, ids: Vec::new() }
    }

    /// Deals requests to `count` connections, so that each connection gets every `count`th one.
    pub fn deal(addr: SocketAddr, requests: Vec<Vec<u8>>, count: usize) -> Vec<Self> {
        let mut hands = vec![Vec::new(); count.clamp(1, requests.len().max(1))];
        let places = hands.len();
        for (place, request) in requests.into_iter().enumerate() {
            hands[place % places].push(request);
        }
        hands.into_iter().map(|hand| Self::new(addr, hand)).collect()
    }
}

impl Worker for Series {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let Some(request) = self.requests.next() else { return Ok(Step::Finished) };
        let began = Instant::now();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.addr).await?,
        };
        connection.freshen(self.addr).await?;
        let answer = connection.exchange(&request).await?;
        if !(200..300).contains(&answer.status) {
            let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(500)]);
            let request = format!("{}: {body}", first_line(&request));
            return Err(LoadError::Status { status: answer.status, request });
        }
        self.ids.extend(first_id(answer.body).map(str::to_owned));
        if !answer.closes {
            self.connection = Some(connection);
        }
        Ok(Step::Done { latency: began.elapsed(), units: 1 })
    }
}

fn first_line(request: &[u8]) -> String {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    String::from_utf8_lossy(line).trim_end_matches(" HTTP/1.1").to_owned()
}

/// Sends all requests; returns the ids of the answers of each series.
///
/// # Errors
/// If a request is not answered with a success, or `patience` is over.
pub async fn send_all(
    series: Vec<Series>,
    patience: Duration,
) -> Result<Vec<Vec<String>>, LoadError> {
    let series = closed_loop::run_out(series, patience).await?;
    Ok(series.into_iter().map(|one| one.ids).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_dealt_in_turn() {
        let addr = SocketAddr::from(([127, 0, 0, 1], 80));
        let requests = (0..5u8).map(|number| vec![number]).collect();
        let hands: Vec<Vec<Vec<u8>>> = Series::deal(addr, requests, 2)
            .into_iter()
            .map(|series| series.requests.collect())
            .collect();
        assert_eq!(hands, [vec![vec![0], vec![2], vec![4]], vec![vec![1], vec![3]]]);
    }

    #[test]
    fn failed_request_is_named() {
        assert_eq!(first_line(b"PUT /v3/drafts/7 HTTP/1.1\r\nHost: x\r\n"), "PUT /v3/drafts/7");
    }
}
