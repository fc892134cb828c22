//! A counter that many threads change often and a reader sums rarely. Each thread adds to a part of
//! its own, so that threads do not contend for one cache line.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The number of parts; more threads than that share parts.
const SHARDS: usize = 16;

/// One part, alone on its cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Shard(AtomicI64);

/// The counter.
#[derive(Debug)]
pub struct Sharded([Shard; SHARDS]);

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS);
}

impl Sharded {
    /// A counter at zero.
    pub const fn new() -> Self {
        Self([const { Shard(AtomicI64::new(0)) }; SHARDS])
    }

    /// Adds a number, which may be negative.
    pub fn add(&self, more: i64) {
        // A thread that is ending has lost its thread-local index.
        let own = OWN.try_with(Cell::get).unwrap_or(0);
        self.0[own].0.fetch_add(more, Ordering::Relaxed);
    }

    /// The sum of all parts, approximate while threads change them; never below 0.
    pub fn sum(&self) -> usize {
        let sum: i64 = self.0.iter().map(|shard| shard.0.load(Ordering::Relaxed)).sum();
        usize::try_from(sum).unwrap_or(0)
    }
}

impl Default for Sharded {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharded_count_allows_release_on_other_thread() {
        let number = Sharded::new();
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| number.add(2));
            }
        });
        number.add(-60);
        assert_eq!(number.sum(), 20);
        number.add(-60);
        assert_eq!(number.sum(), 0);
    }
}
