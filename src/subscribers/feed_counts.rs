//! Counters of the live feeds.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::metrics::exposition::{Exposition, MetricKind};
use crate::subscribers::slot::{OfferOutcome, Slot, WAITING};

/// The counters of one feed, written on its own thread.
#[derive(Debug, Default)]
pub struct FeedCounts {
    delivered: AtomicU64,
    behind: AtomicU64,
}

/// The sums over all feeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedReading {
    /// Readers that are connected now.
    pub readers: u64,
    /// Events handed to readers.
    pub delivered: u64,
    /// How often a reader fell behind.
    pub behind: u64,
    /// The most frames, and the most bytes, that wait for any one reader.
    pub waiting: Bound,
}

/// The slots of one feed's readers, for the metrics.
#[derive(Debug, Clone, Default)]
pub(super) struct ReaderSlots(Arc<Mutex<HashMap<u64, Arc<Slot>>>>);

impl ReaderSlots {
    /// Adds a reader's slot.
    pub(super) fn add(&self, reader: u64, slot: &Arc<Slot>) {
        self.lock().insert(reader, Arc::clone(slot));
    }

    /// Removes a reader's slot.
    pub(super) fn remove(&self, reader: u64) {
        self.lock().remove(&reader);
    }

    /// Raises `reading.waiting` to what waits in the fullest slots here.
    pub(super) fn add_to(&self, reading: &mut FeedReading) {
        for slot in self.lock().values() {
            let (waiting, most) = (slot.held(), &mut reading.waiting);
            most.items = most.items.max(waiting.items);
            most.bytes = most.bytes.max(waiting.bytes);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FeedCounts {
    /// Counts the outcome of offering an event to a reader.
    pub(super) fn offered(&self, offered: OfferOutcome) {
        match offered {
            OfferOutcome::Queued => {
                self.delivered.fetch_add(1, Ordering::Relaxed);
            }
            OfferOutcome::Full => {
                self.behind.fetch_add(1, Ordering::Relaxed);
            }
            OfferOutcome::Skipped => {}
        }
    }

    /// Adds the counters of this feed.
    pub(super) fn add_to(&self, reading: &mut FeedReading) {
        reading.delivered += self.delivered.load(Ordering::Relaxed);
        reading.behind += self.behind.load(Ordering::Relaxed);
    }
}

impl FeedReading {
    /// How full the fullest slot is. A reader whose slot is full reads on from the journal.
    pub const fn fullness(&self) -> Fullness {
        Fullness { held: self.waiting, limit: WAITING, refused: self.behind }
    }

    /// Writes the metrics.
    pub fn write(&self, page: &mut Exposition) {
        let help = "Sockets, streams and polls that receive events.";
        page.single("coterie_readers", MetricKind::Gauge, help, self.readers);
        let help = "Events pushed to readers as they happened.";
        page.single("coterie_deliveries_total", MetricKind::Counter, help, self.delivered);
        let help = "Readers that fell behind and continued from the journal.";
        page.single("coterie_lagging_readers_total", MetricKind::Counter, help, self.behind);
    }
}
