//! Whether the log's servers can be reached, as far as this node sees it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::Stopwatch;

/// Microseconds without a connection after which nothing new is begun: another server is
/// found sooner, if there is one.
const UNCONNECTED: u64 = 1_000_000;
/// The same without an answer: when the server that leads is lost, the others need as long
/// to find a new one, and what was begun then still gets through.
const UNANSWERED: u64 = 10_000_000;
const NEVER: u64 = u64::MAX;

/// Since when not.
#[derive(Debug)]
pub(super) struct ServersReach {
    watch: Stopwatch,
    unconnected: AtomicU64,
    unanswered: AtomicU64,
}

impl ServersReach {
    /// They were reached just now.
    pub(super) fn begin() -> Self {
        let (unconnected, unanswered) = (AtomicU64::new(NEVER), AtomicU64::new(NEVER));
        Self { watch: Stopwatch::start(), unconnected, unanswered }
    }

    /// There is a connection, or there is none.
    pub(super) fn connected(&self, is_connected: bool) {
        let since = if is_connected { NEVER } else { self.watch.micros() };
        self.unconnected.store(since, Ordering::Relaxed);
    }

    /// The servers did what they were asked, or told something new.
    pub(super) fn answered(&self) {
        if self.unanswered.load(Ordering::Relaxed) != NEVER {
            self.unanswered.store(NEVER, Ordering::Relaxed);
        }
    }

    /// They did not.
    pub(super) fn unanswered(&self) {
        let (order, now) = (Ordering::Relaxed, self.watch.micros());
        // The first time counts.
        let _is_first = self.unanswered.compare_exchange(NEVER, now, order, order);
    }

    /// Whether something new can be begun.
    pub(super) fn is_there(&self) -> bool {
        self.is_there_at(self.watch.micros())
    }

    fn is_there_at(&self, now: u64) -> bool {
        let passed = |since: &AtomicU64| now.saturating_sub(since.load(Ordering::Relaxed));
        passed(&self.unconnected) < UNCONNECTED && passed(&self.unanswered) < UNANSWERED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_gone_or_silent_for_long_are_not_there() {
        let reach = ServersReach::begin();
        let soon = reach.watch.micros() + UNCONNECTED - 1;
        let late = soon + 3_600_000_000;
        assert!(reach.is_there_at(late));
        reach.connected(false);
        assert!(reach.is_there_at(soon) && !reach.is_there_at(late));
        reach.connected(true);
        assert!(reach.is_there_at(late));
        reach.unanswered();
        reach.unanswered();
        assert!(reach.is_there_at(soon + UNANSWERED - UNCONNECTED) && !reach.is_there_at(late));
        reach.answered();
        assert!(reach.is_there_at(late));
    }
}
