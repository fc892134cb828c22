//! How many sockets each message has reached.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::guid::Guid;

/// The most messages of one load; the senders stop before they exceed it.
const CAPACITY: usize = 1 << 20;

/// Counts deliveries of every message of one run to all of its sockets.
#[derive(Debug)]
pub struct DeliveryTracker {
    run: u32,
    senders: usize,
    sockets: u32,
    counts: Vec<AtomicU32>,
    /// Nanoseconds from `epoch` to the delivery on the last socket; 0 until then.
    last_at: Vec<AtomicU64>,
    epoch: Instant,
    deliveries: Arc<AtomicU64>,
    complete: Notify,
}

impl DeliveryTracker {
    pub fn new(run: u32, senders: usize, sockets: u32) -> Self {
        Self {
            run,
            senders,
            sockets,
            counts: (0..CAPACITY).map(|_| AtomicU32::new(0)).collect(),
            last_at: (0..CAPACITY).map(|_| AtomicU64::new(0)).collect(),
            epoch: Instant::now(),
            deliveries: Arc::default(),
            complete: Notify::new(),
        }
    }

    /// How many messages each sender may post.
    pub fn posts_per_sender(&self) -> u32 {
        u32::try_from(CAPACITY / self.senders.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns the index of a message; `None` for a message of another run.
    pub fn index(&self, guid: Guid) -> Option<usize> {
        let sender = usize::from(guid.sender);
        let ours = guid.run == self.run && sender < self.senders;
        let fits = guid.number < self.posts_per_sender();
        (ours && fits).then_some(guid.number as usize * self.senders + sender)
    }

    /// Counts one more socket that has the message.
    pub fn mark(&self, index: usize) {
        self.deliveries.fetch_add(1, Ordering::Relaxed);
        let count = self.counts[index].fetch_add(1, Ordering::Relaxed) + 1;
        if count == self.sockets {
            let nanos = u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.last_at[index].store(nanos.max(1), Ordering::Release);
            self.complete.notify_waiters();
        }
    }

    /// Returns how often the message was marked; repeats count where the caller marks them too.
    pub fn heard(&self, index: usize) -> u32 {
        self.counts[index].load(Ordering::Relaxed)
    }

    pub fn deliveries(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.deliveries)
    }

    /// Waits until the last socket has received the message, and returns when it did; `None` after
    /// `patience`.
    pub async fn reached_all(&self, index: usize, patience: Duration) -> Option<Instant> {
        // Needs no timer in the usual case that all sockets have the message already.
        if let Some(at) = self.last(index) {
            return Some(at);
        }
        tokio::time::timeout(patience, self.wait(index)).await.ok()
    }

    async fn wait(&self, index: usize) -> Instant {
        loop {
            let mut complete = std::pin::pin!(self.complete.notified());
            // Enabled before the check, so that no notification in between is missed.
            complete.as_mut().enable();
            if let Some(at) = self.last(index) {
                return at;
            }
            complete.await;
        }
    }

    fn last(&self, index: usize) -> Option<Instant> {
        match self.last_at[index].load(Ordering::Acquire) {
            0 => None,
            nanos => Some(self.epoch + Duration::from_nanos(nanos)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guid(sender: u16, number: u32) -> Guid {
        Guid { run: 5, sender, number }
    }

    #[test]
    fn every_message_has_its_own_place() {
        let delivery_tracker = DeliveryTracker::new(5, 3, 1);
        let places: Vec<_> = [guid(0, 0), guid(1, 0), guid(2, 0), guid(0, 1)]
            .map(|guid| delivery_tracker.index(guid))
            .into();
        assert_eq!(places, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(delivery_tracker.index(guid(3, 0)), None);
        assert_eq!(delivery_tracker.index(Guid { run: 6, ..guid(0, 0) }), None);
        assert_eq!(delivery_tracker.index(guid(0, delivery_tracker.posts_per_sender())), None);
    }

    #[tokio::test]
    async fn a_message_is_complete_with_its_last_socket() {
        let delivery_tracker = DeliveryTracker::new(5, 1, 2);
        let moment = Duration::from_millis(5);
        delivery_tracker.mark(0);
        assert_eq!(delivery_tracker.reached_all(0, moment).await, None);
        delivery_tracker.mark(0);
        assert!(delivery_tracker.reached_all(0, moment).await.is_some());
        assert_eq!(delivery_tracker.deliveries().load(Ordering::Relaxed), 2);
    }
}
