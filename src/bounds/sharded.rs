//! A number that many threads change all the time and somebody reads once in a while: each
//! thread has a part of its own, so that they do not fight for the line.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// Parts; threads beyond them share.
const SHARDS: usize = 16;

/// One part, alone on its line of the cache.
#[derive(Debug)]
#[repr(align(128))]
struct Shard(AtomicI64);

/// The number.
#[derive(Debug)]
pub struct Sharded([Shard; SHARDS]);

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS);
}

impl Sharded {
    /// Zero.
    pub const fn new() -> Self {
        Self([const { Shard(AtomicI64::new(0)) }; SHARDS])
    }

    /// So much more, or less.
    pub fn add(&self, more: i64) {
        // A thread that ends has no part of its own any more.
        let own = OWN.try_with(Cell::get).unwrap_or(0);
        self.0[own].0.fetch_add(more, Ordering::Relaxed);
    }

    /// All of it, as far as one can know while it changes; never less than nothing.
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
    fn what_one_thread_adds_another_may_take_away() {
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
