//! The journal's metrics: commits, batches, syncs.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::metrics::exposition::{Exposition, MetricKind};
use crate::metrics::histogram::Histogram;

/// Histogram bounds: commits of one batch.
const SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// Histogram bounds: microseconds of one sync.
const MICROS: &[u64] =
    &[50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000];

/// Counters of a journal since it was opened.
#[derive(Debug)]
pub struct JournalCounts {
    batches: Histogram,
    syncs: Histogram,
    bytes: AtomicU64,
}

impl Default for JournalCounts {
    fn default() -> Self {
        Self {
            batches: Histogram::new(SIZES),
            syncs: Histogram::new(MICROS),
            bytes: AtomicU64::new(0),
        }
    }
}

impl JournalCounts {
    /// Counts a sync and how long it took.
    pub(super) fn synced(&self, micros: u64) {
        self.syncs.note(micros);
    }

    /// Counts a batch of commits that became durable together, and its bytes.
    pub(super) fn durable(&self, commits: usize, bytes: usize) {
        self.batches.note(commits as u64);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Writes the counters to the metrics page.
    pub fn write(&self, page: &mut Exposition) {
        let batches = self.batches.read();
        let name = "coterie_journal_commits_total";
        page.single(name, MetricKind::Counter, "Commits that became durable.", batches.sum);
        let help = "Bytes of commits that became durable.";
        let bytes = self.bytes.load(Ordering::Relaxed);
        page.single("coterie_journal_written_bytes_total", MetricKind::Counter, help, bytes);
        let help = "Commits that shared one write and one sync.";
        page.family("coterie_journal_batch_commits", MetricKind::Histogram, help);
        page.histogram(&[], &batches, 1.0);
        let help = "How long commits waited for stable storage.";
        page.family("coterie_journal_sync_seconds", MetricKind::Histogram, help);
        page.histogram(&[], &self.syncs.read(), 1e6);
    }
}
