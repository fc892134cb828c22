//! Closed loops: each worker begins its next piece of work when the last is done.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::meter::{Meter, Phase, Rest, Window};
use super::poster::{Abandoned, Outcome, Poster};
use crate::http::response::HttpError;
use crate::peers::socket::PeerError;
use crate::process::proc_fs::ProcError;

/// How long workers may take to finish their current step once they are told to stop.
const GRACE: Duration = Duration::from_secs(30);

/// Why a load broke off.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Abandoned(#[from] Abandoned),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Proc(#[from] ProcError),
    #[error("unexpected answer HTTP {status} to {request}")]
    Status {
        status: u16,
        /// Method and path.
        request: String,
    },
    #[error("the last requests of a load were not answered within 30 s")]
    Stuck,
    #[error("a worker of the load panicked: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// The result of a step.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// The step did `units` units of work in the time `latency`.
    Done { latency: Duration, units: u64 },
    /// The server refused the work, so the step does not count; the worker goes on.
    Refused,
    /// The worker has nothing more to do.
    Finished,
}

/// The pause after a refusal, so that a server that refuses everything is not hammered as well.
const AFTER_REFUSAL: Duration = Duration::from_millis(10);

/// Does its work in steps, one after the other.
pub trait Worker: Send + 'static {
    /// Does one piece of work.
    fn step(&mut self) -> impl Future<Output = Result<Step, LoadError>> + Send;
}

impl Worker for Poster {
    async fn step(&mut self) -> Result<Step, LoadError> {
        let (_, outcome, latency) = self.post().await?;
        Ok(match outcome {
            Outcome::Acknowledged => Step::Done { latency, units: 1 },
            Outcome::Refused | Outcome::Unknown => Step::Refused,
        })
    }
}

/// Runs all workers for one window, and returns them, in their order, for the next one.
pub async fn run<W: Worker>(
    workers: Vec<W>,
    meter: Meter,
    window: Window,
    pid: Option<u32>,
) -> Result<(Vec<W>, Phase), LoadError> {
    let meter = Arc::new(meter);
    let tasks = start(workers, &meter);
    let phase = meter.observe(window, pid).await?;
    let workers = finish(tasks, GRACE).await?;
    Ok((workers, phase))
}

/// Runs all workers until none has anything left to do, for at most `patience`.
pub async fn run_out<W: Worker>(workers: Vec<W>, patience: Duration) -> Result<Vec<W>, LoadError> {
    finish(start(workers, &Arc::default()), patience).await
}

/// Lets the workers work until each is finished, and measures the server until it rests.
///
/// # Errors
/// If a worker fails, `patience` is over, or the server cannot be measured.
pub async fn measure<W: Worker>(
    workers: Vec<W>,
    rest: Rest,
    patience: Duration,
) -> Result<(Vec<W>, Phase), LoadError> {
    let meter = Arc::new(Meter::measuring());
    let load = finish(start(workers, &meter), patience);
    meter.measure(load, rest).await
}

type Tasks<W> = JoinSet<(usize, Result<W, LoadError>)>;

fn start<W: Worker>(workers: Vec<W>, meter: &Arc<Meter>) -> Tasks<W> {
    let mut tasks = JoinSet::new();
    for (place, worker) in workers.into_iter().enumerate() {
        let meter = Arc::clone(meter);
        tasks.spawn(async move { (place, work(worker, &meter).await) });
    }
    tasks
}

async fn work<W: Worker>(mut worker: W, meter: &Meter) -> Result<W, LoadError> {
    while !meter.is_stopped() {
        match worker.step().await? {
            Step::Done { latency, units } => {
                meter.add(units);
                meter.record(latency);
            }
            Step::Refused => tokio::time::sleep(AFTER_REFUSAL).await,
            Step::Finished => break,
        }
    }
    Ok(worker)
}

async fn finish<W: Worker>(mut tasks: Tasks<W>, patience: Duration) -> Result<Vec<W>, LoadError> {
    let all = async {
        let mut workers = Vec::with_capacity(tasks.len());
        while let Some(ended) = tasks.join_next().await {
            let (place, worker) = ended?;
            workers.push((place, worker?));
        }
        Ok(workers)
    };
    let mut workers: Vec<(usize, W)> =
        tokio::time::timeout(patience, all).await.unwrap_or(Err(LoadError::Stuck))?;
    workers.sort_by_key(|(place, _)| *place);
    Ok(workers.into_iter().map(|(_, worker)| worker).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter {
        name: usize,
        left: u32,
    }

    impl Worker for Counter {
        async fn step(&mut self) -> Result<Step, LoadError> {
            tokio::task::yield_now().await;
            if self.left == 0 {
                return Ok(Step::Finished);
            }
            self.left -= 1;
            Ok(Step::Done { latency: Duration::from_millis(1), units: 2 })
        }
    }

    #[tokio::test]
    async fn workers_come_back_in_their_order() {
        let workers = (0..5).map(|name| Counter { name, left: 10 - name as u32 }).collect();
        let workers = run_out(workers, GRACE).await.unwrap();
        let names: Vec<_> = workers.iter().map(|worker| worker.name).collect();
        assert_eq!(names, [0, 1, 2, 3, 4]);
        assert!(workers.iter().all(|worker| worker.left == 0));
    }

    #[tokio::test]
    async fn a_window_counts_units() {
        let mut measured = Duration::from_millis(30);
        // A machine with other work may take no step within a short window.
        loop {
            let window = Window { warm_up: Duration::ZERO, measured };
            let workers = vec![Counter { name: 0, left: u32::MAX }];
            let (workers, phase) = run(workers, Meter::default(), window, None).await.unwrap();
            let steps = u64::from(u32::MAX - workers[0].left);
            assert!(phase.units <= 2 * steps, "{phase:?}");
            assert!(phase.latency.count <= steps, "{phase:?}");
            if phase.units > 0 && phase.latency.count > 0 {
                return;
            }
            measured *= 2;
        }
    }

    #[tokio::test]
    async fn closed_loop_does_not_wait_for_stuck_clients() {
        let workers = vec![Counter { name: 0, left: u32::MAX }];
        let ended = run_out(workers, Duration::from_millis(10)).await;
        assert!(matches!(ended, Err(LoadError::Stuck)));
    }
}
