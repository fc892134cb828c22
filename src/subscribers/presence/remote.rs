//! Presence reported by other nodes, with expiry.

use std::sync::{Arc, Weak};

use crate::presence::{Inner, Presence};
use domain::ids::UserId;
use domain::time::Monotonic;

/// A [`Presence`] that does not keep the server from ending.
#[derive(Debug)]
pub struct WeakPresence(Weak<Inner>);

/// The cause that ends a user's presence at another node.
#[derive(Debug)]
pub struct ExpiredPresence {
    /// Runs of nodes that are dead.
    pub dead: Vec<u64>,
    /// The time now: what was believed until an earlier time is void.
    pub now: Monotonic,
}

impl Presence {
    /// Makes a weak reference.
    pub fn weak(&self) -> WeakPresence {
        WeakPresence(Arc::downgrade(&self.0))
    }
}

impl WeakPresence {
    fn upgrade(&self) -> Option<Presence> {
        self.0.upgrade().map(Presence)
    }

    /// The users who are online at this node.
    pub fn here(&self) -> Vec<UserId> {
        let Some(presence) = self.upgrade() else { return Vec::new() };
        let all = presence.0.here.iter().filter(|it| it.sockets > 0);
        all.map(|it| *it.key()).collect()
    }

    /// Notes that users are online at this run of a node; believed until `until` unless it is said
    /// again.
    pub fn set_online_at(&self, run: u64, users: impl Iterator<Item = UserId>, until: Monotonic) {
        let Some(presence) = self.upgrade() else { return };
        for user in users {
            {
                let mut here = presence.0.here.entry(user).or_default();
                here.elsewhere.retain(|it| it.0 != run);
                here.elsewhere.push((run, until));
            }
            presence.announce(user);
        }
    }

    /// Notes that users are no longer online at this run of a node.
    pub fn set_offline_at(&self, run: u64, users: impl Iterator<Item = UserId>) {
        let Some(presence) = self.upgrade() else { return };
        for user in users {
            if let Some(mut here) = presence.0.here.get_mut(&user) {
                here.elsewhere.retain(|it| it.0 != run);
            }
            presence.announce(user);
        }
    }

    /// Forgets who was online at dead nodes, or was not confirmed in time.
    pub fn expire(&self, away: &ExpiredPresence) {
        let Some(presence) = self.upgrade() else { return };
        let is_void = |it: &(u64, Monotonic)| it.1 < away.now || away.dead.contains(&it.0);
        let mut changed = Vec::new();
        for mut here in presence.0.here.iter_mut() {
            if here.elsewhere.iter().any(is_void) {
                here.elsewhere.retain(|it| !is_void(it));
                changed.push(*here.key());
            }
        }
        changed.into_iter().for_each(|user| presence.announce(user));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ephemeral_queue::EphemeralQueue;
    use crate::live_feed::Feeds;
    use index::indexer;
    use index::memory::MemoryRows;
    use journal::memory::MemoryJournal;

    const ANA: UserId = UserId::new(1);

    #[test]
    fn presence_lasts_while_a_node_reports_it() {
        let rows = Arc::new(MemoryRows::default());
        let opened = indexer::open(rows, Arc::new(MemoryJournal::new())).unwrap();
        let presence = Presence::new(opened.index, Feeds::default(), EphemeralQueue::default());
        let weak = presence.weak();
        let at = Monotonic::from_millis;
        let is_here = || presence.0.here.get(&ANA).is_some_and(|it| it.is_online());
        let ana = || std::iter::once(ANA);
        let away =
            |dead: &[u64], now| weak.expire(&ExpiredPresence { dead: dead.to_vec(), now: at(now) });
        weak.set_online_at(7, ana(), at(100));
        weak.set_online_at(8, ana(), at(200));
        weak.set_offline_at(7, ana());
        away(&[7], 100);
        assert!(is_here() && weak.here().is_empty(), "she is there");
        away(&[8], 100);
        assert!(!is_here() && presence.0.here.is_empty(), "her node is dead");
        weak.set_online_at(8, ana(), at(200));
        weak.set_online_at(8, ana(), at(300));
        away(&[], 300);
        assert!(is_here(), "it was said again");
        let guard = presence.enter(ANA);
        away(&[], 301);
        assert!(is_here() && weak.here() == [ANA], "she is here, and nobody else says so");
        drop(guard);
        assert!(presence.0.here.is_empty());
    }
}
