//! Posting until a given number of messages is acknowledged.

use super::closed_loop::{LoadError, Step, Worker};
use super::poster::Poster;

/// A worker that posts until `left` more messages are acknowledged. One that was refused, or whose
/// fate is unknown, does not count.
#[derive(Debug)]
pub struct Seeder {
    pub poster: Poster,
    pub left: usize,
}

impl Worker for Seeder {
    async fn step(&mut self) -> Result<Step, LoadError> {
        if self.left == 0 {
            return Ok(Step::Finished);
        }
        let step = self.poster.step().await?;
        self.left -= usize::from(matches!(step, Step::Done { .. }));
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::http::request::{PostTarget, PostTemplate};
    use crate::load::closed_loop;
    use crate::load::poster::Outcome;

    #[tokio::test]
    async fn a_message_that_is_refused_does_not_count() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            for status in ["429 Too Many Requests", "201 Created", "201 Created"] {
                let mut request = vec![0; 4096];
                assert!(socket.read(&mut request).await.unwrap() > 0);
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let target = PostTarget { group_id: "7".to_owned(), token: "token".to_owned() };
        let poster = Poster::new(addr, PostTemplate::new(addr, &target, 20), 1, 1);
        let seeders = vec![Seeder { poster, left: 2 }];
        let seeders = closed_loop::run_out(seeders, Duration::from_secs(30)).await.unwrap();
        let known = [Outcome::Refused, Outcome::Acknowledged, Outcome::Acknowledged];
        assert_eq!(seeders[0].poster.outcomes(), known);
    }
}
