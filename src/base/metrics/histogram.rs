//! Histograms that many threads may read while one writes: relaxed counters, no lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts values by size.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    /// One count per bound, and one for values above all of them.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

/// The counts of a histogram at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistogramReading {
    /// Each bound, with the number of values up to it and above the bound before it.
    pub buckets: Vec<(u64, u64)>,
    /// The number of values above all bounds.
    pub above: u64,
    /// The sum of all values.
    pub sum: u64,
}

impl Histogram {
    /// An empty histogram; the bounds must ascend.
    pub fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, counts, sum: AtomicU64::new(0) }
    }

    /// Counts a value.
    pub fn note(&self, value: u64) {
        let at = self.bounds.iter().position(|bound| value <= *bound);
        let at = at.unwrap_or(self.bounds.len());
        self.counts[at].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Reads the present counts.
    pub fn read(&self) -> HistogramReading {
        let mut counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let buckets = self.bounds.iter().copied().zip(counts.by_ref()).collect();
        HistogramReading {
            buckets,
            above: self.counts[self.bounds.len()].load(Ordering::Relaxed),
            sum: self.sum.load(Ordering::Relaxed),
        }
    }
}

impl HistogramReading {
    /// Adds what another histogram with the same bounds has counted.
    pub fn add(&mut self, other: &Self) {
        if self.buckets.is_empty() {
            self.buckets = other.buckets.iter().map(|(bound, _)| (*bound, 0)).collect();
        }
        for ((_, count), (_, more)) in self.buckets.iter_mut().zip(&other.buckets) {
            *count += more;
        }
        self.above += other.above;
        self.sum += other.sum;
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.above + self.buckets.iter().map(|(_, count)| count).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_of_several_threads_add_up() {
        let one = Histogram::new(&[10, 20]);
        let other = Histogram::new(&[10, 20]);
        one.note(10);
        other.note(15);
        other.note(99);
        let mut all = HistogramReading::default();
        all.add(&one.read());
        all.add(&other.read());
        assert_eq!(all, HistogramReading { buckets: vec![(10, 1), (20, 1)], above: 1, sum: 124 });
        assert_eq!(all.count(), 3);
    }
}
