//! What live feeds count of themselves.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::metrics::exposition::{Exposition, MetricKind};
use crate::subscribers::slot::Offered;

/// Counted by one feed, on its own thread.
#[derive(Debug, Default)]
pub struct FeedCounts {
    delivered: AtomicU64,
    behind: AtomicU64,
}

/// What all feeds have counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedReading {
    /// Readers that are served now.
    pub readers: u64,
    /// Events handed to readers.
    pub delivered: u64,
    /// How often a reader could not keep up.
    pub behind: u64,
}

impl FeedCounts {
    /// An event was offered to a reader.
    pub(super) fn offered(&self, offered: Offered) {
        match offered {
            Offered::PutIn => {
                self.delivered.fetch_add(1, Ordering::Relaxed);
            }
            Offered::NoRoom => {
                self.behind.fetch_add(1, Ordering::Relaxed);
            }
            Offered::Passed => {}
        }
    }

    /// Adds what is counted here.
    pub(super) fn add_to(&self, reading: &mut FeedReading) {
        reading.delivered += self.delivered.load(Ordering::Relaxed);
        reading.behind += self.behind.load(Ordering::Relaxed);
    }
}

impl FeedReading {
    /// Writes it down.
    pub fn write(&self, page: &mut Exposition) {
        let help = "Sockets, streams and polls that hear what happens.";
        page.single("coterie_readers", MetricKind::Gauge, help, self.readers);
        let help = "Events pushed to readers as they happened.";
        page.single("coterie_deliveries_total", MetricKind::Counter, help, self.delivered);
        let help = "How often a reader fell behind and went on from the journal.";
        page.single("coterie_lagging_readers_total", MetricKind::Counter, help, self.behind);
    }
}
