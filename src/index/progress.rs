//! How far the index is: told by the indexer, waited for by whoever reads.
//!
//! Who waits is woken in the order in which they came, so that a simulation of a seed is
//! the same each time; `tokio::sync::watch` draws lots.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

use crate::index::IndexFault;
use crate::journal::Cursor;

/// A progress that begins here, and the end that tells of more.
pub(super) fn channel(from: Cursor) -> (Teller, Progress) {
    let state = Arc::<State>::default();
    state.reached.store(from.get(), Ordering::SeqCst);
    (Teller(Arc::clone(&state)), Progress(state))
}

#[derive(Debug, Default)]
struct State {
    reached: AtomicU64,
    is_over: AtomicBool,
    changed: Notify,
}

/// Tells of progress. Dropped, there is none any more.
#[derive(Debug)]
pub(super) struct Teller(Arc<State>);

impl Teller {
    /// It is here now.
    pub(super) fn send_replace(&self, reached: Cursor) {
        self.0.reached.store(reached.get(), Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

/// Knows of progress. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Progress(Arc<State>);

impl Progress {
    /// Where it is.
    pub(super) fn get(&self) -> Cursor {
        Cursor::new(self.0.reached.load(Ordering::SeqCst))
    }

    /// Waits until it is here.
    ///
    /// # Errors
    /// When it will never be.
    pub(super) async fn reached(&self, at: Cursor) -> Result<(), IndexFault> {
        loop {
            // Before the look, so that nothing is told in between.
            let changed = self.0.changed.notified();
            let is_over = self.0.is_over.load(Ordering::SeqCst);
            if self.get() >= at {
                return Ok(());
            }
            if is_over {
                return Err(IndexFault::Stopped);
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_hears_of_progress_and_of_its_end() {
        let (teller, progress) = channel(Cursor::new(3));
        progress.reached(Cursor::new(3)).await.unwrap();
        let (own, other) = (progress.clone(), progress.clone());
        let far = tokio::spawn(async move { own.reached(Cursor::new(7)).await });
        let farther = tokio::spawn(async move { other.reached(Cursor::new(9)).await });
        tokio::task::yield_now().await;
        teller.send_replace(Cursor::new(8));
        far.await.unwrap().unwrap();
        drop(teller);
        assert!(matches!(farther.await.unwrap(), Err(IndexFault::Stopped)));
        progress.reached(Cursor::new(8)).await.unwrap();
    }
}
