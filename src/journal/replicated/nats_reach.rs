//! Whether the log's servers can be reached, as far as this node sees it.

use std::sync::atomic::{AtomicU64, Ordering};

use base::clock::Stopwatch;

/// Microseconds without a connection after which nothing new is begun; if there is another server,
/// it is found sooner.
const UNCONNECTED: u64 = 1_000_000;
/// Microseconds in which the servers did nothing that they were asked, after which nothing new is
/// begun. When the leading server is lost, the others need up to that long to elect a new one, and
/// commits begun meanwhile still get through.
const UNDONE: u64 = 10_000_000;
const NEVER: u64 = u64::MAX;

/// Since when the servers have been unconnected, or have done nothing.
#[derive(Debug)]
pub(super) struct ServersReach {
    watch: Stopwatch,
    unconnected: AtomicU64,
    undone: AtomicU64,
}

impl ServersReach {
    /// Begins with servers that were reached just now.
    pub(super) fn begin() -> Self {
        let unconnected = AtomicU64::new(NEVER);
        let undone = AtomicU64::new(NEVER);
        Self { watch: Stopwatch::start(), unconnected, undone }
    }

    /// Notes whether there is a connection.
    pub(super) fn connected(&self, is_connected: bool) {
        let since = if is_connected { NEVER } else { self.watch.micros() };
        self.unconnected.store(since, Ordering::Relaxed);
    }

    /// Notes that the servers did what they were asked, or delivered a message.
    pub(super) fn answered(&self) {
        if self.undone.load(Ordering::Relaxed) != NEVER {
            self.undone.store(NEVER, Ordering::Relaxed);
        }
    }

    /// Notes that the servers did not do what they were asked: they were silent, or cannot, as when
    /// their disks are full.
    pub(super) fn undone(&self) {
        let order = Ordering::Relaxed;
        let now = self.watch.micros();
        // Only the first miss sets the time.
        let _is_first = self.undone.compare_exchange(NEVER, now, order, order);
    }

    /// Whether something new may be begun.
    pub(super) fn is_reachable(&self) -> bool {
        self.is_reachable_at(self.watch.micros())
    }

    fn is_reachable_at(&self, now: u64) -> bool {
        let passed = |since: &AtomicU64| now.saturating_sub(since.load(Ordering::Relaxed));
        passed(&self.unconnected) < UNCONNECTED && passed(&self.undone) < UNDONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_gone_or_do_nothing_for_long_are_not_there() {
        let reach = ServersReach::begin();
        let soon = reach.watch.micros() + UNCONNECTED - 1;
        let late = soon + 3_600_000_000;
        assert!(reach.is_reachable_at(late));
        reach.connected(false);
        assert!(reach.is_reachable_at(soon) && !reach.is_reachable_at(late));
        reach.connected(true);
        assert!(reach.is_reachable_at(late));
        reach.undone();
        reach.undone();
        assert!(reach.is_reachable_at(soon + UNDONE - UNCONNECTED) && !reach.is_reachable_at(late));
        reach.answered();
        assert!(reach.is_reachable_at(late));
    }
}
