//! A measured window: units of work, time, and CPU on both sides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::closed_loop::LoadError;
use super::progress::Progress;
use crate::process::proc_fs::{ProcError, at_rest, cpu_time, resident_bytes};
use crate::stats::{Latencies, Percentiles, Seen};

/// How long one phase warms up before it is measured, and how long it is measured.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub warm_up: Duration,
    pub measured: Duration,
}

impl Window {
    /// Creates a window with a warm-up of a fifth of `measured`, at most a second, in which
    /// connections open and caches fill.
    pub fn of(measured: Duration) -> Self {
        Self { warm_up: (measured / 5).min(Duration::from_secs(1)), measured }
    }
}

/// The process that is measured to the end of its work, and what it uses without any.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    pub pid: Option<u32>,
    /// Whether to wait until the process rests.
    pub waits: bool,
    /// The share of a core that the process uses when nothing happens.
    pub idle_cores: f64,
}

/// The counters of one phase, shared by everything that works in it.
#[derive(Debug, Default)]
pub struct Meter {
    units: Arc<AtomicU64>,
    measuring: AtomicBool,
    stopped: AtomicBool,
    latencies: Latencies,
}

/// The time between two samples of a window, unless the window is short.
const LOOK: Duration = Duration::from_secs(1);
/// The number of samples into which a short window is divided.
const LOOKS: u32 = 20;

/// What one phase did inside its window.
#[derive(Debug, Clone, Serialize)]
pub struct Phase {
    pub units: u64,
    pub per_second: f64,
    /// Server CPU per unit, in µs; absent when the server's process is not known.
    pub server_us_per_unit: Option<f64>,
    pub client_us_per_unit: f64,
    pub latency: Percentiles,
    /// The same figures for each interval between two samples.
    pub timeline: Vec<Point>,
}

/// The figures between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The end of the interval, in seconds since the window began.
    pub at: f64,
    pub per_second: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Cores that the server kept busy; absent, like its memory, when its process is not known.
    pub server_cores: Option<f64>,
    pub server_mib: Option<f64>,
}

impl Meter {
    /// Creates a meter for units that others count, such as deliveries.
    pub fn counting(units: Arc<AtomicU64>) -> Self {
        Self { units, ..Self::default() }
    }

    pub fn add(&self, units: u64) {
        self.units.fetch_add(units, Ordering::Relaxed);
    }

    /// Records a latency, unless the phase is warming up or ending.
    pub fn record(&self, latency: Duration) {
        if self.measuring.load(Ordering::Relaxed) {
            self.latencies.record(latency);
        }
    }

    /// Returns the units counted so far.
    pub fn units(&self) -> u64 {
        self.units.load(Ordering::Relaxed)
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// A meter that measures from the beginning, for a load that ends by itself.
    pub fn measuring() -> Self {
        let meter = Self::default();
        meter.measuring.store(true, Ordering::Relaxed);
        meter
    }

    /// Measures a load that ends by itself. The server's CPU counts until `rest` is over, without
    /// the share of a core that the server uses anyway.
    pub async fn measure<T>(
        &self,
        load: impl Future<Output = Result<T, LoadError>>,
        rest: Rest,
    ) -> Result<(T, Phase), LoadError> {
        let before = self.sample(rest.pid)?;
        let done = load.await?;
        let after = self.sample(rest.pid)?;
        if let Some(pid) = rest.pid.filter(|_| rest.waits) {
            at_rest(pid).await?;
        }
        let rested = self.sample(rest.pid)?;
        let anyway = (rested.at - before.at).as_secs_f64() * rest.idle_cores * 1e6;
        let units = (after.units - before.units).max(1) as f64;
        let server_us_per_unit = before
            .until(&rested, Percentiles::default())
            .server_us_per_unit
            .map(|micros| (micros - anyway / units).max(0.0));
        let phase = before.until(&after, self.latencies.percentiles());
        Ok((done, Phase { server_us_per_unit, ..phase }))
    }

    /// Waits for the window to pass, then tells the load to stop and returns what was measured.
    pub async fn observe(&self, window: Window, pid: Option<u32>) -> Result<Phase, ProcError> {
        tokio::time::sleep(window.warm_up).await;
        self.measuring.store(true, Ordering::Relaxed);
        let before = self.sample(pid)?;
        let timeline = self.watch(window.measured, &before, pid).await?;
        let after = self.sample(pid)?;
        self.measuring.store(false, Ordering::Relaxed);
        self.stop();
        Ok(Phase { timeline, ..before.until(&after, self.latencies.percentiles()) })
    }

    /// Takes samples while the window passes.
    async fn watch(
        &self,
        measured: Duration,
        began: &Sample,
        pid: Option<u32>,
    ) -> Result<Vec<Point>, ProcError> {
        let look = LOOK.min(measured / LOOKS);
        let progress = Progress::of(measured);
        let (mut timeline, mut before, mut seen) = (Vec::new(), *began, Seen::default());
        while began.at.elapsed() < measured {
            let left = measured.saturating_sub(began.at.elapsed());
            // The last interval takes in a short rest, since figures of a very short interval mean
            // nothing.
            tokio::time::sleep(if left < look + look / 2 { left } else { look }).await;
            let now = self.sample(pid)?;
            let since = before.until(&now, self.latencies.percentiles_since(&mut seen));
            let point = Point {
                at: (now.at - began.at).as_secs_f64(),
                per_second: since.per_second,
                p50_ms: since.latency.p50_ms,
                p99_ms: since.latency.p99_ms,
                server_cores: since.server_us_per_unit.map(|_| before.cores(&now)),
                server_mib: pid.map(resident_bytes).transpose()?.map(|it| it as f64 / MIB),
            };
            progress.tell(&point);
            timeline.push(point);
            before = now;
        }
        Ok(timeline)
    }

    fn sample(&self, pid: Option<u32>) -> Result<Sample, ProcError> {
        Ok(Sample {
            at: Instant::now(),
            units: self.units.load(Ordering::Relaxed),
            server: pid.map(cpu_time).transpose()?,
            client: cpu_time(std::process::id())?,
        })
    }
}

const MIB: f64 = 1024.0 * 1024.0;

#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Instant,
    units: u64,
    server: Option<Duration>,
    client: Duration,
}

