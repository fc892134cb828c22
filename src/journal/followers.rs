//! Those who hear of every durable batch, and from where.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::journal::replicated::shard::{Hands, Shard};
use crate::journal::{Committed, Cursor, Follower};

/// The followers, and how far they have heard.
pub(super) struct Followers(Mutex<FollowerPosition>);

struct FollowerPosition {
    listeners: Vec<Box<dyn Follower>>,
    until: Cursor,
}

impl Followers {
    /// Nobody yet; everything before `until` was before their time.
    pub(super) fn from(until: Cursor) -> Self {
        Self(Mutex::new(FollowerPosition { listeners: Vec::new(), until }))
    }

    /// Adds one, and says from where it hears.
    pub(super) fn add(&self, follower: Box<dyn Follower>) -> Cursor {
        let mut heard = self.lock();
        heard.listeners.push(follower);
        heard.until
    }

    /// Tells everybody of a batch that ends before `until`: projections first, then those
    /// who submitted it, by `resolve`, then whoever listens.
    pub(super) fn tell(
        &self,
        batch: Vec<Arc<Committed>>,
        until: Cursor,
        resolve: impl FnOnce(&[Arc<Committed>]),
    ) {
        let mut heard = self.lock();
        heard.until = until;
        heard.listeners.iter_mut().for_each(|follower| follower.project(&batch));
        resolve(&batch);
        if heard.listeners.is_empty() {
            return;
        }
        let batch: Arc<[Arc<Committed>]> = batch.into();
        heard.listeners.iter_mut().for_each(|follower| follower.durable(&batch));
    }

    /// Tells everybody that a shard came into other hands.
    pub(super) fn moved(&self, shard: Shard, hands: Hands) {
        self.lock().listeners.iter_mut().for_each(|follower| follower.moved(shard, hands));
    }

    fn lock(&self) -> MutexGuard<'_, FollowerPosition> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Followers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heard = self.lock();
        out.debug_struct("Followers")
            .field("listeners", &heard.listeners.len())
            .field("until", &heard.until)
            .finish()
    }
}
