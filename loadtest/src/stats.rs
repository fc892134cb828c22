//! Statistics: medians over rounds, percentiles over requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Returns the middle one of the finite values, or the mean of the two in the middle; `None` if
/// there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        len if len % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Returns the median of `a / b`, round by round: both sides of a round met the machine in the same
/// state, and one disturbed round does not decide.
pub fn median_ratio(a: &[f64], b: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = a.iter().zip(b).filter(|(_, b)| **b > 0.0).map(|(a, b)| a / b).collect();
    median(&ratios)
}

/// Percentiles in milliseconds, as they are printed and written as JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Percentiles {
    pub count: u64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub max_ms: f64,
}

/// Latencies from 1 µs to 100 s with three significant digits.
///
/// Shared by all tasks of a load: one histogram per connection would cost more
/// memory than the connections. Longer latencies count as 100 s.
#[derive(Debug)]
pub struct Latencies(Mutex<Histogram<u64>>);

const LONGEST_US: u64 = 100_000_000;

impl Default for Latencies {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_US, 3);
        Self(Mutex::new(histogram.expect("1 to 100 s with 3 digits are valid bounds")))
    }
}

impl Latencies {
    pub fn record(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(LONGEST_US);
        self.lock().saturating_record(micros.max(1));
    }

    pub fn percentiles(&self) -> Percentiles {
        percentiles(&self.lock())
    }

    /// Returns the percentiles of what was recorded since the last call with the same `seen`.
    pub fn percentiles_since(&self, seen: &mut Seen) -> Percentiles {
        let now = self.lock().clone();
        let mut since = now.clone();
        if let Some(before) = seen.0.replace(now) {
            // Both have the same bounds, and counts only grow.
            since.subtract(before).expect("a histogram holds what it held before");
        }
        percentiles(&since)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Histogram<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What had been recorded at the last call of [`Latencies::percentiles_since`].
#[derive(Debug, Default)]
pub struct Seen(Option<Histogram<u64>>);

fn percentiles(histogram: &Histogram<u64>) -> Percentiles {
    if histogram.is_empty() {
        return Percentiles::default();
    }
    let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1000.0;
    Percentiles {
        count: histogram.len(),
        p50_ms: at(0.5),
        p90_ms: at(0.9),
        p99_ms: at(0.99),
        p999_ms: at(0.999),
        max_ms: histogram.max() as f64 / 1000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::NAN, 2.0]), Some(2.0));
    }

    #[test]
    fn one_disturbed_round_does_not_decide_a_ratio() {
        let ratio = median_ratio(&[50.0, 1.0, 60.0], &[100.0, 100.0, 100.0]);
        assert_eq!(ratio, Some(0.5));
        assert_eq!(median_ratio(&[1.0], &[0.0]), None);
    }

    #[test]
    fn percentiles_are_in_milliseconds() {
        let latencies = Latencies::default();
        for millis in 1..=1000 {
            latencies.record(Duration::from_millis(millis));
        }
        let percentiles = latencies.percentiles();
        assert_eq!(percentiles.count, 1000);
        assert!((percentiles.p50_ms - 500.0).abs() < 1.0, "{percentiles:?}");
        assert!((percentiles.p99_ms - 990.0).abs() < 2.0, "{percentiles:?}");
    }

    #[test]
    fn each_sample_covers_the_time_since_the_last() {
        let (latencies, mut seen) = (Latencies::default(), Seen::default());
        latencies.record(Duration::from_millis(1));
        assert_eq!(latencies.percentiles_since(&mut seen).max_ms, 1.0);
        latencies.record(Duration::from_millis(9));
        let since = latencies.percentiles_since(&mut seen);
        assert_eq!((since.count, since.p50_ms.round()), (1, 9.0));
        assert_eq!(latencies.percentiles_since(&mut seen).count, 0);
        assert_eq!(latencies.percentiles().count, 2);
    }

    #[test]
    fn latencies_beyond_the_scale_are_kept_at_its_ends() {
        let latencies = Latencies::default();
        latencies.record(Duration::ZERO);
        latencies.record(Duration::from_secs(100_000));
        assert_eq!(latencies.percentiles().count, 2);
    }
}
