//! How far the index is: told by the indexer, waited for by readers.
//!
//! Waiting readers are woken in the order in which they came, so that a simulation runs the same
//! each time for a given seed; `tokio::sync::watch` wakes them in random order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

use crate::IndexFault;
use journal::Cursor;

/// Makes the two ends of a progress that begins at `from`.
pub(super) fn channel(from: Cursor) -> (ProgressSender, Progress) {
    let state = Arc::<State>::default();
    state.reached.store(from.get(), Ordering::SeqCst);
    (ProgressSender(Arc::clone(&state)), Progress(state))
}

#[derive(Debug, Default)]
struct State {
    reached: AtomicU64,
    is_over: AtomicBool,
    changed: Notify,
}

/// The indexer's end. When it is dropped, readers that still wait are told that the indexer has
/// stopped.
#[derive(Debug)]
pub(super) struct ProgressSender(Arc<State>);

impl ProgressSender {
    /// Sets the position and wakes the readers.
    pub(super) fn advance(&self, reached: Cursor) {
        self.0.reached.store(reached.get(), Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Drop for ProgressSender {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

/// The readers' end. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Progress(Arc<State>);

impl Progress {
    /// The present position.
    pub(super) fn get(&self) -> Cursor {
        Cursor::new(self.0.reached.load(Ordering::SeqCst))
    }

    /// Waits until the position is at `at` or past it.
    ///
    /// # Errors
    /// If the indexer stops before that.
    pub(super) async fn reached(&self, at: Cursor) -> Result<(), IndexFault> {
        loop {
            // Registered before the position is read, so that no change in between is missed.
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
    async fn progress_waiters_wake_on_advance_and_end() {
        let (teller, progress) = channel(Cursor::new(3));
        progress.reached(Cursor::new(3)).await.unwrap();
        let own = progress.clone();
        let other = progress.clone();
        let far = tokio::spawn(async move { own.reached(Cursor::new(7)).await });
        let farther = tokio::spawn(async move { other.reached(Cursor::new(9)).await });
        tokio::task::yield_now().await;
        teller.advance(Cursor::new(8));
        far.await.unwrap().unwrap();
        drop(teller);
        assert!(matches!(farther.await.unwrap(), Err(IndexFault::Stopped)));
        progress.reached(Cursor::new(8)).await.unwrap();
    }
}
