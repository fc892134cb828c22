//! How much memory pictures take while they are decoded: each says before how much it
//! needs, and waits until there is as much.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::bounds::Bound;
use crate::bounds::places::Fullness;
use crate::media::PictureRefusal;

/// Memory for all pictures that are being decoded.
#[derive(Debug)]
pub(super) struct Memory {
    size: u64,
    left: Mutex<u64>,
    freed: Condvar,
    refused: AtomicU64,
}

/// A share of it, until it is dropped.
#[derive(Debug)]
pub(super) struct Share<'a> {
    of: &'a Memory,
    bytes: u64,
}

impl Memory {
    /// So many bytes.
    pub(super) const fn new(size: u64) -> Self {
        let refused = AtomicU64::new(0);
        Self { size, left: Mutex::new(size), freed: Condvar::new(), refused }
    }

    /// All that there is.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// How much of it is taken, and how often somebody needed more than there is.
    pub(super) fn fullness(&self) -> Fullness {
        let left = *self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Fullness {
            held: Bound { items: 0, bytes: bytes(self.size - left) },
            limit: Bound::of_bytes(bytes(self.size)),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Waits for so many bytes.
    ///
    /// # Errors
    /// When there never are as many.
    pub(super) fn take(&self, bytes: u64) -> Result<Share<'_>, PictureRefusal> {
        if bytes > self.size {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(PictureRefusal::TooMuchWork);
        }
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_while(left, |left| *left < bytes);
        *waited.unwrap_or_else(PoisonError::into_inner) -= bytes;
        Ok(Share { of: self, bytes })
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.of.left.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.of.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_needs_more_than_is_left_waits_and_more_than_there_is_is_refused() {
        let memory = Memory::new(100);
        let held = memory.take(60).unwrap();
        assert!(memory.take(101).is_err());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| memory.take(41).map(drop));
            drop(held);
            waiting.join().unwrap().unwrap();
        });
        assert_eq!(*memory.left.lock().unwrap(), 100);
    }
}
