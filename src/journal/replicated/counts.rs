//! A node's counters of the shared log.

use std::sync::atomic::{AtomicU64, Ordering};

use base::metrics::exposition::{Exposition, MetricKind};

/// Counters since the journal was opened.
#[derive(Debug, Default)]
pub struct LogCounts {
    batches: AtomicU64,
    commits: AtomicU64,
    takeovers: AtomicU64,
    differences: AtomicU64,
    skipped: AtomicU64,
}

impl LogCounts {
    pub(super) fn batch(&self, commits: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.commits.fetch_add(commits as u64, Ordering::Relaxed);
    }

    pub(super) fn takeover(&self) {
        self.takeovers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn difference(&self) {
        self.differences.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a skipped message; returns how many there were so far.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Messages of the log that no node of this installation wrote, and that were skipped.
    pub fn skips(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Messages with commits that came from the log.
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// How often a message of the log, or a node's copy, was found wrong.
    pub fn differences(&self) -> u64 {
        self.differences.load(Ordering::Relaxed)
    }

    /// Writes the counters to the metrics page.
    pub fn write(&self, page: &mut Exposition) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = [
            ("coterie_cluster_batches_total", "Batches that came from the log.", &self.batches),
            ("coterie_cluster_commits_total", "Commits in them.", &self.commits),
            ("coterie_cluster_takeovers_total", "Shards that changed hands.", &self.takeovers),
            (
                "coterie_differences_total",
                "Damaged journals of nodes and wrong messages of the log.",
                &self.differences,
            ),
            (
                "coterie_cluster_skipped_total",
                "Skipped messages of the log that no node wrote.",
                &self.skipped,
            ),
        ];
        for (name, help, count) in counts {
            page.single(name, MetricKind::Counter, help, read(count));
        }
    }
}
