//! Open loops: work begins when it is due, whether or not the server is fast.
//!
//! A closed loop waits while a server is slow, and so hides the worst of it. Here a latency
//! begins when its work was due, so a server that falls behind is seen. Timers of tokio may
//! be a millisecond late; that is counted too.

use std::time::{Duration, Instant};

use super::closed_loop::{self, LoadError, Step, Worker};
use super::meter::{Meter, Phase, Window};

/// How many senders post in an open loop, and their common rate in posts per second.
#[derive(Debug, Clone, Copy)]
pub struct Posting {
    pub senders: usize,
    pub rate: f64,
}

/// A worker whose steps are due at fixed times.
#[derive(Debug)]
pub struct Paced<W> {
    worker: W,
    due: Instant,
    every: Duration,
    until: Instant,
}

impl<W> Paced<W> {
    /// Creates workers that together begin `rate` steps a second, evenly, from now until the window
    /// has passed.
    pub fn team(workers: Vec<W>, rate: f64, window: Window) -> Vec<Self> {
        let beat = Duration::from_secs_f64(1.0 / rate.max(SLOWEST));
        let (count, start) = (workers.len() as u32, Instant::now() + beat);
        let until = start + window.warm_up + window.measured;
        let numbered = workers.into_iter().zip(0..);
        let paced = |(worker, place): (W, u32)| Self {
            worker,
            due: start + beat * place,
            every: beat * count,
            until,
        };
        numbered.map(paced).collect()
    }

    pub fn into_worker(self) -> W {
        self.worker
    }
}

/// The lowest rate, in steps per second.
const SLOWEST: f64 = 0.01;

impl<W: Worker> Worker for Paced<W> {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let due = self.due;
        if due >= self.until {
            return Ok(Step::Finished);
        }
        self.due += self.every;
        tokio::time::sleep_until(due.into()).await;
        let late = due.elapsed();
        Ok(match self.worker.step().await? {
            Step::Done { latency, units } => Step::Done { latency: latency + late, units },
            other @ (Step::Refused | Step::Finished) => other,
        })
    }
}

/// Runs the workers for one window: in an open loop at `rate` steps per second, or, without a rate,
/// in a closed loop.
///
/// # Errors
/// As [`closed_loop::run`].
pub async fn run<W: Worker>(
    workers: Vec<W>,
    rate: Option<f64>,
    meter: Meter,
    window: Window,
    pid: Option<u32>,
) -> Result<(Vec<W>, Phase), LoadError> {
    let Some(rate) = rate else {
        return closed_loop::run(workers, meter, window, pid).await;
    };
    let team = Paced::team(workers, rate, window);
    let (team, phase) = closed_loop::run(team, meter, window, pid).await?;
    Ok((team.into_iter().map(Paced::into_worker).collect(), phase))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker that takes 100 ms for its first step and no time for the others.
    #[derive(Clone)]
    struct Stumbler {
        steps: u32,
    }

    impl Worker for Stumbler {
        async fn step(&mut self) -> Result<Step, LoadError> {
            self.steps += 1;
            let took = Duration::from_millis(if self.steps == 1 { 100 } else { 0 });
            tokio::time::sleep(took).await;
            Ok(Step::Done { latency: took, units: 1 })
        }
    }

    #[tokio::test]
    async fn request_queued_behind_slow_one_counts_as_late() {
        let window = Window { warm_up: Duration::ZERO, measured: Duration::from_secs(60) };
        let mut team = Paced::team(vec![Stumbler { steps: 0 }], 50.0, window);
        let mut delays = Vec::new();
        for _ in 0..3 {
            let Ok(Step::Done { latency, .. }) = team[0].step().await else { panic!("not done") };
            delays.push(latency.as_millis());
        }
        assert!(delays[0] >= 100 && delays[1] >= 80 && delays[2] >= 60, "{delays:?}");
    }

    #[tokio::test]
    async fn nobody_begins_after_the_window() {
        let window = Window { warm_up: Duration::ZERO, measured: Duration::from_millis(10) };
        let mut team = Paced::team(vec![Stumbler { steps: 1 }; 1], 1.0, window);
        team[0].due += Duration::from_secs(3600);
        assert!(matches!(team[0].step().await, Ok(Step::Finished)));
    }
}
