//! The state of a journal's writer: whether it stopped for good, whether the disk is full.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::watch;

use crate::clock::Stopwatch;
use crate::journal::JournalFault;

/// Microseconds between two commits that a full journal admits in order to find out whether there
/// is space again.
const TRY_MICROS: u64 = 500_000;

/// Whether a journal takes commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
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
        let (is_full, tried) = (AtomicBool::new(false), AtomicU64::new(0));
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
    pub(super) fn now(&self, is_disk_full: bool) -> Standing {
        if self.stopped.borrow().is_some() {
            return Standing::Stopped;
        }
        let is_full = is_disk_full || self.is_full.load(Ordering::Relaxed);
        if is_full { Standing::Full } else { Standing::Open }
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
        let (now, tried) = (self.since.micros(), self.tried.load(Ordering::Relaxed));
        let is_due = now.saturating_sub(tried) >= TRY_MICROS;
        let order = Ordering::Relaxed;
        is_due && self.tried.compare_exchange(tried, now, order, order).is_ok()
    }
}
