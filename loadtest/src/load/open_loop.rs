//! An open loop: posts leave at their time, whether or not the last has arrived.
//!
//! A closed loop waits while a server is slow and so hides the worst of it. Here
//! a latency begins when the post was due, so a server that falls behind is
//! seen. Timers of tokio may be a millisecond late; that is counted too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::closed_loop::{LoadError, Step, Worker};
use super::delivery_tracker::DeliveryTracker;
use super::poster::{Outcome, Poster};

/// One of several who take turns at the beats.
#[derive(Debug)]
pub struct OpenLoop {
    poster: Poster,
    delivery_tracker: Arc<DeliveryTracker>,
    due: Instant,
    every: Duration,
    patience: Duration,
}

impl OpenLoop {
    /// Posters that together post `rate` messages per second, evenly, from now on.
    pub fn team(
        posters: Vec<Poster>,
        delivery_tracker: &Arc<DeliveryTracker>,
        rate: usize,
        patience: Duration,
    ) -> Vec<Self> {
        let beat = Duration::from_secs(1) / rate.max(1) as u32;
        let every = beat * posters.len() as u32;
        let start = Instant::now() + beat;
        let numbered = posters.into_iter().zip(0u32..);
        let one = |(poster, place)| {
            let due = start + beat * place;
            Self { poster, delivery_tracker: Arc::clone(delivery_tracker), due, every, patience }
        };
        numbered.map(one).collect()
    }

    pub fn into_poster(self) -> Poster {
        self.poster
    }
}

impl Worker for OpenLoop {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let due = self.due;
        self.due += self.every;
        tokio::time::sleep_until(due.into()).await;
        let (guid, outcome, _) = self.poster.post().await?;
        if outcome != Outcome::Acknowledged {
            return Ok(Step::Refused);
        }
        let Some(index) = self.delivery_tracker.index(guid) else {
            return Ok(Step::Finished);
        };
        let last = self.delivery_tracker.reached_all(index, self.patience).await;
        let latency = last.map(|last| last.saturating_duration_since(due));
        Ok(latency.map_or(Step::Finished, |latency| Step::Done { latency, units: 1 }))
    }
}
