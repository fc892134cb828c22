//! The state of a journal's writer (whether it stopped, whether the disk is full) and its metrics.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::watch;

use crate::JournalFault;
use base::clock::Stopwatch;
use base::metrics::exposition::{Exposition, MetricKind};
use base::metrics::histogram::Histogram;

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

/// Microseconds between two commits that a full journal admits in order to find out whether there
/// is space again.
const TRY_MICROS: u64 = 500_000;

/// Whether a journal takes commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalState {
    /// The journal takes commits.
    Open,
    /// The disk is nearly full: the journal takes only vital commits, as long as they fit.
    Full,
    /// The journal failed, and takes nothing until the next start.
    Stopped,
}

/// The writer's state, shared with the rest of the journal.
#[derive(Debug)]
pub(super) struct WriterStatus {
    stopped: watch::Sender<Option<JournalFault>>,
    is_full: AtomicBool,
    /// When the disk was last found full, or a full journal last admitted a commit, in microseconds
    /// of `since`.
    tried: AtomicU64,
    since: Stopwatch,
}

/// Marks the journal as stopped if the writer's thread ends by a panic.
#[derive(Debug)]
pub(super) struct StopOnPanic<'a>(pub(super) &'a WriterStatus);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "the writer panicked".to_owned();
            self.0.stop(JournalFault::Stopped { operation: "write", reason });
        }
    }
}

impl Default for WriterStatus {
    fn default() -> Self {
        let is_full = AtomicBool::new(false);
        let tried = AtomicU64::new(0);
        Self { stopped: watch::channel(None).0, is_full, tried, since: Stopwatch::start() }
    }
}

impl WriterStatus {
    /// Marks the journal as stopped for good; the first fault stays.
    pub(super) fn stop(&self, fault: JournalFault) {
        self.stopped.send_if_modified(|known| {
            let is_news = known.is_none();
            known.get_or_insert(fault);
            is_news
        });
    }

    /// The present state. `is_disk_full` is the disk's own report of low space.
    pub(super) fn now(&self, is_disk_full: bool) -> JournalState {
        if self.stopped.borrow().is_some() {
            return JournalState::Stopped;
        }
        let is_full = is_disk_full || self.is_full.load(Ordering::Relaxed);
        if is_full { JournalState::Full } else { JournalState::Open }
    }

    /// Watches for the fault that stops the journal. None until then.
    pub(super) fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        self.stopped.subscribe()
    }

    /// Notes whether the last attempt to write found the disk full.
    pub(super) fn set_full(&self, is_full: bool) {
        if self.is_full.swap(is_full, Ordering::Relaxed) == is_full {
            return;
        }
        self.tried.store(self.since.micros(), Ordering::Relaxed);
        if is_full {
            tracing::error!("the disk is full: the journal accepts log-ins only");
        } else {
            tracing::warn!("the disk has space again: the journal accepts all writes");
        }
    }

    /// Whether a commit that can wait may be submitted. A full journal admits one every half
    /// second, to find out whether there is space again.
    pub(super) fn has_space(&self) -> bool {
        if !self.is_full.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.since.micros();
        let tried = self.tried.load(Ordering::Relaxed);
        let is_due = now.saturating_sub(tried) >= TRY_MICROS;
        let order = Ordering::Relaxed;
        is_due && self.tried.compare_exchange(tried, now, order, order).is_ok()
    }
}
