//! Posting a given number of messages, and no more.

use super::closed_loop::{LoadError, Step, Worker};
use super::poster::Poster;

/// A worker that posts `left` more messages.
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
        self.left -= 1;
        self.poster.step().await
    }
}
