//! Memory for decoding pictures: each job takes the bytes that it needs beforehand, and waits until
//! so many are free.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::PictureRefusal;
use base::bounds::Bound;
use base::bounds::places::Fullness;

/// The memory for all pictures that are being decoded.
#[derive(Debug)]
pub(super) struct Memory {
    size: u64,
    left: Mutex<u64>,
    freed: Condvar,
    refused: AtomicU64,
}

/// A part of the memory, given back when dropped.
#[derive(Debug)]
pub(super) struct Share<'a> {
    of: &'a Memory,
    bytes: u64,
}

impl Memory {
    /// Memory of this many bytes.
    pub(super) const fn new(size: u64) -> Self {
        let refused = AtomicU64::new(0);
        Self { size, left: Mutex::new(size), freed: Condvar::new(), refused }
    }

    /// The total number of bytes, taken or not.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes are taken, and how often a job needed more than the total.
    pub(super) fn fullness(&self) -> Fullness {
        let left = *self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Fullness {
            held: Bound { items: 0, bytes: bytes(self.size - left) },
            limit: Bound::of_bytes(bytes(self.size)),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    /// Blocks until this many bytes are free, and takes them.
    ///
    /// # Errors
    /// If that is more than the total.
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
    fn decoding_waits_for_memory_and_oversized_images_are_refused() {
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
