//! Posting into a conversation whose deliveries are tracked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::closed_loop::{LoadError, Step, Worker};
use super::delivery_tracker::DeliveryTracker;
use super::poster::{Outcome, Poster};

/// Posts one message from each of its posters at once, and begins again when all of these messages
/// have reached every socket. With one poster that is a closed loop over deliveries, with fifty it
/// is a burst.
///
/// A message whose last delivery takes longer than `patience` counts as lost, and the watched
/// poster stops: waiting for each of thousands would take hours. The delivery tracker counts the
/// units, which are deliveries.
#[derive(Debug)]
pub struct WatchedPoster {
    pub posters: Vec<Poster>,
    delivery_tracker: Arc<DeliveryTracker>,
    patience: Duration,
    units: u64,
}

impl WatchedPoster {
    pub fn new(
        posters: Vec<Poster>,
        delivery_tracker: Arc<DeliveryTracker>,
        patience: Duration,
    ) -> Self {
        Self { posters, delivery_tracker, patience, units: 0 }
    }

    /// Makes posts the units, for a meter that does not count deliveries.
    pub fn counting_posts(self) -> Self {
        Self { units: self.posters.len() as u64, ..self }
    }

    fn is_full(&self) -> bool {
        let most = self.delivery_tracker.posts_per_sender() as usize;
        self.posters.iter().any(|poster| poster.outcomes().len() >= most)
    }
}

impl Worker for WatchedPoster {
    async fn step(&mut self) -> Result<Step, LoadError> {
        if self.is_full() {
            return Ok(Step::Finished);
        }
        let started = Instant::now();
        for poster in &mut self.posters {
            poster.send().await?;
        }
        let mut promised = Vec::with_capacity(self.posters.len());
        for poster in &mut self.posters {
            // The server promises only what it acknowledged, so only that is waited for.
            if poster.receive().await? == Outcome::Acknowledged {
                promised.extend(poster.last());
            }
        }
        if promised.is_empty() {
            return Ok(Step::Refused);
        }
        let mut last = started;
        for guid in promised {
            let Some(index) = self.delivery_tracker.index(guid) else {
                return Ok(Step::Finished);
            };
            match self.delivery_tracker.reached_all(index, self.patience).await {
                Some(at) => last = last.max(at),
                None => return Ok(Step::Finished),
            }
        }
        Ok(Step::Done { latency: last - started, units: self.units })
    }
}
