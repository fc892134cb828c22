//! The followers of a journal, and the position from which each receives commits.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Committed, Cursor, Follower};

/// The followers, and up to which position they have heard commits.
pub(super) struct Followers(Mutex<FollowerPosition>);

struct FollowerPosition {
    listeners: Vec<Box<dyn Follower>>,
    until: Cursor,
}

impl Followers {
    /// No followers yet; those that are added hear what begins at `until` or after it.
    pub(super) fn from(until: Cursor) -> Self {
        Self(Mutex::new(FollowerPosition { listeners: Vec::new(), until }))
    }

    /// Adds a follower, and returns the position from which it receives commits.
    pub(super) fn add(&self, follower: Box<dyn Follower>) -> Cursor {
        let mut heard = self.lock();
        heard.listeners.push(follower);
        heard.until
    }

    /// Announces a batch that ends before `until`: first to the followers' projections, then
    /// through `resolve` to those who submitted it, then to the followers.
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

    /// Notifies the followers that this node begins to lead, or no longer leads.
    pub(super) fn leader_changed(&self, leads: bool) {
        self.lock().listeners.iter_mut().for_each(|follower| follower.leader_changed(leads));
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