impl Sample {
    fn until(&self, after: &Self, latency: Percentiles) -> Phase {
        let units = after.units - self.units;
        let per_unit = |before: Duration, after: Duration| {
            after.saturating_sub(before).as_secs_f64() * 1e6 / units.max(1) as f64
        };
        Phase {
            units,
            per_second: units as f64 / (after.at - self.at).as_secs_f64(),
            server_us_per_unit: self
                .server
                .zip(after.server)
                .map(|(before, after)| per_unit(before, after)),
            client_us_per_unit: per_unit(self.client, after.client),
            latency,
            timeline: Vec::new(),
        }
    }

    /// Returns how many cores the server kept busy between the two samples.
    fn cores(&self, after: &Self) -> f64 {
        let of = |sample: &Self| sample.server.unwrap_or_default();
        let busy = of(after).saturating_sub(of(self)).as_secs_f64();
        busy / (after.at - self.at).as_secs_f64().max(f64::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_is_divided_by_the_units_of_the_window() {
        let at = Instant::now();
        let second = Duration::from_secs(1);
        let before = Sample { at, units: 100, server: Some(second), client: Duration::ZERO };
        let after = Sample {
            at: at + 2 * second,
            units: 1100,
            server: Some(2 * second),
            client: second / 2,
        };
        let phase = before.until(&after, Percentiles::default());
        assert_eq!(phase.units, 1000);
        assert_eq!(phase.per_second, 500.0);
        assert_eq!(phase.server_us_per_unit, Some(1000.0));
        assert_eq!(phase.client_us_per_unit, 500.0);
    }

    #[tokio::test]
    async fn window_ends_on_time_and_stops_the_load() {
        let meter = Meter::default();
        meter.record(Duration::from_millis(1));
        let window = Window::of(Duration::from_millis(20));
        let phase = meter.observe(window, None).await.unwrap();
        assert!(meter.is_stopped());
        assert_eq!(phase.latency.count, 0, "the warm-up does not count");
        assert_eq!(phase.server_us_per_unit, None);
        assert!(!phase.timeline.is_empty() && phase.timeline.len() <= 2 * LOOKS as usize);
        assert_eq!(phase.timeline[0].server_cores, None);
    }

    #[test]
    fn a_server_that_works_half_of_the_time_keeps_half_a_core_busy() {
        let (at, second) = (Instant::now(), Duration::from_secs(1));
        let before = Sample { at, units: 0, server: Some(second), client: Duration::ZERO };
        let after = Sample { at: at + 4 * second, server: Some(3 * second), ..before };
        assert_eq!(before.cores(&after), 0.5);
    }
}
