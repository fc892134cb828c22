//! How the journal stands: whether it stopped for good, whether it is full.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::watch;

use crate::clock::Stopwatch;
use crate::journal::JournalFault;

/// How often a full journal lets one commit try whether there is room again.
const TRY_MICROS: u64 = 500_000;

/// How a journal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It takes commits.
    Open,
    /// There is hardly any room on the disk: it takes what is vital, while that fits.
    Full,
    /// It failed, and takes nothing until the next start.
    Stopped,
}

/// What the writer tells of itself.
#[derive(Debug)]
pub(super) struct Notice {
    stopped: watch::Sender<Option<JournalFault>>,
    is_full: AtomicBool,
    /// When somebody tried last, by this watch.
    tried: AtomicU64,
    since: Stopwatch,
}

/// Tells when the writer ends by a panic.
#[derive(Debug)]
pub(super) struct Witness<'a>(pub(super) &'a Notice);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let reason = "the writer panicked".to_owned();
            self.0.stop(JournalFault::Stopped { operation: "write", reason });
        }
    }
}

impl Default for Notice {
    fn default() -> Self {
        let (is_full, tried) = (AtomicBool::new(false), AtomicU64::new(0));
        Self { stopped: watch::channel(None).0, is_full, tried, since: Stopwatch::start() }
    }
}

impl Notice {
    /// It stopped for good; the first reason stays.
    pub(super) fn stop(&self, fault: JournalFault) {
        self.stopped.send_if_modified(|known| {
            let is_news = known.is_none();
            known.get_or_insert(fault);
            is_news
        });
    }

    /// How it stands now.
    pub(super) fn now(&self, is_disk_full: bool) -> Standing {
        if self.stopped.borrow().is_some() {
            return Standing::Stopped;
        }
        let is_full = is_disk_full || self.is_full.load(Ordering::Relaxed);
        if is_full { Standing::Full } else { Standing::Open }
    }

    /// Learns when it stops.
    pub(super) fn stopped(&self) -> watch::Receiver<Option<JournalFault>> {
        self.stopped.subscribe()
    }

    /// Nothing more fits, or something fits again.
    pub(super) fn set_full(&self, is_full: bool) {
        if self.is_full.swap(is_full, Ordering::Relaxed) == is_full {
            return;
        }
        self.tried.store(self.since.micros(), Ordering::Relaxed);
        if is_full {
            tracing::error!("the journal has no room left on the disk; it takes log-ins only");
        } else {
            tracing::warn!("the journal has room on the disk again");
        }
    }

    /// Whether something may be submitted that can wait. Of a full journal, one commit in
    /// a while may: it finds out whether there is room again.
    pub(super) fn has_room(&self) -> bool {
        if !self.is_full.load(Ordering::Relaxed) {
            return true;
        }
        let (now, tried) = (self.since.micros(), self.tried.load(Ordering::Relaxed));
        let is_due = now.saturating_sub(tried) >= TRY_MICROS;
        let order = Ordering::Relaxed;
        is_due && self.tried.compare_exchange(tried, now, order, order).is_ok()
    }
}
