//! Counts the readers (WebSockets, streams, polls, Bayeux sessions) that each user or bot has open,
//! over all threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;

use base::bounds::places::Fullness;
use domain::ids::UserId;

/// Readers that one user or bot may have open.
pub const PER_USER: usize = 100;

/// Counts open readers.
#[derive(Debug, Clone, Default)]
pub struct ReaderCounts(Arc<DashMap<UserId, usize>>, Arc<AtomicU64>);

/// One open reader; dropping it subtracts it.
#[derive(Debug)]
pub struct OpenReader {
    sockets: ReaderCounts,
    user: UserId,
}

impl ReaderCounts {
    /// How full the count is of the user with the most open readers.
    pub fn fullness(&self) -> Fullness {
        let most = self.0.iter().map(|count| *count).max();
        Fullness::of_items(most.unwrap_or(0), PER_USER, self.1.load(Ordering::Relaxed))
    }

    /// Counts one more; `None` if the user has too many.
    pub fn open(&self, user: UserId) -> Option<OpenReader> {
        let mut count = self.0.entry(user).or_insert(0);
        if *count >= PER_USER {
            self.1.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        *count += 1;
        drop(count);
        Some(OpenReader { sockets: self.clone(), user })
    }
}

impl Drop for OpenReader {
    fn drop(&mut self) {
        if let dashmap::Entry::Occupied(mut count) = self.sockets.0.entry(self.user) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hundred_and_first_socket_is_refused_until_one_closes() {
        let sockets = ReaderCounts::default();
        let mut open: Vec<_> = (0..PER_USER).map(|_| sockets.open(UserId::new(1))).collect();
        assert!(open.iter().all(Option::is_some));
        assert!(sockets.open(UserId::new(1)).is_none());
        assert!(sockets.open(UserId::new(2)).is_some());
        open.pop();
        assert!(sockets.open(UserId::new(1)).is_some());
    }
}
