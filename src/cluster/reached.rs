//! Waits until a record is shown. Each waiter is woken once, when its own record is reached, since
//! waking all of them at each step would cost more than the steps.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use journal::Cursor;

/// The position up to which records are shown, and the waiters for later ones.
#[derive(Debug)]
pub struct ShownPosition(Mutex<ShownWaiters>);

#[derive(Debug)]
struct ShownWaiters {
    up_to: u64,
    /// The waiters by record, and by the order in which they came.
    by_record: BTreeMap<(u64, u64), oneshot::Sender<()>>,
    came: u64,
}

impl ShownPosition {
    /// Everything up to here is shown, and nobody waits.
    pub fn up_to(up_to: u64) -> Self {
        Self(Mutex::new(ShownWaiters { up_to, by_record: BTreeMap::new(), came: 0 }))
    }

    /// Sets the position. It may be lower than before; that affects only later waiters.
    pub fn set(&self, up_to: u64) {
        Self::wake(self.lock(), up_to);
    }

    /// Raises the position to this one, if it is lower.
    pub fn raise_to(&self, up_to: u64) {
        let waiting = self.lock();
        let up_to = up_to.max(waiting.up_to);
        Self::wake(waiting, up_to);
    }

    fn wake(mut waiting: MutexGuard<'_, ShownWaiters>, up_to: u64) {
        waiting.up_to = up_to;
        let later = waiting.by_record.split_off(&(up_to, 0));
        let woken = std::mem::replace(&mut waiting.by_record, later);
        drop(waiting);
        for wake in woken.into_values() {
            let _has_gone = wake.send(());
        }
    }

    /// Waits until the record that begins here is shown.
    pub async fn wait_for(&self, record: Cursor) {
        let woken = {
            let mut waiting = self.lock();
            if waiting.up_to > record.get() {
                return;
            }
            let (wake, woken) = oneshot::channel();
            waiting.came += 1;
            let place = (record.get(), waiting.came);
            waiting.by_record.insert(place, wake);
            woken
        };
        // The sender is kept in `self` until it is used, so the wait cannot fail.
        drop(woken.await);
    }

    fn lock(&self) -> MutexGuard<'_, ShownWaiters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    async fn is_shown(reached: &ShownPosition, record: u64) -> bool {
        let shown = reached.wait_for(Cursor::new(record));
        tokio::time::timeout(Duration::ZERO, shown).await.is_ok()
    }

    #[tokio::test]
    async fn each_waits_for_a_record_and_for_no_other() {
        let reached = ShownPosition::up_to(100);
        assert!(is_shown(&reached, 99).await);
        assert!(!is_shown(&reached, 100).await, "a record begins where the others end");
        let both = async {
            tokio::join!(reached.wait_for(Cursor::new(100)), reached.wait_for(Cursor::new(170)));
        };
        let growing = async {
            for up_to in [120, 170, 171] {
                assert!(!is_shown(&reached, up_to).await);
                reached.set(up_to);
            }
        };
        let all = async { tokio::join!(both, growing) };
        tokio::time::timeout(SOON, all).await.expect("everybody is woken");
        assert_eq!(reached.lock().by_record.len(), 1, "but for who gave up and waits for more");
        reached.raise_to(50);
        assert!(is_shown(&reached, 170).await);
        reached.set(50);
        assert!(!is_shown(&reached, 60).await, "somebody new has less");
    }
}
